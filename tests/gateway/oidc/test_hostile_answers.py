"""What the console refuses: answers that were not asked for, tokens that are no good,
and a provider that misbehaves. Nobody is signed in by any of it, and nothing of a code
or a token is told."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import jwt
import structlog
from starlette.responses import JSONResponse, RedirectResponse, Response

from benchmarks.holes.tenancy_browser import COOKIE, Browser, is_sent_to_sign_in
from proofwalk.gateway.limits import Limits, LimitSettings
from tests.gateway.oidc.conftest import BEGIN, PAGE, SignInPlace
from tests.gateway.oidc.identity_provider import (
    SECRET,
    hmac_signed,
    plain,
    private_key,
    public_pem,
    signed,
)

BACK = "/console/sign-in/oidc/callback"


async def _refused(place: SignInPlace, code: str, status: int = 403) -> None:
    """A sign-in is answered with a page of this code, and signs nobody in."""
    browser = await place.visitor()
    with structlog.testing.capture_logs() as lines:
        answer = await place.sign_in(browser)
    assert (answer.status_code, code in answer.text) == (status, True), answer.text
    await _is_nobody(browser)
    told = answer.text + json.dumps(lines, default=str) + str(answer.headers)
    for secret in ("code-1", "at-1", SECRET, quote(SECRET), "eyJ", "state="):
        assert secret not in told


async def _is_nobody(browser: Browser) -> None:
    assert is_sent_to_sign_in(await browser.ask("GET", PAGE))


def _of_another_key(claims: dict[str, Any]) -> str:
    """A token whose key has the name of the provider's."""
    return jwt.encode(claims, private_key("evil"), algorithm="RS256", headers={"kid": "one"})


WRONG_CLAIMS: tuple[tuple[dict[str, object], str], ...] = (
    ({"iss": "https://evil.example"}, "auth.oidc_issuer"),
    ({"aud": "another"}, "auth.oidc_audience"),
    ({"aud": ["proofwalk", "another"]}, "auth.oidc_audience"),
    ({"aud": None}, "auth.oidc_audience"),
    ({"azp": "another"}, "auth.oidc_audience"),
    ({"exp": 1_767_225_600 - 61}, "auth.oidc_expired"),
    ({"exp": None}, "auth.oidc_bad_token"),
    ({"exp": "soon"}, "auth.oidc_bad_token"),
    ({"iat": 1_767_225_600 + 120}, "auth.oidc_clock"),
    ({"nbf": 1_767_225_600 + 120}, "auth.oidc_clock"),
    ({"nonce": "another"}, "auth.oidc_nonce"),
    ({"nonce": None}, "auth.oidc_nonce"),
    ({"sub": None}, "auth.oidc_no_subject"),
    ({"sub": "a\nb"}, "auth.oidc_no_subject"),
    ({"groups": {"platform": True}}, "auth.oidc_bad_groups"),
)


async def test_a_token_of_something_else_is_refused(place: SignInPlace) -> None:
    await _without_bound(place)
    for wrong, code in WRONG_CLAIMS:
        place.idp.wrong = dict(wrong)
        await _refused(place, code)


async def test_a_token_that_is_not_signed_with_the_providers_key_is_refused(
    place: SignInPlace,
) -> None:
    await _without_bound(place)

    def unsigned(claims: dict[str, Any]) -> str:
        parts = [json.dumps(one).encode() for one in ({"alg": "none"}, claims)]
        return ".".join(base64.urlsafe_b64encode(one).decode().rstrip("=") for one in parts) + "."

    makers: tuple[tuple[Callable[[dict[str, Any]], str], str], ...] = (
        (unsigned, "auth.oidc_algorithm"),
        (lambda claims: hmac_signed(claims, public_pem("one")), "auth.oidc_algorithm"),
        (lambda claims: signed(claims)[:-8] + "AAAAAAAA", "auth.oidc_bad_signature"),
        (_of_another_key, "auth.oidc_bad_signature"),
        (lambda _: "eyJ.eyJ.x", "auth.oidc_bad_token"),
        (lambda claims: signed({**claims, "long": "x" * 40_000}), "auth.oidc_bad_token"),
        (lambda claims: signed(claims, "two"), "auth.oidc_unknown_key"),
    )
    for make, code in makers:
        place.idp.make = make
        await _refused(place, code)


async def test_keys_are_read_again_for_a_new_one_and_not_for_each_unknown_one(
    place: SignInPlace,
) -> None:
    idp = place.idp
    await place.signed_in()
    idp.kids, idp.signing = ["one", "two"], "two"
    await _refused(place, "auth.oidc_unknown_key")
    place.gateway.clock.advance(31)
    await place.signed_in()
    assert idp.asked.count("/keys") == 2
    idp.make = lambda claims: signed(claims, "made-up")
    for _ in range(3):
        await _refused(place, "auth.oidc_unknown_key")
    assert idp.asked.count("/keys") == 2, "made-up names are no requests to the provider"
    idp.make = None
    idp.kids = ["two"]
    place.gateway.clock.advance(3600)
    await place.signed_in()


async def test_an_answer_is_good_once_in_the_browser_that_asked(place: SignInPlace) -> None:
    ann, eve = await place.visitor(), await place.visitor()
    planted = eve.client.cookies[COOKIE]
    path = await place.answer(eve)
    # Eve leads Ann to the answer of her own sign-in.
    stolen = await ann.ask("GET", path)
    assert (stolen.status_code, "auth.oidc_state" in stolen.text) == (403, True)
    await _is_nobody(ann)
    assert (await eve.ask("GET", path)).status_code == 303
    assert eve.client.cookies[COOKIE] != planted, "what was planted before is no session"
    again = await eve.ask("GET", path)
    assert (again.status_code, "auth.oidc_state" in again.text) == (403, True)
    assert place.idp.asked.count("/token") == 1

    slow = await place.answer(ann)
    place.gateway.clock.advance(600)
    late = await ann.ask("GET", slow)
    assert (late.status_code, "auth.oidc_state" in late.text) == (403, True)
    for query in ("", "?state=x", "?code=c", f"?code=c&state={'A' * 43}", "?error=access_denied"):
        answer = await ann.ask("GET", BACK + query)
        assert (answer.status_code, "auth.oidc_state" in answer.text) == (403, True)
    too_long = await ann.ask("GET", f"{BACK}?code={'q' * 5000}")
    assert too_long.status_code == 422
    assert "qqqq" not in too_long.text


