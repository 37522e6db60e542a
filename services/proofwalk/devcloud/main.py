"""The devcloud role, wired: `run` starts the cloud on one port and stops it cleanly.

The listener is bound before anything else, so the url is known even for port 0. State lies in
`state_dir/devcloud.sqlite`; nothing else is kept. The server's task has an owner and a deadline at both ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from proofwalk.devcloud.accounts import Accounts
from proofwalk.devcloud.admin_api import AdminApi
from proofwalk.devcloud.app import Bundle, build_app
from proofwalk.devcloud.catalogue import load
from proofwalk.devcloud.console_api import ConsoleApi
from proofwalk.devcloud.console_schema import ConsoleSchema
from proofwalk.devcloud.openapi import OpenApi
from proofwalk.devcloud.operations import Cloud
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.devcloud.signatures import Verifier
from proofwalk.devcloud.store import Store
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.ids import IdSource, SeededIds

HERE = Path(__file__).parent
PRODUCTS = HERE / "products"
BUNDLE = HERE / "bundle"
START_DEADLINE_S = 15.0
STOP_DEADLINE_S = 5.0


@dataclass(frozen=True, kw_only=True)
class RunningDevcloud:
    """A started cloud."""

    url: str
    admin_token: str = field(repr=False)


class _Server(uvicorn.Server):
    """A server that leaves the process's signals to the process and tells when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def run(
    settings: DevcloudSettings,
    *,
    clock: Clock,
    ids: IdSource,
    state_dir: Path,
    products: Path = PRODUCTS,
    bundle: Path = BUNDLE,
) -> AsyncIterator[RunningDevcloud]:
    """Serve the cloud until the context is left."""
    catalogue = load(products)
    store = Store(state_dir / "devcloud.sqlite")
    try:
        tuning = store.get_meta("tuning") or {}
        cloud = Cloud(
            catalogue,
            store,
            clock=clock,
            ids=ids,
            audit_lag=tuning.get("audit_lag", settings.audit_lag_s),
            speed=tuning.get("speed", settings.speed),
        )
        accounts = Accounts(store, clock=clock, ids=ids, session_ttl=settings.session_ttl_s)
        token = _admin_token(settings, store, ids)
        _ensure_accounts(settings, accounts)
        schema = ConsoleSchema(catalogue, store)
        verifier = Verifier(accounts, clock, skew=settings.clock_skew_s)
        app = build_app(
            OpenApi(cloud, verifier),
            ConsoleApi(cloud, accounts, schema),
            AdminApi(cloud, accounts, schema, token=token),
            Bundle(bundle),
        )
        async with _served(app, settings) as url:
            yield RunningDevcloud(url=url, admin_token=token)
    finally:
        store.close()


def _admin_token(settings: DevcloudSettings, store: Store, ids: IdSource) -> str:
    given = settings.admin_token.get_secret_value()
    if given:
        return given
    kept = store.get_meta("admin_token")
    if kept is None:
        kept = "".join(ids.new("t")[-10:] for _ in range(3))
        with store.transaction():
            store.set_meta("admin_token", kept)
    return str(kept)


def _ensure_accounts(settings: DevcloudSettings, accounts: Accounts) -> None:
    missing = settings.accounts - len(accounts.all())
    source = SeededIds(settings.seed) if settings.seed is not None else None
    for _ in range(missing):
        accounts.create(source)


@asynccontextmanager
async def _served(app: object, settings: DevcloudSettings) -> AsyncIterator[str]:
    # with the protocol named, asyncio turns Nagle's algorithm off on what it accepts: 1 ms a call instead of 44
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise unavailable(
            "devcloud.port",
            f"cannot listen on {settings.host}:{settings.port}: {error}",
            hint="Choose another port, or 0 for any free one.",
        ) from error
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=int(STOP_DEADLINE_S),
        server_header=False,
    )
    server = _Server(config)
    host, port = listener.getsockname()[:2]
    async with asyncio.TaskGroup() as owner:
        task = owner.create_task(server.serve(sockets=[listener]))
        try:
            async with asyncio.timeout(START_DEADLINE_S):
                await server.up.wait()
            yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
        finally:
            server.should_exit = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_DEADLINE_S + 2):
                    await asyncio.shield(task)
            if not task.done():
                task.cancel()
            listener.close()
