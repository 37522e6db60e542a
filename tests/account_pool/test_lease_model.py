"""At most one holder at all times: random histories with time, crashes, failures of the
cloud and repeated calls, on both databases.

A model keeps what each lease was promised. Whenever the pool lets a holder do
something, the model must agree that this lease is the newest of its account, not ended
and not past its time; and at no moment do two leases of an account both pass.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import delete

from proofwalk.account_pool import repository, usecases
from proofwalk.account_pool.domain import Account
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.account_pool.usecases import CredentialKind
from proofwalk.account_pool.worker import Worker
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.leases import LeaseState
from tests.account_pool.conftest import opened

T = TypeVar("T")
TTL = 60.0
SETTINGS = AccountPoolSettings(proof_poll_s=0.001, proof_deadline_s=1, sweep_deadline_s=5)
REFUSALS = {
    "account.none_free",
    "lease.stale_epoch",
    "cloud.unavailable",
    "lease.request_mismatch",
    "account.still_dirty",
}


@dataclass
class Promise:
    """What a client was told of its lease."""

    lease: Account
    expires_at: datetime
    ended: bool = False


class LeaseModel(RuleBasedStateMachine):
    """Subclassed per database: `url`."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.clock = ManualClock()
        self.cloud = MemoryCloud(clock=self.clock, accounts=2)
        self.promises: list[Promise] = []
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
            for table in (repository.ACCOUNTS, repository.LEASES, repository.JOURNAL):
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
        try:
            return self.run(work)
        except ProofwalkError as error:
            if error.code not in REFUSALS:
                raise
            return None

    @rule(request=st.integers(0, 5), twice=st.booleans(), away=st.booleans())
    def acquire(self, request: int, twice: bool, away: bool) -> None:
        """A client asks, perhaps twice, perhaps while the cloud is away."""
        if away:
            self.cloud.fail("list")
        for _ in range(1 + twice):
            call = self.pool.acquire(
                request_id=f"r{request}", target="memory", holder=f"ep_{request}", ttl_s=TTL
            )
            lease = self.attempt(call)
            if lease is None:
                continue
            known = [
                promise for promise in self.promises if promise.lease.lease_id == lease.lease_id
            ]
            if known:
                assert not known[0].ended
                continue
            newer = [
                p
                for p in self.promises
                if p.lease.account_id == lease.account_id and p.lease.epoch >= lease.epoch
            ]
            assert not newer, "epochs of an account grow with every grant"
            assert lease.expires_at is not None
            self.promises.append(Promise(lease=lease, expires_at=lease.expires_at))
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
            assert proof is None or allowed or had_ended, "a late holder's release is refused"
        promise.ended = promise.ended or allowed
        self.cloud.failures.clear()

    @rule(external_id=st.sampled_from(["1001", "1002"]))
    def litter(self, external_id: str) -> None:
        """Something is made in an account."""
        self.resources += 1
        self.cloud.put(
            external_id, ResourceRef(product="ecs", type="instance", id=f"i-{self.resources}")
        )

    @rule(seconds=st.sampled_from([1, 20, 45, 61, 400]))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @rule()
    def reap(self) -> None:
        self.run(self.worker.reap())

    @rule(away=st.sampled_from(["", "list", "rotate", "delete"]))
    def tend(self, away: str) -> None:
        if away:
            self.cloud.fail(away)
        self.run(self.worker.tend())
        self.cloud.failures.clear()

    @invariant()
    def at_most_one_lease_of_an_account_passes(self) -> None:
        passing = self.run(self._passing())
        assert len(passing) == len(set(passing))

    async def _passing(self) -> list[str]:
        found = []
        async with self.database.read() as transaction:
            for promise in self.promises:
                try:
                    account = await usecases.live(
                        transaction,
                        lease_id=promise.lease.lease_id,
                        epoch=promise.lease.epoch,
                        clock=self.clock,
                    )
                    found.append(account.account_id)
                    assert self.may_act(promise)
                except ProofwalkError as error:
                    if error.code != "lease.stale_epoch" or self.may_act(promise):
                        raise
        return found

    @invariant()
    def what_is_free_is_clean_and_its_credentials_work(self) -> None:
        if not self.promises:
            return
        for account in self.run(self.pool.accounts()):
            if account.state is LeaseState.FREE:
                held = self.pool.vault.open(account.external_id, account.secret)
                assert held == self.cloud.account(account.external_id)


async def _migrate(url: str) -> None:
    database = Database(url)
    await migrate(database, "proofwalk.account_pool")
    await database.close()


@pytest.mark.timeout(240)
def test_at_most_one_holder_whatever_happens(database_url: str) -> None:
    asyncio.run(_migrate(database_url))
    machine = type("LeaseModelHere", (LeaseModel,), {"url": database_url})
    check = settings(
        max_examples=25 if database_url.startswith("sqlite") else 8,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    run_state_machine_as_test(machine, settings=check)
