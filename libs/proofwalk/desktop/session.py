"""A desktop as a policy has it: looks with marks, unified actions, results in words.
The counterpart of `console.session`.

A failed action is a result that the policy reads; a machine that is gone is an error,
`desktop.…`, and the environment's failure.
"""

from __future__ import annotations

import asyncio

from proofwalk.console import actions as a
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.faults import Refused
from proofwalk.console.looking.changes import NOTHING, describe_changes
from proofwalk.console.observation import Observation
from proofwalk.desktop.hands import DesktopHands, words_of
from proofwalk.desktop.looking import looked
from proofwalk.desktop.seat import Seat
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status

_ACTION_S = 180.0
"""More than the longest wait that an action may ask for."""
_QUIET_S = 5.0
_LOOK_S = 0.15


class DesktopSession:
    """One seat's desktop. Not for several tasks at once."""

    def __init__(self, seat: Seat, *, clock: Clock, pictures: bool = True) -> None:
        self.seat = seat
        self._clock = clock
        self._pictures = pictures
        self._hands = DesktopHands(seat)
        self._latest: Observation | None = None

    async def observe(self) -> Observation:
        """A look, with marks; what came since the last one is new. Raises
        `desktop.guest_silent`, `desktop.gone`."""
        self._latest = await self._look(pictures=self._pictures)
        return self._latest

    async def perform(self, action: a.GuiAction) -> ActionResult:
        """Do it, let the desktop come to rest, and say what changed. Raises
        `desktop.guest_silent`, `desktop.gone`, `desktop.action_late`."""
        seen = self._latest or await self.observe()
        try:
            async with asyncio.timeout(_ACTION_S):
                done = await self._hands.do(action, self, seen)
                began = self._clock.monotonic()
                after = await self._settled()
        except Refused as refusal:
            return ActionResult(
                ok=False, message=refusal.message, code=refusal.code, options=refusal.options
            )
        except TimeoutError:
            raise ProofwalkError(
                "desktop.action_late",
                f"{action.type} was not done within {_ACTION_S:g} s",
                status=Status.DEADLINE_EXCEEDED,
                hint="acquire another sandbox",
            ) from None
        sentences = [done.message] if done.message else []
        changed = describe_changes(seen, after, done.identity)
        if not (done.reading and changed == NOTHING):
            sentences.append(changed)
        details = {"text": done.text} if done.text else {}
        settle_ms = (self._clock.monotonic() - began) * 1000
        return ActionResult(
            ok=True, message="; ".join(sentences), details=details, settle_ms=settle_ms
        )

    async def words(self) -> str:
        """What programs tell of what they show now."""
        return words_of(await self._look(pictures=False))

    async def close(self) -> None:
        """Let held keys and buttons go."""
        await self._hands.let_everything_go()

    async def _settled(self) -> Observation:
        """The first look that is like the one before it, or the last one in time."""
        until = self._clock.monotonic() + _QUIET_S
        last = await self._look(pictures=False)
        while self._clock.monotonic() < until:
            await asyncio.sleep(_LOOK_S)
            now = await self._look(pictures=False)
            if now.fingerprint == last.fingerprint:
                return now
            last = now
        return last

    async def _look(self, *, pictures: bool) -> Observation:
        screen = await self.seat.screenshot() if pictures else b""
        look = await self.seat.guest.look()
        return await looked(
            look,
            screen,
            size=self.seat.screen,
            taken_at=self._clock.now(),
            before=self._latest,
            pictures=pictures,
        )
