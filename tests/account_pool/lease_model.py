"""At most one holder at all times: random histories with time, crashes, failures of the
cloud and repeated calls, on both databases.

A model keeps what each lease was promised. Whenever the pool lets a holder do
something, the model must agree that this lease is the newest of its account, not ended
and not past its time; and at no moment do two leases of an account both pass. It keeps
who waits for which site and purpose, too (`queue_model`): nobody is overtaken, and
nobody waits for what only others behind or beside it could use. What the accounts are
set aside for changes on the way.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from sqlalchemy import delete, select

from proofwalk.account_pool import repository, usecases
from proofwalk.account_pool.domain import Account, Terms, plain
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database, Transaction
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.account_pools import (
    AUTHORING,
    TRAINING,
    VERIFICATION,
    Dedication,
    Demand,
    dedicated,
)
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.leases import LeaseState
from tests.account_pool.conftest import opened
from tests.account_pool.queue_model import Place, QueueModel

T = TypeVar("T")
TTL = 60.0
TICKET = timedelta(seconds=10)
OLD = timedelta(seconds=30)
SETTINGS = AccountPoolSettings(
    proof_poll_s=0.001,
    proof_deadline_s=100,
    sweep_deadline_s=600,
    rotate_free_after_s=OLD.total_seconds(),
)
"""No deadline of real time is met: a history drawn again takes the same turns."""
REFUSED = ProofwalkError(
    "cloud.bad_answer", "deletions are refused for good", status=Status.INTERNAL, retryable=False
)
REFUSALS = {
    "account.none_free",
    "account.no_pool",
    "lease.stale_epoch",
    "cloud.unavailable",
    "lease.request_mismatch",
    "account.still_dirty",
}
DEMANDS = [
    Demand(site=site, purpose=purpose)
    for site, purpose in product(("", "", "intl"), (VERIFICATION, VERIFICATION, TRAINING))
] + [Demand(purpose=AUTHORING), Demand(site="cn")]
DEDICATIONS = {
    "1001": dedicated(purposes=[TRAINING]),
    "1002": Dedication(),
    "1003": dedicated(site="intl", purposes=[VERIFICATION, TRAINING]),
}
"""As a history begins."""


@dataclass
class Promise:
    """What a client was told of its lease."""

    lease: Account
    expires_at: datetime
    ended: bool = False


class LeaseModel(RuleBasedStateMachine):
    """Subclassed per database: `url`."""

    url = ""
    steps = 0
    """That were taken by all histories of this class."""
    counts: ClassVar[Counter[str]]
    """What happened in them: `grants`, `waits`, calls of holders that the model allows
    or not (`live`, `stale`) with how the pool answered, and `two_holders`."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.clock = ManualClock()
        self.cloud = MemoryCloud(clock=self.clock, accounts=len(DEDICATIONS))
        self.cloud.dedication_of.update(DEDICATIONS)
        self.promises: list[Promise] = []
        self.queue = QueueModel(self.clock, TICKET)
        self.refusal = ""
        self.starts = 0
        self.resources = 0
        self.folder = Path(tempfile.mkdtemp(prefix="pw-model-"))
        self.database = Database(self.url)
        self.run(self._clean())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(30):
                return await work

        return self.loop.run_until_complete(bounded())

    async def _clean(self) -> None:
        async with self.database.transaction() as transaction:
            for table in repository.METADATA.sorted_tables:
                await transaction.execute(delete(table))

    def teardown(self) -> None:
        self.run(self.stack.aclose())
        self.run(self.database.close())
        self.loop.close()
        (self.folder / "memory.yaml").unlink()
        self.folder.rmdir()

    @initialize()
    def start(self) -> None:
        self.restart()
        self.run(self.pool.sync("memory"))

    @rule()
    def restart(self) -> None:
        """The process dies and another one opens the same rows; nothing in memory
        survives."""
        self.starts += 1
        context = opened(
            self.database, self.cloud, self.folder, self.clock, SETTINGS, seed=self.starts * 1000
        )
        self.pool: Pool = self.run(self.stack.enter_async_context(context))
        self.worker = Worker(self.pool)

    def attempt(self, work: Coroutine[Any, Any, T]) -> T | None:
        self.refusal = ""
        try:
            return self.run(work)
        except ProofwalkError as error:
            if error.code not in REFUSALS:
                raise
            self.refusal = error.code
            return None

    def answered(self, given: object, *, allowed: bool) -> None:
        """Count how a holder was answered."""
        holder = "live" if allowed else "stale"
        type(self).counts[f"{holder}_{'refused' if given is None else 'accepted'}"] += 1

    def waiting(self) -> dict[str, Place]:
        """Who has a ticket that lives."""
        return self.queue.waiting()

    def all_accounts(self) -> list[Account]:
        return self.run(self.pool.accounts())

    def free_accounts(self) -> list[Account]:
        return [one for one in self.all_accounts() if one.state is LeaseState.FREE]

    @rule(
        request=st.integers(0, 5),
        demand=st.sampled_from(DEMANDS),
        twice=st.booleans(),
        away=st.booleans(),
        wait_s=st.sampled_from([0, 15, 600]),
    )
    def acquire(self, request: int, demand: Demand, twice: bool, away: bool, wait_s: int) -> None:
        """A client asks, perhaps twice, perhaps while the cloud is away, and waits or
        does not."""
        if away:
            self.cloud.fail("list")
        for _ in range(1 + twice):
            free = self.free_accounts()
            call = self.pool.acquire(
                request_id=f"r{request}",
                target="memory",
                holder=f"ep_{request}",
                ttl_s=TTL,
                demand=demand,
                terms=Terms(wait_s=wait_s),
            )
            lease = self.attempt(call)
            type(self).counts["waits"] += self.refusal == "account.none_free" and wait_s > 0
            if self.refusal == "account.none_free":
                self.queue.told_to_wait(f"r{request}", demand, wait_s, free)
            elif self.refusal == "cloud.unavailable":
                self.queue.took_an_account(f"r{request}", demand, free)  # and gave it back
            elif self.refusal == "account.no_pool":
                assert not any(one.dedication.serves(demand) for one in self.all_accounts())
            if lease is None:
                continue
            known = [
                promise for promise in self.promises if promise.lease.lease_id == lease.lease_id
            ]
            if known:
                assert not known[0].ended
                continue
            self.queue.took_an_account(f"r{request}", demand, free, lease.account_id)
            newer = [
                p
                for p in self.promises
                if p.lease.account_id == lease.account_id and p.lease.epoch >= lease.epoch
            ]
            assert not newer, "epochs of an account grow with every grant"
            assert lease.expires_at is not None
            self.promises.append(Promise(lease=lease, expires_at=lease.expires_at))
            type(self).counts["grants"] += 1
        self.cloud.failures.clear()

    def may_act(self, promise: Promise) -> bool:
        newest = max(
            p.lease.epoch for p in self.promises if p.lease.account_id == promise.lease.account_id
        )
        return (
            not promise.ended
            and promise.lease.epoch == newest
            and self.clock.now() < promise.expires_at
        )

    @precondition(lambda self: self.promises)
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        """Any holder, live or long gone."""
        promise = data.draw(st.sampled_from(self.promises))
        allowed = self.may_act(promise)
        lease = self.attempt(
            self.pool.renew(lease_id=promise.lease.lease_id, epoch=promise.lease.epoch, ttl_s=TTL)
        )
        self.answered(lease, allowed=allowed)
        assert (lease is not None) == allowed
        if lease is not None:
            assert lease.expires_at is not None
            promise.expires_at = lease.expires_at

    @precondition(lambda self: self.promises)
    @rule(data=st.data())
    def use(self, data: st.DataObject) -> None:
        """Any holder asks for a password; a live one gets the one that works now."""
        promise = data.draw(st.sampled_from(self.promises))
        allowed = self.may_act(promise)
        call = self.pool.credential(
            lease_id=promise.lease.lease_id,
            epoch=promise.lease.epoch,
            kind=CredentialKind.CONSOLE_LOGIN,
        )
        given = self.attempt(call)
        self.answered(given, allowed=allowed)
        assert (given is not None) == allowed
        if given is not None:
            present = (
                self.cloud.account(promise.lease.external_id)
                .login.fields["password"]
                .get_secret_value()
            )
            assert given[1]["password"] == present

    @precondition(lambda self: self.promises)
    @rule(data=st.data(), away=st.sampled_from(["", "list", "rotate"]), twice=st.booleans())
    def release(self, data: st.DataObject, away: str, twice: bool) -> None:
        """Any holder hands back, perhaps twice, perhaps while the cloud is away."""
        promise = data.draw(st.sampled_from(self.promises))
        allowed, had_ended = self.may_act(promise), promise.ended
        if away:
            self.cloud.fail(away)
        for _ in range(1 + twice):
            proof = self.attempt(
                self.pool.release(lease_id=promise.lease.lease_id, epoch=promise.lease.epoch)
            )
            if not had_ended:
                self.answered(proof, allowed=allowed)
            assert proof is None or allowed or had_ended, "a late holder's release is refused"
        promise.ended = promise.ended or allowed
        self.cloud.failures.clear()

    @rule(
        external_id=st.sampled_from(list(DEDICATIONS)),
        dedication=st.sampled_from(list(DEDICATIONS.values())),
    )
    def set_aside(self, external_id: str, dedication: Dedication) -> None:
        """The target says something else of an account; its lease, if it has one,
        stays."""
        self.cloud.dedication_of[external_id] = dedication
        self.run(self.pool.sync("memory"))

    @rule(external_id=st.sampled_from(list(DEDICATIONS)))
    def litter(self, external_id: str) -> None:
        """Something is made in an account."""
        self.resources += 1
        self.cloud.put(
            external_id, ResourceRef(product="ecs", type="instance", id=f"i-{self.resources}")
        )

    @rule(seconds=st.sampled_from([1, 6, 20, 45, 61, 400]))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @rule()
    def reap(self) -> None:
        self.run(self.worker.reap())

    @rule(away=st.sampled_from(["", "list", "rotate", "delete"]))
    def tend(self, away: str) -> None:
        if away == "delete":
            # A deletion that could succeed later is tried until the sweep's deadline.
            self.cloud.failures["delete"] = REFUSED
        elif away:
            self.cloud.fail(away)
        self.run(self.worker.tend())
        self.cloud.failures.clear()

    @rule(away=st.sampled_from(["", "list", "rotate"]))
    def rotate_old(self, away: str) -> None:
        """Credentials of a free account that are old enough are replaced, if it can be
        spared; of a leased one never, which `use` would see."""
        if away:
            self.cloud.fail(away)
        was, waiting = self.all_accounts(), [one.demand for one in self.waiting().values()]
        self.run(self.worker.rotate_old())
        now = {one.account_id: one for one in self.all_accounts()}
        taken = [one for one in was if now[one.account_id] != one]
        assert len(taken) <= 1
        for one in taken:
            assert one.state is LeaseState.FREE
            assert not any(one.dedication.serves(demand) for demand in waiting)
            assert not any(other.rotating for other in was)
            assert one.rotated_at is None or self.clock.now() - one.rotated_at >= OLD
        self.cloud.failures.clear()

    @invariant()
    def rows_keep_every_promise(self) -> None:
        """All of it in one snapshot: at most one lease of an account passes, who waits
        is who was told to, what is free is clean and its credentials work."""
        type(self).steps += 1
        self.run(self._look())

    async def _look(self) -> None:
        async with self.database.read() as transaction:
            passing = await self._passing(transaction)
            living = repository.TICKETS.c.until > self.clock.now()
            waiting = await transaction.execute(
                select(repository.TICKETS.c.request_id).where(living)
            )
            accounts = await repository.accounts(transaction)
        type(self).counts["two_holders"] += len(passing) - len(set(passing))
        assert len(passing) == len(set(passing))
        assert set(waiting.scalars()) == set(self.waiting())
        if not self.promises:
            return
        for account in accounts:
            if account.state is LeaseState.FREE:
                held = self.pool.vault.open(account.external_id, account.secret)
                assert plain(held) == plain(self.cloud.account(account.external_id))

    async def _passing(self, transaction: Transaction) -> list[str]:
        passing = []
        for promise in self.promises:
            try:
                account = await usecases.live(
                    transaction,
                    lease_id=promise.lease.lease_id,
                    epoch=promise.lease.epoch,
                    clock=self.clock,
                )
                passing.append(account.account_id)
                assert self.may_act(promise)
            except ProofwalkError as error:
                if error.code != "lease.stale_epoch" or self.may_act(promise):
                    raise
        return passing