async def test_a_code_of_another_sign_in_is_worth_nothing(place: SignInPlace) -> None:
    eve, ann = await place.visitor(), await place.visitor()
    await place.answer(eve)
    own = await place.answer(ann)
    swapped = await ann.ask("GET", own.replace("code-2", "code-1"))
    assert (swapped.status_code, "auth.oidc_code_refused" in swapped.text) == (403, True)
    assert "code-1" not in swapped.text


async def test_an_error_of_the_provider_is_told_without_its_words(place: SignInPlace) -> None:
    for error, code in (
        ("access_denied", "auth.oidc_denied"),
        ("<script>", "auth.oidc_refused"),
        ("", "auth.oidc_refused"),
    ):
        browser = await place.visitor()
        state = (await place.answer(browser)).partition("state=")[2].partition("&")[0]
        query = f"state={state}&error={quote(error)}&error_description=call+this+number"
        answer = await browser.ask("GET", f"{BACK}?{query}")
        assert (answer.status_code, code in answer.text) == (403, True)
        assert "this number" not in answer.text
        assert "<script>" not in answer.text
    browser = await place.visitor()
    path = (await place.answer(browser)).partition("&iss=")[0]
    answer = await browser.ask("GET", f"{path}&iss=https://evil.example")
    assert (answer.status_code, "auth.oidc_issuer" in answer.text) == (403, True)


async def test_a_sign_in_leads_to_the_consoles_own_pages_alone(place: SignInPlace) -> None:
    await _without_bound(place)
    for target in ("https://evil.example/", "//evil.example/", "/\\evil", "/console//e", "/v1"):
        entered = await place.sign_in(await place.visitor(), quote(target, safe=""))
        assert entered.headers["location"] == "/console"
    long = await place.sign_in(await place.visitor(), f"{PAGE}%3Fx={'a' * 2000}")
    assert long.headers["location"] == "/console"
    other = await (await place.visitor()).ask(
        "GET", BEGIN, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert is_sent_to_sign_in(other)
    assert other.headers["location"] == "/console/sign-in"


async def test_attempts_are_counted(place: SignInPlace) -> None:
    browser = await place.visitor()
    answers = [await browser.ask("GET", BEGIN) for _ in range(11)]
    assert [one.status_code for one in answers] == [303] * 10 + [429]
    assert "limit.sign_ins" in answers[-1].text


def _slow_or_wrong() -> list[tuple[str, Callable[[], Response], str]]:
    elsewhere = "http://169.254.169.254/keys"
    many = [{"kty": "RSA", "kid": str(number)} for number in range(60)]
    return [
        ("/keys", plain("x" * 300_000), "auth.oidc_bad_answer"),
        ("/keys", lambda: JSONResponse({"keys": many}), "auth.oidc_bad_answer"),
        ("/keys", lambda: RedirectResponse(elsewhere), "auth.oidc_bad_answer"),
        ("/keys", plain("[" * 100_000), "auth.oidc_bad_answer"),
        ("/keys", plain("{}", 200, **{"content-encoding": "gzip"}), "auth.oidc_bad_answer"),
        ("/token", plain("<html>code-1", 200), "auth.oidc_bad_answer"),
        ("/token", plain("code-1", 503), "auth.oidc_unavailable"),
        ("/token", lambda: RedirectResponse(elsewhere, 307), "auth.oidc_bad_answer"),
        ("/token", lambda: JSONResponse({"access_token": "at-1"}), "auth.oidc_bad_answer"),
        ("/token", lambda: JSONResponse({"error": "invalid_client"}, 401), "oidc_client_refused"),
    ]


async def test_a_provider_that_misbehaves_is_told_and_nothing_waits_for_it(
    place: SignInPlace,
) -> None:
    await _without_bound(place)
    for path, answer, code in _slow_or_wrong():
        await place.configure()
        place.idp.answers = {path: answer}
        await _refused(place, code, 503)
    place.idp.answers = {}
    await place.configure(deadline_s=0.3)
    place.idp.gate.clear()
    await _refused(place, "auth.oidc_unavailable", 503)


async def test_a_provider_that_is_away_or_another_is_found_before_one_is_sent_there(
    place: SignInPlace,
) -> None:
    for changed in (
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "http://login.example.com/token"},
        {"jwks_uri": "https://user:pw@login.example.com/keys"},
        {"jwks_uri": None},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]},
    ):
        await place.configure()
        place.idp.metadata = changed
        answer = await (await place.visitor()).ask("GET", BEGIN)
        assert (answer.status_code, "auth.oidc_bad_answer" in answer.text) == (503, True), changed
    await place.configure(issuer="http://127.0.0.1:9")
    answer = await (await place.visitor()).ask("GET", BEGIN)
    assert (answer.status_code, "auth.oidc_unavailable" in answer.text) == (503, True)
    assert answer.headers["retry-after"] == "2"


async def _without_bound(place: SignInPlace) -> None:
    limits = Limits(LimitSettings(sign_ins_per_minute=0), clock=place.gateway.clock)
    place.gateway.app.state.parts = replace(place.parts, limits=limits)
