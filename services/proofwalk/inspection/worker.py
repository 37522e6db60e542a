"""Works inspections off: claims one, plans it, asks rollout for what is due, keeps what
comes of it.

`chassis.claims` looks for inspections that nobody holds; a claim is renewed beside the
work, and a claim that is lost ends the work. Everything that matters is in rows, so
whoever claims next goes on from there: an item that is *asked* is looked for at rollout
under its id, and asked for again, under the same id, if it is not there. Rollout being
away is waited for and said; what rollout refuses for good is an item's own end, and
never the inspection's.

The source is read once for planning, and once more by a worker that takes over, when it
asks. A page that has changed since the plan is asked as it is then; a procedure that is
gone is skipped. A reading ends early when its inspection is to be cancelled.

A process has `settings.concurrency` places, which owners share: an inspection of who
has most of them is given back, and goes on later from its rows, while somebody waits
who has at least two fewer (`running.make_room`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

import structlog

from proofwalk.chassis.claims import ClaimLoop, given_back
from proofwalk.chassis.database import Database
from proofwalk.chassis.tasks import end
from proofwalk.inspection import running
from proofwalk.inspection.documents import Listed, Listing
from proofwalk.inspection.domain import (
    PROCEDURE_GONE,
    Claim,
    Collection,
    How,
    InspectionState,
    Item,
)
from proofwalk.inspection.due import BEYOND, affordable
from proofwalk.inspection.ports import Errand, Rollout, Witness
from proofwalk.inspection.running import Look
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.orders.collection import CollectionSpec

_AWAY = frozenset({Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED, Status.RESOURCE_EXHAUSTED})
_REPLAY = "replay"
log = structlog.get_logger()


class Reader(Protocol):
    """Reads the sources of collections."""

    async def read(self, spec: CollectionSpec) -> Listing:
        """Raises what is wrong with a source."""
        ...


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a worker works with."""

    db: Database
    clock: Clock
    settings: InspectionSettings
    rollout: Rollout
    sources: Reader
    witness: Witness | None = None
    """None for tests of inspections alone."""


class Worker:
    """Runs inspections, at most `settings.concurrency` at a time."""

    def __init__(self, around: Surroundings, *, holder: str) -> None:
        self._around = around
        self._holder = holder
        self._ttl = timedelta(seconds=around.settings.hold_ttl_s)
        self._loop = ClaimLoop(
            waiting=lambda limit: running.waiting(
                around.db, holder=holder, clock=around.clock, limit=limit
            ),
            attend=self.attend,
            concurrency=around.settings.concurrency,
            period_s=around.settings.reconcile_s,
            named="inspection_id",
        )

    def wake(self) -> None:
        """Look at the rows now."""
        self._loop.wake()

    async def run(self) -> None:
        """Look and attend, for ever. Cancelled, it gives back what it holds."""
        await self._loop.run()

    async def attend(self, inspection_id: str) -> None:
        """Claim an inspection and work on it to its end; nothing happens when it is not
        to be had."""
        around = self._around
        held = await running.claim(
            around.db, inspection_id, holder=self._holder, ttl=self._ttl, clock=around.clock
        )
        if held is None:
            return
        work = asyncio.create_task(Run(around, held).work(), name=f"inspect {inspection_id}")
        keeping = asyncio.create_task(self._keep(held), name=f"hold {inspection_id}")
        try:
            done, _ = await asyncio.wait({work, keeping}, return_when=asyncio.FIRST_COMPLETED)
            await (work if work in done else keeping)
        except asyncio.CancelledError:
            await _ended(work, keeping)
            await given_back(running.give_back(around.db, held))
            raise
        finally:
            await _ended(work, keeping)

    async def _keep(self, held: Claim) -> None:
        """Renew a claim until it is lost."""
        around = self._around
        while True:
            await asyncio.sleep(around.settings.hold_ttl_s / 4)
            try:
                await running.renew(around.db, held, ttl=self._ttl, clock=around.clock)
            except ProofwalkError as error:
                if not error.retryable:
                    raise
                log.warning("claim_not_renewed", code=error.code, reason=error.message)


