"""Makes requests to addresses that were judged, and to no others.

`judged` resolves a name once and judges *every* address that it has; `answered`
connects to one of exactly those, with the URL's host in the `Host` header and in TLS.
So a name that resolves differently a moment later changes nothing. Whatever sends a
request to a URL that somebody else gave goes through here: `fetch` for documents, the
inspection role for webhooks. `addresses` holds the rules.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Protocol

import httpx2

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.procedures.addresses import (
    Location,
    allowed,
    blocked,
    internal_name,
    never,
    refusal,
)

Address = IPv4Address | IPv6Address
LATER = "try again later"
_MOST_ADDRESSES = 4


class Resolver(Protocol):
    """Resolves a name to its addresses."""

    async def __call__(self, host: str, port: int) -> tuple[str, ...]: ...


async def system_resolver(host: str, port: int) -> tuple[str, ...]:
    """Return all addresses that the system knows for a name."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def direct_transport() -> httpx2.AsyncBaseTransport:
    """A transport that takes nothing from the environment and repeats nothing."""
    return httpx2.AsyncHTTPTransport(trust_env=False, http2=False, retries=0)


@dataclass(frozen=True, kw_only=True)
class Message:
    """What is sent, beside where to."""

    method: str
    headers: Mapping[str, str]
    """Without `Host`."""
    content: bytes = field(default=b"", repr=False)
    wait_s: float
    """Seconds that each wait for the server may take."""


async def judged(
    location: Location, allow_hosts: Collection[str], resolver: Resolver
) -> tuple[Address, ...]:
    """Return the addresses to connect to. One bad address among good ones is enough to
    refuse all. Raises `fetch.blocked_address`, `fetch.unreachable`."""
    permitted = allowed(location, allow_hosts)
    if location.literal is not None:
        why = None if permitted else refusal(location.literal)
        if why:
            raise blocked(location.host, why)
        return (location.literal,)
    if not permitted and internal_name(location.host):
        raise blocked(location.host, "an internal name")
    try:
        texts = await resolver(location.host, location.port)
        addresses = tuple(ip_address(text.split("%")[0]) for text in texts)
    except (OSError, UnicodeError, ValueError) as error:
        raise unreachable(
            f"{location.host!r} cannot be resolved: {error}", hint="check the host's name"
        ) from None
    if not addresses:
        raise unreachable(f"{location.host!r} has no address", hint="check the host's name")
    for address in addresses:
        why = (
            ("a metadata or link-local address" if never(address) else None)
            if permitted
            else refusal(address)
        )
        if why:
            raise blocked(location.host, why)
    return addresses


async def answered(
    location: Location,
    addresses: tuple[Address, ...],
    message: Message,
    wire: httpx2.AsyncBaseTransport,
) -> httpx2.Response:
    """Return the response of the first address that accepts the connection; its body is
    not read yet."""
    failure: httpx2.HTTPError | None = None
    waits = dict.fromkeys(("connect", "read", "write", "pool"), message.wait_s)
    for address in addresses[:_MOST_ADDRESSES]:
        request = httpx2.Request(
            message.method,
            httpx2.URL(
                scheme=location.scheme,
                host=str(address),
                port=location.port,
                raw_path=location.target.encode("ascii"),
            ),
            headers={"host": location.authority, **message.headers},
            content=message.content or None,
            extensions={"timeout": waits, "sni_hostname": location.host},
        )
        try:
            return await wire.handle_async_request(request)
        except httpx2.ConnectError as error:
            failure = error
    assert failure is not None
    raise failure


def unreachable(message: str, *, hint: str = LATER) -> ProofwalkError:
    """Return the error for a server that gave no proper answer."""
    return ProofwalkError("fetch.unreachable", message, status=Status.UNAVAILABLE, hint=hint)
