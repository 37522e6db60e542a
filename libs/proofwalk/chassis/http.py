"""An HTTP server inside a process that has other work: uvicorn without its own signal
handling, and the health endpoint.

`HttpServer` is an async context manager: inside the block it serves, after it
connections have been given a bounded time to end. The gateway, the embedded cloud and
the metrics endpoint use it. `/livez` says that the process runs, `/readyz` that its
roles want work, `/metrics` is Prometheus text.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from proofwalk.chassis.http_connections import BoundedConnection
from proofwalk.kernel.errors import conflict, invalid


def split_address(address: str) -> tuple[str, int]:
    """`host:port` as a pair; raises `http.bad_address`."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise invalid(
            "http.bad_address", f"{address!r} is not host:port", hint="for example 127.0.0.1:9100"
        )
    return host.strip("[]"), int(port)


def join_address(host: str, port: int) -> str:
    """`host:port`, with an IPv6 host in brackets: the inverse of `split_address`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Signals belong to `role_process.run_roles`, which drains every role, not only
        # this server.
        yield


class HttpServer:
    """Serves an ASGI application on `host:port` (port 0: any free one) while its block
    runs."""

    def __init__(self, app: Any, address: str, *, grace_s: float = 3.0) -> None:
        self._host, self._port = split_address(address)
        config = uvicorn.Config(
            app,
            http=BoundedConnection,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=max(1, round(grace_s)),
        )
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None
        self.url = ""
        """`http://host:port`, once it serves."""

    async def __aenter__(self) -> HttpServer:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        # With the protocol named, asyncio turns Nagle's algorithm off on what it
        # accepts: 1 ms a call instead of 44.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self._host, self._port))
        except OSError as error:
            listener.close()
            raise conflict(
                "http.address_in_use",
                f"cannot listen on {self._host}:{self._port}: {error.strerror}",
                hint="choose another port",
            ) from None
        self.url = f"http://{join_address(self._host, listener.getsockname()[1])}"
        # Listening before uvicorn runs: a client that comes early waits in the backlog
        # instead of being refused.
        listener.listen(2048)
        self._task = asyncio.create_task(
            self._server.serve(sockets=[listener]), name=f"http {self.url}"
        )
        return self

    async def wait(self) -> None:
        """Until the server ends, which it does only by failing; a background loop for
        whoever owns the server."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.should_exit = True
        if self._task is not None:
            await self._task


def health_app(registry: CollectorRegistry, ready: Callable[[], bool]) -> Starlette:
    """`/metrics`, `/livez` and `/readyz`."""

    async def metrics(_: Request) -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    async def livez(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        return (
            PlainTextResponse("ready\n")
            if ready()
            else PlainTextResponse("not ready\n", status_code=503)
        )

    return Starlette(
        routes=[Route("/metrics", metrics), Route("/livez", livez), Route("/readyz", readyz)]
    )
