"""Requests over real HTTP: who may ask, what is refused and how it is said, and what
comes back."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway.keys import local_key
from proofwalk.kernel.errors import (
    ProofwalkError,
    Status,
    conflict,
    exhausted,
    invalid,
    not_found,
    unimplemented,
)
from tests.gateway.conftest import Gateway

PROBLEM = "application/problem+json"


def problem_of(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == PROBLEM
    body: dict[str, Any] = response.json()
    assert (body["status"], body["code"], body["type"]) == (
        status,
        code,
        f"urn:proofwalk:error:{code}",
    )
    assert body["title"]
    assert body["detail"]
    assert len(body["trace_id"]) == 32
    assert isinstance(body["retryable"], bool)
    assert "hint" in body
    return body


PATHS = [
    ("POST", "/v1/verifications"),
    ("GET", "/v1/verifications"),
    ("GET", "/v1/verifications/ver_1"),
    ("POST", "/v1/verifications/ver_1:cancel"),
    ("GET", "/v1/verifications/ver_1/findings"),
    ("GET", "/v1/verifications/ver_1/events"),
    ("GET", "/v1/verifications/ver_1/report"),
    ("GET", "/v1/targets"),
]


OFFERS = [
    (None, "auth.missing_key"),
    ("Basic eA==", "auth.missing_key"),
    ("Bearer", "auth.missing_key"),
    ("Bearer no", "auth.bad_key"),
]


async def test_nothing_is_said_to_who_has_no_key(gateway: Gateway) -> None:
    gateway.has()
    async with httpx2.AsyncClient(
        base_url=gateway.url, trust_env=False, verify=system_trust()
    ) as stranger:
        for (method, path), (authorization, code) in itertools.product(PATHS, OFFERS):
            headers = {} if authorization is None else {"Authorization": authorization}
            response = await stranger.request(
                method, path, headers=headers, json=gateway.body if method == "POST" else None
            )
            problem_of(response, 401, code)
            assert response.headers["www-authenticate"] == "Bearer", path
    assert gateway.rollout.create_calls == 0
    assert gateway.rollout.verifications["ver_1"].state == "running"


async def test_health_needs_no_key(gateway: Gateway) -> None:
    async with httpx2.AsyncClient(
        base_url=gateway.url, trust_env=False, verify=system_trust()
    ) as stranger:
        assert (await stranger.get("/livez")).status_code == 200
        assert (await stranger.get("/readyz")).status_code == 200
        gateway.rollout.errors["ready"] = deque([ValueError()])
        assert (await stranger.get("/readyz")).status_code == 503


async def test_a_request_is_accepted_and_says_where_it_goes_on(gateway: Gateway) -> None:
    response = await gateway.create(
        attempts=2, rule="r", meta="m", region="cn-hangzhou", procedure_id="p"
    )
    assert response.status_code == 202
    body = response.json()
    assert (
        response.headers["location"]
        == f"/v1/verifications/{body['verification_id']}"
        == body["links"]["self"]
    )
    assert response.headers["retry-after"] == "1"
    (asked,) = gateway.rollout.created.values()
    assert (asked.principal, asked.attempts, asked.rule_yaml, asked.meta_yaml, asked.region) == (
        "local",
        2,
        "r",
        "m",
        "cn-hangzhou",
    )
    assert (asked.document.content, asked.document.name, asked.document.url) == (
        b"1. Click **Stop**.",
        "a.md",
        "",
    )
    followed = await gateway.client.get(response.headers["location"])
    assert followed.json()["state"] == "queued"
    assert followed.headers["retry-after"] == "1"
    assert set(body["links"]) == {
        "self",
        "events",
        "findings",
        "steps",
        "report",
        "cancel",
        "trajectory",
        "trace",
        "har",
    }


async def test_the_name_of_the_key_is_who_asked(gateway: Gateway) -> None:
    headers = {"Authorization": "bearer pw_ci"}
    await gateway.client.post(
        "/v1/verifications",
        json={"document": {"url": "https://d.example/x"}, "target": "devcloud"},
        headers=headers,
    )
    (asked,) = gateway.rollout.created.values()
    assert (asked.principal, asked.document.url) == ("ci", "https://d.example/x")


MALFORMED = [
    (b"", ""),
    (b"{", ""),
    (b"[]", ""),
    (b'{"target": "t"}', "/document"),
    (b'{"target": "t", "document": {"text": "x", "url": "y"}}', "/document"),
    (b'{"target": "t", "document": {}}', "/document"),
    (b'{"target": 3, "document": {"text": "x"}}', "/target"),
    (b'{"target": "t", "document": {"text": "x"}, "attempts": 11}', "/attempts"),
    (b'{"target": "t", "document": {"text": "x", "colour": 1}}', "/document/colour"),
    (b'{"target": "t", "document": {"text": "x"}, "a/b~c": 1}', "/a~1b~0c"),
    (b'{"target": "\xff", "document": {"text": "x"}}', ""),
    (b"[" * 5000, ""),
]


async def test_a_malformed_body_is_refused_with_a_pointer_to_what_is_wrong(
    gateway: Gateway,
) -> None:
    for raw, pointer in MALFORMED:
        response = await gateway.client.post(
            "/v1/verifications", content=raw, headers={"content-type": "application/json"}
        )
        body = problem_of(response, 422, "request.malformed")
        assert pointer in [row["pointer"] for row in body["errors"]], raw
        assert all(row["detail"] for row in body["errors"]), raw
    assert gateway.rollout.create_calls == 0


async def test_a_body_that_is_too_large_or_of_unknown_length_is_not_read(gateway: Gateway) -> None:
    problem_of(await gateway.create(rule="r" * 10_000), 413, "request.too_large")

    async def chunks() -> AsyncIterator[bytes]:
        yield b"{}"

    response = await gateway.client.post("/v1/verifications", content=chunks())
    problem_of(response, 411, "request.no_length")
    assert gateway.rollout.create_calls == 0


ERRORS = [
    (invalid("rule.invalid", "line 3", hint="see the rule language", details={"line": "3"}), 422),
    (not_found("target.unknown", "no such target"), 404),
    (conflict("verification.exists", "another"), 409),
    (exhausted("pool.full", "later"), 429),
    (unimplemented("x.not_built", "not built"), 501),
    (ProofwalkError("x.gone", "it is gone", status=Status.PERMISSION_DENIED), 403),
]


async def test_an_error_of_rollout_keeps_its_code_reason_and_hint(gateway: Gateway) -> None:
    for error, status in ERRORS:
        gateway.rollout.errors["CreateVerification"] = deque([error])
        response = await gateway.create()
        body = problem_of(response, status, error.code)
        assert (body["detail"], body["hint"], body["retryable"]) == (
            error.message,
            error.hint,
            error.retryable,
        )
        assert body.get("details", {}) == error.details
        assert ("retry-after" in response.headers) is error.retryable


async def test_a_bug_behind_is_told_by_its_trace_alone(gateway: Gateway) -> None:
    gateway.rollout.errors["CreateVerification"] = deque([KeyError("secret detail")])
    response = await gateway.create()
    assert response.status_code == 500
    assert response.headers["content-type"] == PROBLEM
    assert "secret detail" not in response.text


async def test_unknown_routes_methods_and_ids_are_problems_too(gateway: Gateway) -> None:
    problem_of(await gateway.client.get("/v2/x"), 404, "route.not_found")
    refused = await gateway.client.delete("/v1/targets")
    problem_of(refused, 405, "route.bad_method")
    assert refused.headers["Allow"] == "GET"
    shared = await gateway.client.delete("/v1/verifications")
    assert shared.headers["Allow"] == "GET, POST"
    for deed, methods in (
        ("verifications/ver_1:cancel", "POST"),
        ("findings/7:review", "POST"),
        ("findings/7", "GET"),
    ):
        assert (await gateway.client.put(f"/v1/{deed}")).headers["Allow"] == methods
    for wrong in ("ver_none", "v" * 65, "%00", "a%20b", "%C3%A9", "..%2f"):
        response = await gateway.client.get(f"/v1/verifications/{wrong}")
        assert response.status_code == 404, wrong
        assert response.headers["content-type"] == PROBLEM
    problem_of(await gateway.client.get("/v1/verifications?limit=0"), 422, "request.malformed")
    problem_of(await gateway.client.get("/v1/verifications?limit=x"), 422, "request.malformed")


async def test_pages_pass_through(gateway: Gateway) -> None:
    gateway.has("ver_1")
    gateway.has("ver_2", state="finished")
    body = (await gateway.client.get("/v1/verifications?limit=7&page_token=abc")).json()
    assert gateway.rollout.pages == [(7, "abc")]
    assert [row["verification_id"] for row in body["verifications"]] == ["ver_1", "ver_2"]
    assert body["next_page_token"] == "more"
    gateway.rollout.errors["ListVerifications"] = deque([invalid("page.bad_token", "forged")])
    problem_of(await gateway.client.get("/v1/verifications?page_token=x"), 422, "page.bad_token")


async def test_cancelling_needs_no_body(gateway: Gateway) -> None:
    gateway.has()
    response = await gateway.client.post("/v1/verifications/ver_1:cancel")
    assert (response.status_code, response.json()["state"]) == (200, "cancelling")
    problem_of(
        await gateway.client.post("/v1/verifications/ver_none:cancel"),
        404,
        "verification.not_found",
    )


async def test_findings_are_those_of_the_verdict(gateway: Gateway) -> None:
    gateway.has("ver_1")
    assert (await gateway.client.get("/v1/verifications/ver_1/findings")).json() == {
        "state": "running",
        "outcome": "",
        "findings": [],
    }
    finding = common.Finding(
        file="a.md",
        line=6,
        sentence="Click Stop.",
        kind="FINDING_KIND_RENAMED",
        message="Halt",
        candidates=["Halt"],
        asked="Stop",
        offered="Halt",
        place="Pumps",
    )
    gateway.has(
        "ver_2", state="finished", verdict=pb.Verdict(outcome="OUTCOME_DOC_DEFECT", finding=finding)
    )
    body = (await gateway.client.get("/v1/verifications/ver_2/findings")).json()
    assert (body["outcome"], body["findings"][0]["line"], body["findings"][0]["candidates"]) == (
        "doc_defect",
        6,
        ["Halt"],
    )
    told = body["findings"][0]
    assert (told["kind"], told["asked"], told["offered"]) == ("renamed", "Stop", "Halt")
    assert (told["place"], told["way"]) == ("Pumps", [])
    finished = await gateway.client.get("/v1/verifications/ver_2")
    assert "retry-after" not in finished.headers


async def test_words_are_told_in_lower_case_and_what_was_not_said_is_empty(
    gateway: Gateway,
) -> None:
    verdict = pb.Verdict(
        outcome="OUTCOME_ENV_FAILURE",
        cause="ENVIRONMENT_CAUSE_AUDIT_LATE",
        blame="BLAME_ENVIRONMENT",
        evidence="EVIDENCE_NONE",
        goal="GOAL_UNKNOWN",
        substeps=[pb.SubStepResult(number="1", status="SUB_STEP_STATUS_NOT_VERIFIED")],
    )
    episodes = [pb.Episode(number=1, outcome="OUTCOME_ENV_FAILURE"), pb.Episode(number=2)]
    gateway.has(
        "ver_1", state="finished", verdict=verdict, episodes=episodes, accept="EVIDENCE_PAGE"
    )
    body = (await gateway.client.get("/v1/verifications/ver_1")).json()
    words = {
        name: body["verdict"][name] for name in ("outcome", "cause", "blame", "evidence", "goal")
    }
    assert words == {
        "outcome": "env_failure",
        "cause": "audit_late",
        "blame": "environment",
        "evidence": "none",
        "goal": "unknown",
    }
    assert body["verdict"]["substeps"][0]["status"] == "not_verified"
    assert [(one["outcome"], one["cause"]) for one in body["episodes"]] == [
        ("env_failure", ""),
        ("", ""),
    ]
    assert body["accept"] == "page"


async def test_a_report_may_do_nothing_but_be_read(gateway: Gateway) -> None:
    gateway.has()
    response = await gateway.client.get("/v1/verifications/ver_1/report")
    assert response.text == "<!doctype html><p>report</p>"
    assert response.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    gateway.rollout.errors["GetReport"] = deque([conflict("verification.not_finished", "it runs")])
    problem_of(
        await gateway.client.get("/v1/verifications/ver_1/report"), 409, "verification.not_finished"
    )


async def test_targets_are_listed(gateway: Gateway) -> None:
    body = (await gateway.client.get("/v1/targets")).json()
    assert [target["id"] for target in body["targets"]] == ["devcloud"]


async def test_the_description_of_the_api_describes_the_body(gateway: Gateway) -> None:
    described = (await gateway.client.get("/openapi.json")).json()
    schema = described["paths"]["/v1/verifications"]["post"]["requestBody"]["content"][
        "application/json"
    ]["schema"]
    assert {"document", "target", "attempts", "rule", "meta"} <= set(schema["properties"])
    pointer = schema["properties"]["document"]["$ref"]
    found: Any = described
    for part in pointer.removeprefix("#/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    assert set(found["properties"]) == {"url", "text", "name", "media_type"}
    names = {
        operation["operationId"]
        for path in described["paths"].values()
        for operation in path.values()
    }
    assert {
        "createVerification",
        "getVerification",
        "watchEvents",
        "cancelVerification",
        "getReport",
    } <= names


def test_the_key_of_this_machine_is_made_once_and_is_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "home" / "gateway.key"
    key = local_key(path)
    assert key.startswith("pw_")
    assert len(key) > 40
    assert local_key(path) == key
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["gateway.key"]


async def test_script_and_scenario_reach_rollout(gateway: Gateway) -> None:
    response = await gateway.create(policy="scripted", script="- []", scenario="storm-1")
    assert response.status_code == 202, response.text
    (asked,) = gateway.rollout.created.values()
    assert (asked.policy, asked.script_yaml, asked.scenario) == ("scripted", "- []", "storm-1")
