"""A sign-in of three pages in a real browser: the one-time code is right, and neither
it nor the secret that it is made from is in any look."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta

import pytest

from proofwalk.cloud.one_time_codes import one_time_code
from proofwalk.cloud.target import ConsoleSpec
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.rollout.sign_in import SignIn
from tests.console.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SECRET = "JBSW Y3DP EHPK 3PXP"
PAGE = """<h1>%(title)s</h1>
<form onsubmit="event.preventDefault(); sessionStorage.%(key)s = f.value; location = '%(next)s'">
<label>%(label)s <input id=f type=%(kind)s></label><button>%(button)s</button></form>"""
HOME = """<h1>Welcome</h1><p id=o></p>
<script>o.textContent = 'Signed in with ' + sessionStorage.code</script>"""


async def test_the_code_is_right_and_seen_by_nobody(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site
) -> None:
    for path, title, key, kind, button, following in (
        ("/who", "Who are you?", "user", "text", "Next", "/password"),
        ("/password", "Password", "password", "password", "Continue", "/code"),
        ("/code", "One more step", "code", "number", "Verify", "/home"),
    ):
        label = {"user": "E-mail", "password": "Password", "code": "Authentication code"}[key]
        words = {"title": title, "key": key, "label": label, "kind": kind}
        site.show(PAGE % {**words, "button": button, "next": following}, path)
    site.show(HOME, "/home")
    console = ConsoleSpec.model_validate(
        {
            "url": site.url("").rstrip("/"),
            "sign_in": [
                {"open": "/who"},
                {"fill": "E-mail", "secret": "user"},
                {"click": "Next"},
                {"fill": "Password", "secret": "password"},
                {"click": "Continue"},
                {"fill": "Authentication code", "one_time_code": "totp"},
                {"click": "Verify"},
                {"expect": "Welcome"},
            ],
        }
    )
    secrets = {"password": "blue-Lantern-58", "totp": SECRET}
    async with connect(secrets=secrets, public=["walker"], gate=SecretGate()) as session:
        await SignIn(session, console, {"user": "walker"}).enter()
        typed = await (await session.current()).page.evaluate(
            "[sessionStorage.user, sessionStorage.password, sessionStorage.code]"
        )
        now = session.clock.now()
        codes = {one_time_code(SECRET, now - timedelta(seconds=back)) for back in (0, 30)}
        assert typed[:2] == ["walker", "blue-Lantern-58"]
        assert typed[2] in codes
        seen = await session.observe(screenshot=False)
        assert typed[2] not in repr(seen)
        assert "Signed in with <secret:one-time-code.1>" in " ".join(run.text for run in seen.texts)
