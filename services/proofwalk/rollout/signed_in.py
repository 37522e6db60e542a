"""A session that stays signed in: a console that asks again within an episode is signed
in to again (`sign_in`), and the policy sees what comes after it.
"""

from __future__ import annotations

from proofwalk.agent.core.environment import Performed
from proofwalk.agent.page import interruptions
from proofwalk.console.actions import GuiAction
from proofwalk.console.observation import Observation
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.rollout.sign_in import SignIn

_AGAIN = 5
"""How often a console may ask again within an episode."""


class SignedIn:
    """`agent.core.environment.Environment` over a session that stays signed in, with or
    without pictures."""

    def __init__(self, session: ConsoleSession, sign_in: SignIn, *, screenshots: bool) -> None:
        self._session = session
        self._sign_in = sign_in
        self._screenshots = screenshots
        self._left = _AGAIN

    async def observe(self) -> Observation:
        """One look; at the sign-in page, one look at what comes after it."""
        seen = await self._session.observe(screenshot=self._screenshots)
        # A session that can be taken up again with one press is the policy's to take
        # up: it knows what it has lost.
        if (
            self._left > 0
            and self._sign_in.is_asked_for(seen)
            and interruptions.answer(seen) is None
        ):
            self._left -= 1
            await self._sign_in.again()
            seen = await self._session.observe(screenshot=self._screenshots)
        return seen

    async def perform(self, action: GuiAction) -> Performed:
        return await self._session.perform(action)
