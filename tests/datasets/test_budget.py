"""The dynamic compute budget (EvoCUA Eq. 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from proofwalk.cli.main import app
from proofwalk.datasets.budget import Spectrum, spectrum
from proofwalk.experiments.bench.running import Work
from proofwalk.experiments.collection import walked_within
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.counting.rows import Row
from tests.datasets.kit import row_for, task_of

PAPERS = spectrum("2:1,4:0.5,8:0.25,16")


@pytest.mark.parametrize(
    ("passed", "wanted"),
    [
        ([], 2),
        ([True], 2),
        ([True, True], 2),
        ([True, False], 4),
        ([True, False, False, True], 4),
        ([True, False, False, False], 8),
        ([True, False, False, False, True, False, False, False], 8),
        ([False] * 8, 16),
        ([False] * 16, 16),
        ([None, True], 2),
        ([None, None], 4),
    ],
)
def test_equation_1_by_hand(passed: list[bool | None], wanted: int) -> None:
    assert PAPERS.runs_for(passed) == wanted


@given(st.lists(st.sampled_from([True, False, None]), max_size=20))
def test_more_walks_never_ask_for_fewer_than_were_wanted(passed: list[bool | None]) -> None:
    """Walking on until no more are wanted ends, at a budget of the spectrum, and what
    was decided stays."""
    drawn = iter([*passed, *[False] * 20])
    walked: list[bool | None] = []
    wants = [PAPERS.runs_for(walked)]
    while len(walked) < wants[-1]:
        walked.append(next(drawn))
        wants.append(PAPERS.runs_for(walked))
    assert wants == sorted(wants)
    assert wants[-1] == len(walked)
    assert wants[-1] in {budget for budget, _ in PAPERS.levels}


@pytest.mark.parametrize(
    "text", ["", "two", "2:1,2:0.5", "2:0.5,4:0.5", "4:1,2:0.5", "0:1", "2:1.5", "200:1", "2:nan"]
)
def test_what_is_no_spectrum_is_refused(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        spectrum(text)
    assert caught.value.code == "data.bad_budget"


async def test_hard_tasks_are_walked_more_often_than_easy_ones() -> None:
    easy, hard, lost = (task_of(name) for name in ("easy", "hard", "lost"))
    outcomes = {"easy": "verified", "hard": "agent_failure", "lost": "env_failure"}
    asked: list[list[tuple[str, int]]] = []
    known: dict[object, Row] = {}

    async def walk(works: Sequence[Work]) -> Sequence[Row]:
        asked.append([(work.task.id, work.run) for work in works if work.key not in known])
        for work in works:
            row = row_for(work.task, outcomes[work.task.id], policy=work.policy, run=work.run)
            known.setdefault(work.key, row)
        return [known[work.key] for work in works]

    tasks = [(task, "literal") for task in (easy, hard, lost)]
    rows = await walked_within(spectrum("1:1,2:0.5,3"), tasks, walk, level="calm")
    assert Counter(row.task for row in rows) == {"easy": 1, "hard": 3, "lost": 3}
    assert asked == [
        [("easy", 1), ("hard", 1), ("lost", 1)],
        [("hard", 2), ("lost", 2)],
        [("hard", 3), ("lost", 3)],
    ]


def test_the_command_refuses_what_is_no_budget(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["data", "collect", "train", "--out", str(tmp_path / "c"), "--runs", "many"]
    )
    assert done.exit_code == 2
    assert "--runs" in done.stderr
    assert not (tmp_path / "c").exists()


def test_a_single_budget_is_a_fixed_number_of_walks() -> None:
    assert spectrum("3") == Spectrum(((3, 0.0),))
    assert spectrum("3").runs_for([False] * 3) == 3
