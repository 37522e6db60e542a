"""What a run of training failed at, as the curriculum of the next one reads it."""

from __future__ import annotations

from pathlib import Path

from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.suites.evolution.failures import failures_of
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.failed_walks import walks_of_run
from tests.trainer.group_place import TASKS
from tests.trainer.run_folders import CLOCK, keep, model_in, run_in


def test_tasks_with_a_failed_walk_are_named_and_the_environments_failures_are_not(
    tmp_path: Path,
) -> None:
    suite = tmp_path / "suite"
    write_suite(Suite(id="toy", version=1, seed=0, tasks=TASKS), suite)
    run = run_in(tmp_path / "phase-1", suite, model=model_in(tmp_path / "model"))
    keep(run, "00000000", "stop-0", [10])
    keep(run, "00000001", "stop-0", [11], outcome=OutcomeKind.AGENT_FAILURE)
    keep(run, "00000001", "stop-1", [12])
    keep(run, "00000001", "stop-2", [13], outcome=OutcomeKind.ENV_FAILURE)
    keep(run, "v00000001", "stop-3", [14], outcome=OutcomeKind.AGENT_FAILURE)
    tasks, walks = walks_of_run(run.path, CLOCK)
    failures = failures_of(tasks, walks)
    assert [(one.task.id, one.failed, one.walks) for one in failures] == [("stop-0", 1, 2)]
