"""Keeps an episode's holds alive while it works, and stops the work when one of them is
lost.

Three things are held: the claim on the verification, the account, the sandbox. Each is
renewed well before it ends. Losing the claim means that somebody else has taken over:
the work is stopped at once and nothing more is written (`lease.stale_epoch` leaves this
module as it is). Losing the account or the sandbox is an environment failure with its
cause. A role that is merely away is waited for, but not to the end of the hold: by our
own clock the work stops a fifth of the hold's life earlier, whatever a renewal that is
under way would say, since what was begun in a browser may take effect a little later,
and must not when nobody holds the account any more. A renewal counts from when it was
asked for.

What the walk stands on has a time to live at the resource provisioner, which no renewal
lengthens: from shortly before its end it is asked whether that is still there, and once
more before the episode is judged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import EnvCause, Outcome, OutcomeKind
from proofwalk.rollout import usecases
from proofwalk.rollout.ports import AccountLease, Peers, Sandbox

EXPIRY_MARGIN_S = 60.0
"""Seconds before its end from which a provisioning is asked for: more than clocks of
two machines differ by."""
_STOPS_AT = 0.8
"""The part of a hold's life, since it was last renewed, after which the work stops."""
T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]


class Interrupted(Exception):
    """The work was stopped from outside; carries the outcome that this means."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class Holds:
    """What one episode holds. `account` and `sandbox` are set when they are acquired
    and cleared when they are handed back."""

    def __init__(
        self,
        db: Database,
        peers: Peers,
        held: usecases.Claim,
        *,
        clock: Clock,
        ttl: timedelta,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._db = db
        self._peers = peers
        self._held = held
        self._clock = clock
        self._ttl = ttl
        self._sleep = sleep
        self.account: AccountLease | None = None
        self.sandbox: Sandbox | None = None
        self._resources: dict[str, datetime | None] = {}
        """Provisionings, with when they are taken back at the latest."""
        self._renewed = dict.fromkeys(("claim", "account", "sandbox"), clock.monotonic())

    async def guard(self, work: Coroutine[None, None, T], *, heed_cancel: bool) -> T:
        """Run `work` while renewing; raises `Interrupted`, or `lease.stale_epoch` when
        the claim is lost."""
        body = asyncio.ensure_future(work)
        keeper = asyncio.ensure_future(self._keep(heed_cancel=heed_cancel))
        try:
            await asyncio.wait({body, keeper}, return_when=asyncio.FIRST_COMPLETED)
            if body.done():
                return body.result()
            keeper.result()
            raise AssertionError("unreachable: the keeper ends only by raising")
        finally:
            for task in (body, keeper):
                task.cancel()
            await asyncio.gather(body, keeper, return_exceptions=True)

    async def _keep(self, *, heed_cancel: bool) -> None:
        while True:
            # Often enough to see a cancellation soon, and to renew four times in a
            # lease's life.
            await self._sleep(min(self._ttl.total_seconds() / 4, 2.0))
            ends = [self._seconds_left(what) for what in self._leased()]
            try:
                async with asyncio.timeout(max(min(ends), 0) if ends else None) as limit:
                    await self._renew_all(heed_cancel=heed_cancel)
            except TimeoutError:
                if not limit.expired():
                    raise
                self._stop_in_time()

    def _stop_in_time(self) -> None:
        """Raises `Interrupted` if something is still held that was not renewed."""
        for what in sorted(self._leased(), key=self._seconds_left)[:1]:
            reason = f"the {what} could not be renewed in time, and may be another's soon"
            raise Interrupted(_lost(what, reason, "lease.not_renewed"))

    async def _renew_all(self, *, heed_cancel: bool) -> None:
        if await self._renew_claim() is JobState.CANCELLING and heed_cancel:
            raise Interrupted(Outcome(kind=OutcomeKind.CANCELLED, reason="cancelled by request"))
        account, sandbox = self.account, self.sandbox
        if account is not None:
            renewal = self._peers.accounts.renew(account, ttl=self._ttl)
            await self._renew("account", account, renewal)
        if sandbox is not None and self.sandbox is sandbox:
            renewal = self._peers.sandboxes.renew(sandbox, ttl=self._ttl)
            await self._renew("sandbox", sandbox, renewal)
        await self.refuse_ended(
            [one for one, ends in self._resources.items() if self._is_ending(ends)]
        )

    def _leased(self) -> Sequence[str]:
        """What is held of others. The claim is a row, which fences who lost it."""
        holds = {"account": self.account, "sandbox": self.sandbox}
        return [what for what, hold in holds.items() if hold is not None]

    def _seconds_left(self, what: str) -> float:
        """Until the work stops if this is not renewed."""
        ends = self._renewed[what] + _STOPS_AT * self._ttl.total_seconds()
        return ends - self._clock.monotonic()

    async def _renew_claim(self) -> JobState | None:
        """The job's state; None when the rows cannot be reached at the moment and the
        claim is still alive."""
        asked_at = self._clock.monotonic()
        try:
            state = await usecases.renew_claim(
                self._db, self._held, ttl=self._ttl, clock=self._clock
            )
        except ProofwalkError as error:
            since = self._clock.monotonic() - self._renewed["claim"]
            if error.retryable and since < self._ttl.total_seconds():
                return None
            raise
        self._renewed["claim"] = asked_at
        return state

    async def _renew(self, what: str, hold: AccountLease | Sandbox, call: Awaitable[None]) -> None:
        asked_at = self._clock.monotonic()
        try:
            await call
            self._renewed[what] = asked_at
        except ProofwalkError as error:
            if hold not in (self.account, self.sandbox):
                return  # handed back while it was being renewed
            away = (
                error.status in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)
                and error.code != "sandbox.crashed"
            )
            if away and self._seconds_left(what) > 0:
                return
            reason = f"the {what} was lost: {error.message}"
            raise Interrupted(_lost(what, reason, error.code)) from error

    async def refuse_ended(self, resources: Sequence[str] | None = None) -> None:
        """Raises `Interrupted` if something that the walk stands on is not there any
        more; all that is held, or these. Who cannot be asked says nothing, unless its
        time has come."""
        for provisioning_id in list(self._resources) if resources is None else resources:
            try:
                await self._peers.provisioner.refuse_ended(provisioning_id)
            except ProofwalkError as error:
                if provisioning_id not in self._resources:
                    return  # being taken back
                ends = self._resources[provisioning_id]
                is_over = ends is not None and self._clock.now() >= ends
                if error.cause is not EnvCause.PROVISION and not is_over:
                    continue
                reason = f"what the walk stands on was taken back: {error.message}"
                raise Interrupted(
                    Outcome(
                        kind=OutcomeKind.ENV_FAILURE,
                        cause=EnvCause.PROVISION,
                        reason=reason,
                        code=error.code,
                    )
                ) from error

    def _is_ending(self, ends: datetime | None) -> bool:
        margin = timedelta(seconds=EXPIRY_MARGIN_S)
        return ends is not None and self._clock.now() >= ends - margin

    def hold_resources(self, provisioning_id: str, ends: datetime | None) -> None:
        """What the walk stands on from now on."""
        self._resources[provisioning_id] = ends

    def let_resources_go(self) -> None:
        """They are being taken back."""
        self._resources.clear()

    def hold_account(self, lease: AccountLease) -> None:
        self.account, self._renewed["account"] = lease, self._clock.monotonic()

    def hold_sandbox(self, sandbox: Sandbox) -> None:
        self.sandbox, self._renewed["sandbox"] = sandbox, self._clock.monotonic()


_CAUSES = {"account": EnvCause.ACCOUNT, "sandbox": EnvCause.SANDBOX}


def _lost(what: str, reason: str, code: str) -> Outcome:
    return Outcome(kind=OutcomeKind.ENV_FAILURE, cause=_CAUSES[what], reason=reason, code=code)
