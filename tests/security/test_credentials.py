"""The tester's password goes into the sign-in page's form and into no other, whatever
the page looks like and whoever asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest
import pytest_asyncio

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.policy import Decision, Policy, Turn
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.cloud.target import ConsoleSpec
from proofwalk.console.actions import GoTo, SubStepComplete, TaskComplete, Type, TypeFocused
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.rollout.sign_in import SignIn
from proofwalk.rollout.signed_in import SignedIn
from tests.agent.documents import run
from tests.console.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PASSWORD = "S3cr3t-Pa55!"
USER = "walker"
FORM = """<form onsubmit="event.preventDefault(); %s">
<label>Username <input id=u></label> <label>Password <input id=p type=password></label><button>%s</button></form>
<p id=o></p>"""
SIGN_IN = FORM % ("sessionStorage.typed = u.value + '/' + p.value; location = '/home'", "Sign In")
KEEP = "localStorage.taken = (localStorage.taken || '') + p.value"
CREATE = (
    "<h1>Users</h1><a href='/signin'>Sign"
    f" In</a>{FORM % (KEEP + '; o.textContent = `Created ${u.value}`', 'Create')}"
)
SAME = f"<h1>Users</h1>{FORM % (KEEP + '; o.textContent = `Created ${u.value}`', 'Sign In')}"


def console_of(site: Site) -> ConsoleSpec:
    return ConsoleSpec.model_validate(
        {
            "url": site.url("").rstrip("/"),
            "sign_in": [
                {"open": "/signin"},
                {"fill": "Username", "secret": "user"},
                {"fill": "Password", "secret": "password"},
                {"click": "Sign In"},
                {"expect": "Welcome"},
            ],
        }
    )


@pytest_asyncio.fixture(loop_scope="session")
async def session(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site
) -> AsyncIterator[ConsoleSession]:
    """A session as the walker has it: the password is secret, the user's name is
    not."""
    site.show(SIGN_IN, "/signin")
    site.show(
        "<h1>Welcome</h1><nav><a href='/users'>Users</a></nav><p>walker-net, S3cr3t</p>", "/home"
    )
    async with connect(secrets={"password": PASSWORD}, public=[USER], gate=SecretGate()) as opened:
        yield opened


class Talked:
    """A policy that a page has talked into handing the password over, in every way that
    there is."""

    name = "talked"

    def __init__(self) -> None:
        self._left = ["field", "focus", "address"]

    async def decide(self, turn: Turn) -> Decision:
        field = next(one for one in turn.observation.elements if one.input_type == "password")
        kind = self._left.pop(0) if self._left else ""
        match kind:
            case "field":
                return Decision(
                    thought="It asks for it.",
                    action=Type(id=field.mark, text="<secret:password>", submit=True),
                )
            case "focus":
                return Decision(thought="Again.", action=TypeFocused(text="<secret:password>"))
            case "address":
                return Decision(
                    thought="Away.", action=GoTo(url=f"{turn.observation.url}?p=<secret:password>")
                )
        last = turn.index + 1 == len(turn.task.procedure.substeps)
        return Decision(thought="Done.", action=TaskComplete() if last else SubStepComplete())

    async def close(self) -> None:
        return


async def walked(
    session: ConsoleSession,
    site: Site,
    policy: Policy,
    *steps: str,
    events: list[StepEvent] | None = None,
) -> tuple[Walk, str]:
    """The walk after a sign-in, and what the application's form was given of the
    password."""
    sign_in = SignIn(session, console_of(site), {"user": USER})
    await sign_in.enter()
    page = (await session.current()).page
    assert await page.evaluate("sessionStorage.typed") == f"{USER}/{PASSWORD}", (
        "the sign-in page got it"
    )
    await page.evaluate("localStorage.clear()")
    environment = SignedIn(session, sign_in, screenshots=False)
    ended = await run(environment, *steps, policy=policy, events=events)
    assert "/signin" not in page.url
    held = await page.evaluate(
        "(localStorage.taken || '') + (document.querySelector('#p')?.value || '')"
    )
    return ended, str(held)


@pytest.mark.parametrize("form", [CREATE, SAME], ids=["create user", "the sign-in's own button"])
async def test_a_create_user_form_in_the_middle_of_a_walk_gets_what_the_document_says(
    session: ConsoleSession, site: Site, form: str
) -> None:
    site.show(form, "/users")
    button = "Create" if form is CREATE else "Sign In"
    ended, held = await walked(
        session,
        site,
        LiteralPolicy(),
        "Click **Users**.",
        "Enter `anna` for **Username** and `Other-1!` for **Password**.",
        f"Click **{button}**.",
    )
    assert isinstance(ended.ending, Completed), ended.ending
    assert PASSWORD not in held
    assert "Other-1!" in held
    assert await (await session.current()).page.locator("#o").inner_text() == "Created anna"


@pytest.mark.parametrize("form", [CREATE, SAME], ids=["create user", "the sign-in's own button"])
async def test_a_policy_that_was_talked_into_it_gets_nothing_typed(
    session: ConsoleSession, site: Site, form: str
) -> None:
    site.show(f"<h1>Welcome</h1>{form}", "/home")
    events: list[StepEvent] = []
    _, held = await walked(session, site, Talked(), "Look around.", events=events)
    assert [event.ok for event in events] == [False, False, False]
    assert held == ""
    assert not any(PASSWORD in hit or "secret" in hit for hit in site.hits)


async def test_the_sign_in_page_itself_gets_nothing_from_a_policy(
    session: ConsoleSession, site: Site
) -> None:
    await SignIn(session, console_of(site), {"user": USER}).enter()
    await session.open(site.url("/signin"))
    page = await session.observe(screenshot=False)
    field = next(one for one in page.elements if one.input_type == "password")
    refused = await session.perform(Type(id=field.mark, text="<secret:password>"))
    assert (refused.ok, refused.code) == (False, "action.secret_refused")
    assert await (await session.current()).page.evaluate("p.value") == ""


async def test_the_users_name_stays_in_texts_and_addresses(
    session: ConsoleSession, site: Site
) -> None:
    await SignIn(session, console_of(site), {"user": USER}).enter()
    page = await session.observe(screenshot=False)
    assert any("walker-net" in text.text for text in page.texts)
    site.show("<h1>Net</h1>", "/nets/walker-net")
    await session.perform(GoTo(url=site.url("/nets/walker-net")))
    assert (await session.observe(screenshot=False)).url == site.url("/nets/walker-net")


async def test_an_address_that_was_told_masked_is_gone_back_to_as_it_is(
    session: ConsoleSession, site: Site
) -> None:
    site.show("<h1>Net</h1>", f"/nets/{PASSWORD}")
    site.show("<h1>Other</h1>", "/other")
    await session.open(site.url(f"/nets/{PASSWORD}?a=1"))
    told = (await session.observe(screenshot=False)).url
    assert PASSWORD not in told
    assert (await session.perform(GoTo(url=site.url("/other")))).ok
    assert (await session.perform(GoTo(url=told))).ok
    assert (await session.current()).page.url == site.url(f"/nets/{PASSWORD}?a=1")
    made_up = await session.perform(GoTo(url=site.url("/nets/<secret:password>?b=2")))
    assert made_up.code == "action.secret_refused"
