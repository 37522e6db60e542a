"""What was recorded of an episode, over REST."""

from __future__ import annotations

from collections import deque

import pytest

from proofwalk.kernel.errors import not_found
from tests.gateway.conftest import Gateway


@pytest.mark.parametrize(
    ("path", "body", "media_type", "name"),
    [
        (
            "trajectory",
            b"trajectory of episode 0",
            "application/vnd.apache.parquet",
            "ver_1.parquet",
        ),
        (
            "trajectory?images=true&episode=2",
            b"bundle of episode 2",
            "application/zip",
            "ver_1.zip",
        ),
        ("trace?episode=1", b"trace of episode 1", "application/zip", "ver_1.trace.zip"),
        ("har", b"har of episode 0", "application/json", "ver_1.har"),
    ],
)
async def test_an_artefact_is_a_file_with_a_name(
    gateway: Gateway, path: str, body: bytes, media_type: str, name: str
) -> None:
    gateway.has(state="finished")
    answer = await gateway.client.get(f"/v1/verifications/ver_1/{path}")
    assert (answer.status_code, answer.content) == (200, body)
    assert answer.headers["content-type"] == media_type
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


async def test_what_was_not_recorded_is_a_problem_that_says_why(gateway: Gateway) -> None:
    gateway.has(state="finished")
    error = not_found(
        "artefact.not_recorded",
        "verification ver_1 has no trace: none was asked for",
        hint="ask for a trace",
    )
    gateway.rollout.errors["GetArtefact"] = deque([error])
    answer = await gateway.client.get("/v1/verifications/ver_1/trace")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.json()["code"], answer.json()["hint"]) == (
        "artefact.not_recorded",
        "ask for a trace",
    )


async def test_without_a_key_nothing_is_fetched_and_a_bad_episode_is_refused(
    gateway: Gateway,
) -> None:
    gateway.has(state="finished")
    assert (
        await gateway.client.get("/v1/verifications/ver_1/trace", headers={"Authorization": ""})
    ).status_code == 401
    assert (await gateway.client.get("/v1/verifications/ver_1/trace?episode=-1")).status_code == 422
    assert (await gateway.client.get("/v1/verifications/ver_2/trajectory")).status_code == 404


async def test_a_trace_is_asked_for_when_the_verification_is_made(gateway: Gateway) -> None:
    made = (await gateway.create(trace=True)).json()
    assert gateway.rollout.created[made["verification_id"]].trace
    plain = (await gateway.create()).json()
    assert not gateway.rollout.created[plain["verification_id"]].trace
    assert made["links"]["trajectory"].endswith("/trajectory")
