"""A console whose users sign in at an identity provider: described, tested, signed in
to, and signed in to again, through the provider's own pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from pydantic import SecretStr

from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cli.target_session import Entrance, entrance
from proofwalk.cloud.target import ConsoleSpec, Target
from proofwalk.console.actions import GoTo, Type
from proofwalk.kernel.clock import SystemClock
from proofwalk.rollout.signed_in import SignedIn
from tests.cli.test_target_new import asked
from tests.e2e.generic_console import PASSWORD, USER
from tests.e2e.identity_provider import DOOR, LedHarbor, led_harbor

pytestmark = pytest.mark.browser
LOGIN = {"user": SecretStr(USER), "password": SecretStr(PASSWORD)}
STEPS = [
    "open",
    {"click": DOOR},
    {"fill": "E-mail", "secret": "user"},
    {"click": "Next"},
    {"fill": "Password", "secret": "password"},
    {"click": "Sign in"},
    {"click": "Yes", "optional": True},
    {"expect": "Welcome to Harbor"},
]


def target_of(harbor: LedHarbor, url: str) -> Target:
    console = ConsoleSpec.model_validate(
        {"url": url, "sign_in": STEPS, "allowed_hosts": [urlsplit(harbor.provider_url).netloc]}
    )
    return Target(id="harbor", title="Harbor", console=console, adapter="generic")


@asynccontextmanager
async def entered(harbor: LedHarbor, url: str) -> AsyncIterator[Entrance]:
    browser = BrowserChoice()
    async with entrance(target_of(harbor, url), LOGIN, browser, SystemClock()) as way:
        await way.sign_in.enter()
        yield way


async def test_a_provider_is_followed_once_its_host_is_allowed(tmp_path: Path) -> None:
    async with led_harbor(tmp_path) as (harbor, url):
        answers = {
            "user": USER,
            "password": PASSWORD,
            "log": str(tmp_path / "journal.jsonl"),
            "change": "newest",
        }
        done = await asked(url, tmp_path, answers)
        assert done.exit_code == 0, done.output
    assert f"the sign-in leads to {urlsplit(harbor.provider_url).netloc}" in done.stdout
    assert "the target works" in done.stdout
    assert PASSWORD not in done.output
    written = yaml.safe_load((tmp_path / "targets" / "harbor.yaml").read_text(encoding="utf-8"))
    assert written["console"]["sign_in"] == STEPS
    assert written["console"]["allowed_hosts"] == [urlsplit(harbor.provider_url).netloc]


async def test_a_provider_that_is_not_allowed_is_told(tmp_path: Path) -> None:
    async with led_harbor(tmp_path) as (_, url):
        done = await asked(url, tmp_path, {"user": USER, "password": PASSWORD, "hosts": "n"})
    assert done.exit_code == 3
    assert "sign_in.failed: the sign-in leads to localhost:" in done.stderr
    assert not (tmp_path / "targets").exists()


@pytest.mark.parametrize("in_window", [False, True], ids=["same window", "window of its own"])
async def test_a_session_that_ended_is_taken_up_without_the_form(
    tmp_path: Path, in_window: bool
) -> None:
    async with (
        led_harbor(tmp_path, in_window=in_window) as (harbor, url),
        entered(harbor, url) as way,
    ):
        walker = SignedIn(way.session, way.sign_in, screenshots=False)
        assert "Welcome to Harbor" in (await walker.observe()).title
        harbor.sessions.clear()
        await way.session.perform(GoTo(url=f"{url}/projects"))
        assert "Welcome to Harbor" in (await walker.observe()).title
        assert harbor.provider.asked == 1


async def test_a_provider_that_forgot_the_browser_is_given_the_password_again(
    tmp_path: Path,
) -> None:
    async with (
        led_harbor(tmp_path, asks_to_stay=False) as (harbor, url),
        entered(harbor, url) as way,
    ):
        harbor.sessions.clear()
        harbor.provider.known.clear()
        await way.session.perform(GoTo(url=url))
        walker = SignedIn(way.session, way.sign_in, screenshots=False)
        assert "Welcome to Harbor" in (await walker.observe()).title
        assert harbor.provider.asked == 2


async def test_the_provider_s_page_gets_no_password_from_a_policy(tmp_path: Path) -> None:
    async with led_harbor(tmp_path) as (harbor, url), entered(harbor, url) as way:
        harbor.provider.known.clear()
        address = f"{harbor.provider_url}/authorize?back={url}/sso/back?window=0"
        await way.session.perform(GoTo(url=address))
        page = await way.session.observe(screenshot=False)
        (field,) = (one for one in page.elements if one.role == "textbox")
        typed = await way.session.perform(Type(id=field.mark, text="<secret:password>"))
        assert typed.code == "action.secret_refused"
