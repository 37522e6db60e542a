"""Finds an installation to talk to: the one that is named, the one that runs on this
home, else one inside this process.

The embedded installation is every role in this process on embedded defaults, behind its
own gateway on a loopback port. It is talked to over REST like any other, so that there
is one way in.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import secret_values
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.gateway.keys import KEY_FILE, URL_FILE, local_key
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.platform.apart import role_apart
from proofwalk.platform.client import Client
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import Settings


@asynccontextmanager
async def connect(settings: Settings, *, start: bool) -> AsyncIterator[Client]:
    """A client of an installation. With `start`, one is started here when none runs;
    else that is `client.no_server`."""
    if settings.client.server:
        async with Client(settings.client.server, client_key(settings)) as client:
            yield client
        return
    running = await _running(settings)
    if running:
        async with Client(running, client_key(settings)) as client:
            yield client
        return
    if not start:
        raise invalid(
            "client.no_server",
            f"no gateway runs on {settings.home}",
            hint="start one with `proofwalk serve all`, or set PROOFWALK_CLIENT__SERVER",
        )
    async with embedded(settings) as here, Client(here.url, client_key(here.settings)) as client:
        yield client


def client_key(settings: Settings) -> str:
    """The key to talk to an installation with."""
    return settings.client.api_key.get_secret_value() or local_key(
        settings.home.absolute() / KEY_FILE
    )


async def _running(settings: Settings) -> str:
    path = settings.home.absolute() / "run" / URL_FILE
    if not path.is_file():
        return ""
    url = path.read_text(encoding="ascii").strip()
    try:
        async with Client(url, client_key(settings)) as client:
            return url if await client.is_ready() else ""
    except ProofwalkError:
        return ""


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """Every role in this process."""

    url: str
    """Of its gateway."""
    settings: Settings
    """With what was chosen at the start: ports, the embedded cloud's token."""
    process: Process
    """The roles: for calls that the gateway does not offer."""


@asynccontextmanager
async def embedded(settings: Settings, *, apart: Sequence[str] = ()) -> AsyncIterator[Embedded]:
    """Start every role here, those `apart` in processes of their own; the log says
    warnings only, unless the settings ask for more."""
    devcloud = settings.devcloud.model_copy(update={"port": free_port()})
    gateway = settings.gateway.model_copy(update={"address": "127.0.0.1:0"})
    async with AsyncExitStack() as exits:
        addresses = dict(settings.addresses)
        for name in apart:
            addresses[name] = await exits.enter_async_context(role_apart(name, settings))
        changes = {"devcloud": devcloud, "gateway": gateway, "addresses": addresses}
        settings, roles = choose("all", settings.model_copy(update=changes), without=apart)
        process = await exits.enter_async_context(
            Process(settings, roles, redaction=quiet(settings))
        )
        url = (settings.home.absolute() / "run" / URL_FILE).read_text(encoding="ascii").strip()
        yield Embedded(url=url, settings=settings, process=process)


def quiet(settings: Settings) -> Redaction:
    """Log as in front of a person, for roles that are started here: the log belongs to
    the server, and is errors only unless asked for."""
    redaction = Redaction(secret_values(settings))
    level = settings.log.level if settings.log.level != "info" else "error"
    configure_logging(LogSettings(format=settings.log.format, level=level), redaction)
    return redaction


def free_port() -> int:
    """A loopback port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
