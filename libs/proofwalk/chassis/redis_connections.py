"""Clients of Redis, by the URL of an installation: one server, or whichever one the
sentinels call the master.

| URL | what answers |
|---|---|
| `redis://user:password@host:6379/0`, `rediss://…`, `unix:///path` | that server |
| `redis+sentinel://user:password@host1,host2:26379/service/0` | its master |
| `rediss+sentinel://…` | the same, by TLS to the sentinels and to the master |

What stands in the query goes to the server's connection (`ssl_ca_certs`, …), but for
`sentinel_username` and `sentinel_password`. A connection asks for the master when it is
made, so that a client follows a failover: calls fail until there is a new master, as
they do while a single server is away, and what streams had not copied is lost, which
rings may be (`streams`).
"""

from __future__ import annotations

import re
from typing import Any, TypedDict
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from redis.asyncio import Redis
from redis.asyncio.connection import parse_url
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.retry import Retry

from proofwalk.kernel.errors import ProofwalkError, invalid

BLOCK_MS = 300
"""How long a call may wait on the server for entries."""
_SENTINEL_PORT = 26379
_SENTINEL = re.compile(r"(?P<scheme>rediss?)\+sentinel")
_OF_SENTINELS = {"sentinel_username": "username", "sentinel_password": "password"}


class _Bounds(TypedDict):
    decode_responses: bool
    socket_timeout: float
    socket_connect_timeout: float
    health_check_interval: float
    max_connections: int


_BOUNDS = _Bounds(
    decode_responses=True,
    socket_timeout=BLOCK_MS / 1000 + 5,
    socket_connect_timeout=2,
    health_check_interval=15,
    max_connections=64,
)


def connect(url: str) -> Redis:
    """A client whose calls are bounded in time; text in, text out. Raises
    `redis.bad_url`."""
    try:
        if _SENTINEL.match(url):
            return _followed(url)
        return Redis.from_url(url, retry_on_timeout=False, **_BOUNDS)
    except ValueError as error:
        raise _refused(str(error)) from None


class _Followed(Redis):
    """A client of the master that sentinels name; it owns their connections."""

    sentinels: Sentinel

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await super().aclose(close_connection_pool)
        for sentinel in self.sentinels.sentinels:
            await sentinel.aclose()


def _followed(url: str) -> Redis:
    parts = urlsplit(url)
    credentials, _, hosts = parts.netloc.rpartition("@")
    service, _, number = parts.path.strip("/").partition("/")
    asked = parse_qs(parts.query)
    own = {name: asked.pop(key)[0] for key, name in _OF_SENTINELS.items() if key in asked}
    if not service or not hosts:
        raise _refused("a URL of sentinels has hosts and the name of their service")
    scheme = parts.scheme.partition("+")[0]
    plain = f"{scheme}://{f'{credentials}@' if credentials else ''}-/{quote(number)}"
    server: Any = dict(parse_url(f"{plain}?{urlencode(asked, doseq=True)}"))
    for key in ("host", "port", "connection_class"):
        server.pop(key, None)
    tls = {name: value for name, value in server.items() if name.startswith("ssl")}
    if scheme == "rediss":
        server["ssl"] = tls["ssl"] = True
    sentinels = Sentinel(  # type: ignore[no-untyped-call]
        [_host_and_port(host) for host in hosts.split(",")],
        # The next sentinel is asked at once when one is away.
        sentinel_kwargs={
            **own,
            **tls,
            "decode_responses": True,
            "socket_timeout": 2,
            "socket_connect_timeout": 1,
            "retry": Retry(NoBackoff(), 0),
        },
    )
    client: _Followed = sentinels.master_for(
        unquote(service), redis_class=_Followed, **_BOUNDS, **server
    )
    client.sentinels = sentinels
    return client


def _host_and_port(given: str) -> tuple[str, int]:
    parts = urlsplit(f"//{given}")
    if not parts.hostname:
        raise _refused(f"{given!r} is no host of a sentinel")
    return parts.hostname, parts.port or _SENTINEL_PORT


def _refused(reason: str) -> ProofwalkError:
    return invalid(
        "redis.bad_url",
        f"PROOFWALK_REDIS_URL cannot be used: {reason}",
        hint="redis://host:6379/0, unix:///path or redis+sentinel://host,host/service",
    )
