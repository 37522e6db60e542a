"""The life of a process: one or several roles, started, ready, drained, ended.

`Process` gives each role a `RoleContext` (its database migrated, Redis, blobs, channels
to other roles), then goes through

    started (answers health, NOT_SERVING) -> ready -> draining (NOT_SERVING, `Running.drain`) -> loops cancelled -> server stopped
    -> `ctx.exits` closed, last opened first -> Redis, channels and traces flushed

A background loop runs until it is cancelled: one that fails or returns takes the
process down (`Process.wait` raises), since a process that looks alive and does nothing
is worse than one that is restarted. Loops meet what is away themselves; one that lets a
retryable `ProofwalkError` through is begun again after a pause, because a process that
is restarted would find the same away. `run_roles` adds signals and logging for
`proofwalk serve`; tests use `async with Process(...)`, which touches neither.
"""

from __future__ import annotations

import asyncio
import contextvars
import signal
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType

import structlog
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from proofwalk.chassis.blobs import blobs_of
from proofwalk.chassis.database import Database
from proofwalk.chassis.http import HttpServer, health_app
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.metrics import RpcMetrics, StreamMetrics, certificate_metric
from proofwalk.chassis.migrations import migrate
from proofwalk.chassis.private_files import private_folder
from proofwalk.chassis.readers import Readers
from proofwalk.chassis.redis_connections import connect
from proofwalk.chassis.redis_server import EmbeddedRedis
from proofwalk.chassis.role import Loop, Role, RoleContext, Running
from proofwalk.chassis.rpc import RoleChannels, RpcChannel, RpcServer
from proofwalk.chassis.settings import ProcessSettings, secret_values
from proofwalk.chassis.streams import Doorbell
from proofwalk.chassis.tasks import end
from proofwalk.chassis.tracing import Tracing, otlp_exporter
from proofwalk.kernel.clock import Clock, SystemClock
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.ids import IdSource, RandomIds

_log: structlog.stdlib.BoundLogger = structlog.get_logger()
_AGAIN_S = 1.0


class LoopEnded(RuntimeError):
    """A background loop returned, which none may."""


@dataclass(frozen=True, kw_only=True)
class _Started:
    role: Role
    running: Running
    server: RpcServer | None
    tasks: list[asyncio.Task[None]]


