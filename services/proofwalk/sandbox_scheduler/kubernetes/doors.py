"""How a pod's sandbox is opened for its holder, and what its wall refused: calls to the
program in the pod.

Every call bears a ticket that this scheduler signed for this very instance and grant
(`tickets`); the pod knows the public key alone, so nothing in it is worth stealing. The
holder gets such a ticket as part of its DevTools address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import httpx2

from proofwalk.kernel.errors import unavailable
from proofwalk.sandbox_scheduler.domain import Sandbox
from proofwalk.sandbox_scheduler.kubernetes.manifests import CONTROL_PORT
from proofwalk.sandbox_scheduler.tickets import Purpose, Ticket, TicketOffice


class Doors(Protocol):
    """What the backend asks of the programs in pods."""

    public_key: str
    """With which they check tickets."""

    async def open(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        """Let the sandbox reach these hosts, and its holder reach it; returns the
        holder's DevTools address."""
        ...

    async def refused(self, sandbox: Sandbox) -> Mapping[str, int]:
        """Refused hosts with counts; empty when its pod does not say."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


class PodDoors:
    """Over HTTP, at the pods' addresses. `gateway` is where holders reach DevTools
    instead, if not directly."""

    def __init__(self, office: TicketOffice, *, gateway: str = "", within_s: float = 5.0) -> None:
        self.public_key = office.public_key
        self._office = office
        self._gateway = gateway.rstrip("/")
        self._http = httpx2.AsyncClient(trust_env=False, verify=False, timeout=within_s)

    async def open(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        ticket = _ticket(sandbox)
        try:
            answer = await self._http.put(
                f"http://{ticket.address}:{CONTROL_PORT}/v1/allowed-hosts",
                json={"hosts": list(hosts)},
                headers=self._as_scheduler(ticket),
            )
            answer.raise_for_status()
        except httpx2.HTTPError as error:
            raise unavailable(
                "sandbox.start_failed", f"{sandbox.place} does not open: {error}", hint="try again"
            ) from error
        return f"{self._gateway or sandbox.cdp_endpoint}/devtools/{self._office.issue(ticket)}"

    async def refused(self, sandbox: Sandbox) -> Mapping[str, int]:
        ticket = _ticket(sandbox)
        try:
            answer = await self._http.get(
                f"http://{ticket.address}:{CONTROL_PORT}/v1/refused-hosts",
                headers=self._as_scheduler(ticket),
            )
            answer.raise_for_status()
            return {str(name): int(count) for name, count in answer.json()["hosts"].items()}
        except (httpx2.HTTPError, ValueError, KeyError, AttributeError):
            return {}

    def _as_scheduler(self, ticket: Ticket) -> Mapping[str, str]:
        return {
            "Authorization": (
                f"Bearer {self._office.issue(replace(ticket, purpose=Purpose.CONTROL))}"
            )
        }

    async def close(self) -> None:
        await self._http.aclose()


def _ticket(sandbox: Sandbox) -> Ticket:
    """The ticket of its holder."""
    address = sandbox.cdp_endpoint.removeprefix("ws://").rpartition(":")[0]
    return Ticket(
        instance=sandbox.instance, epoch=sandbox.epoch, address=address, purpose=Purpose.DEVTOOLS
    )