async def _ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError, ProofwalkError):
            await task


class Run:
    """One worker's work on one inspection."""

    def __init__(self, around: Surroundings, held: Claim) -> None:
        self._around = around
        self._held = held
        self._listing: Listing | None = None
        self._hindrances: list[ProofwalkError] = []

    async def work(self) -> None:
        """From where the rows are to the end."""
        around, held = self._around, self._held
        try:
            while True:
                if not await self._step() or await self._made_room():
                    return
                await asyncio.sleep(around.settings.poll_s)
        except RoomMade:
            return
        except SourceUnreadable as refused:
            error = refused.error
            log.info("inspection_refused", code=error.code, reason=error.message)
            await running.skip_waiting(around.db, held, why=error.message, code=error.code)
            await running.finish(
                around.db,
                held,
                clock=around.clock,
                code=error.code,
                reason=error.message,
                witness=around.witness,
            )

    async def _step(self) -> bool:
        """Look at everything once; whether there is more to wait for."""
        try:
            return await self._looked()
        except ReadingCancelled:
            log.info("reading_cancelled")
            return True

    async def _looked(self) -> bool:
        around, held = self._around, self._held
        self._hindrances.clear()
        found = await running.look(around.db, held)
        if found.inspection.state is InspectionState.PLANNED:
            listing = await self._listed(found.collection)
            await running.begin(around.db, held, listing, clock=around.clock)
            found = await running.look(around.db, held)
        cancelling = found.inspection.state is InspectionState.CANCELLING
        if cancelling:
            await running.skip_waiting(
                around.db, held, why="the inspection was cancelled", code="inspection.cancelled"
            )
        for item in found.under_way:
            await self._follow(found.collection, item, cancelling=cancelling)
        found = await running.look(around.db, held)
        if not cancelling and not found.collection.spec.paused:
            await self._ask_for_more(found)
            found = await running.look(around.db, held)
        if found.collection.spec.paused and not found.under_way and not cancelling:
            # Whoever looks when it goes on claims it; meanwhile others have the room.
            await running.give_back(around.db, held)
            return False
        if not found.waiting and not found.under_way:
            state = await running.finish(
                around.db, held, clock=around.clock, witness=around.witness
            )
            log.info("inspection_ended", state=state.value)
            return False
        first = next(iter(self._hindrances), None)
        await running.note(
            around.db,
            held,
            code=first.code if first else "",
            reason=f"rollout: {first.message}" if first else "",
        )
        return True

    async def _follow(self, collection: Collection, item: Item, *, cancelling: bool) -> None:
        """Look at a verification that was asked for; one that is not there is asked for
        again under its id, or, at a cancel, never was."""
        around, principal = self._around, collection.principal
        try:
            seen = await around.rollout.look(item.verification_id, principal=principal)
            if seen is not None and seen.ending is None and cancelling:
                await around.rollout.cancel(item.verification_id, principal=principal)
        except ProofwalkError as error:
            self._wait_for(error)
            return
        if seen is None and cancelling:
            await running.refuse(
                around.db,
                self._held,
                item,
                why="the inspection was cancelled",
                code="inspection.cancelled",
            )
        elif seen is None:
            await self._ask(collection, item)
        elif seen.ending is not None:
            await running.settle(
                around.db, self._held, item, seen, clock=around.clock, witness=around.witness
            )

    async def _ask_for_more(self, found: Look) -> None:
        """Ask for what follows, as far as room and budget go."""
        around, spec = self._around, found.collection.spec
        under_way: list[Item] = list(found.under_way)
        for item in found.waiting:
            if len(under_way) >= spec.concurrency or self._hindrances:
                return
            bound = affordable(spec.budget, found.spent, under_way, item)
            if bound:
                if not under_way:
                    await self._skip_beyond(bound)
                return
            listed = await self._find(found.collection, item)
            if listed is None:
                continue
            how = await self._how(found.collection, item)
            intended = await running.intend(
                around.db,
                self._held,
                replace(item, inputs=listed.inputs),
                how=how,
                clock=around.clock,
            )
            if await self._ask(found.collection, intended):
                under_way.append(intended)

    async def _skip_beyond(self, bound: str) -> None:
        await running.skip_waiting(
            self._around.db,
            self._held,
            why=f"the budget of {bound} is used up; it stays due",
            code=BEYOND[bound],
        )

    async def _how(self, collection: Collection, item: Item) -> How:
        """A replay needs a script that is still there."""
        if item.how is not How.REPLAY:
            return How.WALK
        last = await running.last_walk(self._around.db, item)
        if last is None:
            return How.WALK
        try:
            has = await self._around.rollout.has_script(
                last.verification_id, principal=collection.principal
            )
        except ProofwalkError as error:
            log.info("script_not_known", code=error.code)
            return How.WALK
        return How.REPLAY if has else How.WALK

    async def _ask(self, collection: Collection, item: Item) -> bool:
        """Ask rollout for an intended item; whether it is under way, or will be."""
        listed = await self._find(collection, item)
        if listed is None:
            return False
        request = listed.request
        if item.how is How.REPLAY:
            request = request.model_copy(update={"policy": _REPLAY})
        asked = Errand(
            verification_id=item.verification_id,
            principal=collection.principal,
            request=request,
        )
        try:
            await self._around.rollout.ask(asked)
        except ProofwalkError as error:
            if error.status is Status.ALREADY_EXISTS:
                # Errand for before, when the page was another: that one counts.
                return True
            if error.retryable or error.status in _AWAY:
                self._wait_for(error)
                return True
            await running.refuse(
                self._around.db, self._held, item, why=error.message, code=error.code
            )
            return False
        return True

    async def _find(self, collection: Collection, item: Item) -> Listed | None:
        """What an item would ask for now; None, and it is skipped, if it is gone."""
        listing = await self._listed(collection)
        listed = listing.find(item.procedure_id)
        if listed is None:
            error = listing.refusal(item.page)
            await running.refuse(
                self._around.db,
                self._held,
                item,
                why=error.message if error else "the procedure is no longer in the source",
                code=error.code if error else PROCEDURE_GONE,
            )
        return listed

    async def _listed(self, collection: Collection) -> Listing:
        if self._listing is None:
            try:
                self._listing = await self._read(collection.spec)
            except ProofwalkError as error:
                if error.retryable or error.status in _AWAY:
                    raise
                raise SourceUnreadable(error) from error
        return self._listing

    async def _read(self, spec: CollectionSpec) -> Listing:
        """Read the source, and look meanwhile whether that is still wanted. Raises
        `ReadingCancelled`, `RoomMade`, and what is wrong with the source."""
        around = self._around
        reading = asyncio.create_task(around.sources.read(spec), name="read a source")
        try:
            while not (await asyncio.wait({reading}, timeout=around.settings.poll_s))[0]:
                if await self._unless_away(running.is_cancelling(around.db, self._held)):
                    raise ReadingCancelled
                if await self._unless_away(self._made_room()):
                    raise RoomMade
            return reading.result()
        finally:
            await end([reading])

    async def _made_room(self) -> bool:
        around = self._around
        places = around.settings.concurrency
        return await running.make_room(around.db, self._held, places=places, clock=around.clock)

    async def _unless_away(self, looking: Awaitable[bool]) -> bool:
        """What a look at the rows says; False while they cannot be reached, which costs
        no reading."""
        try:
            return await looking
        except ProofwalkError as error:
            if not error.retryable:
                raise
            log.warning("rows_not_read", code=error.code, reason=error.message)
            return False

    def _wait_for(self, error: ProofwalkError) -> None:
        self._hindrances.append(error)
        log.warning("rollout_away", code=error.code, reason=error.message)


class ReadingCancelled(Exception):
    """The inspection is to be cancelled: its source is not read to the end."""


class RoomMade(Exception):
    """The inspection was given back for another owner's while its source was read."""


class SourceUnreadable(Exception):
    """A source that cannot be read, and will not be by waiting: the inspection ends."""

    def __init__(self, error: ProofwalkError) -> None:
        super().__init__(error.message)
        self.error = error
