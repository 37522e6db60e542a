"""`singles`: short tasks of one operation, kept as an index."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.platform import suites
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.suites.families.singles import MOVES, TASKS
from proofwalk.suites.storage import load_index
from proofwalk.suites.writing.library_files import read_library

ROOT = Path(__file__).resolve().parents[2] / "suites"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_index_is_what_the_sources_give_and_its_tasks_are_short(
    console: DevcloudConsole,
) -> None:
    library = read_library(ROOT)
    made = suites.singles_suite(library, console)
    assert {task.id: task.digest for task in made.tasks} == {
        entry.id: entry.digest for entry in load_index(ROOT / made.id)[3]
    }, "the index is not what the sources give: make suites"
    assert not (ROOT / made.id / "tasks").exists()
    assert {task.product for task in made.tasks} == {
        name.partition(".")[0] for name in library.units
    }
    assert set(Counter(task.family for task in made.tasks).values()) == {TASKS}
    assert {task.language for task in made.tasks} == {"en"}
    for task in made.tasks:
        assert sum(map(len, parse_script(task.script_yaml).entries)) <= MOVES
