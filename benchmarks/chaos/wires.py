"""A proxy before each part of an installation, through which the others reach it.

Roles are told the proxies' addresses in place of the real ones; the observer and the
faults themselves go past them. `met` counts what tried to pass a wire: connections and
bytes. Every caller of a part shares its wire.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from types import TracebackType

from benchmarks.chaos import members
from benchmarks.chaos.cluster import Cluster
from benchmarks.chaos.faults import FaultKind
from benchmarks.chaos.members import CLOUD, DATABASE, GATEWAY, REDIS, ROLES
from benchmarks.faults.conditions import BlackHole, Condition, Latency, Pass, Refuse, Slow
from benchmarks.faults.proxy import FaultProxy
from proofwalk.platform.client import Client

_CONDITIONS: Mapping[FaultKind, Condition] = {
    FaultKind.LATENCY: Latency(0.3, 0.2),
    FaultKind.BLACK_HOLE: BlackHole(),
    FaultKind.SLOW: Slow(20.0),
    FaultKind.RESET: Refuse(),
}


class Wires:
    """The proxies of one installation; a context manager."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._proxies: dict[str, FaultProxy] = {}
        self._exits = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Wires:
        folder = self._cluster.home / "wires"
        folder.mkdir(mode=0o700)
        for number, name in enumerate((*ROLES, REDIS, DATABASE)):
            if name == DATABASE and self._cluster.postgres is None:
                continue
            upstream = self._cluster.socket_of(name)
            # libpq finds a server by its folder and a fixed name in it.
            listen = folder / (upstream.name if name == DATABASE else f"{name}.sock")
            if name in (CLOUD, GATEWAY):
                port = {CLOUD: self._cluster.cloud_port, GATEWAY: self._cluster.gateway_port}[name]
                proxy = FaultProxy(("127.0.0.1", port), seed=number)
            else:
                proxy = FaultProxy(upstream, listen=listen, seed=number)
            self._proxies[name] = await self._exits.enter_async_context(proxy)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._exits.aclose()

    @property
    def names(self) -> frozenset[str]:
        """Parts with a wire."""
        return frozenset(self._proxies)

    @property
    def addresses(self) -> Mapping[str, str]:
        """What roles are told, by part: an address of gRPC, a URL, or the cloud's
        port."""
        told = {}
        for name, proxy in self._proxies.items():
            match name:
                case members.REDIS:
                    told[name] = f"unix://{proxy.address}"
                case members.DATABASE:
                    folder = self._cluster.home / "wires"
                    told[name] = f"postgresql://postgres@/postgres?host={folder}"
                case members.CLOUD:
                    told[name] = proxy.target.rpartition(":")[2]
                case _:
                    told[name] = proxy.target
        return told

    def client(self, tenant: str) -> Client:
        """A tenant's client, by the gateway's wire."""
        port = int(self._proxies[GATEWAY].target.rpartition(":")[2])
        return self._cluster.client(tenant, port=port)

    def met(self, name: str) -> int:
        """How much has tried to pass a part's wire so far; 0 for what has none."""
        proxy = self._proxies.get(name)
        return 0 if proxy is None else proxy.connections + sum(proxy.passed.values())

    def open(self, name: str) -> int:
        """How many connections to a part live."""
        proxy = self._proxies.get(name)
        return 0 if proxy is None else proxy.open

    def trouble(self, name: str, kind: FaultKind) -> None:
        """Make a wire fail so until it is calmed."""
        self._proxies[name].condition = _CONDITIONS[kind]

    def calm(self, name: str) -> None:
        """Let everything pass again."""
        self._proxies[name].condition = Pass()
