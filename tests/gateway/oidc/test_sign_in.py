"""Signing in by an identity provider: the way there and back, who somebody is then, and
until when."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from sqlalchemy import select

from benchmarks.holes.tenancy_browser import COOKIE, is_sent_to_sign_in
from proofwalk.gateway import repository
from proofwalk.gateway.settings import ConsoleSettings
from proofwalk.gateway.web import sign_in_attempts
from tests.gateway.conftest import KEY
from tests.gateway.oidc.conftest import BEGIN, PAGE, SignInPlace
from tests.gateway.oidc.identity_provider import CLIENT, SECRET

SUBMISSION = {"target": "devcloud", "document.text": "1. Click **Stop**."}


async def test_a_person_signs_in_and_sees_what_is_its_own(place: SignInPlace) -> None:
    place.idp.person = {"sub": "u-1", "name": "Ann Example", "groups": ["critics", "others"]}
    browser = await place.visitor()
    planted = browser.client.cookies[COOKIE]
    entered = await place.sign_in(browser, f"{PAGE}%3Fpage_token%3Dabc")
    assert (entered.status_code, entered.headers["location"]) == (303, f"{PAGE}?page_token=abc")
    assert browser.client.cookies[COOKIE] != planted, "a planted token is worth nothing"
    page = await browser.ask("GET", PAGE)
    assert page.status_code == 200
    assert "Ann Example" in page.text
    assert "reviewer" in page.text
    asked = place.gateway.rollout.listed[-1]
    assert (asked.caller.principal, asked.caller.operator) == ("oidc:u-1", False)

    (asked_for,) = place.idp.authorizations
    assert asked_for["client_id"] == CLIENT
    assert asked_for["scope"].split() == ["openid", "profile", "email"]
    async with place.gateway.db.read() as tx:
        (row,) = (await tx.execute(select(repository.sessions))).mappings()
        assert (await tx.execute(select(repository.sign_ins))).first() is None
    kept = " ".join(str(text) for text in row.values())
    assert all(secret not in kept for secret in ("code-1", "at-1", SECRET, asked_for["nonce"]))


async def test_the_role_is_the_one_of_the_groups_that_may_most(place: SignInPlace) -> None:
    for groups, role, may_submit in (
        ([], "viewer", False),
        ("docs", "member", True),
        (["readers", "critics"], "reviewer", True),
        (["docs", "platform"], "operator", True),
    ):
        browser = await place.signed_in(groups=groups)
        page = await browser.ask("GET", PAGE)
        assert f"<small>{role}</small>" in page.text
        assert place.gateway.rollout.listed[-1].caller.operator is (role == "operator")
        answer = await browser.ask("POST", "/console/submit", fields=SUBMISSION)
        assert ("auth.role_forbids" in answer.text) is not may_submit


async def test_a_group_of_a_tenant_sees_the_tenants_with_its_own_role(
    place: SignInPlace,
) -> None:
    await place.configure(tenants={"docs": "ci", "critics": "ci", "platform": "reader"})
    browser = await place.signed_in(groups=["docs", "critics"])
    page = await browser.ask("GET", PAGE)
    assert place.gateway.rollout.listed[-1].caller.principal == "ci"
    assert "<small>reviewer</small>" in page.text
    place.idp.person["groups"] = ["docs", "platform"]
    refused = await place.sign_in(await place.visitor())
    assert (refused.status_code, "auth.oidc_two_tenants" in refused.text) == (403, True)


async def test_whoever_has_no_role_is_refused_where_the_settings_say_so(
    place: SignInPlace,
) -> None:
    await place.configure(default_role="refused")
    place.idp.person = {"sub": "u-1", "groups": ["others"]}
    browser = await place.visitor()
    refused = await place.sign_in(browser)
    assert (refused.status_code, "auth.oidc_no_role" in refused.text) == (403, True)
    assert is_sent_to_sign_in(await browser.ask("GET", PAGE))


async def test_a_person_signs_out_here_and_is_led_to_the_providers_sign_out(
    place: SignInPlace,
) -> None:
    browser = await place.signed_in()
    token = browser.client.cookies[COOKIE]
    left = await browser.ask("POST", "/console/sign-out")
    assert left.status_code == 200
    away = left.headers["refresh"].removeprefix("0;url=")
    assert urlsplit(away).path == "/logout"
    assert parse_qs(urlsplit(away).query) == {
        "client_id": [CLIENT],
        "post_logout_redirect_uri": [f"{place.gateway.url}/console/sign-in"],
    }
    assert is_sent_to_sign_in(await browser.ask("GET", PAGE))
    browser.client.cookies.clear()
    browser.client.cookies.set(COOKIE, token)
    assert is_sent_to_sign_in(await browser.ask("GET", PAGE)), "the session is over"

    for offered in (None, ""):
        place.idp.metadata["end_session_endpoint"] = offered
        await place.configure()
        browser = await place.signed_in()
        left = await browser.ask("POST", "/console/sign-out")
        assert is_sent_to_sign_in(left), "there is nothing to go on to"


async def test_a_session_ends_when_it_is_old_and_when_the_settings_say_something_else(
    place: SignInPlace,
) -> None:
    browser = await place.signed_in(groups=["critics"])
    await place.configure(deadline_s=6.0, button="Another name")
    assert (await browser.ask("GET", PAGE)).status_code == 200
    await place.configure(roles={"critics": "member"})
    assert is_sent_to_sign_in(await browser.ask("GET", PAGE)), "the role is no longer so"
    browser = await place.signed_in()
    settings = ConsoleSettings()
    for _ in range(13):
        place.gateway.clock.advance(settings.session_idle_s - 1)
        answer = await browser.ask("GET", PAGE)
    assert is_sent_to_sign_in(answer)


async def test_a_key_signs_in_beside_it_unless_the_settings_hide_that(
    place: SignInPlace,
) -> None:
    browser = await place.visitor()
    page = (await browser.ask("GET", "/console/sign-in?next=/console/submit")).text
    assert f'href="{BEGIN}?next=%2Fconsole%2Fsubmit"' in page
    assert 'name="key"' in page
    entered = await browser.ask("POST", "/console/sign-in", fields={"key": KEY})
    assert entered.status_code == 303
    await place.configure(by_key=False, button="Example Login")
    assert is_sent_to_sign_in(await browser.ask("GET", PAGE)), "nor does an older session stand"
    browser = await place.visitor()
    page = (await browser.ask("GET", "/console/sign-in")).text
    assert "Sign in with Example Login" in page
    assert 'name="key"' not in page
    refused = await browser.ask("POST", "/console/sign-in", fields={"key": KEY})
    assert (refused.status_code, "auth.key_sign_in_off" in refused.text) == (403, True)
    answer = await place.gateway.client.get("/v1/verifications")
    assert answer.status_code == 200, "programs keep their keys"


async def test_what_never_comes_back_is_forgotten(place: SignInPlace) -> None:
    browser = await place.visitor()
    await browser.ask("GET", BEGIN)
    place.gateway.clock.advance(601)
    await sign_in_attempts.sweep(place.gateway.db, clock=place.gateway.clock)
    async with place.gateway.db.read() as tx:
        assert (await tx.execute(select(repository.sign_ins))).first() is None
