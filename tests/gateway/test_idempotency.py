"""One key, one effect, one answer: whoever repeats, whenever, and whatever died in
between."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import difference, migrate
from proofwalk.gateway import repository, usecases
from proofwalk.gateway.usecases import Answer, Fresh
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, exhausted, invalid, unimplemented
from tests.gateway.conftest import Gateway


async def test_a_repeat_gets_the_same_bytes_and_makes_nothing(gateway: Gateway) -> None:
    first = await gateway.create("key-1")
    again = await gateway.create("key-1")
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.content == first.content
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["content-type"] == first.headers["content-type"]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert gateway.rollout.create_calls == 1


async def test_a_quoted_key_is_the_same_key(gateway: Gateway) -> None:
    first = await gateway.create("key-1")
    assert (await gateway.create('"key-1"')).content == first.content


async def test_without_a_key_every_request_is_a_new_one(gateway: Gateway) -> None:
    first, second = await gateway.create(), await gateway.create()
    assert first.json()["verification_id"] != second.json()["verification_id"]


async def test_a_key_is_not_taken_for_another_body(gateway: Gateway) -> None:
    await gateway.create("key-1")
    response = await gateway.create("key-1", attempts=3)
    assert (response.status_code, response.json()["code"]) == (422, "idempotency.key_reused")
    assert gateway.rollout.create_calls == 1


async def test_keys_of_two_callers_are_two_keys(gateway: Gateway) -> None:
    first = await gateway.create("key-1")
    headers = {"Authorization": "Bearer pw_ci", "Idempotency-Key": "key-1"}
    other = await gateway.client.post("/v1/verifications", json=gateway.body, headers=headers)
    assert other.json()["verification_id"] != first.json()["verification_id"]


async def test_a_repeat_while_the_first_is_worked_on_is_told_to_wait(gateway: Gateway) -> None:
    gateway.rollout.gate.clear()
    first = asyncio.ensure_future(gateway.create("key-1"))
    async with asyncio.timeout(10):
        while not gateway.rollout.created:
            await asyncio.sleep(0.005)
    again = await gateway.create("key-1")
    assert (again.status_code, again.json()["code"]) == (409, "idempotency.in_progress")
    assert again.json()["retryable"] is True
    gateway.rollout.gate.set()
    done = await first
    assert done.status_code == 202
    assert (await gateway.create("key-1")).content == done.content


async def test_a_malformed_key_is_refused(gateway: Gateway) -> None:
    for key in ("", "a b", "k" * 256, '"', 'a"b', "\x7f"):
        response = await gateway.client.post(
            "/v1/verifications", json=gateway.body, headers=[("Idempotency-Key", key)]
        )
        assert (response.status_code, response.json()["code"]) == (
            422,
            "idempotency.malformed_key",
        ), key
    assert gateway.rollout.create_calls == 0


async def test_a_refusal_is_an_answer_and_is_repeated(gateway: Gateway) -> None:
    gateway.rollout.errors["CreateVerification"] = deque([invalid("rule.invalid", "line 3")])
    first = await gateway.create("key-1")
    again = await gateway.create("key-1")
    assert (first.status_code, again.status_code) == (422, 422)
    assert again.content == first.content
    assert again.headers["content-type"] == "application/problem+json"
    assert gateway.rollout.create_calls == 1


@pytest.mark.parametrize(
    "error",
    [exhausted("pool.full", "later"), unimplemented("x.y", "not here"), KeyError("a bug")],
    ids=repr,
)
async def test_an_answer_that_says_later_is_not_kept(gateway: Gateway, error: Exception) -> None:
    gateway.rollout.errors["CreateVerification"] = deque([error])
    assert (await gateway.create("key-1")).status_code >= 429
    assert (await gateway.create("key-1")).status_code == 202


async def test_a_request_that_died_is_taken_up_under_its_verification(gateway: Gateway) -> None:
    digests: list[str] = []
    begin = usecases.begin

    await gateway.create("key-0")
    async with gateway.db.read() as tx:
        row = await repository.find(tx, "local", "key-0")
    assert row is not None
    digests.append(row.body_digest)
    # A gateway that died after it had written its row, and perhaps after rollout had
    # heard of it.
    died = await begin(
        gateway.db,
        principal="local",
        key="key-1",
        body_digest=digests[0],
        verification_id="ver_of_the_dead",
        clock=gateway.clock,
        lock_s=90,
    )
    assert died == Fresh(verification_id="ver_of_the_dead")
    assert (await gateway.create("key-1")).json()["code"] == "idempotency.in_progress"
    gateway.clock.advance(91)
    response = await gateway.create("key-1")
    assert response.json()["verification_id"] == "ver_of_the_dead"
    assert (await gateway.create("key-1")).content == response.content


async def test_the_migrations_make_the_declared_table(database: Database) -> None:
    await migrate(database, "proofwalk.gateway")
    assert await difference(database, "proofwalk.gateway", repository.METADATA) == []


async def test_of_requests_at_the_same_time_one_goes_on(database: Database) -> None:
    await migrate(database, "proofwalk.gateway")
    clock = ManualClock()

    async def begin(number: int) -> Answer | Fresh:
        return await usecases.begin(
            database,
            principal="p",
            key="k",
            body_digest="d",
            verification_id=f"ver_{number}",
            clock=clock,
            lock_s=90,
        )

    results = await asyncio.gather(*(begin(number) for number in range(6)), return_exceptions=True)
    (fresh,) = [result for result in results if isinstance(result, Fresh)]
    errors = [result for result in results if isinstance(result, BaseException)]
    assert {error.code for error in errors if isinstance(error, ProofwalkError)} == {
        "idempotency.in_progress"
    }
    assert len(errors) == 5
    await usecases.settle(database, principal="p", key="k", status=202, body=b"{}")
    assert await begin(9) == Answer(status=202, body=b"{}")
    clock.advance(86_400)
    await usecases.forget(database, keep_s=86_400 * 7, clock=clock)
    assert await begin(9) == Answer(status=202, body=b"{}")
    clock.advance(86_400 * 7)
    await usecases.forget(database, keep_s=86_400 * 7, clock=clock)
    assert await begin(9) == Fresh(verification_id="ver_9")
    assert fresh.verification_id != "ver_9"
