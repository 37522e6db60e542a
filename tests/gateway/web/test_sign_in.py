"""Signing in with a key: what the browser holds, how long it is worth something, and
how often one may try."""

from __future__ import annotations

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from benchmarks.holes.tenancy_browser import COOKIE, Browser, is_sent_to_sign_in
from proofwalk.chassis.database import Database
from proofwalk.gateway import repository
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.settings import ConsoleSettings
from proofwalk.gateway.web import sessions
from proofwalk.kernel.clock import ManualClock
from tests.gateway.conftest import KEY, Gateway
from tests.gateway.web.conftest import SignIn

PAGE = "/console/verifications"


async def _rows(db: Database) -> list[repository.SessionRow]:
    async with db.read() as tx:
        rows = (await tx.execute(select(repository.sessions))).mappings()
        return [repository.SessionRow(**row) for row in rows]


async def test_a_key_opens_the_console_until_its_holder_leaves(
    gateway: Gateway, nobody: Browser
) -> None:
    planted = nobody.client.cookies[COOKIE]
    sent = await nobody.ask("GET", f"{PAGE}?page_token=abc")
    assert is_sent_to_sign_in(sent)
    assert "next=%2Fconsole%2Fverifications%3Fpage_token%3Dabc" in sent.headers["location"]

    fields = {"key": KEY, "next": f"{PAGE}?page_token=abc"}
    entered = await nobody.ask("POST", "/console/sign-in", fields=fields)
    assert (entered.status_code, entered.headers["location"]) == (303, fields["next"])
    cookie = entered.headers["set-cookie"]
    for attribute in ("HttpOnly", "SameSite=lax", "Path=/"):
        assert attribute in cookie
    assert "Secure" not in cookie, "over plain HTTP a browser would not keep it"
    token = nobody.client.cookies[COOKIE]
    assert token != planted, "a token that somebody planted before is worth nothing"
    page = await nobody.ask("GET", PAGE)
    assert page.status_code == 200
    assert KEY not in page.text
    (row,) = await _rows(gateway.db)
    assert row.principal == "local"
    assert token not in (row.id, row.key_proof), "the rows let nobody in"

    left = await nobody.ask("POST", "/console/sign-out")
    assert is_sent_to_sign_in(left)
    assert await _rows(gateway.db) == []
    nobody.client.cookies.clear()
    nobody.client.cookies.set(COOKIE, token)
    assert is_sent_to_sign_in(await nobody.ask("GET", PAGE))


async def test_a_wrong_key_is_told_at_its_field_and_not_sent_back(nobody: Browser) -> None:
    answer = await nobody.ask("POST", "/console/sign-in", fields={"key": "pw_wrong_key"})
    assert answer.status_code == 403
    assert "auth.bad_key" in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert "pw_wrong_key" not in answer.text
    missing = await nobody.ask("POST", "/console/sign-in")
    assert "auth.missing_key" in missing.text


async def test_signing_in_leads_to_the_consoles_own_pages_alone(nobody: Browser) -> None:
    for target in (
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/console//evil.example",
        "/console/../v1/verifications",
        "/consolex",
        "javascript:alert(1)",
    ):
        answer = await nobody.ask("POST", "/console/sign-in", fields={"key": KEY, "next": target})
        assert answer.headers["location"] == "/console"


async def test_attempts_are_counted_before_the_key_is_looked_at(
    gateway: Gateway, nobody: Browser
) -> None:
    for _ in range(9):
        await nobody.ask("POST", "/console/sign-in", fields={"key": "pw_guess"})
    refused = await nobody.ask("POST", "/console/sign-in", fields={"key": KEY})
    assert refused.status_code == 429
    assert "limit.sign_ins" in refused.text
    gateway.clock.advance(float(refused.headers["retry-after"]))
    entered = await nobody.ask("POST", "/console/sign-in", fields={"key": KEY})
    assert entered.status_code == 303


async def test_a_session_ends_when_it_rests_and_when_it_is_old(
    gateway: Gateway, operator: Browser
) -> None:
    settings = ConsoleSettings()
    for _ in range(13):
        gateway.clock.advance(settings.session_idle_s - 1)
        answer = await operator.ask("GET", PAGE)
        if answer.status_code != 200:
            break
    lived = (gateway.clock.now() - ManualClock().now()).total_seconds()
    assert is_sent_to_sign_in(answer)
    assert settings.session_life_s <= lived < settings.session_life_s + settings.session_idle_s


async def test_a_session_without_requests_ends(gateway: Gateway, operator: Browser) -> None:
    gateway.clock.advance(ConsoleSettings().session_idle_s)
    await sessions.sweep(gateway.db, ConsoleSettings(), clock=gateway.clock)
    assert len(await _rows(gateway.db)) == 1, "one that ends at this moment is found by its reader"
    assert is_sent_to_sign_in(await operator.ask("GET", PAGE))
    assert await _rows(gateway.db) == []


@pytest.mark.parametrize("key", ["pw_new", ""])
async def test_a_key_that_is_replaced_or_taken_away_ends_its_sessions(
    gateway: Gateway, key: str
) -> None:
    before = Keyring({"ci": SecretStr("pw_old")}, local="pw_local")
    after = Keyring({"ci": SecretStr(key)} if key else {}, local="pw_local")
    token, clock = sessions.new_token(), gateway.clock
    caller = before.caller("Bearer pw_old")
    await sessions.begin(gateway.db, token, caller, keys=before, clock=clock)
    for keys, expected in ((before, caller), (after, None), (before, None)):
        read = await sessions.read(
            gateway.db, token, keys=keys, settings=ConsoleSettings(), clock=clock
        )
        assert read == expected


async def test_over_tls_the_cookie_is_of_this_host_alone(
    gateway: Gateway, visitors: SignIn
) -> None:
    parts = gateway.app.state.parts
    console = ConsoleSettings(public_url="https://proofwalk.example.com")
    settings = parts.settings.model_copy(update={"console": console})
    gateway.app.state.parts = type(parts)(**{**parts.__dict__, "settings": settings})
    page = await gateway.client.get("/console/sign-in")
    cookie = page.headers["set-cookie"]
    assert cookie.startswith("__Host-proofwalk=")
    assert "Secure" in cookie
    token = cookie.partition("=")[2].partition(";")[0]
    for origin, status in ((gateway.url, 403), ("https://proofwalk.example.com", 303)):
        answer = await gateway.client.post(
            "/console/sign-in",
            data={"csrf": sessions.form_token(token), "key": KEY},
            headers={"Cookie": f"__Host-proofwalk={token}", "Origin": origin},
        )
        assert answer.status_code == status
