"""What a method learns of its own walks, and how its budget bounds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from proofwalk.datasets.budget import spectrum
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.sample_files import read_preferences, read_samples
from proofwalk.experiments.bench.running import Work
from proofwalk.experiments.collection import walked_within
from proofwalk.experiments.methods.arm import Arm
from proofwalk.experiments.methods.recipe import WalksPhase
from proofwalk.experiments.methods.walking import Purse, steps_of, write
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.storage import write_suite
from tests.cli.benches import bench_of, row_of_run
from tests.datasets.kit import collect, suite_of, task_of
from tests.datasets.test_decontamination import FAR
from tests.datasets.test_forks import WRONG_ROW, walks


def _phase(method: str) -> WalksPhase:
    settings = {"method": method}
    return WalksPhase.model_validate({"kind": "walks", "runs": "4", "settings": settings})


def _arm(folder: Path) -> Arm:
    bench = bench_of(folder / "bench")
    write_suite(suite_of(FAR), bench.folder / "suites" / "evaluation")
    bench.keys |= {"tasks": "t", "sft": "s"}
    return Arm(bench, "rft", 1)


async def test_sft_learns_what_was_verified_and_dpo_the_forks_of_what_failed(
    tmp_path: Path,
) -> None:
    await walks(tmp_path, WRONG_ROW)
    arm, collected = _arm(tmp_path), tmp_path / "c"
    pairs, samples = tmp_path / "pairs.parquet", tmp_path / "samples.parquet"
    assert write(arm, _phase("dpo"), walked=collected, out=pairs) == 2
    assert len(read_preferences(pairs)[1]) == 2
    learned = write(arm, _phase("sft"), walked=collected, out=samples)
    about, found = read_samples(samples)
    assert learned == len(found) > 2
    assert about["layout"] == "compact"


async def test_walks_that_teach_nothing_are_no_error(tmp_path: Path) -> None:
    await collect(Collection(tmp_path / "c"), tmp_path / "s", task_of(), policy="literal")
    assert write(_arm(tmp_path), _phase("dpo"), walked=tmp_path / "c", out=tmp_path / "p") == 0
    assert not (tmp_path / "p").exists()


async def test_walking_stops_where_the_walks_stop_and_begins_where_a_seed_does() -> None:
    task = task_of()
    asked: list[int] = []

    async def walk(works: Sequence[Work]) -> Sequence[Row]:
        asked.append(len(works))
        assert {work.run for work in works} <= set(range(2001, 2101))
        return [row_of_run(task.id, work.run, passed=False) for work in works][:3]

    rows = await walked_within(
        spectrum("2:1,4:0.5,8"), [(task, "llm")], walk, level="calm", first=2001
    )
    assert (asked, [row.run for row in rows]) == ([2, 4], [2001, 2002, 2003])


def test_a_purse_counts_what_says_something_about_the_policy() -> None:
    won, lost = (replace(row_of_run("t", 1, passed=passed), steps=7) for passed in (True, None))
    seen: list[int] = []
    purse = Purse(15, [won], lambda row, done, total: seen.append(done))
    purse(lost, 1, 3)
    assert (purse.used, purse.empty()) == (7, False)
    purse(won, 2, 3)
    purse(won, 3, 3)
    assert (purse.used, purse.empty(), seen) == (21, True, [1, 2, 3])
    assert steps_of(lost) == 0
