"""What has happened to a session so far: the server's part of its trouble.

A journey counts what its session does and asks `trouble.Trouble` about each n-th time.
It outlives the session's token: a session that lapsed and is taken up again goes on in
the same journey, so that it does not lapse twice. Journeys live in memory; after a
restart of devcloud a session's counts begin anew. A poll of an open page counts for
nothing, because how many there are is a matter of time.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from proofwalk.devcloud.console.scenarios import Scenario
from proofwalk.devcloud.console.trouble import Trouble
from proofwalk.devcloud.engine.state.accounts import Session
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.products.schema.resources import Quota
from proofwalk.kernel.ids import IdSource

MAX_JOURNEYS = 4096
CAPTCHA_LENGTH = 260
"""Pixels that the captcha's handle is dragged."""
_CAPTCHA_TOLERANCE = 6
_CAPTCHA_POINTS = 4
_MAX_TRACK = 2000


class Lapsed(Exception):
    """The session ends here; it may be taken up again."""


@dataclass
class Challenge:
    """A captcha that was set, and the one-time proof of its solution once there is
    one."""

    id: str
    solution: str | None = None


class CaptchaRequired(CloudError):
    """The request was not looked at: the slider first."""

    def __init__(self, challenge: Challenge) -> None:
        super().__init__(
            "Captcha.Required", "Complete the verification before you submit the request.", 403
        )
        self.challenge = challenge


class Journey:
    """Counts and pending things of one session."""

    def __init__(self, name: str, trouble: Trouble, ids: IdSource) -> None:
        self.name = name
        self.trouble = trouble
        self._ids = ids
        self._counts: Counter[str] = Counter()
        self._met: set[str] = set()
        self._challenge: Challenge | None = None

    @property
    def calm(self) -> bool:
        """Whether nothing ever happens."""
        return self.trouble.level == "calm"

    def _next(self, what: str) -> int:
        self._counts[what] += 1
        return self._counts[what]

    def _once(self, what: str) -> bool:
        """Whether this is the first time."""
        first = what not in self._met
        self._met.add(what)
        return first

    async def load(self, what: str, *, poll: bool = False, in_form: bool = False) -> None:
        """Before something is read for a page: late, failing, or the end of the session
        (`Lapsed`)."""
        if self.calm or poll:
            return
        if not in_form or self.trouble.knobs.expiry_in_forms:
            at = self.trouble.lapses_at()
            if at is not None and self._next("load") >= at and self._once("lapse"):
                raise Lapsed
        n = self._next(f"load/{what}")
        delay = self.trouble.delay_s(what, n)
        if delay > 0:
            await asyncio.sleep(delay)
        if not in_form and self.trouble.fails(what, n):
            raise CloudError(
                "ServiceUnavailable",
                "The request has failed due to a temporary failure of the server.",
                503,
            )

    def submit(self, solution: str) -> None:
        """Before a write: `CaptchaRequired`, unless a solution that was not used yet
        comes with it."""
        if self.calm:
            return
        pending = self._challenge
        if solution:
            if pending is None or pending.solution != solution:
                raise CloudError(
                    "Captcha.Invalid", "The verification is not valid or was used before.", 403
                )
            self._challenge = None
            return
        if self.trouble.captcha(self._next("submit")):
            self._challenge = Challenge(id=self._ids.new("captcha"))
            raise CaptchaRequired(self._challenge)

    def solve(self, challenge_id: str, track: Any) -> str:
        """The one-time proof that the handle was dragged to the end. `track` is its
        positions in pixels, in order of time."""
        pending = self._challenge
        if pending is None or pending.id != challenge_id:
            raise CloudError("Captcha.NotFound", "The verification has expired.", 404)
        if not _is_drag(track):
            raise CloudError("Captcha.Failed", "Drag the slider to the end.", 400)
        pending.solution = self._ids.new("solution")
        return pending.solution

    def shortage(self, kind: str, quotas: Iterable[Quota], *, specified: bool) -> CloudError | None:
        """Why a create is refused although nothing is wrong with it; each reason once.

        `specified`: the request chooses a specification among several that could be
        had.
        """
        if self.calm:
            return None
        fault = next((quota.fault for quota in quotas), None)
        if (
            fault is not None
            and self.trouble.quota_is_exhausted(kind)
            and self._once(f"quota/{kind}")
        ):
            return CloudError(fault.code, fault.message, fault.status)
        if (
            specified
            and "sold_out" not in self._met
            and self.trouble.is_sold_out(self._next("specified"))
        ):
            self._met.add("sold_out")
            message = (
                "The requested resource is sold out in the specified zone. Try again later, or"
                " choose another specification."
            )
            return CloudError("OperationDenied.NoStock", message, 403)
        return None

    def lag_s(self) -> float:
        """Seconds by which the next recorded event is delivered later."""
        return 0.0 if self.calm else self.trouble.lag_s(self._next("event"))


def _is_drag(track: Any) -> bool:
    if not isinstance(track, list) or not _CAPTCHA_POINTS <= len(track) <= _MAX_TRACK:
        return False
    if not all(isinstance(x, int | float) for x in track):
        return False
    return (
        len(set(track)) >= _CAPTCHA_POINTS and abs(track[-1] - CAPTCHA_LENGTH) <= _CAPTCHA_TOLERANCE
    )


class Journeys:
    """The journeys of live sessions; the longest unused one is forgotten when there are
    too many."""

    def __init__(self, ids: IdSource) -> None:
        self._ids = ids
        self._known: OrderedDict[str, Journey] = OrderedDict()

    def of(self, session: Session, scenario: Scenario | None) -> Journey:
        """The session's journey."""
        if scenario is None or scenario.level == "calm":
            return Journey(session.journey, Trouble("calm", 0), self._ids)
        found = self._known.pop(session.journey, None) or Journey(
            session.journey, Trouble(scenario.level, scenario.seed), self._ids
        )
        self._known[session.journey] = found
        if len(self._known) > MAX_JOURNEYS:
            self._known.popitem(last=False)
        return found
