"""Which tasks are drawn, how groups are named, and what episodes earn."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import CAUSES, EVIDENCE, OUTCOMES
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import EnvCause, Evidence, OutcomeKind
from proofwalk.kernel.reward import value_of
from proofwalk.suites.model import Defect, Difficulty, Scenario, Suite, Task
from proofwalk.trainer.group_tasks import (
    ID_CHARS,
    as_outcomes,
    asked,
    drawn,
    group_id,
    informative,
    named,
    promising,
    reward_of_member,
)

TASK = Task(
    id="stop-1",
    suite="train",
    family="stop",
    product="ecs",
    difficulty=Difficulty.STANDARD,
    document_name="stop-1.md",
    media_type="text/markdown",
    document="# Stop\n\n1. Click **Stop**.\n",
    meta_yaml="meta: 1",
    rule_yaml="rule: 1",
    script_yaml="- []\n",
)
PLANTED = replace(TASK, expected=Defect(kind="renamed", sentence="Click **Stop**.", line=3))
CHINESE = replace(TASK, id="stop-2", language="zh")
PATCHED = replace(TASK, id="stop-3", scenario=Scenario(patches=({"op": "rename"},)))


@given(st.integers(1, 30), st.data(), st.integers(0, 3))
def test_no_task_comes_again_before_all_had_their_turn(
    count: int, data: st.DataObject, seed: int
) -> None:
    tasks = [f"task-{number}" for number in range(count)]
    per_step = data.draw(st.integers(1, count))
    steps = [drawn(tasks, per_step=per_step, seed=seed, step=step) for step in range(12)]
    turns: Counter[str] = Counter()
    for step in steps:
        assert len(set(step)) == per_step
        turns.update(step)
        # At any time two orders are under way at most.
        assert max(turns.values()) - min(turns[task] for task in tasks) <= 2
    whole = (12 * per_step) // count
    assert min(turns[task] for task in tasks) >= whole - 1
    row = [task for step in steps for task in step]
    assert set(row[:count]) == set(tasks) or len(row) < count or count % per_step


@given(st.integers(0, 30), st.integers(0, 30), st.integers(2, 16))
def test_how_likely_a_group_tells_something_is_the_integral_over_what_its_task_may_be(
    right: int, wrong: int, group: int
) -> None:
    steps = 4000
    grid = [(number + 0.5) / steps for number in range(steps)]
    weights = [p**right * (1 - p) ** wrong for p in grid]
    by_hand = sum(
        w * (1 - p**group - (1 - p) ** group) for p, w in zip(grid, weights, strict=True)
    ) / sum(weights)
    assert informative(right, wrong, group) == pytest.approx(by_hand, abs=2e-3)
    assert informative(right, wrong, group) == pytest.approx(informative(wrong, right, group))


def test_tasks_that_are_neither_hopeless_nor_sure_are_drawn_more_often() -> None:
    told = {"hopeless": (0, 24), "even": (12, 12), "sure": (24, 0)}
    tasks = ("hopeless", "even", "sure", "unknown")
    steps = [promising(tasks, told, group=6, per_step=2, seed=1, step=step) for step in range(400)]
    turns = Counter(task for step in steps for task in step)
    assert all(len(set(step)) == 2 for step in steps)
    assert min(turns["even"], turns["unknown"]) > 2 * max(turns["hopeless"], turns["sure"])
    assert min(turns.values()) > 20, "what was hopeless may not be so for ever"
    assert promising(tasks, told, group=6, per_step=2, seed=1, step=7) == steps[7]
    with pytest.raises(ProofwalkError) as caught:
        promising(tasks, told, group=6, per_step=5, seed=1, step=0)
    assert caught.value.code == "trainer.too_few_tasks"


def test_tasks_follow_from_seed_and_step() -> None:
    tasks = [f"task-{number}" for number in range(9)]
    there = [drawn(tasks, per_step=4, seed=1, step=step) for step in range(6)]
    assert [drawn(tasks, per_step=4, seed=1, step=step) for step in reversed(range(6))] == there[
        ::-1
    ]
    assert [drawn(tasks, per_step=4, seed=2, step=step) for step in range(6)] != there
    with pytest.raises(ProofwalkError) as caught:
        drawn(tasks, per_step=10, seed=1, step=0)
    assert caught.value.code == "trainer.too_few_tasks"


def test_a_group_is_named_after_run_step_and_task_and_cut_where_that_is_too_long() -> None:
    assert group_id("run_1", "12", "ecs-stop-01") == "run_1.12.ecs-stop-01"
    names = {group_id("run_" + "x" * 80, str(step), "ecs-stop-01") for step in range(50)}
    names |= {group_id("a run: äöü", "3", f"task {number}") for number in range(50)}
    assert len(names) == 100
    assert all(
        len(name) <= ID_CHARS and re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name)
        for name in names
    )


def test_a_group_walks_what_a_bench_would() -> None:
    request = asked(
        TASK, target="devcloud", policy="llm", scenario="storm-1", principal="trainer:run_1"
    )
    assert (request.document.content, request.document.name) == (
        TASK.document.encode(),
        "stop-1.md",
    )
    assert (request.target, request.policy, request.attempts, request.scenario) == (
        "devcloud",
        "llm",
        1,
        "storm-1",
    )
    assert (request.meta_yaml, request.rule_yaml, request.script_yaml) == ("meta: 1", "rule: 1", "")
    assert (
        asked(TASK, target="devcloud", policy="scripted", scenario="", principal="").script_yaml
        == "- []\n"
    )


def test_tasks_for_another_console_are_refused_by_name_and_left_out_of_all() -> None:
    suite = Suite(id="train", version=1, seed=0, tasks=(TASK, CHINESE, PATCHED))
    assert list(named(suite, ())) == ["stop-1"]
    assert list(named(suite, ("stop-3", "stop-1"), scenario_of=lambda task: f"s-{task.id}")) == [
        "stop-3",
        "stop-1",
    ]
    for ids, code in (
        (("stop-2",), "trainer.scenario_missing"),
        (("stop-3",), "trainer.scenario_missing"),
        (("nothing",), "trainer.task_unknown"),
    ):
        with pytest.raises(ProofwalkError) as caught:
            named(suite, ids)
        assert caught.value.code == code
    with pytest.raises(ProofwalkError) as caught:
        named(replace(suite, tasks=(CHINESE,)), ())
    assert caught.value.code == "trainer.no_tasks"


def ended(outcome: str, cause: str = "") -> pb.GroupMember:
    return pb.GroupMember(
        outcome=OUTCOMES.to_pb(OutcomeKind(outcome)),
        cause=CAUSES.to_pb(EnvCause(cause) if cause else None),
    )


RIGHT = common.Finding(
    file="stop-1.md", line=3, sentence="Click **Stop**.", kind="FINDING_KIND_RENAMED"
)


@pytest.mark.parametrize(
    ("task", "outcome", "cause", "finding", "reward"),
    [
        (TASK, "verified", "", None, 1.0),
        (TASK, "unproven", "", None, None),
        (PLANTED, "unproven", "", None, None),
        (TASK, "agent_failure", "", None, 0.0),
        (TASK, "env_failure", "sandbox", None, None),
        (TASK, "env_failure", "audit_late", None, None),
        (TASK, "judge_split", "", None, None),
        (TASK, "cancelled", "", None, None),
        (TASK, "doc_defect", "", RIGHT, 0.0),
        (PLANTED, "doc_defect", "", RIGHT, 1.0),
        (
            PLANTED,
            "doc_defect",
            "",
            common.Finding(line=9, sentence="Something else.", kind="FINDING_KIND_RENAMED"),
            0.0,
        ),
        (
            PLANTED,
            "doc_defect",
            "",
            common.Finding(line=3, sentence="Click **Stop**.", kind="FINDING_KIND_WRONG_OUTCOME"),
            0.0,
        ),
        (PLANTED, "verified", "", None, 0.0),
        (PLANTED, "env_failure", "model", None, None),
    ],
)
def test_episodes_earn_what_their_typed_outcome_says(
    task: Task, outcome: str, cause: str, finding: common.Finding | None, reward: float | None
) -> None:
    member = ended(outcome, cause)
    if finding is not None:
        member.finding.CopyFrom(finding)
    assert value_of(reward_of_member(task, member)) == reward, (
        "kept before members said what they rest on"
    )
    rungs = {"verified": common.EVIDENCE_AUDIT, "doc_defect": common.EVIDENCE_PAGE}
    member.evidence = rungs.get(outcome, common.EVIDENCE_NONE)
    assert value_of(reward_of_member(task, member)) == reward


@pytest.mark.parametrize(
    ("evidence", "reward"), [("audit", 1.0), ("judges", 1.0), ("page", None), ("none", None)]
)
def test_training_takes_the_log_and_agreeing_judges_alone(
    evidence: str, reward: float | None
) -> None:
    member = pb.GroupMember(outcome="OUTCOME_VERIFIED", evidence=EVIDENCE.to_pb(Evidence(evidence)))
    assert value_of(reward_of_member(TASK, member)) == reward


@pytest.mark.parametrize(
    ("task", "outcome", "seen", "reward"),
    [
        (TASK, "verified", (2, 0, 0), 1.0),
        (TASK, "agent_failure", (1, 1, 0), 0.5),
        (TASK, "agent_failure", (2, 0, 2), 0.5),
        (TASK, "agent_failure", (0, 2, 1), 0.0),
        (TASK, "agent_failure", (2, 0, 0), 0.0),
        (TASK, "agent_failure", (0, 0, 0), 0.0),
        (TASK, "doc_defect", (1, 1, 0), 0.0),
        (TASK, "env_failure", (1, 1, 0), None),
        (PLANTED, "verified", (2, 0, 0), 0.0),
        (PLANTED, "agent_failure", (1, 1, 0), 0.5),
    ],
)
def test_half_a_rule_is_half_a_reward_with_partial_credit(
    task: Task, outcome: str, seen: tuple[int, int, int], reward: float | None
) -> None:
    met, missing, forbidden = seen
    cause = "sandbox" if outcome == "env_failure" else ""
    member = ended(outcome, cause)
    member.met, member.missing, member.forbidden = met, missing, forbidden
    assert value_of(reward_of_member(task, member, shaped="partial_credit")) == reward
    if outcome == "agent_failure":
        assert value_of(reward_of_member(task, member)) == 0.0


def test_a_walk_whose_rule_is_partly_met_earns_its_tier() -> None:
    member = ended("agent_failure")
    assert value_of(reward_of_member(TASK, member, shaped="tiers")) == 0.0
    member.completed = True
    assert value_of(reward_of_member(TASK, member, shaped="tiers")) == 0.1
    member.met, member.missing = 1, 1
    assert value_of(reward_of_member(TASK, member, shaped="tiers")) == 0.3


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=20))
def test_rewards_promise_what_successes_that_vary_alike_would(rewards: list[float]) -> None:
    rarer, other = as_outcomes(rewards)
    assert rarer + other == len(rewards)
    if rewards:
        mean = sum(rewards) / len(rewards)
        variance = sum((reward - mean) ** 2 for reward in rewards) / len(rewards)
        assert rarer * other == pytest.approx(variance * len(rewards) ** 2, abs=1e-6)
    if 0.5 not in rewards:
        assert (rarer, other) == pytest.approx(
            tuple(sorted((rewards.count(0.0), rewards.count(1.0)))), abs=1e-6
        )


def test_where_all_earn_a_half_nothing_is_told() -> None:
    assert as_outcomes([0.5] * 8) == (0.0, 8.0)


UNKNOWN = [
    pb.GroupMember(outcome=99),  # type: ignore[arg-type]  # of a later release
    pb.GroupMember(),
    ended("verified", "sandbox"),
    ended("env_failure"),
    pb.GroupMember(outcome="OUTCOME_ENV_FAILURE", cause=99),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("member", UNKNOWN, ids=range(len(UNKNOWN)))
def test_an_outcome_that_nobody_knows_is_an_error_and_no_reward(member: pb.GroupMember) -> None:
    with pytest.raises(ProofwalkError) as caught:
        reward_of_member(TASK, member)
    assert caught.value.code == "trainer.outcome_unknown"
