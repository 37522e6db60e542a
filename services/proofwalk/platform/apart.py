"""A role in a process of its own, beside the others in this one.

Roles in one process share Python's lock. For the embedded engine that is dear: between
two of its operations, thousands a second, its thread waits for whoever holds the lock,
and with a dozen episodes about it computed for two thirds of the time only. Apart, it
is spoken to as in any installation, over gRPC on a Unix socket. The process cannot
outlive this one.

It has the machine with others, so its threads sleep where they wait for each other
(`chassis.processes.SHARED`), and what torch keeps of its compiled kernels is bounded
(`BOUNDED`).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from pydantic import BaseModel, SecretStr

from proofwalk.chassis.processes import BOUNDED, SHARED, ChildProcess, start_child
from proofwalk.chassis.settings import PREFIX
from proofwalk.kernel.errors import unavailable
from proofwalk.platform.settings import Settings

_START_S = 180.0
"""A model is read meanwhile."""
_CALL_S = 5.0
_POLL_S = 0.1
_SAID = 500


@asynccontextmanager
async def role_apart(
    name: str, settings: Settings, *, within_s: float = _START_S
) -> AsyncIterator[str]:
    """Start a role with its section of the settings, on a home of its own below theirs;
    its address. Raises `role.not_started`."""
    home = settings.home.absolute() / f"{name}-process"
    await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True)
    own = settings.model_copy(update={"home": home, "addresses": {}})
    environment = {
        **SHARED,
        **BOUNDED,
        **os.environ,
        **section_environment(name, getattr(settings, name)),
        f"{PREFIX}HOME": str(home),
    }
    # What the others listen on is nothing to it.
    environment = {
        key: value
        for key, value in environment.items()
        if not key.startswith((f"{PREFIX}ADDRESSES", f"{PREFIX}METRICS_ADDRESS"))
    }
    with (home / "log.txt").open("wb") as log:
        child = await start_child(
            [sys.executable, "-m", "proofwalk.cli.main", "serve", name],
            name=name,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        address = own.address_of(name)
        try:
            async with asyncio.timeout(within_s):
                await _until_serving(child, address)
        except (TimeoutError, _Ended) as error:
            said = (
                await asyncio.to_thread((home / "log.txt").read_text, "utf-8", "replace")
            ).strip()[-_SAID:]
            why = "ended" if isinstance(error, _Ended) else f"did not serve within {within_s:g} s"
            raise unavailable("role.not_started", f"the process of {name} {why}: {said}") from error
        yield address
    finally:
        await asyncio.shield(child.terminate())


def section_environment(name: str, section: BaseModel) -> Mapping[str, str]:
    """A role's section of the settings as the variables that say the same."""
    told: dict[str, str] = {}
    plain = section.model_dump(mode="json")
    for field in type(section).model_fields:
        value = getattr(section, field)
        variable = f"{PREFIX}{name}__{field}".upper()
        match value:
            case None:
                continue
            case BaseModel():
                told |= section_environment(f"{name}__{field}", value)
            case SecretStr():
                told[variable] = value.get_secret_value()
            case Path():
                told[variable] = str(value.absolute())
            case str():
                told[variable] = value
            case _:
                told[variable] = json.dumps(plain[field])
    return told


class _Ended(Exception):
    """The process is gone."""


async def _until_serving(child: ChildProcess, address: str) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        while True:
            if child.returncode is not None:
                raise _Ended
            try:
                answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=_CALL_S)
            except grpc.aio.AioRpcError:
                answer = None
            if answer is not None and answer.status == health_pb2.HealthCheckResponse.SERVING:
                return
            await asyncio.sleep(_POLL_S)
