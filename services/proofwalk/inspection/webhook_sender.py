"""Sends one message of a webhook to its receiver.

The URL is somebody's word, so a request goes through the guard of document fetching
(`procedures.guard`): public addresses alone, but for the hosts that the operator
allows, and the address that was judged is the one that is connected to. A redirect is
not followed; it is a failure. What the receiver answers is its status: the body is not
read, and the connection is closed behind the headers. One deadline holds for all.

Whatever goes wrong is an `Attempt` with a reason, never an exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping

import httpx2

from proofwalk.inspection.webhook_life import Attempt
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.procedures.addresses import Location, allowed, internal_name, parse, refusal
from proofwalk.procedures.guard import (
    Message,
    Resolver,
    answered,
    direct_transport,
    judged,
    system_resolver,
)

_REDIRECTS = range(300, 400)
_ARRIVED = range(200, 300)


class Sender:
    """Sends messages under one set of bounds."""

    def __init__(
        self,
        *,
        allow_hosts: Collection[str],
        deadline_s: float,
        resolver: Resolver = system_resolver,
        transport: Callable[[], httpx2.AsyncBaseTransport] = direct_transport,
    ) -> None:
        """`allow_hosts`: hosts (`host` or `host:port`) that may be at private
        addresses. `deadline_s`: seconds for a whole try."""
        self._allow_hosts = frozenset(allow_hosts)
        self._deadline_s = deadline_s
        self._resolver = resolver
        self._transport = transport

    def check(self, url: str) -> None:
        """Raises `webhook.bad_url` for a URL that no try could reach, as far as its
        text says. Names are resolved at each try, and not here."""
        try:
            location = parse(url)
        except ProofwalkError as error:
            raise _bad_url(error.message) from None
        if allowed(location, self._allow_hosts):
            return
        why = refusal(location.literal) if location.literal is not None else None
        if why is None and location.literal is None and internal_name(location.host):
            why = "an internal name"
        if why:
            raise _bad_url(f"{location.host!r} leads to {why}")
        if location.scheme != "https":
            raise _bad_url("events go over https alone, but to hosts that the operator allows")

    async def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Attempt:
        """Post `body`; what came of it."""
        message = Message(
            method="POST",
            headers={
                "content-type": "application/json",
                "user-agent": "proofwalk-webhooks/1",
                "accept-encoding": "identity",
                "connection": "close",
                **headers,
            },
            content=body,
            wait_s=self._deadline_s,
        )
        try:
            self.check(url)
            async with asyncio.timeout(self._deadline_s), self._transport() as wire:
                return await self._posted(parse(url), message, wire)
        except (TimeoutError, httpx2.TimeoutException):
            return Attempt(reason=f"no answer came within {self._deadline_s:g} s")
        except httpx2.HTTPError as error:
            return Attempt(
                reason=f"the receiver cannot be reached: {error or type(error).__name__}"
            )
        except ProofwalkError as error:
            return Attempt(reason=_reason(error))

    async def _posted(
        self, location: Location, message: Message, wire: httpx2.AsyncBaseTransport
    ) -> Attempt:
        addresses = await judged(location, self._allow_hosts, self._resolver)
        response = await answered(location, addresses, message, wire)
        try:
            return _attempt(response)
        finally:
            await response.aclose()


def _attempt(response: httpx2.Response) -> Attempt:
    status = response.status_code
    if status in _ARRIVED:
        return Attempt(status=status)
    if status in _REDIRECTS:
        return Attempt(status=status, reason=f"status {status}: redirects are not followed")
    later = response.headers.get("retry-after", "").strip()
    return Attempt(
        status=status,
        reason=f"status {status}",
        retry_after_s=float(later) if later.isascii() and later.isdigit() else 0.0,
    )


def _reason(error: ProofwalkError) -> str:
    """Why the guard lets no request through, in words about a receiver."""
    if error.code == "fetch.blocked_address":
        return "the receiver's address is not public, and the operator does not allow its host"
    return error.message


def _bad_url(why: str) -> ProofwalkError:
    return invalid(
        "webhook.bad_url",
        f"events cannot be sent to this URL: {why}",
        hint="give an https URL at a public address, or let the operator name the host in"
        " fetch_allow_hosts",
    )
