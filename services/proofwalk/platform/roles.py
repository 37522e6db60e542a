"""Every role by name, wired from the settings. Roles do not know each other; this
registry is what `proofwalk serve` chooses from.

A role's code is imported when it is chosen, so that a process of one role starts
without the others' libraries: what is killed is back sooner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from proofwalk.chassis.role import Role
from proofwalk.kernel.errors import invalid
from proofwalk.platform.role_channels import certificate_of
from proofwalk.platform.settings import (
    Settings,
    target_environment,
    with_devcloud_token,
    with_targets,
)

if TYPE_CHECKING:
    from proofwalk.resource_provisioner.coder import Coder

Environment = Mapping[str, str]


def _devcloud(settings: Settings, _: Environment) -> Role:
    from proofwalk.devcloud.role import role

    return role(settings.devcloud)


def _account_pool(settings: Settings, environment: Environment) -> Role:
    from proofwalk.account_pool.main import role

    return role(settings.account_pool, environment=environment)


def _sandbox_scheduler(settings: Settings, _: Environment) -> Role:
    from proofwalk.sandbox_scheduler.main import role

    return role(settings.sandbox_scheduler)


def _resource_provisioner(settings: Settings, environment: Environment) -> Role:
    from proofwalk.resource_provisioner.main import role

    return role(
        settings.resource_provisioner,
        environment=environment,
        coders={"devcloud": _devcloud_coder},
    )


def _devcloud_coder() -> Coder:
    """Reads the products' files: about a second."""
    from proofwalk.devcloud.main import PRODUCTS
    from proofwalk.devcloud.products import indexing
    from proofwalk.platform.devcloud_world import devcloud_world
    from proofwalk.platform.need_coder import NeedCoder

    return NeedCoder(devcloud_world(indexing.load(PRODUCTS)))


def _reward_service(settings: Settings, environment: Environment) -> Role:
    from proofwalk.reward_service.main import role

    return role(settings.reward_service, environment=environment)


def _inference(settings: Settings, _: Environment) -> Role:
    from proofwalk.inference.main import role

    return role(settings.inference)


def _trainer(settings: Settings, _: Environment) -> Role:
    from proofwalk.trainer.main import role

    return role(settings.trainer)


def _rollout(settings: Settings, environment: Environment) -> Role:
    from proofwalk.rollout.main import role

    return role(settings.rollout, environment=environment)


def _inspection(settings: Settings, _: Environment) -> Role:
    from proofwalk.inspection.main import role

    return role(settings.inspection)


def _gateway(settings: Settings, _: Environment) -> Role:
    from proofwalk.gateway.main import role

    return role(settings.gateway)


_FACTORIES: Mapping[str, Callable[[Settings, Environment], Role]] = {
    # In the order in which they start: whoever is called comes before its callers.
    "devcloud": _devcloud,
    "account_pool": _account_pool,
    "sandbox_scheduler": _sandbox_scheduler,
    "resource_provisioner": _resource_provisioner,
    "reward_service": _reward_service,
    "inference": _inference,
    "trainer": _trainer,
    "rollout": _rollout,
    "inspection": _inspection,
    "gateway": _gateway,
}

NAMES = tuple(_FACTORIES)


async def _sandbox(settings: Settings) -> None:
    from proofwalk.sandbox_scheduler.pod.main import run_sandbox

    await run_sandbox(settings.sandbox, home=settings.home)


async def _devtools_gateway(settings: Settings) -> None:
    from proofwalk.sandbox_scheduler.pod.main import run_gateway

    await run_gateway(
        settings.devtools_gateway,
        scheduler=settings.address_of("sandbox_scheduler"),
        tls=await asyncio.to_thread(certificate_of, settings),
    )


PROGRAMS: Mapping[str, Callable[[Settings], Awaitable[None]]] = {
    "sandbox": _sandbox,
    "devtools-gateway": _devtools_gateway,
}
"""What `serve` runs beside roles: the data plane of sandboxes in pods. They have no
rows, no queue, and are no part of `all`."""


def choose(
    name: str, settings: Settings, *, without: Sequence[str] = ()
) -> tuple[Settings, list[Role]]:
    """The roles behind `all` (but for those `without`) or one role's name (with `-` or
    `_`), and the settings they were made from."""
    settings = with_targets(with_devcloud_token(settings))
    environment = target_environment(settings)
    wanted = name.replace("-", "_")
    if wanted == "all":
        return settings, [
            make(settings, environment) for role, make in _FACTORIES.items() if role not in without
        ]
    if wanted not in _FACTORIES:
        known = ", ".join(role.replace("_", "-") for role in NAMES)
        raise invalid("role.unknown", f"there is no role {name!r}", hint=f"one of: all, {known}")
    return settings, [_FACTORIES[wanted](settings, environment)]
