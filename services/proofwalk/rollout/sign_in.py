"""Signs an episode in at its target's console: the declared steps of the target file,
done through the console's own hands.

Secret values are named, never spelt: a step types `<secret:password>`, and the executor
puts the value in, after checking where it would go. What is no secret (the user's name,
unless the target says otherwise) is typed as it is. A console that cannot be signed in
to is an environment failure, whatever the reason.

A console that asks again within an episode is signed in to again (`SignedIn`): no
policy holds a credential, so none could do it. Many forms have the labels of a sign-in
(*create user* has a user name and a password too), so labels decide nothing: the page
must stand at the sign-in's own place, and be its form, with its button, one password
field, and no field that the sign-in does not fill. The place is the one that the target
declares, else the paths that its steps open and where the first sign-in was led to. The
session types secrets there and while these steps are done, and at no other time
(`console.safety.credentials`).

A sign-in may take several pages, one after the other: a step waits for its field or
button to come. A one-time code is made from its secret when its field is there, by the
session's clock, and is as secret as a password. What is asked for again is told by the
first page with a form, which ends with the click that sends it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from proofwalk.agent.core.environment import Performed
from proofwalk.agent.page import interruptions
from proofwalk.cloud.one_time_codes import BadCodeSecret, one_time_code
from proofwalk.cloud.target import (
    Click,
    ConsoleSpec,
    Expect,
    Fill,
    FillCode,
    Open,
    SignInStep,
)
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import Click as ClickAction
from proofwalk.console.actions import GuiAction, Type, Wait
from proofwalk.console.faults import Refused
from proofwalk.console.observation import Element, Observation
from proofwalk.console.safety.addresses import Place
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError, unavailable

_TEXT_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
_FIELDS = _TEXT_FIELDS | {"combobox"}
_EXPECT_S = 20.0
_APPEARS_S = 8.0
"""Seconds for which a step waits for its field or button to come."""
_AGAIN = 5
"""How often a console may ask again within an episode."""
_REFUSALS = 4
"""How often a secret is tried to be typed where it is refused."""

Done = Callable[[SignInStep], Awaitable[None]]


class SignIn:
    """The way in to one console, for one session."""

    def __init__(
        self, session: ConsoleSession, console: ConsoleSpec, login: Mapping[str, str]
    ) -> None:
        """`login`: the values that are no secret, by name; the session has the
        others."""
        self._session = session
        self._console = console
        self._login = login
        self._declared = frozenset(filter(None, map(Place.of, console.sign_in_addresses)))
        self._places = set(self._declared)

    async def enter(self, *, scenario: str = "", done: Done | None = None) -> None:
        """Sign in for the first time. `done` is told of each step that was done. Raises
        `sign_in.failed`, or what the browser raises."""
        if not any(isinstance(step, Open) for step in self._console.sign_in):
            await self._session.open(self._console.address(scenario=scenario))
        for step in self._console.sign_in:
            await self.do(step, scenario=scenario)
            if done is not None:
                await done(step)

    async def do(self, step: SignInStep, *, scenario: str = "") -> None:
        """Do one step of the first sign-in. Raises as `enter`."""
        await self._do(step, scenario, first=True)

    def is_asked_for(self, page: Observation) -> bool:
        """Whether the page is the sign-in's first: at its place, with its form."""
        return Place.of(page.url) in self._places and self.shows_form(page)

    def shows_form(self, page: Observation) -> bool:
        """Whether the page has the sign-in's fields and its button, and no other field,
        wherever it is."""
        steps = _first_page(self._console.sign_in)
        fills = [step for step in steps if isinstance(step, Fill | FillCode)]
        if not fills:
            return False
        passwords = sum(element.input_type == "password" for element in page.elements)
        if passwords != self._passwords_on_first_page:
            return False
        if sum(element.role in _TEXT_FIELDS for element in page.elements) > len(fills):
            return False
        return all(
            _named(page, step, field=not isinstance(step, Click)) is not None for step in steps
        )

    @property
    def _passwords_on_first_page(self) -> int:
        """One, unless a later page asks for what is secret."""
        first, everything = (
            [step for step in steps if isinstance(step, Fill)]
            for steps in (_first_page(self._console.sign_in), self._console.sign_in)
        )
        asks_later = len(first) < len(everything)
        return int(not asks_later or any(self._console.is_secret(one.secret) for one in first))

    async def again(self) -> None:
        """Sign in at the page that asks for it, where it stands. Raises as `enter`."""
        for step in self._console.sign_in:
            if not isinstance(step, Open):  # the page is there, and knows where it was left
                await self._do(step, "", first=False)

    async def _do(self, step: SignInStep, scenario: str, *, first: bool) -> None:
        match step:
            case Open(path=path):
                await self._session.open(self._console.address(path, scenario=scenario))
            case Fill():
                await self._fill(step, first=first)
            case FillCode():
                await self._awaited(step)
                await self._type_secret(step, self._code(step), first=first)
            case Click(label=label):
                _, button = await self._awaited(step)
                _check(
                    self._session,
                    await self._session.perform(ClickAction(id=button.mark)),
                    f"click {label!r}",
                )
            case Expect():
                await _expect(self._session, step)

    async def _fill(self, step: Fill, *, first: bool) -> None:
        if self._console.is_secret(step.secret):
            await self._type_secret(step, f"<secret:{step.secret}>", first=first)
            return
        page, field = await self._awaited(step)
        value = self._login.get(step.secret)
        if value is None:
            raise _failed(f"the account has no {step.secret!r} for {step.label!r}")
        _check(
            self._session,
            await self._session.perform(Type(id=field.mark, text=value)),
            f"fill {step.label!r}",
        )
        if first:
            self._stands_at(page)

    async def _type_secret(self, step: Fill | FillCode, reference: str, *, first: bool) -> None:
        for _ in range(_REFUSALS):
            result = await self._typed(step, reference, first=first)
            if result.code != "action.secret_refused":
                break
            # Of a page that has just come, what guards the secrets may hear later than
            # whoever looks.
            await self._session.perform(Wait(text=step.label, gone=True, seconds=0.5))
        _check(self._session, result, f"fill {step.label!r}")

    async def _typed(self, step: Fill | FillCode, reference: str, *, first: bool) -> ActionResult:
        page, field = await self._awaited(step)
        address = field.frame or page.url
        place = Place.of(address)
        if place is None or (place not in self._places and (not first or self._console.sign_in_at)):
            raise _failed(
                f"{step.label!r} is asked for at {address[:200]}, which is not the place of the"
                " sign-in"
            )
        self._places.add(place)
        if first:
            # A form in a frame: the page around it is where it is asked for again.
            self._stands_at(page)
        with self._session.gate.opened(place):
            return await self._session.perform(Type(id=field.mark, text=reference))

    def _stands_at(self, page: Observation) -> None:
        """Take the page's place for one of the sign-in's, unless the target declares
        them."""
        if not self._console.sign_in_at and (place := Place.of(page.url)) is not None:
            self._places.add(place)

    def _code(self, step: FillCode) -> str:
        """Make the code of now, which is masked from then on. Return its reference."""
        secrets = self._session.secrets
        try:
            secret = secrets.reveal(f"<secret:{step.one_time_code}>")
            return secrets.derive("one-time-code", one_time_code(secret, self._session.clock.now()))
        except Refused:
            raise _failed(f"the account has no {step.one_time_code!r} for {step.label!r}") from None
        except BadCodeSecret as error:
            raise _failed(
                f"no one-time code can be made from the account's {step.one_time_code!r}: {error}"
            ) from None

    async def _awaited(self, step: Fill | FillCode | Click) -> tuple[Observation, Element]:
        """Return the page and the step's field or button, once it is there."""
        clock = self._session.clock
        end = clock.monotonic() + _APPEARS_S
        while True:
            page = await self._session.observe(screenshot=False)
            found = _named(page, step, field=not isinstance(step, Click))
            if found is not None:
                return page, found
            if clock.monotonic() >= end:
                raise _not_there(page, step)
            await self._session.perform(Wait(text=step.label, seconds=1))


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


