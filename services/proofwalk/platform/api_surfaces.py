"""Applications on which functions are built and tested (`proofwalk.apis`), of their own
and thrown away: an embedded cloud with one account, or a desktop.

The cloud listens on this machine for as long as the surface is open. Its only account
gets a fresh key, which is registered as a secret before anybody has it; what functions
make there goes with the cloud.
"""

from __future__ import annotations

import secrets
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from proofwalk.apis.surfaces import PRODUCTS, CloudSurface, DesktopSurface
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.alicloud.openapi import VERSIONS, may_tell_secret
from proofwalk.cloud.target import TargetCatalog
from proofwalk.devcloud import main as devcloud
from proofwalk.devcloud.engine.values.parameters import identifying
from proofwalk.devcloud.products import indexing
from proofwalk.devcloud.products.catalogue import Catalogue, Operation
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import TARGET

_SPEED = 20.0
"""How many times faster than in reality things change their states."""
_START_S = 300.0


@asynccontextmanager
async def cloud_surface(
    *, clock: Clock, register_secret: Callable[[str], None]
) -> AsyncIterator[CloudSurface]:
    """An embedded cloud with one account."""
    token = secrets.token_urlsafe(24)
    settings = DevcloudSettings(admin_token=SecretStr(token), accounts=1, speed=_SPEED)
    with tempfile.TemporaryDirectory(prefix="proofwalk-apis-") as state:
        async with devcloud.run(
            settings, clock=clock, ids=RandomIds(clock), state_dir=Path(state)
        ) as running:
            environment = {"DEVCLOUD_URL": running.url, "DEVCLOUD_ADMIN_TOKEN": token}
            target = TargetCatalog(None, environment).get(TARGET)
            async with open_cloud(target, clock=clock) as cloud:
                assert cloud.actions is not None, "the embedded cloud has an API"
                (listed,) = await cloud.accounts.accounts()
                account = await cloud.accounts.rotate(listed.external_id)
                assert account.access_key is not None, "a rotation makes one"
                register_secret(account.access_key.secret.get_secret_value())
                yield CloudSurface(
                    cloud.actions.caller(account, region=target.regions[0]),
                    operations=operations(indexing.load(devcloud.PRODUCTS)),
                )


@asynccontextmanager
async def desktop_surface(image: Path) -> AsyncIterator[DesktopSurface]:
    """A desktop of this image's folder, which is ended with the block. Raises
    `desktop.…`."""
    # Its client of QEMU is not installed where there are no desktops.
    from proofwalk.desktop.image import Image
    from proofwalk.desktop.seat import Seat
    from proofwalk.sandbox_scheduler.desktop import SandboxedDesktop

    with tempfile.TemporaryDirectory(prefix="pw-apis-") as folder:
        machine = await SandboxedDesktop.start(
            Image.read(image), folder=Path(folder), within_s=_START_S
        )
        try:
            seat = await Seat.at(machine.endpoint)
            try:
                yield DesktopSurface(seat.guest)
            finally:
                await seat.leave()
        finally:
            await machine.end()


def operations(shipped: Catalogue) -> str:
    """The operations that functions may call, a line for each product, with the names
    of their parameters as far as they are known."""
    products = {VERSIONS[name]: name for name in PRODUCTS}
    lines: dict[str, list[str]] = defaultdict(list)
    for (version, name), operation in sorted(shipped.operations.items()):
        product = products.get(version)
        if product is not None and not may_tell_secret(name):
            lines[product].append(f"{name}({', '.join(_parameters(operation))})")
    return "\n".join(f"{product}: {' '.join(lines[product])}" for product in sorted(lines))


def _parameters(operation: Operation) -> list[str]:
    spec, resource = operation.spec, operation.resource
    about_one = operation.kind in ("get", "update")
    identity = identifying(resource, spec) if about_one and resource is not None else []
    mapped = [one.param for one in (*spec.params.values(), *spec.filters.values())]
    return [name for name in dict.fromkeys([*identity, *spec.mandatory, *mapped]) if name]
