"""Signing in: in a scenario, in any of the console's languages, again when the console
asks, and never where a policy has to decide."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from proofwalk.cloud.sign_in_steps import Click, Expect, Fill, Open
from proofwalk.cloud.target import ConsoleSpec
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import Type, Wait
from proofwalk.console.faults import Refused
from proofwalk.console.observation import Box, Element, Observation, TextRun
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.session.server_clock import ServerClock
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout.sign_in import SignIn
from proofwalk.rollout.signed_in import SignedIn

CONSOLE = ConsoleSpec(
    url="http://console.test",
    scenario_parameter="scenario",
    sign_in=(
        Open(path="/signin"),
        Fill(label="Username", also=("用户名",), secret="user"),
        Fill(label="Password", also=("密码",), secret="password"),
        Click(label="Sign In", also=("登录",)),
        Expect(text="Products", also=("产品",)),
    ),
)
SPOT = Box(x=0, y=0, width=10, height=10)


def page(
    *elements: Element, texts: tuple[str, ...] = (), url: str = "http://console.test/signin"
) -> Observation:
    return Observation(
        url=url,
        title="",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=elements,
        texts=tuple(TextRun(text=text, box=SPOT) for text in texts),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
    )


def form(
    user: str = "Username", password: str = "Password", button: str = "Sign In"
) -> tuple[Element, ...]:
    return (
        Element(mark=1, identity="1-1", role="textbox", tag="input", name=user, box=SPOT),
        Element(
            mark=2,
            identity="1-2",
            role="textbox",
            tag="input",
            name=password,
            input_type="password",
            box=SPOT,
        ),
        Element(mark=3, identity="1-3", role="button", tag="button", name=button, box=SPOT),
    )


HOME = page(texts=("Products",), url="http://console.test/")


@dataclass
class FakeSession:
    """Shows the given pages, the last one for ever, and carries everything out."""

    pages: deque[Observation]
    done: list[Any] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    latest: Observation | None = None
    gate: SecretGate = field(default_factory=SecretGate)
    clock: ManualClock = field(default_factory=ManualClock)
    secrets: Secrets = field(default_factory=lambda: Secrets({}))
    guard: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(server_clock=ServerClock(ManualClock()))
    )

    async def open(self, url: str) -> None:
        self.opened.append(url)

    async def observe(self, *, screenshot: bool = True) -> Observation:
        self.latest = self.pages.popleft() if len(self.pages) > 1 else self.pages[0]
        return self.latest

    async def perform(self, action: Any) -> ActionResult:
        self.done.append(action)
        if isinstance(action, Type) and "<secret:" in action.text:
            self.gate.check(self.latest.url if self.latest else "")
        shown = not isinstance(action, Wait) or any(
            action.text in run.text for run in self.pages[0].texts
        )
        self.clock.advance(1)
        return ActionResult(ok=shown, message="done" if shown else "not there")


def session(*pages: Observation, console: ConsoleSpec = CONSOLE) -> tuple[FakeSession, SignIn]:
    fake = FakeSession(deque(pages))
    return fake, SignIn(cast(ConsoleSession, fake), console, {"user": "walker"})


def signed_in(fake: FakeSession, way: SignIn) -> SignedIn:
    return SignedIn(cast(ConsoleSession, fake), way, screenshots=False)


def typed(fake: FakeSession) -> list[str]:
    return [action.text for action in fake.done if isinstance(action, Type)]


async def test_a_scenario_is_named_in_the_address_and_secrets_are_named_never_spelt() -> None:
    fake, way = session(page(*form()), page(*form()), page(*form()), HOME)
    await way.enter(scenario="storm 1")
    assert fake.opened == ["http://console.test/signin?scenario=storm+1"]
    assert typed(fake) == ["walker", "<secret:password>"]


async def test_a_target_says_what_is_secret() -> None:
    console = CONSOLE.model_copy(update={"secrets": ("user", "password")})
    fake, way = session(page(*form()), page(*form()), page(*form()), HOME, console=console)
    await way.enter()
    assert typed(fake) == ["<secret:user>", "<secret:password>"]


async def test_a_console_in_another_language_is_signed_in_to() -> None:
    chinese = page(*form("用户名", "密码", "登录"))
    fake, way = session(chinese, chinese, chinese, page(texts=("产品",)))
    await way.enter()
    assert fake.opened == ["http://console.test/signin"]
    assert len(typed(fake)) == 2


async def test_a_page_without_the_field_is_the_environment_s_failure() -> None:
    _, way = session(page(texts=("Scenario.NotFound",)))
    with pytest.raises(ProofwalkError) as caught:
        await way.enter()
    assert caught.value.code == "sign_in.failed"


async def test_a_console_that_asks_again_is_signed_in_to_where_it_stands() -> None:
    asking = page(*form(), url="http://console.test/signin?next=%2Fecs")
    fake, way = session(asking, asking, asking, asking, HOME)
    seen = await signed_in(fake, way).observe()
    assert seen == HOME
    assert fake.opened == []
    assert typed(fake) == ["walker", "<secret:password>"]


async def test_a_session_that_can_be_taken_up_again_is_left_to_the_policy() -> None:
    resume = Element(
        mark=4, identity="1-4", role="button", tag="button", name="Continue as agent", box=SPOT
    )
    lapsed = page(*form(), resume, texts=("Your session has expired.",))
    fake, way = session(lapsed)
    assert way.is_asked_for(lapsed)
    assert await signed_in(fake, way).observe() == lapsed
    assert fake.done == []


NAME = Element(mark=5, identity="1-5", role="textbox", tag="input", name="Display Name", box=SPOT)
AGAIN = Element(
    mark=6,
    identity="1-6",
    role="textbox",
    tag="input",
    name="Confirm",
    input_type="password",
    box=SPOT,
)


@pytest.mark.parametrize(
    "seen",
    [
        page(*form(user="Instance Name")),
        HOME,
        page(*form(), url="http://console.test/ram/users/create"),
        page(*form(), url="http://other.test/signin"),
        page(*form(), url="https://console.test/signin"),
        page(*form(), url="http://console.test/signin/users"),
        page(*form(), url="http://console.test/?to=/signin"),
        page(*form(button="Create")),
        page(*form(), NAME),
        page(*form(), AGAIN),
    ],
)
async def test_a_form_with_the_labels_of_a_sign_in_is_not_the_sign_in_page(
    seen: Observation,
) -> None:
    fake, way = session(seen)
    assert not way.is_asked_for(seen)
    assert await signed_in(fake, way).observe() == seen
    assert fake.done == []


def test_a_console_without_a_sign_in_never_asks() -> None:
    _, way = session(HOME, console=ConsoleSpec(url="http://console.test"))
    assert not way.is_asked_for(page(*form()))


ANYWHERE = ConsoleSpec(
    url="http://console.test",
    sign_in=tuple(step for step in CONSOLE.sign_in if not isinstance(step, Open)),
    allowed_hosts=("login.test",),
)


async def test_where_the_first_sign_in_was_led_to_is_its_place_from_then_on() -> None:
    elsewhere = page(*form(), url="http://login.test/#/enter?next=a")
    _, way = session(elsewhere, elsewhere, elsewhere, HOME, console=ANYWHERE)
    assert not way.is_asked_for(elsewhere)
    await way.enter()
    assert way.is_asked_for(page(*form(), url="http://login.test/#/enter?next=b"))
    assert not way.is_asked_for(page(*form(), url="http://login.test/#/users"))
    assert not way.is_asked_for(page(*form(), url="http://console.test/#/enter"))


async def test_a_declared_place_is_the_only_one() -> None:
    console = ANYWHERE.model_copy(update={"sign_in_at": ("http://login.test/enter",)})
    wrong = page(*form(), url="http://console.test/create-user")
    fake, way = session(wrong, console=console)
    with pytest.raises(ProofwalkError) as caught:
        await way.enter()
    assert caught.value.code == "sign_in.failed"
    assert "<secret:password>" not in typed(fake)


async def test_credentials_are_typed_while_the_sign_in_is_done_and_not_after() -> None:
    fake, way = session(page(*form()), page(*form()), page(*form()), HOME)
    await way.enter()
    with pytest.raises(Refused) as caught:
        fake.gate.check("http://console.test/signin")
    assert caught.value.code == "action.secret_refused"
