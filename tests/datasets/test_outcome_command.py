"""`proofwalk data outcomes`: two files of whole tasks, and none where a task leaks."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from proofwalk.datasets.collection import Collection
from proofwalk.datasets.outcomes.labelling import Split, is_held_out
from proofwalk.datasets.sample_files import read_samples
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.suites.recording import Recording
from proofwalk.suites.storage import write_suite
from tests.datasets.kit import MOMENT, collect, suite_of, task_of
from tests.datasets.test_command import invoke
from tests.datasets.test_decontamination import FAR, SAME_RULE

TASKS = tuple(f"ecs-{number}" for number in range(8))


def walks(folder: Path) -> Path:
    """A collection of tasks, each walked twice: the log shows the stop of the one
    instance or of the other."""

    async def make() -> None:
        collection = Collection(folder / "c")
        for name in TASKS:
            for run, instance in enumerate(("i-2", "i-1"), start=1):
                stop = AuditEvent(
                    id=f"e-{run}",
                    time=MOMENT,
                    service="Ecs",
                    name="StopInstance",
                    kind="ConsoleOperation",
                    write=True,
                    ok=True,
                    request={"InstanceId": instance},
                )
                seen = Recording(start=MOMENT, end=MOMENT, outputs={}, events=(stop,))
                await collect(collection, folder, task_of(name), run=run, recording=seen)

    asyncio.run(make())
    return folder / "c"


def test_whole_tasks_are_learned_or_held_out_unless_they_leak(tmp_path: Path) -> None:
    folder = walks(tmp_path)
    write_suite(suite_of(replace(FAR, suite="far"), suite="far"), tmp_path / "far")
    write_suite(suite_of(replace(SAME_RULE, suite="near"), suite="near"), tmp_path / "near")
    files = [tmp_path / "train.parquet", tmp_path / "held-out.parquet"]
    where = ("outcomes", folder, "--out", files[0], "--held-out", files[1])
    leaking = invoke(*where, "--against", tmp_path / "near")
    assert leaking.exit_code == 1
    assert "data.leak" in leaking.stderr
    assert not [path for path in files if path.exists()]

    done = invoke(*where, "--against", tmp_path / "far")
    assert done.exit_code == 0, done.output
    held_out = {name for name in TASKS if is_held_out(name, Split())}
    for path, tasks in zip(files, (set(TASKS) - held_out, held_out), strict=True):
        about, samples = read_samples(path)
        assert (about["layout"], about["seed"]) == ("outcome", 0)
        assert {one.task for one in samples} == tasks
        assert [one.outcome for one in samples if one.answer == "YES"] == ["success"] * len(tasks)
        assert [one.answer for one in samples].count("NO") == len(tasks)
