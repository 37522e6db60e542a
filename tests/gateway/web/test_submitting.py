"""The form of a verification: what it asks for, what it makes of it, and what it says
when something is wrong."""

from __future__ import annotations

from collections import deque

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.gateway.web.order_form import body_of, controls
from proofwalk.kernel.errors import invalid, not_found, unavailable
from proofwalk.orders.order import Order, VerificationRequest
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import attribute, the

SUBMIT = "/console/submit"
TEXT = "1. Click **Stop**.\n"


async def _once(browser: Browser) -> str:
    return attribute((await browser.ask("GET", SUBMIT)).text, "input[name=once]", "value")


def test_every_option_of_an_order_has_a_control_that_makes_it() -> None:
    samples = {
        "attempts": "3",
        "account_purpose": "verification",
        "accept": "page",
        "purpose": "follow",
        "max_price_per_hour": "1.5",
        "max_price_at_once": "2",
        "resources_ttl_s": "60",
        "trace": "true",
        "site": "cn",
    }
    sent = {one.name: samples.get(one.name, "x") for one in controls()} | {"document.text": TEXT}
    sent["meta_id"] = ""
    asked = VerificationRequest.model_validate(body_of(sent))
    for name in Order.model_fields:
        assert getattr(asked, name) or name == "meta_id", name
    kinds = {one.name: one.kind for one in controls()}
    assert kinds["rule"] == "lines"
    assert kinds["trace"] == "switch"
    attempts = next(one for one in controls() if one.name == "attempts")
    assert (attempts.kind, attempts.start) == ("number", "1")
    assert attempts.attributes == {"min": "1", "max": "10"}


async def test_a_form_that_is_sent_twice_makes_one_verification(
    gateway: Gateway, visitors: SignIn
) -> None:
    browser = await visitors("pw_ci")
    fields = {"document.text": TEXT, "target": "devcloud", "once": await _once(browser)}
    answers = [await browser.ask("POST", SUBMIT, fields=fields) for _ in range(2)]
    (verification_id,) = gateway.rollout.created
    assert {one.headers["location"] for one in answers} == {
        f"/console/verifications/{verification_id}"
    }
    request = gateway.rollout.created[verification_id]
    assert (request.principal, request.max_unfinished) == ("ci", 500)
    assert request.policy == "literal"

    forged = {**fields, "once": f"ver_chosen{fields['once'][fields['once'].index('.') :]}"}
    answer = await browser.ask("POST", SUBMIT, fields=forged)
    assert (answer.status_code, "form.bad_token" in answer.text) == (422, True)
    other = await visitors("pw_critic")
    stolen = await other.ask("POST", SUBMIT, fields=fields)
    assert stolen.status_code == 422, "the id is under the seal of another session"
    assert len(gateway.rollout.created) == 1


async def test_a_file_is_the_document_under_its_own_name(
    gateway: Gateway, operator: Browser
) -> None:
    fields = {"csrf": operator.token, "once": await _once(operator), "target": "devcloud"}
    for content, more, code in (
        (b"\xff\xfe\x00", {}, "document.not_text"),
        (TEXT.encode(), {"document.text": TEXT}, "document.two_sources"),
        (TEXT.encode(), {}, ""),
    ):
        answer = await operator.client.post(
            SUBMIT,
            data={**fields, **more},
            files={"document.file": ("stop.md", content)},
            headers={"Origin": gateway.url},
        )
        assert code in answer.text
        assert answer.status_code == (422 if code else 303)
    (request,) = gateway.rollout.created.values()
    assert (request.document.name, request.document.content) == ("stop.md", TEXT.encode())


WRONG: tuple[tuple[dict[str, str], str, str], ...] = (
    ({}, "fieldset", "give either"),
    ({"document.url": "https://a.example/x", "document.text": "1."}, "fieldset", "give either"),
    ({"document.text": "1.", "attempts": "11"}, "#attempts", "less than or equal to 10"),
    ({"document.text": "1.", "attempts": "many"}, "#attempts", "valid integer"),
    ({"document.text": "1.", "accept": "hope"}, "#accept", "audit"),
    ({"document.text": "1.", "scenario": "no/such"}, "#scenario", "verification.bad_scenario"),
    ({"document.text": "1.", "meta": "a", "meta_id": "b"}, "#meta_id", "meta.two_sources"),
)


async def test_what_is_wrong_is_told_at_its_field_and_nothing_is_lost(
    gateway: Gateway, operator: Browser
) -> None:
    for fields, field, words in WRONG:
        sent = {"target": "devcloud", "region": "cn-hangzhou", **fields}
        answer = await operator.ask("POST", SUBMIT, fields=sent)
        assert answer.status_code == 422
        page = answer.text
        assert the(page, f".wrong {field}, {field}.wrong")
        assert words in the(page, "[role=alert]").text()
        assert attribute(page, "#region", "value") == "cn-hangzhou"
        if field.startswith("#"):
            described = attribute(page, field, "aria-describedby").split()
            assert words in the(page, f"#{described[-1]}").text()
    assert gateway.rollout.created == {}


async def test_what_rollout_refuses_is_told_with_its_code(
    gateway: Gateway, operator: Browser
) -> None:
    refusals = deque[Exception](
        [
            not_found("target.unknown", "there is no target 'devcloud'", hint="list them"),
            invalid(
                "document.no_procedure", "there is no procedure in it", hint="number the steps"
            ),
            unavailable("rollout.away", "nobody answers"),
        ]
    )
    gateway.rollout.errors["CreateVerification"] = refusals
    fields = {"document.text": TEXT, "target": "devcloud", "once": await _once(operator)}
    for status, words in ((404, "list them"), (422, "number the steps"), (503, "rollout.away")):
        answer = await operator.ask("POST", SUBMIT, fields=fields)
        assert (answer.status_code, words in answer.text) == (status, True)
        assert TEXT.strip() in answer.text
    assert (await operator.ask("POST", SUBMIT, fields=fields)).status_code == 303


async def test_an_installation_without_targets_says_what_to_do(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.rollout.targets.clear()
    page = (await operator.ask("GET", SUBMIT)).text
    assert "no target" in page
    assert "proofwalk target new" in page
