"""Who asks, and how: a tenant that asks for the next job when one is done, one that
asks without looking, and one that reads without a pause.

What was answered is counted by HTTP status; a transport error counts as 0. Nobody here
repeats anything: a refusal is what is measured.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

_POLL_S = 0.25
_TIMEOUT_S = 30.0
_JOB_S = 600.0
TAKEN, REFUSED = 202, 429


@dataclass
class Answers:
    """What somebody was told: how often each status, and how long refusals took, in
    seconds. `without_a_time` counts refusals that do not say when to come again."""

    statuses: Counter[int] = field(default_factory=Counter)
    refusal_s: list[float] = field(default_factory=list)
    without_a_time: int = 0

    def take(self, answer: httpx2.Response | None, seconds: float) -> None:
        """Count one."""
        self.statuses[0 if answer is None else answer.status_code] += 1
        if answer is not None and answer.status_code == REFUSED:
            self.refusal_s.append(seconds)
            self.without_a_time += not answer.headers.get("retry-after", "").isdigit()

    def others(self, *expected: int) -> int:
        """Answers with any other status."""
        return sum(count for status, count in self.statuses.items() if status not in expected)


class Tenant:
    """One key at one gateway; an async context manager."""

    def __init__(self, server: str, key: str, body: dict[str, Any]) -> None:
        self._http = httpx2.AsyncClient(
            base_url=server,
            headers={"Authorization": f"Bearer {key}"},
            timeout=_TIMEOUT_S,
            trust_env=False,
            limits=httpx2.Limits(max_connections=64),
        )
        self._body = body
        self._keys: Iterator[int] = itertools.count()
        self.answers = Answers()

    async def __aenter__(self) -> Tenant:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def create(self) -> str | None:
        """Ask for one verification. Return its id, or None if it was not taken."""
        headers = {"Idempotency-Key": f"overload-{next(self._keys)}"}
        path = "/v1/verifications"
        answer = await self._counted("POST", path, json=self._body, headers=headers)
        if answer is None or answer.status_code != TAKEN:
            return None
        return str(answer.json()["verification_id"])

    async def read(self) -> None:
        """One quick question."""
        await self._counted("GET", "/v1/targets")

    async def is_finished(self, verification_id: str) -> bool:
        """Whether a verification has ended, as far as one can know."""
        try:
            answer = await self._http.get(f"/v1/verifications/{verification_id}")
        except httpx2.TransportError:
            return False
        return answer.status_code == 200 and answer.json()["state"] == "finished"

    async def _counted(self, method: str, path: str, **options: Any) -> httpx2.Response | None:
        began = time.monotonic()
        try:
            answer = await self._http.request(method, path, **options)
        except httpx2.TransportError:
            answer = None
        self.answers.take(answer, time.monotonic() - began)
        return answer


async def one_after_another(tenant: Tenant, *, until: float) -> list[float]:
    """Ask for the next when one is done, until the loop's time `until`; the last is
    waited for. Return how long each took, in seconds."""
    loop, took = asyncio.get_running_loop(), list[float]()
    while (began := loop.time()) < until:
        made = await tenant.create()
        if made is None:
            await asyncio.sleep(_POLL_S)
            continue
        while not await tenant.is_finished(made):
            if loop.time() > began + _JOB_S:
                raise AssertionError(f"{made} has not ended after {_JOB_S:g} s")
            await asyncio.sleep(_POLL_S)
        took.append(loop.time() - began)
    return took


async def at_a_rate(act: Callable[[], Any], *, per_s: float, until: float) -> None:
    """Act so often a second without waiting for answers, until the loop's time
    `until`; then the answers are waited for."""
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        due = loop.time()
        while due < until:
            group.create_task(act())
            due += 1 / per_s
            await asyncio.sleep(max(0.0, due - loop.time()))
