"""The local backend: browsers (`browser`) or desktops (`desktop`) as children of this
process, which ends them with itself.

It has one shard. `scale` starts what is missing, each in a task of its own; a task
stays with its sandbox and looks whether it answers, so `observe` only tells what is
known. After a start that failed, the next one waits, twice as long each time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from proofwalk.chassis.tasks import end as end_tasks
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import IdSource
from proofwalk.sandbox_scheduler.backend import Discarded, Pulse
from proofwalk.sandbox_scheduler.domain import Sandbox, Shard, Tool
from proofwalk.sandbox_scheduler.reconciliation import Instance, Phase
from proofwalk.sandbox_scheduler.tickets import Purpose, Ticket, TicketOffice

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0


class LocalSandbox(Protocol):
    """What runs in a slot."""

    @property
    def endpoint(self) -> str:
        """Where it is; what lets its holder in is not in it."""
        ...

    def admit(self, ticket: str) -> str:
        """Let its holder in, who bears this ticket; the address for the holder
        alone."""
        ...

    def allow(self, hosts: Sequence[str]) -> None:
        """Limit what it may reach to these `host:port`."""
        ...

    async def ended_within(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it came."""
        ...

    async def is_alive(self, within_s: float) -> bool:
        """Whether it answers."""
        ...

    async def end(self) -> Mapping[str, int]:
        """End it with its traces; what its wall refused, by host. Repeatable."""
        ...


@dataclass(kw_only=True)
class _Slot:
    ordinal: int
    phase: Phase = Phase.STARTING
    reason: str = ""
    sandbox: LocalSandbox | None = None
    task: asyncio.Task[None] | None = None


class LocalBackend:
    """Answers `backend.Backend`. `start` gives a sandbox of the tool; `start_s`,
    `check_s` and `hang_s` are as in the settings."""

    shared = False
    ordinals = False

    def __init__(
        self,
        start: Callable[[], Awaitable[LocalSandbox]],
        *,
        tool: str,
        version: str,
        ids: IdSource,
        start_s: float,
        check_s: float,
        hang_s: float,
    ) -> None:
        self.tool = Tool(name=tool, version=version, backend="local")
        self.pulse = Pulse()
        self._start = start
        self._ids = ids
        self._start_s = start_s
        self._check_s = check_s
        self._hang_s = hang_s
        # Sandboxes end with this process, and with them the tickets: the key need not
        # outlive it.
        self._office = TicketOffice(Ed25519PrivateKey.generate())
        self._slots: dict[str, _Slot] = {}
        self._failures = 0

    async def observe(self, shard: Shard) -> Sequence[Instance]:
        return [
            Instance(
                id=name,
                place=f"local-{slot.ordinal}",
                ordinal=slot.ordinal,
                phase=slot.phase,
                endpoint=slot.sandbox.endpoint if slot.sandbox else "",
                reason=slot.reason,
            )
            for name, slot in self._slots.items()
        ]

    async def scale(self, shard: Shard, size: int) -> None:
        """Starts what is missing. What is too many, the caller chooses and discards."""
        for _ in range(size - sum(slot.phase is not Phase.FAILED for slot in self._slots.values())):
            taken = {slot.ordinal for slot in self._slots.values()}
            slot = _Slot(
                ordinal=next(number for number in range(len(taken) + 1) if number not in taken)
            )
            name = self._ids.new("loc")
            self._slots[name] = slot
            slot.task = asyncio.create_task(self._live(slot), name=f"sandbox {name}")

    async def _live(self, slot: _Slot) -> None:
        """A sandbox's life: up, watched, failed. Ended by being cancelled."""
        if self._failures:
            await asyncio.sleep(min(_FIRST_PAUSE_S * 2 ** (self._failures - 1), _LONGEST_PAUSE_S))
        try:
            async with asyncio.timeout(self._start_s):
                slot.sandbox = await self._start()
            self._failures = 0
            self._turn(slot, Phase.READY)
            while not await slot.sandbox.ended_within(
                self._check_s
            ) and await slot.sandbox.is_alive(self._hang_s):
                continue
            self._turn(slot, Phase.FAILED, f"its {self.tool.name} crashed or hangs")
        except Exception as error:
            self._failures += 1
            said = (
                error.message
                if isinstance(error, ProofwalkError)
                else f"{type(error).__name__}: {error}"
            )
            if isinstance(error, TimeoutError):
                said = f"its {self.tool.name} did not start within {self._start_s:g} s"
            self._turn(slot, Phase.FAILED, said)

    def _turn(self, slot: _Slot, phase: Phase, reason: str = "") -> None:
        slot.phase, slot.reason = phase, reason
        self.pulse.beat()

    async def discard(
        self,
        shard: Shard,
        place: str,
        instance: str,
        *,
        force: bool = False,
        sandbox: Sandbox | None = None,
    ) -> Discarded:
        slot = self._slots.get(instance)
        if slot is None:
            return Discarded(gone=True)
        if slot.task is not None:
            await end_tasks([slot.task])
        refused = await slot.sandbox.end() if slot.sandbox else {}
        self._slots.pop(instance, None)
        return Discarded(gone=True, refused_hosts=refused)

    async def admit(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        slot = self._slots.get(sandbox.instance)
        if slot is None or slot.sandbox is None:
            return sandbox.cdp_endpoint
        slot.sandbox.allow(hosts)
        ticket = Ticket(
            instance=sandbox.instance,
            epoch=sandbox.epoch,
            address="127.0.0.1",
            purpose=Purpose.DEVTOOLS,
        )
        return slot.sandbox.admit(self._office.issue(ticket))

    async def remove(self, shard: Shard) -> None:
        return

    async def close(self) -> None:
        for name, slot in list(self._slots.items()):
            await self.discard(
                Shard(tool=self.tool.name, version=self.tool.version, number=0),
                f"local-{slot.ordinal}",
                name,
            )
