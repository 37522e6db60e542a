"""What stands before every page: asked of every route that the application has, so that
a new one is asked too."""

from __future__ import annotations

import pytest
from fastapi import FastAPI

from benchmarks.holes.tenancy_browser import Browser, is_sent_to_sign_in
from benchmarks.holes.tenancy_table import table
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.web.rendering import HEADERS
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn

OPEN = frozenset(
    {
        "/console/sign-in",
        "/console/sign-in/oidc",
        "/console/sign-in/oidc/callback",
        "/console/sign-out",
        "/console/preferences",
        "/console/static/{name}",
    }
)
"""Paths for whoever is not signed in too."""
CHANGING = frozenset(
    {
        "/console/submit",
        "/console/verifications/{verification_id}/cancel",
        "/console/findings",
        "/console/findings/{finding_id}",
        "/console/inspections/{collection_id}/start",
        "/console/inspections/{collection_id}/pause",
        "/console/inspections/{collection_id}/resume",
        "/console/inspections/{collection_id}/runs/{inspection_id}/cancel",
        "/console/records/{record_id}/test",
    }
)
"""Paths whose POST changes something of the installation."""
PLACES = {
    "{verification_id}": "ver_1",
    "{finding_id}": "fnd_1",
    "{collection_id}": "col_1",
    "{inspection_id}": "insp_1",
    "{record_id}": "one",
    "{run_id}": "run_1",
    "{name}": "console.css",
}
ROUTES = [(method, path) for method, path in table() if path.startswith("/console")]
POSTS = [path for method, path in ROUTES if method == "POST"]


def _spelt(path: str) -> str:
    for place, name in PLACES.items():
        path = path.replace(place, name)
    return path


def test_every_route_is_known_by_what_it_is_for() -> None:
    assert {method for method, _ in ROUTES} == {"GET", "POST"}
    assert set(POSTS) <= OPEN | CHANGING


FORGED: tuple[tuple[dict[str, str], str | None, str], ...] = (
    ({}, "", "form.bad_token"),
    ({}, "0" * 64, "form.bad_token"),
    ({"Origin": "https://evil.example"}, None, "form.foreign_origin"),
    ({"Origin": "null"}, None, "form.foreign_origin"),
)


async def test_a_form_of_another_site_or_session_is_refused_by_every_route(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.has()
    for headers, token, code in FORGED:
        for path in POSTS:
            fields = {} if token is None else {"csrf": token}
            answer = await operator.ask("POST", _spelt(path), headers=headers, fields=fields)
            assert (answer.status_code, code in answer.text) == (403, True), path
    assert gateway.rollout.created == {}
    assert gateway.rollout.verifications["ver_1"].state == "running"
    assert (await operator.ask("GET", "/console")).status_code == 200, "still signed in"


async def test_a_post_without_an_origin_is_taken_from_the_same_site_alone(
    operator: Browser,
) -> None:
    for site, status in (("same-origin", 303), ("same-site", 403), ("cross-site", 403), ("", 403)):
        request = operator.client.build_request(
            "POST", "/console/preferences", data={"csrf": operator.token, "theme": "dark"}
        )
        request.headers["Sec-Fetch-Site"] = site
        assert (await operator.client.send(request)).status_code == status


async def test_whoever_is_not_signed_in_is_sent_to_sign_in(
    gateway: Gateway, nobody: Browser
) -> None:
    gateway.has()
    for method, path in ROUTES:
        answer = await nobody.ask(method, _spelt(path))
        if path not in OPEN:
            assert is_sent_to_sign_in(answer), (method, path)
    streamed = [path for _, path in ROUTES if path.endswith("/events")]
    for path in streamed:
        answer = await nobody.ask("GET", _spelt(path), headers={"Accept": "text/event-stream"})
        assert answer.status_code == 401


async def test_a_viewer_changes_nothing_and_is_told_so(gateway: Gateway, visitors: SignIn) -> None:
    gateway.has()
    reader = await visitors("pw_reader")
    for path in CHANGING:
        answer = await reader.ask("POST", _spelt(path), fields={"target": "devcloud", "text": "1"})
        assert (answer.status_code, "auth.role_forbids" in answer.text) == (403, True), path
    assert gateway.rollout.created == {}
    assert gateway.rollout.verifications["ver_1"].state == "running"


async def test_a_viewer_changes_nothing_over_rest_either(gateway: Gateway) -> None:
    gateway.has()
    reader = {"Authorization": "Bearer pw_reader"}
    for path, body in (("/v1/verifications", gateway.body), ("/v1/verifications/ver_1:cancel", {})):
        for headers in (reader, {**reader, "Idempotency-Key": "k"}):
            answer = await gateway.client.post(path, json=body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "auth.role_forbids")
    assert gateway.rollout.created == {}
    assert (await gateway.client.get("/v1/verifications", headers=reader)).status_code == 200


async def test_every_answer_has_the_headers_of_the_console(
    gateway: Gateway, operator: Browser, nobody: Browser
) -> None:
    gateway.has()
    paths = [*ROUTES, ("GET", "/console/nowhere"), ("DELETE", "/console")]
    for browser in (operator, nobody):
        for method, path in paths:
            answer = await browser.ask(method, _spelt(path))
            for name in HEADERS.keys() - {"Cache-Control", "Content-Security-Policy"}:
                assert answer.headers[name] == HEADERS[name], (method, path)
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"], path


@pytest.mark.parametrize("gateway", [LimitSettings(requests_per_s=1, burst=3)], indirect=True)
async def test_pages_are_counted_as_requests_of_their_key(
    gateway: Gateway, operator: Browser
) -> None:
    answers = [await operator.ask("GET", "/console/verifications") for _ in range(4)]
    assert answers[-1].status_code == 429
    assert "limit.requests" in answers[-1].text
    assert answers[-1].headers["retry-after"] == "1"


def _crash(app: FastAPI) -> None:
    async def broken() -> None:
        raise RuntimeError("secret detail")

    app.add_api_route("/console/broken", broken)


async def test_an_error_is_a_page_with_its_code_and_what_to_do(
    gateway: Gateway, operator: Browser
) -> None:
    _crash(gateway.app)
    for path, status, code in (
        ("/console/nowhere", 404, "route.not_found"),
        ("/console/static/other.css", 404, "route.not_found"),
        ("/console/verifications/ver_9", 404, "verification.not_found"),
        ("/console/verifications?page_token=" + "x" * 600, 422, "request.malformed"),
        ("/console/broken", 500, "internal"),
    ):
        answer = await operator.ask("GET", path)
        assert (answer.status_code, code in answer.text) == (status, True)
        assert answer.headers["content-type"].startswith("text/html")
        assert 'href="/console"' in answer.text
        assert "secret detail" not in answer.text


async def test_the_root_leads_a_browser_to_the_console_and_a_program_nowhere(
    gateway: Gateway,
) -> None:
    browser = await gateway.client.get("/", headers={"Accept": "text/html,*/*"})
    assert (browser.status_code, browser.headers["location"]) == (303, "/console")
    program = await gateway.client.get("/", headers={"Accept": "application/json"})
    assert (program.status_code, program.json()["code"]) == (404, "route.not_found")
