"""Signs an episode in at its target's console: the declared steps of the target file, done through the console's own hands.

The values are named, never spelt: a step types `<secret:password>`, and the executor puts the value in, after checking where it would go.
A console that cannot be signed in to is an environment failure, whatever the reason. A console that asks again within an episode is signed in
to again (`SignedIn`): no policy holds a credential, so none could do it.
"""

from __future__ import annotations

from proofwalk.agent.environment import Performed
from proofwalk.agent.literal import interruptions
from proofwalk.cloud.target import Click, ConsoleSpec, Expect, Fill, Open, SignInStep
from proofwalk.console.actions import Click as ClickAction
from proofwalk.console.actions import GuiAction, Type, Wait
from proofwalk.console.observation import Element, Observation
from proofwalk.console.session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError, unavailable

_FIELDS = frozenset({"textbox", "searchbox", "combobox"})
_EXPECT_S = 20.0
_AGAIN = 5
"""How often a console may ask again within an episode."""


class SignedIn:
    """`agent.environment.Environment` over a session that stays signed in, with or without pictures."""

    def __init__(self, session: ConsoleSession, console: ConsoleSpec, *, screenshots: bool) -> None:
        self._session = session
        self._console = console
        self._screenshots = screenshots
        self._left = _AGAIN

    async def observe(self) -> Observation:
        """One look; at the sign-in page, one look at what comes after it."""
        seen = await self._session.observe(screenshot=self._screenshots)
        # A session that can be taken up again with one press is the policy's to take up: it knows what it has lost.
        if self._left > 0 and asks_again(seen, self._console) and interruptions.answer(seen) is None:
            self._left -= 1
            for step in self._console.sign_in:
                if not isinstance(step, Open):  # the page is there, and knows where it was left
                    await _do(self._session, self._console, step, "")
            seen = await self._session.observe(screenshot=self._screenshots)
        return seen

    async def perform(self, action: GuiAction) -> Performed:
        return await self._session.perform(action)


def asks_again(page: Observation, console: ConsoleSpec) -> bool:
    """Whether the page is the sign-in page: every field that the sign-in fills is on it, one of them a password's."""
    fills = [step for step in console.sign_in if isinstance(step, Fill)]
    if not fills or not any(element.input_type == "password" for element in page.elements):
        return False
    return all(_named(page, step, field=True) is not None for step in fills)


async def sign_in(session: ConsoleSession, console: ConsoleSpec, *, scenario: str = "") -> None:
    """Raises `sign_in.failed`, or what the browser raises."""
    if not any(isinstance(step, Open) for step in console.sign_in):
        await session.open(console.address(scenario=scenario))
    for step in console.sign_in:
        await _do(session, console, step, scenario)


async def _do(session: ConsoleSession, console: ConsoleSpec, step: SignInStep, scenario: str) -> None:
    match step:
        case Open(path=path):
            await session.open(console.address(path, scenario=scenario))
        case Fill(label=label, secret=secret):
            field = _find(await session.observe(screenshot=False), step, field=True)
            await _perform(session, Type(id=field.mark, text=f"<secret:{secret}>"), f"fill {label!r}")
        case Click(label=label):
            button = _find(await session.observe(screenshot=False), step, field=False)
            await _perform(session, ClickAction(id=button.mark), f"click {label!r}")
        case Expect():
            await _expect(session, step)


async def _expect(session: ConsoleSession, step: Expect) -> None:
    end = session.clock.monotonic() + _EXPECT_S
    texts = (step.text, *step.also)
    while True:
        for text in texts:
            left = end - session.clock.monotonic()
            result = await session.perform(Wait(text=text, seconds=max(min(left, _EXPECT_S if len(texts) == 1 else 0.3), 0.05)))
            if result.ok:
                return
            if left <= 0:
                alerts = " ".join((await session.observe(screenshot=False)).alerts)
                raise _failed(f"could not expect {step.text!r}: {result.message} {alerts}".strip())


async def _perform(session: ConsoleSession, action: ClickAction | Type, what: str) -> None:
    result = await session.perform(action)
    if not result.ok:
        alerts = " ".join(session.latest.alerts) if session.latest else ""
        raise _failed(f"could not {what}: {result.message} {alerts}".strip())


def _find(page: Observation, step: Fill | Click, *, field: bool) -> Element:
    found = _named(page, step, field=field)
    if found is None:
        kind = "field" if field else "button"
        alerts = " ".join(page.alerts)
        raise _failed(f"the sign-in page at {page.url} shows no {kind} {step.label!r} {alerts}".strip())
    return found


def _named(page: Observation, step: Fill | Click, *, field: bool) -> Element | None:
    wanted = {label.casefold().strip() for label in (step.label, *step.also)}
    for element in page.elements:
        names = {text.casefold().strip(" :*") for text in (element.name, element.label, element.placeholder)}
        if wanted & names and (element.role in _FIELDS) == field:
            return element
    return None


def _failed(message: str) -> ProofwalkError:
    return unavailable(
        "sign_in.failed", message, hint="check `console.sign_in` of the target file, and the account's credentials"
    )