async def _expect(session: ConsoleSession, step: Expect) -> None:
    end = session.clock.monotonic() + _EXPECT_S
    texts = (step.text, *step.also)
    while True:
        for text in texts:
            left = end - session.clock.monotonic()
            result = await session.perform(
                Wait(text=text, seconds=max(min(left, _EXPECT_S if len(texts) == 1 else 0.3), 0.05))
            )
            if result.ok:
                return
            if left <= 0:
                alerts = " ".join((await session.observe(screenshot=False)).alerts)
                raise _failed(f"could not expect {step.text!r}: {result.message} {alerts}".strip())


def _check(session: ConsoleSession, result: ActionResult, what: str) -> None:
    if not result.ok:
        alerts = " ".join(session.latest.alerts) if session.latest else ""
        raise _failed(f"could not {what}: {result.message} {alerts}".strip())


def _not_there(page: Observation, step: Fill | FillCode | Click) -> ProofwalkError:
    kind = "button" if isinstance(step, Click) else "field"
    alerts = " ".join(page.alerts)
    return _failed(
        f"the sign-in page at {page.url} shows no {kind} {step.label!r} {alerts}".strip()
    )


def _first_page(steps: Sequence[SignInStep]) -> list[Fill | FillCode | Click]:
    """Return what is filled in on the first page with a form, and the click that sends
    it."""
    first: list[Fill | FillCode | Click] = []
    for step in steps:
        if isinstance(step, Fill | FillCode):
            first.append(step)
        elif isinstance(step, Click) and first:
            return [*first, step]
    return first


def _named(page: Observation, step: Fill | FillCode | Click, *, field: bool) -> Element | None:
    wanted = {label.casefold().strip() for label in (step.label, *step.also)}
    for element in page.elements:
        names = {
            text.casefold().strip(" :*")
            for text in (element.name, element.label, element.placeholder)
        }
        if wanted & names and (element.role in _FIELDS) == field:
            return element
    return None


def _failed(message: str) -> ProofwalkError:
    return unavailable(
        "sign_in.failed",
        message,
        hint="check `console.sign_in` of the target file, and the account's credentials",
    )
