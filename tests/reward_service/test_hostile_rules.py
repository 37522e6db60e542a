"""Rules that ask for more than judging may take: refused at intake, ended in time,
asked no more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.chassis.readers import Bounds, Readers
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.reward_service import repository
from proofwalk.reward_service.confined import Rules
from proofwalk.reward_service.rules import parse_rule
from proofwalk.reward_service.usecases import Judging
from tests.reward_service.events import START, evaluated, event
from tests.reward_service.test_judging import cloud, judging, order, pool, stopped

__all__ = ["cloud", "judging", "pool"]

HEAD = "id: x\nversion: 1\ndelta_s: 0\n"
BACKTRACKING = (
    f"{HEAD}all: [{{event: StopInstance, where: [[request.InstanceId, matches, '^(a+)+$']]}}]"
)
COSTLY = f"{HEAD}all:\n" + "".join(
    f"- {{as: n{number}, event: StopInstance, where: [[request.InstanceId, ne, x], [request.A.*.B,"
    " ne, y]]}\n"
    for number in range(300)
)
QUICK = Bounds(wall_s=20, cpu_s=1)


@pytest.fixture
async def confined(judging: Judging) -> AsyncIterator[Judging]:
    """Judging in processes, as the role does it."""
    async with Readers(processes=2) as readers:
        yield replace(judging, rules=Rules(reading=readers, bounds=QUICK))


def test_a_backtracking_pattern_is_searched_in_no_time() -> None:
    before = time.process_time()
    found = evaluated(parse_rule(BACKTRACKING), [event(request={"InstanceId": "a" * 5000 + "!"})])
    assert not found.met
    assert time.process_time() - before < 5


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("^(?=.*a).*", "rule.pattern_not_supported"),
        (r"(a)\1", "rule.pattern_not_supported"),
        ("(a{1000}){1000}", "rule.pattern_too_large"),
        ("[", "rule.invalid"),
        ("$doc.ahead", "rule.pattern_not_supported"),
        ("x$meta.id(?!y)", "rule.pattern_not_supported"),
    ],
)
async def test_a_pattern_that_is_not_run_is_refused_at_intake(
    confined: Judging, pattern: str, code: str
) -> None:
    text = (
        f"{HEAD}doc: {{ahead: '(?=x)'}}\nall: [{{event: A}}, {{event: B, where: [[name, matches,"
        f" '{pattern}']]}}]"
    )
    with pytest.raises(ProofwalkError) as caught:
        await confined.check(text)
    assert caught.value.code == code
    assert caught.value.details["path"] == "all.1.where.0"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("pattern", "name", "holds"),
    [
        ("^$meta.one$", "a.c", True),
        ("^$meta.one$", "abc", False),
        ("^web-$meta.many$", "web-2", True),
        ("^web-$meta.many$", "web-3", False),
        ("$doc.either", "b", True),
        ("^$event.first.request.Name-[0-9]$", "a+b-7", True),
        ("^$event.first.request.Name-[0-9]$", "aab-7", False),
        ("$event.first.request.Other", "x", False),
    ],
)
def test_values_stand_for_themselves_in_a_pattern(pattern: str, name: str, holds: bool) -> None:
    text = (
        f"{HEAD}doc: {{either: '^(a|b)$'}}\nall: [{{as: first, event: A}},"
        f" {{event: B, where: [[request.Name, matches, '{pattern}']]}}]"
    )
    events = [event("A", request={"Name": "a+b"}), event("B", at=11, request={"Name": name})]
    assert evaluated(parse_rule(text), events, one="a.c", many='["1", "2"]').met == holds


@pytest.mark.parametrize(
    "value", ["[" * 200_000, '{"a":' * 100_000, "[" + "9" * 10_000 + "]", "[1"]
)
def test_what_an_event_holds_counts_as_text_where_it_is_no_json(value: str) -> None:
    text = (
        f"{HEAD}all: [{{event: A, where: [[request.N, contains, x], [request.N.a, exists,"
        " false]]}]"
    )
    assert evaluated(parse_rule(text), [event("A", request={"N": f"{value}x"})]).met


async def test_a_costly_rule_ends_typed_and_is_not_judged_again(
    confined: Judging, cloud: MemoryCloud
) -> None:
    # Every name can be given to each of sixty events, and no last clause is met.
    costly = f"{COSTLY}- {{event: StartInstance}}\n"
    for number in range(60):
        cloud.record("1001", stopped(f"i-{number}"))
    asked = order(costly)
    other = asyncio.create_task(confined.judge(order(request_id="ep_2")))
    judged = await confined.judge(asked)
    assert judged.decision == "rule_too_costly"
    assert judged.events
    looks = len(cloud.calls)
    assert await confined.judge(asked) == judged
    assert len(cloud.calls) == looks, "it was decided"
    assert (await other).decision in ("confirmed", "denied")


async def test_judging_that_took_the_process_along_is_given_up(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.record("1001", stopped())
    asked = order()
    for _ in range(judging.settings.begun_allowed):
        # What a process that was killed in the middle leaves behind.
        await judging.database.run(
            lambda tx: repository.begin(tx, asked.request_id, datetime.now(UTC))
        )
    judged = await judging.judge(asked)
    assert judged.decision == "rule_too_costly"
    assert "took the process along" in judged.reason
    assert await judging.judge(asked) == judged
    assert (await judging.judge(order(request_id="ep_2"))).decision == "confirmed"


async def test_a_judgement_that_ends_in_order_counts_for_nothing(
    judging: Judging, cloud: MemoryCloud
) -> None:
    cloud.fail("events")
    for _ in range(judging.settings.begun_allowed + 1):
        with pytest.raises(ProofwalkError):
            await judging.judge(order())
    cloud.failures.clear()
    cloud.record("1001", stopped())
    assert (await judging.judge(order())).decision == "confirmed"


async def test_begun_judgements_are_counted_and_forgotten(database: Database) -> None:
    await migrate(database, "proofwalk.reward_service")
    counted = [await database.run(lambda tx: repository.begin(tx, "r", START)) for _ in range(3)]
    assert counted == [1, 2, 3]
    assert await database.run(lambda tx: repository.begin(tx, "other", START)) == 1
    await database.run(lambda tx: repository.ended(tx, "other"))
    assert await database.run(lambda tx: repository.begin(tx, "other", START)) == 1
    await database.run(lambda tx: repository.drop_before(tx, START + timedelta(seconds=1)))
    assert await database.run(lambda tx: repository.begin(tx, "r", START)) == 1
