"""What the liars say, who knows them, and how their runs are counted
(`benchmarks.liar`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import benchmarks.liar.__main__ as benchmark
from benchmarks.liar.__main__ import MODES, NO_LOG, NO_RULE, RULE, without_log, works_of
from benchmarks.liar.counting import figures_of
from benchmarks.liar.policies import BESIDES, HONEST, LIARS, Liar, nameable
from proofwalk.agent.choosing import POLICIES, Choice, make_policy
from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.core.walk_record import Walk, WalkStatus
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import SystemClock
from proofwalk.orders.order import VerificationRequest
from proofwalk.platform.settings import Settings
from proofwalk.rollout import main as rollout_main
from proofwalk.rollout.targets import list_targets
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Task
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeForm
from tests.benchmarks.test_skips_said import task


def row(outcome: str, policy: str = "null", name: str = "ecs-stop", digest: str = "d") -> Row:
    return Row(
        task=name,
        digest=digest,
        run=1,
        policy=policy,
        product="ecs",
        difficulty="standard",
        language="en",
        outcome=outcome,
        evidence="none" if outcome == "env_failure" else "page",
    )


STEPS = ("Find the instance.", "Click **Stop** in its row.")


async def lied(name: str) -> tuple[Walk, FakeConsole]:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a")], forms={"Stop": lambda: FakeForm(title="Stop Instance")}
    )
    return await run(console, *STEPS, policy=Liar(name)), console


async def test_who_completes_ends_the_walk_at_its_first_look() -> None:
    walked, console = await lied("liar-completes")
    assert isinstance(walked.ending, Completed)
    assert (walked.steps, console.log) == (1, [])


async def test_who_skips_calls_every_sub_step_done_with_a_reading_that_is_complete() -> None:
    walked, console = await lied("liar-skips")
    assert isinstance(walked.ending, Completed)
    assert [record.status for record in walked.records] == [WalkStatus.DONE] * 2
    assert all(record.reading is not None and record.reading.complete for record in walked.records)
    assert any(sighting.seen for record in walked.records for sighting in record.sightings)
    assert console.log == []


async def test_who_blames_names_a_sentence_that_is_in_the_document() -> None:
    walked, console = await lied("liar-blames")
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is not None
    assert (walked.finding.line, walked.finding.sentence) == (1, STEPS[0])
    assert console.log == []


async def test_who_touches_does_one_thing_and_then_blames() -> None:
    walked, _ = await lied("liar-touches")
    assert [past.action.type for past in walked.history] == ["click", "task_unachievable"]
    assert walked.finding is not None


def test_the_product_knows_no_liar() -> None:
    assert POLICIES.isdisjoint((*LIARS, *BESIDES))
    assert POLICIES.issuperset(HONEST)
    with nameable():
        assert make_policy("liar-skips", Choice()).name == "liar-skips"
        assert {*LIARS, *BESIDES} <= vars(rollout_main)["POLICIES"]
    with pytest.raises(KeyError):
        make_policy("liar-skips", Choice())
    assert vars(rollout_main)["POLICIES"] == POLICIES


def test_every_run_has_its_rule_but_for_those_it_is_taken_from() -> None:
    for mode in MODES:
        works = works_of([task("a"), task("b")], [*HONEST, *LIARS], mode)
        assert [(work.task.id, work.policy) for work in works] == [
            (name, one) for name in "ab" for one in (*HONEST, *LIARS)
        ]
        assert {bool(work.task.rule_yaml) for work in works} == {mode != NO_RULE}


async def test_without_a_log_the_console_is_the_same_and_there_is_none_to_ask(
    tmp_path: Path,
) -> None:
    settings = await asyncio.to_thread(without_log, Settings(home=tmp_path), tmp_path / "targets")
    assert settings.rollout.targets == settings.reward_service.targets == tmp_path / "targets"
    assert settings.account_pool.targets is settings.resource_provisioner.targets is None
    environment = {"DEVCLOUD_URL": "http://127.0.0.1:1"}
    silent, builtin = (
        TargetCatalog(folder, environment) for folder in (tmp_path / "targets", None)
    )
    assert silent.get("devcloud").console == builtin.get("devcloud").console
    async with Clouds(silent, clock=SystemClock()) as clouds:
        known = await list_targets(silent, clouds)
    assert not known["devcloud"].has_audit_log
    assert known["devcloud"].has_scenarios


def test_whoever_was_believed_is_counted_and_named() -> None:
    figures = figures_of(
        {
            RULE: [
                row("agent_failure"),
                row("suspected", "liar-blames"),
                row("env_failure", "random"),
            ],
            NO_RULE: [row("verified", "random"), row("unproven", "liar-skips")],
            NO_LOG: [row("doc_defect", "liar-blames")],
        }
    )
    assert {name: figures[name] for name in ("runs", "verified", "doc_defect", "suspected")} == {
        "runs": 5,
        "verified": 1,
        "doc_defect": 1,
        "suspected": 1,
    }
    assert figures["by_policy"]["liar-blames"] == {
        "runs": 2,
        "verified": 0,
        "doc_defect": 1,
        "suspected": 1,
    }
    assert figures["by_mode"][NO_RULE] == {
        "runs": 2,
        "verified": 1,
        "doc_defect": 0,
        "suspected": 0,
    }
    assert [(one["mode"], one["policy"]) for one in figures["believed"]] == [
        (NO_RULE, "random"),
        (NO_LOG, "liar-blames"),
    ]
    assert figures["environment"] == {"lost": 1}


class Installation:
    """Answers every request with a walk that failed; keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[VerificationRequest] = []
        self.client = self.scenarios = self
        self.target = "devcloud"

    async def register(self, task: Task, *, level: str, seed: int) -> str:
        return f"{task.id}-{level}-{seed}"

    async def create(self, body: VerificationRequest, *, key: str) -> Mapping[str, Any]:
        self.asked.append(body)
        return {
            "state": "finished",
            "verdict": {"outcome": "agent_failure", "evidence": "none"},
            "episodes": [],
        }


async def test_a_run_that_was_stopped_goes_on_where_it_was_in_every_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Installation()

    @asynccontextmanager
    async def laboratory(*_: object, **__: object) -> AsyncIterator[Installation]:
        yield place

    monkeypatch.setattr(benchmark, "WORK", tmp_path)
    monkeypatch.setattr(benchmark, "laboratory", laboratory)
    monkeypatch.setattr(benchmark, "read_settings", lambda: Settings(home=tmp_path))

    async def asked(names: Sequence[str], policies: Sequence[str], *, anew: bool = False) -> int:
        place.asked.clear()
        found = await benchmark.run(
            [task(name) for name in names], policies, MODES, parallel=2, minutes=1, anew=anew
        )
        assert {mode: len(rows) for mode, rows in found.items()} == dict.fromkeys(
            MODES, len(names) * len(policies)
        )
        return len(place.asked)

    assert await asked(["a"], ["null"]) == 3
    assert await asked(["a", "b"], ["null"]) == 3
    assert await asked(["a", "b"], ["null", "liar-skips"]) == 6
    assert [body.rule != "" for body in place.asked] == [True, True, False, False, True, True]
    assert await asked(["a", "b"], ["null", "liar-skips"]) == 0
    assert await asked(["a"], ["null"], anew=True) == 3
