"""What one key may ask for: the bucket by its law, and 429 over HTTP with a code and
the seconds to wait."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import AsyncExitStack
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.gateway.limits import Limits, LimitSettings
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, exhausted
from tests.gateway.conftest import Gateway
from tests.gateway.test_requests import problem_of

CI = {"Authorization": "Bearer pw_ci"}


def limits(**values: Any) -> tuple[Limits, ManualClock]:
    clock = ManualClock()
    return Limits(LimitSettings(**values), clock=clock), clock


def refused(call: Any, *arguments: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        call(*arguments)
    return caught.value


@given(
    rate=st.floats(0.1, 1000),
    burst=st.integers(1, 50),
    pauses=st.lists(st.floats(0, 3), max_size=60),
)
def test_in_any_stretch_of_time_no_more_is_admitted_than_burst_and_rate_allow(
    rate: float, burst: int, pauses: list[float]
) -> None:
    bucket, clock = limits(requests_per_s=rate, burst=burst)
    admitted: list[float] = []
    waits: list[int] = []
    for pause in pauses:
        clock.advance(pause)
        for _ in range(3):
            try:
                bucket.admit("ci")
            except ProofwalkError as error:
                waits.append(int(error.details["retry_after_s"]))
            else:
                admitted.append(clock.monotonic())
    assert all(1 <= wait <= 1 / rate + 1 for wait in waits)
    for first in range(len(admitted)):
        for last in range(first, len(admitted)):
            assert last - first + 1 <= burst + rate * (admitted[last] - admitted[first]) + 1e-6


def test_who_waits_as_long_as_it_is_told_is_admitted() -> None:
    bucket, clock = limits(requests_per_s=0.25, burst=2)
    bucket.admit("ci")
    bucket.admit("ci")
    error = refused(bucket.admit, "ci")
    assert (error.code, error.details["retry_after_s"]) == ("limit.requests", "4")
    bucket.admit("web")
    clock.advance(4)
    bucket.admit("ci")


def test_places_come_back_once_and_leave_nothing() -> None:
    bound, _ = limits(watchers=2, requests_at_once=1)
    first, _second = bound.watch("ci"), bound.watch("ci")
    assert refused(bound.watch, "ci").code == "limit.watchers"
    bound.watch("web")
    first.leave()
    first.leave()
    bound.watch("ci")
    assert refused(bound.watch, "ci").code == "limit.watchers"
    with bound.under_way("ci"):
        assert refused(bound.under_way("ci").__enter__).code == "limit.requests_at_once"
    assert bound._running == {}


def test_zero_is_no_bound() -> None:
    bound, _ = limits(
        requests_per_s=0, burst=1, watchers=0, requests_at_once=0, unknown_keys_per_minute=0
    )
    for _ in range(1000):
        bound.unknown_key("192.0.2.1")
        bound.admit("ci")
        bound.watch("ci")
        bound.under_way("ci").__enter__()


@pytest.mark.parametrize("gateway", [LimitSettings(requests_per_s=0.5, burst=3)], indirect=True)
async def test_too_many_requests_of_a_key_are_told_when_to_come_back(gateway: Gateway) -> None:
    answers = [await gateway.client.get("/v1/targets") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    body = problem_of(answers[3], 429, "limit.requests")
    assert (body["retryable"], answers[3].headers["retry-after"]) == (True, "2")
    # Another key's requests, health, and those of nobody are not this key's.
    assert (await gateway.client.get("/v1/targets", headers=CI)).status_code == 200
    assert (await gateway.client.get("/readyz")).status_code == 200
    for _ in range(10):
        assert (
            await gateway.client.get("/v1/targets", headers={"Authorization": "Bearer no"})
        ).status_code == 401
    gateway.clock.advance(2)
    assert (await gateway.client.get("/v1/targets")).status_code == 200


@pytest.mark.parametrize("gateway", [LimitSettings(unknown_keys_per_minute=3)], indirect=True)
async def test_guesses_of_keys_are_counted_by_address_and_cost_nobody_else(
    gateway: Gateway,
) -> None:
    guesses: list[dict[str, str]] = [{"Authorization": f"Bearer no_{n}"} for n in range(3)]
    guesses.append({"Authorization": ""})
    answers = [await gateway.client.get("/v1/targets", headers=guess) for guess in guesses]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    problem_of(answers[3], 429, "limit.unknown_keys")
    assert answers[3].headers["retry-after"] == "20"
    # Who has a key is not kept out by whoever guesses behind the same proxy.
    assert (await gateway.client.get("/v1/targets")).status_code == 200
    gateway.clock.advance(20)
    assert (await gateway.client.get("/v1/targets", headers=guesses[0])).status_code == 401


def test_the_attempts_of_another_address_are_its_own() -> None:
    bound, clock = limits(unknown_keys_per_minute=1)
    bound.unknown_key("192.0.2.1")
    assert refused(bound.unknown_key, "192.0.2.1").code == "limit.unknown_keys"
    bound.unknown_key("192.0.2.2")
    clock.advance(60)
    bound.unknown_key("192.0.2.1")


@pytest.mark.parametrize("gateway", [LimitSettings(requests_at_once=2)], indirect=True)
async def test_a_key_has_so_many_requests_under_way(gateway: Gateway) -> None:
    gateway.has(state="finished")
    gateway.rollout.gate.clear()
    slow = [
        asyncio.ensure_future(gateway.client.get("/v1/verifications/ver_1/report"))
        for _ in range(3)
    ]
    done, running = await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
    problem_of(done.pop().result(), 429, "limit.requests_at_once")
    assert (await gateway.client.get("/v1/targets", headers=CI)).status_code == 200
    gateway.rollout.gate.set()
    assert {(await one).status_code for one in running} == {200}
    assert (await gateway.client.get("/v1/targets")).status_code == 200


@pytest.mark.parametrize("gateway", [LimitSettings(watchers=2)], indirect=True)
async def test_a_key_watches_so_many_streams_and_each_that_ends_makes_room(
    gateway: Gateway,
) -> None:
    gateway.has()
    path, sse = "/v1/verifications/ver_1/events", {"Accept": "text/event-stream"}
    async with AsyncExitStack() as streams:
        for _ in range(2):
            opened = await streams.enter_async_context(
                gateway.client.stream("GET", path, headers=sse)
            )
            assert opened.status_code == 200
        problem_of(await gateway.client.get(path, headers=sse), 429, "limit.watchers")
        # The list of events holds nothing open.
        assert (await gateway.client.get(path, headers={"Accept": "application/json"})).json() == {
            "events": []
        }
        async with gateway.client.stream("GET", path, headers={**sse, **CI}) as other:
            assert other.status_code == 200
    async with asyncio.timeout(10):
        while (await _status(gateway, path, sse)) != 200:
            await asyncio.sleep(0.05)


async def _status(gateway: Gateway, path: str, headers: dict[str, str]) -> int:
    async with gateway.client.stream("GET", path, headers=headers) as response:
        return int(response.status_code)


async def test_more_jobs_than_a_key_may_have_are_refused_and_the_key_of_the_request_stays_free(
    gateway: Gateway,
) -> None:
    gateway.rollout.errors["CreateVerification"] = deque(
        [exhausted("limit.jobs", "500 are not finished", details={"retry_after_s": "5"})]
    )
    answer: httpx2.Response = await gateway.create("k")
    problem_of(answer, 429, "limit.jobs")
    assert answer.headers["retry-after"] == "5"
    assert (await gateway.create("k")).status_code == 202
    assert {request.max_unfinished for request in gateway.rollout.created.values()} == {500}
