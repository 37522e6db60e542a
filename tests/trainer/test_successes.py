"""Successes of earlier runs as what SFT learns from: which are drawn, and which runs
are refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import EVIDENCE, OUTCOMES
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Evidence, OutcomeKind
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.configuration import SuccessesConfig
from proofwalk.trainer.folder import Result, RunFolder
from proofwalk.trainer.group_store import Kept, RolloutStore
from proofwalk.trainer.learning import as_samples
from proofwalk.trainer.successes import Success, drawn_successes
from tests.inference import tiny
from tests.trainer.group_place import TASKS
from tests.trainer.run_folders import CLOCK, group_in, keep, model_in, run_in

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    write_suite(Suite(id="toy", version=1, seed=0, tasks=TASKS), folder)
    return folder


def drawn(*runs: RunFolder, per_task: int = 100, seed: int = 0) -> list[Success]:
    config = SuccessesConfig(runs=tuple(run.path for run in runs), per_task=per_task)
    return drawn_successes(config, seed=seed, clock=CLOCK)


def first_tokens(successes: Sequence[Success]) -> list[int]:
    return [attempt.completion[0] for one in successes for attempt in one.attempts]


@pytest.fixture
def run(tmp_path: Path, suite: Path) -> RunFolder:
    run = run_in(tmp_path / "phase-1", suite, model=model_in(tmp_path / "model"))
    keep(run, "00000000", "stop-0", [10, 11])
    keep(run, "00000000", "stop-0", [12], outcome=OutcomeKind.AGENT_FAILURE)
    keep(run, "00000007", "stop-0", [13])
    keep(run, "00000007", "stop-1", [14, 15])
    keep(run, "00000007", "stop-1", [16], outcome=OutcomeKind.ENV_FAILURE)
    keep(run, "v00000005", "stop-2", [17])
    return run


def test_the_steps_of_all_successes_come_with_their_tokens_and_no_validation(
    run: RunFolder,
) -> None:
    successes = drawn(run)
    assert first_tokens(successes) == [10, 11, 13, 14, 15]
    sample, _ = as_samples(successes[0])
    assert sample.prompt == (1, 2)
    # The second token is the form's: its probability among those left is far above its
    # own.
    assert list(sample.learned) == [0]


def test_of_each_task_so_many_are_drawn_by_the_seed_alone(run: RunFolder) -> None:
    for number in range(20, 30):
        keep(run, "00000008", "stop-0", [number])
    one = drawn(run, per_task=1)
    assert len({success.episode for success in one}) == 2
    assert drawn(run, per_task=1) == one
    others = {tuple(first_tokens(drawn(run, per_task=1, seed=seed))) for seed in range(20)}
    assert len(others) > 3


def test_runs_are_drawn_from_together(run: RunFolder, tmp_path: Path, suite: Path) -> None:
    second = run_in(tmp_path / "phase-2", suite, model=tmp_path / "model", ended="stopped")
    keep(second, "00000000", "stop-0", [30])
    assert first_tokens(drawn(run, second)) == [10, 11, 13, 30, 14, 15]


def test_an_episode_that_was_not_to_be_learned_from_is_not(run: RunFolder) -> None:
    store = RolloutStore(run.path / "rollouts", clock=CLOCK)
    group = group_in(run, "00000009", "stop-3")
    member = pb.GroupMember(
        verification_id="late",
        outcome=OUTCOMES.to_pb(OutcomeKind.VERIFIED),
        evidence=EVIDENCE.to_pb(Evidence.AUDIT),
    )
    store.keep("00000009", group, Kept(member=member, why="nothing asked"))
    assert first_tokens(drawn(run)) == [10, 11, 13, 14, 15]


@pytest.mark.parametrize("ended", ["", "interrupted", "failed"])
def test_a_run_that_has_not_ended_is_refused(tmp_path: Path, suite: Path, ended: str) -> None:
    under_way = run_in(tmp_path / "run", suite, model=tmp_path / "model", ended=ended)
    keep(under_way, "00000000", "stop-0", [1])
    assert refusal(under_way) == "trainer.run_not_ended"


def test_groups_of_another_run_or_suite_are_refused(run: RunFolder, tmp_path: Path) -> None:
    moved = tmp_path / "another-name"
    run.path.rename(moved)
    assert refusal(RunFolder(moved)) == "trainer.group_unknown"


def test_a_run_without_successes_is_refused(tmp_path: Path, suite: Path) -> None:
    bare = run_in(tmp_path / "run", suite, model=tmp_path / "model")
    keep(bare, "00000000", "stop-0", [1], outcome=OutcomeKind.AGENT_FAILURE)
    assert refusal(bare) == "trainer.no_successes"


def test_what_is_no_run_or_learned_from_a_file_is_refused(tmp_path: Path) -> None:
    assert refusal(RunFolder(tmp_path / "nowhere")) == "trainer.run_not_found"
    sft = RunFolder(tmp_path / "sft")
    config = {"method": "sft", "model": "/model", "data": "/data.parquet"}
    sft.prepare(yaml.safe_dump(config), stopping=False)
    sft.write_result(Result(status="finished"))
    assert refusal(sft) == "trainer.configuration_invalid"


def refusal(run: RunFolder) -> str:
    with pytest.raises(ProofwalkError) as caught:
        drawn(run)
    return caught.value.code
