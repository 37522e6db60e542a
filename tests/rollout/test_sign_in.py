"""Signing in: in a scenario, in any of the console's languages, again when the console asks, and never where a policy has to decide."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from proofwalk.cloud.target import Click, ConsoleSpec, Expect, Fill, Open
from proofwalk.console.actions import Type, Wait
from proofwalk.console.observation import Box, Element, Observation, TextRun
from proofwalk.console.results import ActionResult
from proofwalk.console.session import ConsoleSession
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout.sign_in import SignedIn, asks_again, sign_in

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


def page(*elements: Element, texts: tuple[str, ...] = (), url: str = "http://console.test/signin") -> Observation:
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


def form(user: str = "Username", password: str = "Password", button: str = "Sign In") -> tuple[Element, ...]:
    return (
        Element(mark=1, identity="1-1", role="textbox", tag="input", name=user, box=SPOT),
        Element(mark=2, identity="1-2", role="textbox", tag="input", name=password, input_type="password", box=SPOT),
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
    clock: ManualClock = field(default_factory=ManualClock)

    async def open(self, url: str) -> None:
        self.opened.append(url)

    async def observe(self, *, screenshot: bool = True) -> Observation:
        self.latest = self.pages.popleft() if len(self.pages) > 1 else self.pages[0]
        return self.latest

    async def perform(self, action: Any) -> ActionResult:
        self.done.append(action)
        shown = not isinstance(action, Wait) or any(action.text in run.text for run in self.pages[0].texts)
        self.clock.advance(1)
        return ActionResult(ok=shown, message="done" if shown else "not there")


def session(*pages: Observation) -> tuple[FakeSession, ConsoleSession]:
    fake = FakeSession(deque(pages))
    return fake, cast(ConsoleSession, fake)


async def test_a_scenario_is_named_in_the_address_and_secrets_are_named_never_spelt() -> None:
    fake, real = session(page(*form()), page(*form()), page(*form()), HOME)
    await sign_in(real, CONSOLE, scenario="storm 1")
    assert fake.opened == ["http://console.test/signin?scenario=storm+1"]
    assert [action.text for action in fake.done if isinstance(action, Type)] == ["<secret:user>", "<secret:password>"]


async def test_a_console_in_another_language_is_signed_in_to() -> None:
    chinese = page(*form("用户名", "密码", "登录"))
    fake, real = session(chinese, chinese, chinese, page(texts=("产品",)))
    await sign_in(real, CONSOLE)
    assert fake.opened == ["http://console.test/signin"]
    assert len([action for action in fake.done if isinstance(action, Type)]) == 2


async def test_a_page_without_the_field_is_the_environment_s_failure() -> None:
    _, real = session(page(texts=("Scenario.NotFound",)))
    with pytest.raises(ProofwalkError) as caught:
        await sign_in(real, CONSOLE)
    assert caught.value.code == "sign_in.failed"


async def test_a_console_that_asks_again_is_signed_in_to_where_it_stands() -> None:
    asking = page(*form())
    fake, real = session(asking, asking, asking, asking, HOME)
    seen = await SignedIn(real, CONSOLE, screenshots=False).observe()
    assert seen == HOME
    assert fake.opened == []
    assert len([action for action in fake.done if isinstance(action, Type)]) == 2


async def test_a_session_that_can_be_taken_up_again_is_left_to_the_policy() -> None:
    resume = Element(mark=4, identity="1-4", role="button", tag="button", name="Continue as agent", box=SPOT)
    lapsed = page(*form(), resume, texts=("Your session has expired.",))
    fake, real = session(lapsed)
    assert asks_again(lapsed, CONSOLE)
    assert await SignedIn(real, CONSOLE, screenshots=False).observe() == lapsed
    assert fake.done == []


def test_a_form_with_a_password_of_its_own_is_not_the_sign_in_page() -> None:
    assert not asks_again(page(*form(user="Instance Name")), CONSOLE)
    assert not asks_again(HOME, CONSOLE)
    assert not asks_again(page(*form()), ConsoleSpec(url="http://console.test"))