class Process:
    """Several roles in this process. `async with Process(settings, roles) as process:`
    serves inside the block."""

    def __init__(
        self,
        settings: ProcessSettings,
        roles: Sequence[Role],
        *,
        clock: Clock | None = None,
        ids: IdSource | None = None,
        tracing: Tracing | None = None,
        redaction: Redaction | None = None,
    ) -> None:
        self.settings = settings
        self._roles = roles
        self._clock = clock or SystemClock()
        self._ids = ids or RandomIds(self._clock)
        name = roles[0].name if len(roles) == 1 else "proofwalk"
        exporter = otlp_exporter(settings.otlp_endpoint) if settings.otlp_endpoint else None
        self.tracing = tracing or Tracing(name, exporter=exporter, batch=True)
        self.metrics = CollectorRegistry()
        self._rpc_metrics = RpcMetrics(self.metrics)
        self._stream_metrics = StreamMetrics(self.metrics)
        self.redaction = redaction or Redaction()
        for secret in secret_values(settings):
            self.redaction.register(secret)
        self._channels = RoleChannels(
            settings.address_of, tracing=self.tracing, metrics=self._rpc_metrics
        )
        self._started: list[_Started] = []
        self._failed: asyncio.Future[None] | None = None
        self._exits = AsyncExitStack()
        self._draining = False
        self._readers = Readers(processes=settings.reading_processes)
        self.is_ready = False

    async def __aenter__(self) -> Process:
        self._failed = asyncio.get_running_loop().create_future()
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stop()

    def channel(self, role: str) -> RpcChannel:
        """A channel to a role, for callers outside of roles (the CLI, tests)."""
        return self._channels.channel(role)

    async def wait(self) -> None:
        """Until a background loop ends; raises what it failed with."""
        if self._failed is None:
            raise RuntimeError("the process has not been started")
        await asyncio.shield(self._failed)

    async def _start(self) -> None:
        self._exits.push_async_callback(asyncio.to_thread, self.tracing.shutdown)
        await asyncio.to_thread(self._make_private)
        if self.settings.rpc.tls.given:
            await self._use_certificate()
        url = self.settings.redis_url.get_secret_value()
        if not url:
            embedded = EmbeddedRedis(self.settings.run_path("redis.sock").parent)
            self._exits.push_async_callback(embedded.stop)
            await embedded.start()
            keeper = self._spawn("", Loop(name="redis", run=embedded.keep))
            self._exits.push_async_callback(end, [keeper])
            url = embedded.url
        redis = connect(url)
        self._exits.push_async_callback(redis.aclose)
        self._exits.push_async_callback(self._channels.close)
        self._exits.push_async_callback(self._readers.close)
        if self.settings.metrics_address:
            app = health_app(self.metrics, lambda: self.is_ready)
            await self._exits.enter_async_context(HttpServer(app, self.settings.metrics_address))
        for role in self._roles:
            await self._start_role(role, redis)
        for started in self._started:
            if started.server is not None:
                await started.server.ready(True)
        self.is_ready = True
        _log.info("process_ready", roles=[role.name for role in self._roles])

    async def _use_certificate(self) -> None:
        # Its libraries are for those who have a certificate.
        from proofwalk.chassis.rpc.mutual_tls import MutualTls

        tls = await asyncio.to_thread(MutualTls, self.settings.rpc.tls, clock=self._clock)
        over_tcp = [
            role.name
            for role in self._roles
            if not self.settings.address_of(role.name).startswith("unix:")
        ]
        if any(name != tls.role for name in over_tcp):
            raise invalid(
                "rpc.certificate_of_another",
                f"the certificate is for {tls.role!r}, and this process serves"
                f" {', '.join(over_tcp)} over TCP",
                hint="run one role per process, each with its own certificate",
            )
        self._channels.tls = tls
        certificate_metric(self.metrics, tls.seconds_left)
        keeper = self._spawn("", Loop(name="certificates", run=tls.keep))
        self._exits.push_async_callback(end, [keeper])

    def _make_private(self) -> None:
        settings = self.settings
        for folder in (
            settings.run_path("x").parent,
            settings.state_path("x").parent,
            settings.blob_path(),
        ):
            private_folder(folder)

    async def _start_role(self, role: Role, redis: Redis) -> None:
        exits = AsyncExitStack()
        self._exits.push_async_callback(exits.aclose)
        folder = self.settings.state_path(role.name)
        await asyncio.to_thread(private_folder, folder)
        database = Database(self.settings.database_url_of(role.name))
        exits.push_async_callback(database.close)
        if role.package:
            await migrate(database, role.package)
        context = RoleContext(
            role=role.name,
            settings=self.settings,
            folder=folder,
            clock=self._clock,
            ids=self._ids,
            database=database,
            redis=redis,
            doorbell=Doorbell(redis),
            blobs=blobs_of(self.settings),
            tracing=self.tracing,
            metrics=self.metrics,
            rpc_metrics=self._rpc_metrics,
            stream_metrics=self._stream_metrics,
            redaction=self.redaction,
            readers=self._readers,
            exits=exits,
            _channels=self._channels,
        )
        with structlog.contextvars.bound_contextvars(service=role.name):
            running = await role.start(context)
            server = None
            tasks: list[asyncio.Task[None]] = []
            if running.services:
                server = RpcServer(
                    self.settings.address_of(role.name),
                    running.services,
                    tracing=self.tracing,
                    metrics=self._rpc_metrics,
                    tls=self._channels.tls,
                    reflect=self.settings.rpc.reflection,
                )
                exits.push_async_callback(server.stop, 0)
                await server.start()
            self._started.append(_Started(role=role, running=running, server=server, tasks=tasks))
            tasks += [self._spawn(role.name, loop) for loop in running.loops]
            _log.info("role_started", address=server.address if server else "")

    def _spawn(self, service: str, loop: Loop) -> asyncio.Task[None]:
        # A context of its own: a loop belongs to no request, so it inherits no deadline
        # and no trace.
        context = contextvars.Context()
        context.run(structlog.contextvars.bind_contextvars, service=service, loop=loop.name)
        return asyncio.get_running_loop().create_task(
            self._guard(loop), name=f"{service} {loop.name}", context=context
        )

    async def _guard(self, loop: Loop) -> None:
        try:
            while True:
                try:
                    await loop.run()
                except ProofwalkError as error:
                    if not error.retryable or self._draining:
                        raise
                    _log.warning(
                        "loop_begun_again", code=error.code, reason=error.message, after_s=_AGAIN_S
                    )
                else:
                    if self._draining:
                        return
                    raise LoopEnded(f"the loop {loop.name!r} returned")
                await asyncio.sleep(_AGAIN_S)
        except Exception as error:
            _log.exception("loop_crashed")
            if self._failed is not None and not self._failed.done():
                self._failed.set_exception(error)

    async def _stop(self) -> None:
        self.is_ready = False
        self._draining = True
        grace = self.settings.drain_grace_s
        for started in self._started:
            if started.server is not None:
                await started.server.ready(False)
        await asyncio.gather(*(self._drain(started, grace * 0.7) for started in self._started))
        await end([task for started in self._started for task in started.tasks])
        await asyncio.gather(
            *(
                started.server.stop(grace * 0.2)
                for started in self._started
                if started.server is not None
            )
        )
        self._started.clear()
        await self._exits.aclose()
        if self._failed is not None and self._failed.done():
            # Retrieved here in case nobody waited; the log has it.
            self._failed.exception()
        elif self._failed is not None:
            self._failed.cancel()

    async def _drain(self, started: _Started, grace_s: float) -> None:
        with structlog.contextvars.bound_contextvars(service=started.role.name):
            try:
                async with asyncio.timeout(grace_s):
                    await started.running.drain()
            except TimeoutError:
                _log.warning("drain_timed_out", grace_s=grace_s)
            except Exception:
                _log.exception("drain_failed")


async def run_roles(
    settings: ProcessSettings,
    roles: Sequence[Role],
    *,
    on_ready: Callable[[Process], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, then drain; a second signal ends at once. Raises
    what a failed loop raised.

    The entry of `proofwalk serve`: call it under `asyncio.run`, from the main thread.
    """
    redaction = Redaction(secret_values(settings))
    configure_logging(settings.log, redaction)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    main = asyncio.current_task()

    def on_signal() -> None:
        if stop.is_set() and main is not None:
            main.cancel()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
    try:
        async with Process(settings, roles, redaction=redaction) as process:
            if on_ready is not None:
                on_ready(process)
            failed = asyncio.create_task(process.wait(), name="failed loops")
            stopped = asyncio.create_task(stop.wait(), name="signals")
            try:
                await asyncio.wait({failed, stopped}, return_when=asyncio.FIRST_COMPLETED)
                _log.info("process_draining")
                if failed.done():
                    await failed
            finally:
                await end([failed, stopped])
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
