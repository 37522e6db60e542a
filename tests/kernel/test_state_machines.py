"""The two state machines, driven at random: at most one holder, epochs that only grow,
and no way back from the end."""

# ruff: noqa: PT017 - a refusal is one of the two lawful results of a step here, and is looked at where it is caught.

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from proofwalk.kernel import jobs, leases
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.leases import Lease, LeaseState

TTL = timedelta(seconds=10)
SECONDS = st.floats(min_value=0.1, max_value=15)


class LeaseMachine(RuleBasedStateMachine):
    """Holders that acquire, renew, release late or early, and a reaper, on one leasable
    thing."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.lease = Lease()
        self.epochs: list[int] = []
        self.alive: dict[int, float] = {}
        """Epochs that were granted and neither released nor out of time, with the
        moment of their end."""

    @rule(seconds=SECONDS)
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.alive = {
            epoch: end for epoch, end in self.alive.items() if end > self.clock.monotonic()
        }

    @rule(holder=st.sampled_from("abc"))
    def acquire(self, holder: str) -> None:
        free = self.lease.state is LeaseState.FREE
        try:
            self.lease = leases.acquire(self.lease, holder=holder, now=self.clock.now(), ttl=TTL)
        except ProofwalkError as error:
            assert error.code == "lease.not_free"
            assert not free
            return
        assert free
        assert not self.alive, "granted while somebody held it"
        assert self.lease.epoch > max(self.epochs, default=0)
        self.epochs.append(self.lease.epoch)
        self.alive[self.lease.epoch] = self.clock.monotonic() + TTL.total_seconds()

    @precondition(lambda self: self.epochs)
    @rule(data=st.data(), act=st.sampled_from(["renew", "release", "revoke"]))
    def use(self, data: st.DataObject, act: str) -> None:
        epoch = data.draw(st.sampled_from(self.epochs))
        before = self.lease
        try:
            if act == "renew":
                self.lease = leases.renew(self.lease, epoch=epoch, now=self.clock.now(), ttl=TTL)
            elif act == "release":
                self.lease = leases.release(self.lease, epoch=epoch, now=self.clock.now())
            else:
                self.lease = leases.revoke(self.lease, epoch=epoch, now=self.clock.now())
                assert self.lease.epoch == epoch + 1
        except ProofwalkError as error:
            assert error.code == "lease.stale_epoch"
            assert not error.retryable
            assert epoch not in self.alive
            assert self.lease is before
            return
        assert epoch in self.alive, "a holder whose time had passed changed the lease"
        if act == "renew":
            self.alive[epoch] = self.clock.monotonic() + TTL.total_seconds()
        else:
            del self.alive[epoch]

    @rule()
    def withdraw(self) -> None:
        free = self.lease.state is LeaseState.FREE
        try:
            self.lease = leases.withdraw(self.lease)
        except ProofwalkError as error:
            assert error.code == "lease.not_free"
            assert not free
            return
        assert free
        assert self.lease.state is LeaseState.QUARANTINED

    @rule()
    def reap(self) -> None:
        before = self.lease
        self.lease = leases.expire(self.lease, now=self.clock.now())
        if self.lease is not before:
            assert not self.alive
            assert self.lease.state is LeaseState.QUARANTINED
            assert self.lease.epoch == before.epoch + 1

    @precondition(lambda self: self.lease.state is LeaseState.PROVING)
    @rule(clean=st.booleans())
    def prove(self, clean: bool) -> None:
        self.lease = leases.proven(self.lease, clean=clean)
        assert self.lease.state is (LeaseState.FREE if clean else LeaseState.QUARANTINED)

    @precondition(lambda self: self.lease.state is LeaseState.QUARANTINED)
    @rule()
    def restore(self) -> None:
        self.lease = leases.restore(self.lease)

    @invariant()
    def one_holder_at_most(self) -> None:
        assert len(self.alive) <= 1

    @invariant()
    def only_leased_things_have_a_holder(self) -> None:
        if self.lease.state in (LeaseState.FREE, LeaseState.QUARANTINED):
            assert self.lease.holder == ""
            assert self.lease.expires_at is None


class JobMachine(RuleBasedStateMachine):
    """A job moved at random: it goes where the table allows and nowhere else."""

    def __init__(self) -> None:
        super().__init__()
        self.state = JobState.QUEUED
        self.was_cancelled = False

    @rule(to=st.sampled_from(JobState))
    def move(self, to: JobState) -> None:
        allowed = to in jobs.TRANSITIONS[self.state]
        try:
            moved = jobs.advance(self.state, to)
        except ProofwalkError as error:
            assert error.code == "job.bad_transition"
            assert not allowed
            return
        assert allowed
        assert self.state is not JobState.FINISHED
        assert not self.was_cancelled or moved is JobState.FINISHED, "a cancelled job went on"
        self.was_cancelled |= moved is JobState.CANCELLING
        self.state = moved


TestLease = LeaseMachine.TestCase
TestJob = JobMachine.TestCase


def test_the_last_moment_of_a_lease_is_outside_of_it() -> None:
    clock = ManualClock()
    lease = leases.acquire(Lease(), holder="a", now=clock.now(), ttl=TTL)
    clock.advance(9.999)
    leases.check(lease, epoch=1, now=clock.now())
    clock.advance(0.001)
    with pytest.raises(ProofwalkError) as caught:
        leases.check(lease, epoch=1, now=clock.now())
    assert caught.value.code == "lease.stale_epoch"


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_lease_needs_time_to_live(seconds: int) -> None:
    with pytest.raises(ProofwalkError) as caught:
        leases.acquire(Lease(), holder="a", now=ManualClock().now(), ttl=timedelta(seconds=seconds))
    assert caught.value.code == "lease.bad_ttl"


def test_an_expired_lease_never_goes_straight_to_free() -> None:
    clock = ManualClock()
    lease = leases.acquire(Lease(), holder="a", now=clock.now(), ttl=TTL)
    clock.advance(10)
    expired = leases.expire(lease, now=clock.now())
    assert expired.state is LeaseState.QUARANTINED
    with pytest.raises(ProofwalkError) as caught:
        leases.acquire(expired, holder="b", now=clock.now(), ttl=TTL)
    assert caught.value.code == "lease.not_free"
    with pytest.raises(ProofwalkError):
        leases.proven(expired, clean=True)
    with pytest.raises(ProofwalkError):
        leases.restore(Lease())
