"""A sign-in of several pages: each step waits for its own, a one-time code is of the
moment, and only the first page is taken for being asked again."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import cast

import pytest

from proofwalk.cloud.one_time_codes import one_time_code
from proofwalk.cloud.sign_in_steps import Click, SignInStep
from proofwalk.cloud.target import ConsoleSpec
from proofwalk.console.observation import Element, Observation
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout.sign_in import SignIn
from tests.rollout.test_sign_in import HOME, SPOT, FakeSession, page, typed

SECRET = "JBSWY3DPEHPK3PXP"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
CONSOLE = ConsoleSpec.model_validate(
    {
        "url": "http://console.test",
        "sign_in": [
            "open",
            {"fill": "E-mail", "secret": "user"},
            {"click": "Next"},
            {"fill": "Password", "secret": "password"},
            {"click": "Sign in"},
            {"fill": "Code", "one_time_code": "authenticator"},
            {"click": "Verify"},
            {"expect": "Products"},
        ],
    }
)


def form(label: str, button: str, place: str, *, kind: str = "") -> Observation:
    return page(
        Element(
            mark=1,
            identity=f"{label}-1",
            role="spinbutton" if kind == "number" else "textbox",
            tag="input",
            name=label,
            input_type=kind,
            box=SPOT,
        ),
        Element(mark=2, identity=f"{label}-2", role="button", tag="button", name=button, box=SPOT),
        url=f"http://console.test/{place}",
    )


WHO = form("E-mail", "Next", "who")
PASSWORD = form("Password", "Sign in", "password", kind="password")
CODE = form("Code", "Verify", "code", kind="number")
BLANK = page(url="http://console.test/password")


def session(*pages: Observation, secret: str = SECRET) -> tuple[FakeSession, SignIn]:
    secrets = Secrets({"password": "blue-Lantern-58", "authenticator": secret})
    fake = FakeSession(deque(pages), clock=ManualClock(NOON), secrets=secrets)
    return fake, SignIn(cast(ConsoleSession, fake), CONSOLE, {"user": "walker"})


async def test_each_page_is_filled_in_and_the_code_is_that_of_its_moment() -> None:
    fake, way = session(WHO, WHO, PASSWORD, PASSWORD, CODE, CODE, CODE, HOME)
    await way.enter()
    assert typed(fake) == ["walker", "<secret:password>", "<secret:one-time-code.1>"]
    code = fake.secrets.reveal("<secret:one-time-code.1>")
    assert code == one_time_code(SECRET, NOON)
    assert fake.secrets.mask(f"sent {code}") == "sent <secret:one-time-code.1>"


async def test_a_page_that_comes_late_is_waited_for() -> None:
    fake, way = session(WHO, WHO, BLANK, BLANK, PASSWORD, PASSWORD, CODE, CODE, CODE, HOME)
    await way.enter()
    assert typed(fake) == ["walker", "<secret:password>", "<secret:one-time-code.1>"]


async def test_the_first_page_asks_again_and_a_later_one_alone_does_not() -> None:
    fake, way = session(WHO, WHO, PASSWORD, PASSWORD, CODE, CODE, CODE, HOME)
    await way.enter()
    assert way.is_asked_for(WHO)
    assert not way.is_asked_for(PASSWORD)
    assert not way.is_asked_for(CODE)
    fake.pages.extend((WHO, WHO, PASSWORD, PASSWORD, CODE, CODE, CODE, HOME))
    fake.pages.popleft()
    await way.again()
    assert typed(fake)[3:] == ["walker", "<secret:password>", "<secret:one-time-code.2>"]


def test_the_secret_of_codes_is_secret_whatever_it_is_called() -> None:
    assert CONSOLE.is_secret("authenticator")
    bare = CONSOLE.model_copy(update={"secrets": ("password",)})
    assert bare.is_secret("authenticator")
    assert not bare.is_secret("user")


async def test_a_secret_that_makes_no_code_is_told_by_its_name() -> None:
    _, way = session(WHO, WHO, PASSWORD, PASSWORD, CODE, CODE, CODE, HOME, secret="0189-no!")
    with pytest.raises(ProofwalkError, match="'authenticator': it is neither base32") as caught:
        await way.enter()
    assert caught.value.code == "sign_in.failed"
    assert "0189" not in caught.value.message


async def test_an_account_without_the_secret_is_told() -> None:
    _, way = session(WHO, WHO, PASSWORD, PASSWORD, CODE, CODE, CODE, HOME, secret="")
    with pytest.raises(ProofwalkError, match="the account has no 'authenticator' for 'Code'"):
        await way.enter()


STAY = page(
    Element(mark=1, identity="s-1", role="button", tag="button", name="Yes", box=SPOT),
    Element(mark=2, identity="s-2", role="button", tag="button", name="No", box=SPOT),
    url="http://console.test/stay",
)


@pytest.mark.parametrize("asks", [True, False], ids=["asked", "not asked"])
async def test_an_optional_step_is_done_where_it_is_asked_for(asks: bool) -> None:
    steps = (*CONSOLE.sign_in[:-1], Click(label="Yes", optional=True), CONSOLE.sign_in[-1])
    pages = [WHO, WHO, PASSWORD, PASSWORD, CODE, CODE, CODE]
    fake, _ = session(*pages, *([STAY, STAY] if asks else []), HOME)
    console = CONSOLE.model_copy(update={"sign_in": steps})
    way = SignIn(cast(ConsoleSession, fake), console, {"user": "walker"})
    told: list[bool] = []

    async def hear(_: SignInStep, was_done: bool) -> None:
        told.append(was_done)

    await way.enter(told=hear)
    assert told == [True] * (len(steps) - 2) + [asks, True]


async def test_a_step_that_has_to_be_done_is_not_passed_over() -> None:
    _, way = session(WHO, WHO, PASSWORD, PASSWORD, HOME)
    with pytest.raises(ProofwalkError, match="no field 'Code'"):
        await way.enter()
