"""The modes of `make bench-determinism` with a platform in memory, and what stands for
META's outputs in a world without it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from benchmarks.determinism import counting
from benchmarks.determinism.__main__ import SUITE, cases_of, told_before
from benchmarks.determinism.counting import figures_of, outcome_of
from benchmarks.determinism.names import Name, bound, names_of
from benchmarks.determinism.plans import confirmed, on_request, with_meta, without_meta
from benchmarks.determinism.sayings import said_of
from benchmarks.determinism.turns import Turns
from benchmarks.determinism.walking import Case, Mode, Walking, side_by_side
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.cli.author import world_of_devcloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import Decision
from proofwalk.orders.order import VerificationRequest
from proofwalk.platform.judging import decision_of
from proofwalk.platform.laboratory import Laboratory
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.recording import Recording
from proofwalk.suites.storage import load_suite

TASK = "ecs-release-attached-disk"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(SUITE)


@pytest.fixture(scope="module")
def kinds() -> Mapping[str, str]:
    return {pair.type.name: kind for kind, pair in world_of_devcloud().pairs.items()}


@pytest.fixture(scope="module")
def task(suite: Suite) -> Task:
    chosen = suite.task(TASK)
    assert chosen is not None
    return chosen


def disk(number: int, state: str = "In_use") -> ResourceRef:
    return ResourceRef(
        product="ecs",
        type="disk",
        id=f"d-{number}",
        name=f"disk-{number}",
        state=state,
        attributes={"created": f"2026-11-27T10:00:0{number}Z"},
    )


def test_every_task_can_be_asked_for_without_its_record(
    suite: Suite, kinds: Mapping[str, str]
) -> None:
    for task in suite.tasks:
        names = names_of(task, kinds)
        assert task.recording is not None
        bare, asking = without_meta(task, names, {}), on_request(task, names, {})
        for plan in (bare, asking):
            assert not plan.task.meta_yaml
            assert not parse_rule(plan.task.rule_yaml).meta_names
            assert parse_script(plan.task.script_yaml, outputs={}).entries
        if names:
            assert bare.lacks
            assert decision_of(parse_rule(bare.task.rule_yaml), task.recording) is Decision.DENIED
            rule = parse_rule(asking.task.rule_yaml)
            assert decision_of(rule, task.recording) is Decision.CONFIRMED
            assert confirmed(asking, task.recording, task.recording.outputs)
            strange = dict.fromkeys(task.recording.outputs, "strange")
            assert not confirmed(asking, task.recording, strange)
            assert not confirmed(asking, task.recording, {})


def test_the_newest_thing_in_the_state_of_the_record_stands_for_a_name(
    task: Task, kinds: Mapping[str, str]
) -> None:
    names = names_of(task, kinds)
    assert {name.kind for name in names} == {"ecs.disk"}
    there = [disk(1), disk(2), disk(3, state="Available")]
    assert bound(names, there) == {"data_id": "d-2", "data_name": "disk-2"}
    assert bound(names, there[2:]) == {"data_id": "d-3", "data_name": "disk-3"}
    assert bound(names, []) == {}


def test_what_the_inventory_calls_by_its_id_is_called_so() -> None:
    domain = ResourceRef(product="dns", type="domain", id="example.com", name="a remark")
    name = Name(output="site_name", kind="dns.domain", state="Normal", take="id")
    assert name.of([domain]) == "example.com"


def test_names_that_are_there_stand_in_script_and_rule(
    task: Task, kinds: Mapping[str, str]
) -> None:
    plan = without_meta(task, names_of(task, kinds), {"data_id": "d-2", "data_name": "disk-2"})
    assert "disk-2" in plan.task.script_yaml
    assert "d-2" in plan.task.rule_yaml
    assert plan.lacks == ()


def test_what_stands_on_other_things_is_asked_for_first(
    suite: Suite, kinds: Mapping[str, str]
) -> None:
    for task in suite.tasks:
        asked = [name.kind for name in names_of(task, kinds)]
        if "vpc.vpc" in asked and "vpc.vswitch" in asked:
            assert asked.index("vpc.vswitch") < asked.index("vpc.vpc")
    disk_task = suite.task(TASK)
    assert disk_task is not None
    plan = on_request(disk_task, names_of(disk_task, kinds), {"ecs.disk": {"Zone": "h"}})
    need = yaml.safe_load(plan.task.script_yaml)[0][0]
    assert need["need"].startswith("an in use ECS disk, because the document needs: A data")
    assert (need["resource"], need["values"]) == ("disk", {"Zone": "h"})


@pytest.mark.parametrize(
    ("description", "kind", "says"),
    [
        ("A running subscription ECS instance", "ecs.instance", {"Billing Method": "Subscription"}),
        ("An alert contact; a basic security group; a VPC", "vpc.vpc", {}),
        ("A VPC; a vSwitch in Zone H", "ecs.instance", {}),
        (
            "A domain name; a running instance of the standard architecture",
            "redis.instance",
            {"Architecture": "Standard"},
        ),
        (
            "A data disk; a running RDS instance for which release protection is enabled",
            "rds.instance",
            {"Release Protection": "true"},
        ),
    ],
)
def test_a_request_says_what_the_record_says_of_the_thing(
    description: str, kind: str, says: dict[str, str]
) -> None:
    catalogue = world_of_devcloud().catalogue
    assert said_of(catalogue.kinds[kind], description, catalogue) == says


def test_the_same_seed_draws_the_same_cases(suite: Suite) -> None:
    first, again = (cases_of(suite, sample=12, seed=3) for _ in range(2))
    assert [case.task.id for case in first] == [case.task.id for case in again]
    assert sum(case.gap for case in first) == 3
    assert len(cases_of(suite, sample=0, seed=3)) == len(suite.tasks)


class FakePlace:
    """Accounts, and verifications that succeed with META or with what is there."""

    target = "devcloud"

    def __init__(self, *, accounts: int, recording: Recording | None = None) -> None:
        self.client = self.scenarios = self.accounts = self
        self.held: dict[str, list[ResourceRef]] = {f"acc{one}": [] for one in range(accounts)}
        self.recorded = recording
        self.made: list[JsonObject] = []
        """On request; empty: nothing can be made."""
        self.asked: list[VerificationRequest] = []
        self.leaves: list[ResourceRef] = []
        """What each walk leaves in the first account."""

    async def register(self, task: Task, *, level: str, seed: int) -> str:
        return "calm"

    async def holdings(self) -> Mapping[str, Sequence[ResourceRef]]:
        return {name: list(resources) for name, resources in self.held.items()}

    async def create(self, request: VerificationRequest, *, key: str) -> Any:
        self.asked.append(request)
        self.held["acc0"] += self.leaves
        absent = "absent-" in request.script
        made = "need:" not in request.script or self.made
        outcome = "verified" if made and not absent else "agent_failure"
        return {
            "verification_id": f"ver_{len(self.asked)}",
            "state": "finished",
            "verdict": {"outcome": outcome, "code": "", "reason": "", "seconds": 2.0},
            "episodes": [{"episode_id": "epi", "steps": 3}],
        }

    async def events(self, verification_id: str) -> list[dict[str, Any]]:
        if not self.made:
            return []
        data = {"report": "Provisioned on request", "resources": self.made}
        return [{"type": "on_demand_provisioned", "data": data}]

    async def recording(self, episode_id: str) -> Recording | None:
        return self.recorded


def walking(place: FakePlace) -> Walking:
    return Walking(
        place=cast(Laboratory, place), ids=RandomIds(SystemClock()), say=lambda text: None
    )


def case(task: Task, kinds: Mapping[str, str], *, gap: bool = False) -> Case:
    return Case(task=task, names=names_of(task, kinds), sayings={}, gap=gap)


async def test_without_meta_the_walk_fails_for_want_of_things(
    task: Task, kinds: Mapping[str, str]
) -> None:
    place = FakePlace(accounts=2)
    done = await walking(place).in_parallel(Mode.EMPTY, [case(task, kinds)], parallel=2)
    assert not place.asked[0].meta
    figures = figures_of(done)
    assert figures["outcomes"] == {"precondition": 1}
    assert (figures["success"]["count"], figures["dirty"]) == (0, 0)


async def test_the_gap_is_the_same_with_and_without_requests(
    task: Task, kinds: Mapping[str, str]
) -> None:
    assert task.recording is not None
    other = replace(task, id="another")
    cases = [case(task, kinds, gap=True), case(other, kinds)]
    place = FakePlace(accounts=2, recording=task.recording)
    done = figures_of(await walking(place).in_parallel(Mode.META, cases, parallel=1))
    assert done["with_record"]["count"] == done["with_record"]["n"] == 1
    assert done["without_record"] | {"low": 0, "high": 0} == {
        "n": 1, "value": 0.0, "count": 0, "low": 0, "high": 0,
    }  # fmt: skip
    disk_id, name = task.recording.outputs["data_id"], task.recording.outputs["data_name"]
    place.made = [{"product": "ecs", "type": "disk", "id": disk_id, "name": name}]
    done = figures_of(await walking(place).in_parallel(Mode.ON_DEMAND, cases, parallel=1))
    assert (done["success"]["count"], done["asked"], done["met"]) == (2, 1, 1)
    place.made = [{"product": "ecs", "type": "disk", "id": "d-other", "name": "other"}]
    done = figures_of(await walking(place).in_parallel(Mode.ON_DEMAND, cases, parallel=1))
    assert done["outcomes"] == {"verified": 1, "rule": 1}
    assert [failure["outcome"] for failure in done["failures"]] == ["rule"]
    place.made = []
    done = figures_of(await walking(place).in_parallel(Mode.ON_DEMAND, cases, parallel=1))
    assert done["outcomes"] == {"verified": 1, "precondition": 1}
    assert (done["asked"], done["met"]) == (1, 0)


async def test_a_shared_account_is_taken_as_the_last_task_left_it(
    task: Task, kinds: Mapping[str, str], tmp_path: Path
) -> None:
    place = FakePlace(accounts=1)
    place.leaves = [disk(4)]
    cases = [case(task, kinds), case(replace(task, id="another"), kinds)]
    done = await walking(place).in_turn(cases, Turns(tmp_path / "turns.jsonl"))
    assert [outcome_of(row) for row in done.rows] == ["precondition", "verified"]
    assert "disk-4" in place.asked[1].script
    assert figures_of(done)["left"] == {"ecs.disk": 2}


async def test_walks_in_turn_go_on_where_a_run_was_stopped(
    task: Task, kinds: Mapping[str, str], tmp_path: Path
) -> None:
    place, path = FakePlace(accounts=1), tmp_path / "turns.jsonl"
    place.leaves = [disk(4)]
    first, second = case(task, kinds), case(replace(task, id="another"), kinds)
    before = await walking(place).in_turn([first], Turns(path))
    again = Turns(path)
    assert 0 < again.seconds <= before.seconds
    done = await walking(place).in_turn([first, second], again)
    assert len(place.asked) == 2
    assert [outcome_of(row) for row in done.rows] == ["precondition", "verified"]
    assert done.seconds > again.seconds
    assert figures_of(done)["left"] == {"ecs.disk": 2}, "beyond what it held at the very first"


async def test_shares_on_accounts_of_their_own_are_one_mode(
    task: Task, kinds: Mapping[str, str], tmp_path: Path
) -> None:
    parts = []
    for number in range(2):
        place = FakePlace(accounts=1)
        place.leaves = [disk(4)]
        turns = Turns(tmp_path / f"{number}.turns.jsonl")
        share = [case(replace(task, id=f"{number} {step}"), kinds) for step in range(2)]
        parts.append(await walking(place).in_turn(share, turns))
    done = side_by_side(parts)
    figures = figures_of(done)
    assert (figures["n"], figures["parallel"], figures["left"]) == (4, 2, {"ecs.disk": 4})
    assert done.seconds == max(part.seconds for part in parts)
    assert figures["outcomes"] == {"precondition": 2, "verified": 2}


def test_what_the_environment_fails_is_told_as_that() -> None:
    row = Row(
        task="a", digest="d", run=1, policy="scripted", product="ecs", difficulty="standard",
        language="en", outcome="env_failure", cause="sandbox", extra={"lacks": ["data_id"]},
    )  # fmt: skip
    assert outcome_of(row) == "env_failure: sandbox"
    assert outcome_of(replace(row, outcome="agent_failure")) == "precondition"


async def test_a_mode_that_was_kept_is_read_again(
    task: Task, kinds: Mapping[str, str], tmp_path: Path
) -> None:
    turns = Turns(tmp_path / "turns.jsonl")
    done = await walking(FakePlace(accounts=1)).in_turn([case(task, kinds)], turns)
    journal = tmp_path / f"{'a' * 40}.24.1.4.jsonl"
    assert counting.read(journal) == {}
    counting.keep(journal, done)
    assert figures_of(counting.read(journal)[Mode.SHARED]) == {
        **figures_of(done),
        "commit": "a" * 40,
    }


def test_modes_that_are_not_walked_stay_as_the_result_has_them(tmp_path: Path) -> None:
    result = tmp_path / "determinism.json"
    sample: JsonObject = {"tasks": 278, "seed": 24, "gap": 69, "n": 278}
    assert told_before(result, sample) == {}
    modes = {str(mode): {"n": 278} for mode in Mode}
    figures = {"tasks": 278, "seed": 24, "gap": 69, **modes}
    result.write_text(json.dumps({"n": 278, "figures": figures}), encoding="utf-8")
    assert told_before(result, sample) == modes
    assert told_before(result, {**sample, "n": 24}) == {}, "other tasks tell nothing of these"
    assert told_before(result, {**sample, "seed": 25}) == {}


def test_a_record_goes_as_it_is(task: Task) -> None:
    assert with_meta(task).task is task
