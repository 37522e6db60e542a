"""Signs an episode in at its target's console: the declared steps of the target file,
done through the console's own hands.

Secret values are named, never spelt: a step types `<secret:password>`, and the executor
puts the value in, after checking where it would go. What is no secret (the user's name,
unless the target says otherwise) is typed as it is. A console that cannot be signed in
to is an environment failure, whatever the reason.

A console that asks again within an episode is signed in to again (`signed_in`): no
policy holds a credential, so none could do it. Many forms have the labels of a sign-in
(*create user* has a user name and a password too), so labels decide nothing: the page
must stand at the sign-in's own place, and be its form, with its button, one password
field, and no field that the sign-in does not fill. The place is the one that the target
declares, else the paths that its steps open and where the first sign-in was led to. The
session types secrets there and while these steps are done, and at no other time
(`console.safety.credentials`).

A sign-in may take several pages, one after the other, and those of an identity provider
(`sign_in_course` says which step a page is for): a step waits for its field or button
to come. A one-time code is made from its secret when its field is there, by the
session's clock, and is as secret as a password. What is asked for again is told by the
first page with a form, which ends with the click that sends it, or by the door to the
provider where the first sign-in went through it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from proofwalk.cloud.one_time_codes import BadCodeSecret, one_time_code
from proofwalk.cloud.sign_in_steps import (
    Click,
    Expect,
    Fill,
    FillCode,
    Open,
    SignInStep,
    is_optional,
)
from proofwalk.cloud.target import ConsoleSpec
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import Click as ClickAction
from proofwalk.console.actions import Type, Wait
from proofwalk.console.faults import Refused
from proofwalk.console.observation import Element, Observation
from proofwalk.console.safety.addresses import Place
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.rollout.sign_in_course import (
    TEXT_FIELDS,
    controls_of,
    door,
    find,
    first_field,
    first_page,
    upcoming,
)

_EXPECT_S = 20.0
_APPEARS_S = 8.0
"""Seconds for which a step waits for its field or button to come."""
_REFUSALS = 4
"""How often a secret is tried to be typed where it is refused."""

_GLANCE_S = 0.05
Told = Callable[[SignInStep, bool], Awaitable[None]]
"""Hears of each step, and whether it was done or passed over."""


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
        self._door = door(console.sign_in)
        self._door_pages: set[frozenset[tuple[str, str]]] = set()
        """What could be pressed and filled in where the door was."""
        self._typed_at: set[str] = set()
        """Origins at which something was typed."""

    async def enter(self, *, scenario: str = "", told: Told | None = None) -> None:
        """Sign in for the first time. Raises `sign_in.failed`, or what the browser
        raises."""
        steps = self._console.sign_in
        if not any(isinstance(step, Open) for step in steps):
            await self._session.open(self._console.address(scenario=scenario))
        at = 0
        while at < len(steps):
            coming = await self._coming(steps, at, skips=False)
            for place in range(at, min(coming + 1, len(steps))):
                if place == coming:
                    await self.do(steps[place], scenario=scenario)
                if told is not None:
                    await told(steps[place], place == coming)
            at = coming + 1
        await self._leave_provider()

    async def _leave_provider(self) -> None:
        """Where the fields were another origin's than the console's, that one's clock
        tells nothing of the console's log."""
        if not self._is_led_away():
            return
        here = await self._session.observe(screenshot=False)
        self._session.guard.server_clock.pass_over(self._typed_at - {_origin(here.url)})

    async def do(self, step: SignInStep, *, scenario: str = "") -> None:
        """Do one step of the first sign-in. Raises as `enter`."""
        await self._do(step, scenario, first=True)

    def is_asked_for(self, page: Observation) -> bool:
        """Whether the page is the sign-in's first: at its place, with its form, or that
        of the door to the provider where one signed in."""
        at_its_place = Place.of(page.url) in self._places
        return (at_its_place and self.shows_form(page)) or self._shows_door(page)

    def _is_led_away(self) -> bool:
        """Whether an identity provider of another origin signed in."""
        return not self._typed_at <= {_origin(self._console.url)}

    def _shows_door(self, page: Observation) -> bool:
        """Whether this is the page with the door, wherever the console shows it: with
        the same controls. A door to the console's own form is the policy's to go
        through: the form behind it is known."""
        if _origin(page.url) != _origin(self._console.url) or not self._is_led_away():
            return False
        return controls_of(page) in self._door_pages

    def shows_form(self, page: Observation) -> bool:
        """Whether the page has the sign-in's fields and its button, and no other field,
        wherever it is."""
        steps = first_page(self._console.sign_in)
        fills = [step for step in steps if isinstance(step, Fill | FillCode)]
        if not fills:
            return False
        passwords = sum(element.input_type == "password" for element in page.elements)
        if passwords != self._passwords_on_first_page:
            return False
        if sum(element.role in TEXT_FIELDS for element in page.elements) > len(fills):
            return False
        return all(find(page, step) is not None for step in steps)

    @property
    def _passwords_on_first_page(self) -> int:
        """One, unless a later page asks for what is secret."""
        first, everything = (
            [step for step in steps if isinstance(step, Fill)]
            for steps in (first_page(self._console.sign_in), self._console.sign_in)
        )
        asks_later = len(first) < len(everything)
        return int(not asks_later or any(self._console.is_secret(one.secret) for one in first))

    async def again(self) -> None:
        """Sign in at the page that asks for it, where it stands. Raises as `enter`."""
        # The page is there, and knows where it was left: nothing is opened.
        steps = [step for step in self._console.sign_in if not isinstance(step, Open)]
        page = self._session.latest or await self._session.observe(screenshot=False)
        at = 0 if self._shows_door(page) else first_field(steps)
        known_elsewhere = self._is_led_away()
        while at < len(steps):
            coming = await self._coming(steps, at, skips=known_elsewhere)
            if coming < len(steps):
                await self._do(steps[coming], "", first=False)
            at = coming + 1

    async def _coming(self, steps: Sequence[SignInStep], at: int, *, skips: bool) -> int:
        """Return the place of the step that is next, once it is there; behind the last
        if none of them is asked for."""
        places = upcoming(steps, at, skips=skips)
        if not places or (places == [at] and not skips):
            return at
        clock = self._session.clock
        end = clock.monotonic() + _APPEARS_S
        while True:
            page = await self._session.observe(screenshot=False)
            for place in places:
                if await self._is_there(steps[place], page):
                    return place
            if clock.monotonic() >= end:
                return self._unasked(steps, at, page, skips=skips)
            await self._session.perform(Wait(text=_words(steps[at]), seconds=0.5))

    def _unasked(
        self, steps: Sequence[SignInStep], at: int, page: Observation, *, skips: bool
    ) -> int:
        """None of the steps that may be next is there: the one that has to be is next,
        and says what it misses, unless one is in already and nothing is expected."""
        needed = (place for place in range(at, len(steps)) if not is_optional(steps[place]))
        expects = any(isinstance(step, Expect) for step in steps[at:])
        asks = Place.of(page.url) in self._places or self._shows_door(page)
        if skips and not expects and not asks:
            return len(steps)
        return next(needed, len(steps))

    async def _is_there(self, step: SignInStep, page: Observation) -> bool:
        match step:
            case Fill() | FillCode() | Click():
                return find(page, step) is not None
            case Expect(text=text, also=also):
                for one in (text, *also):
                    if (await self._session.perform(Wait(text=one, seconds=_GLANCE_S))).ok:
                        return True
        return False

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
                page, button = await self._awaited(step)
                if first and step is self._door:
                    self._door_pages.add(controls_of(page))
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
        self._typed_at.add(_origin(page.url))
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
        self._typed_at.add(place.origin)
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
            found = find(page, step)
            if found is not None:
                return page, found
            if clock.monotonic() >= end:
                raise _not_there(page, step)
            await self._session.perform(Wait(text=step.label, seconds=1))


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


def _origin(url: str) -> str:
    place = Place.of(url)
    return place.origin if place is not None else ""


def _words(step: SignInStep) -> str:
    match step:
        case Expect(text=text):
            return text
        case Fill(label=label) | FillCode(label=label) | Click(label=label):
            return label
        case Open(path=path):
            return path


def _failed(message: str) -> ProofwalkError:
    return unavailable(
        "sign_in.failed",
        message,
        hint="check `console.sign_in` of the target file, and the account's credentials",
    )
