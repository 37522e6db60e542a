"""The bench: journals that survive kills, retries of the environment, what a proof
calls a failure, and the page of a result."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import httpx2
import pytest

from proofwalk.experiments.bench import page, proof
from proofwalk.experiments.bench.journal import Journal, key_of
from proofwalk.experiments.bench.running import Work, run_all
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.ids import SeededIds
from proofwalk.orders.order import VerificationRequest
from proofwalk.platform.judging import judging
from proofwalk.platform.laboratory import TARGET, Laboratory, Scenarios
from proofwalk.suites.counting.results import drift_figures_of, figures_of
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Difficulty, Scenario, Task
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.sharpness import sharpness_of
from tests.suites.test_results import ROWS, WRONG, row
from tests.suites.test_results import task as drift_task

RUN = {"suite": "s", "policy": "literal"}
RULE = """
id: stop
version: 1
delta_s: 5
all:
  - {service: Ecs, event: StopInstance, where: [[request.InstanceId, eq, $meta.instance_id]]}
none:
  - {service: Ecs, event: DeleteInstance}
"""


def task(name: str = "ecs-stop", **more: Any) -> Task:
    fields: dict[str, Any] = {
        "suite": "s",
        "family": name,
        "product": "ecs",
        "difficulty": Difficulty.STANDARD,
        "document_name": f"{name}.md",
        "media_type": "text/markdown",
        "document": "1. Click **Stop**.",
        "meta_yaml": "m",
        "rule_yaml": RULE,
        "script_yaml": "- []",
    }
    return Task(id=name, **{**fields, **more})


def verification(outcome: str = "verified", **verdict: Any) -> dict[str, Any]:
    told = {
        "outcome": outcome,
        "cause": "",
        "code": "",
        "reason": "r",
        "seconds": 1.0,
        "cost": 0.0,
        **verdict,
    }
    return {
        "verification_id": "v",
        "state": "finished",
        "verdict": told,
        "episodes": [{"episode_id": "ep", "steps": 3}],
    }


class FakeClient:
    """Answers each request with the next of the given ends."""

    def __init__(self, *ends: dict[str, Any] | Exception) -> None:
        self.ends = deque(ends)
        self.bodies: list[VerificationRequest] = []

    async def create(self, body: VerificationRequest, *, key: str) -> dict[str, Any]:
        self.bodies.append(body)
        end = self.ends.popleft() if self.ends else verification()
        if isinstance(end, Exception):
            raise end
        return end


class FakeScenarios:
    async def register(self, task: Task, *, level: str, seed: int) -> str:
        return f"{task.id}-{level}-{seed}"


def place(client: FakeClient) -> Laboratory:
    return cast(
        Laboratory, SimpleNamespace(client=client, scenarios=FakeScenarios(), target=TARGET)
    )


async def run(client: FakeClient, works: list[Work], journal: Journal) -> list[Row]:
    return await run_all(
        place(client),
        works,
        journal,
        parallel=2,
        ids=SeededIds(1),
        progress=lambda row, done, total: None,
    )


def work(name: str = "ecs-stop", **more: Any) -> Work:
    return Work(**{"task": task(name), "policy": "literal", "run": 1, "level": "calm", **more})


# journal


def test_a_journal_goes_on_after_a_kill_in_the_middle_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    first = Journal(path, run=RUN, resume=False)
    first.add(row("a", 1))
    first.add(row("b", 1))
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    again = Journal(path, run=RUN, resume=True)
    assert again.find(key_of(row("a", 1))) == row("a", 1)
    assert again.find(key_of(row("b", 1))) is None
    again.add(row("c", 1))
    third = Journal(path, run=RUN, resume=True)
    assert [one.task for one in third.rows(key_of(row(name, 1)) for name in "abc")] == ["a", "c"]


def test_a_journal_of_another_run_is_refused_and_of_another_task_ignored(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    Journal(path, run=RUN, resume=False).add(row("a", 1))
    with pytest.raises(ProofwalkError) as caught:
        Journal(path, run={**RUN, "level": "storm"}, resume=True)
    assert caught.value.code == "bench.other_run"
    assert Journal(path, run=RUN, resume=True).find(key_of(row("a", 1, digest="changed"))) is None
    assert Journal(path, run=RUN, resume=False).find(key_of(row("a", 1))) is None


# running


async def test_an_environment_failure_is_tried_again_and_counted(tmp_path: Path) -> None:
    client = FakeClient(
        verification("env_failure", cause="sandbox"),
        unavailable("client.unreachable", "gone"),
        verification(),
    )
    (made,) = await run(client, [work()], Journal(tmp_path / "j", run=RUN, resume=False))
    assert (made.outcome, made.retried, len(client.bodies)) == ("verified", 2, 3)


async def test_what_the_environment_goes_on_failing_is_told_and_run_again_when_resumed(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path / "j", run=RUN, resume=False)
    (made,) = await run(
        FakeClient(*[verification("env_failure", cause="quota")] * 4), [work()], journal
    )
    assert (made.told, made.failure, made.retried) == (False, "env_failure: quota", 3)
    client = FakeClient()
    (made,) = await run(client, [work()], journal)
    assert (made.passed, len(client.bodies)) == (True, 1)
    await run(client, [work()], journal)
    assert len(client.bodies) == 1


async def test_a_refused_task_is_not_asked_again(tmp_path: Path) -> None:
    client = FakeClient(invalid("meta.invalid", "line 3"))
    (made,) = await run(client, [work()], Journal(tmp_path / "j", run=RUN, resume=False))
    assert (made.outcome, made.code, made.told, len(client.bodies)) == (
        "refused",
        "meta.invalid",
        False,
        1,
    )


async def test_only_the_oracle_is_given_the_script_and_every_policy_the_same_trouble(
    tmp_path: Path,
) -> None:
    client = FakeClient()
    works = [work(policy=policy, level="storm") for policy in ("scripted", "literal")] + [
        work(policy="literal", level="storm", run=2)
    ]
    await run(client, works, Journal(tmp_path / "j", run=RUN, resume=False))
    by_policy = {(body.policy, body.script) for body in client.bodies}
    assert by_policy == {("scripted", "- []"), ("literal", "")}
    scenarios = [body.scenario for body in client.bodies]
    assert len(set(scenarios)) == 2
    assert {body.account_purpose for body in client.bodies} == {"training"}


async def test_each_run_has_a_scenario_also_where_the_console_is_as_it_is() -> None:
    registered: list[dict[str, Any]] = []

    def admin(request: httpx2.Request) -> httpx2.Response:
        registered.append(json.loads(request.content))
        return httpx2.Response(200, json={})

    async with httpx2.AsyncClient(
        transport=httpx2.MockTransport(admin), base_url="http://devcloud.test"
    ) as http:
        seeds = [
            work(policy=policy, run=run).seed
            for policy, run in (("llm", 1), ("llm", 2), ("literal", 1))
        ]
        names = [
            await Scenarios(http).register(work().task, level="calm", seed=seed) for seed in seeds
        ]
    assert names[0] == names[2] != names[1]
    assert [(one["id"], one["level"], one["seed"]) for one in registered] == [
        (name, "calm", seed) for name, seed in zip(names, seeds, strict=True)
    ]


# proof

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
EVENT = AuditEvent(
    id="e1",
    time=START + timedelta(seconds=3),
    service="Ecs",
    name="StopInstance",
    kind="ConsoleOperation",
    write=True,
    ok=True,
    request={"InstanceId": "i-1"},
)
RECORDING = Recording(
    start=START, end=START + timedelta(seconds=10), outputs={"instance_id": "i-1"}, events=(EVENT,)
)


def test_a_sharp_rule_rejects_every_near_miss() -> None:
    found = sharpness_of(task().rule_yaml, RECORDING, judging)
    assert found.confirmed
    assert found.near_misses >= 6
    assert found.accepted == ()


def test_a_recording_outside_of_its_window_is_not_confirmed() -> None:
    late = replace(RECORDING, events=(replace(EVENT, time=START + timedelta(seconds=60)),))
    assert not sharpness_of(task().rule_yaml, late, judging).confirmed


def oracle(**more: Any) -> Row:
    given = {
        "policy": "scripted",
        "extra": {"confirmed": True, "near_misses": 5, "accepted": []},
        **more,
    }
    return row(given.pop("task", "a"), 1, **given)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([oracle()], ""),
        (
            [row("a", 1, "agent_failure", policy="scripted", code="walk.gave_up")],
            "the oracle ended with agent_failure: walk.gave_up",
        ),
        (
            [row("a", 1, "env_failure", policy="scripted", cause="quota")],
            "the oracle ended with env_failure",
        ),
        (
            [
                oracle(
                    extra={
                        "confirmed": True,
                        "near_misses": 5,
                        "accepted": ["all.0: it was refused"],
                    }
                )
            ],
            "confirms a near miss: all.0",
        ),
        (
            [oracle(extra={"confirmed": False, "near_misses": 5})],
            "does not confirm the oracle's recorded events",
        ),
        ([oracle(extra={"confirmed": True})], "no near miss"),
        ([oracle(), row("a", 1, policy="null")], "the policy 'null' was verified"),
        ([oracle(), row("a", 1, "agent_failure", policy="random", code="reward.denied")], ""),
        ([oracle(), row("a", 1, "env_failure", policy="null", cause="quota")], "could not be run"),
    ],
)
def test_what_a_proof_calls_a_failure(rows: list[Row], words: str) -> None:
    failures = proof.failures_of(rows)
    assert bool(failures) == bool(words)
    assert all(words in str(failure["what"]) for failure in failures)


def test_the_figures_of_a_proof() -> None:
    rows = [
        oracle(),
        oracle(task="b", extra={"confirmed": True, "near_misses": 4, "accepted": ["x"]}),
        row("a", 1, policy="random"),
    ]
    figures = proof.figures_of(rows, 2)
    assert (figures["oracle"], figures["null"], figures["random"]) == (2, 0, 1)
    assert (figures["null_runs"], figures["random_runs"]) == (0, 1)
    assert (figures["near_misses_rejected"], figures["near_misses"], figures["tasks"]) == (8, 9, 2)


# page


def result(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "suite": "s<1>",
        "policy": "literal",
        "level": "real",
        "runs": 3,
        "n": 2,
        "suite_version": 1,
        "commit": "abc",
        "taken_at": ManualClock().now().isoformat(),
        "machine": {"cpus": 2},
        "figures": json.loads(json.dumps(figures)),
    }


def test_the_page_needs_nothing_else_and_says_what_there_is() -> None:
    html = page.render(
        result(figures_of(ROWS, k=3)), [replace(one, reason="<script>x</script>") for one in ROWS]
    )
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")
    for svg in html.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + svg.split("</svg>")[0] + "</svg>")
    assert "s&lt;1&gt;" in html
    assert "33.3% ± 28.9%" in html
    alarms = figures_of(
        [row(f"t{n}", 1, "doc_defect" if n < 2 else "verified") for n in range(10)], k=1
    )
    assert "<b>20.0% (5.7% to 51.0%), 2 of 10 runs</b>" in page.render(result(alarms), [])


def test_the_page_of_an_earlier_release_says_nothing_of_false_alarms() -> None:
    figures = {
        name: value for name, value in figures_of(ROWS, k=3).items() if name != "false_alarms"
    }
    assert "false alarms" not in page.render(result(figures), ROWS)


def test_the_page_of_a_drift_suite() -> None:
    tasks = {"bad": drift_task("bad", WRONG), "good": drift_task("good")}
    html = page.render(
        result(drift_figures_of([row("bad", 1, "doc_defect"), row("good", 1)], tasks)),
        [row("bad", 1, "doc_defect"), row("good", 1)],
    )
    assert "right sentence" in html
    assert "Recall by kind" in html


def test_a_scenario_is_what_a_task_says() -> None:
    plain, chinese = task(), task("x", language="zh", scenario=Scenario(language="zh"))
    assert work(task=plain).seed == work(task=plain, policy="null").seed != work(task=chinese).seed
