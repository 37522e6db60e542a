"""Every result file is of a clean commit of this repository, or stands in a list that
may only shrink."""

from __future__ import annotations

import pytest

from benchmarks.record import ROOT
from benchmarks.state import committed, declared, in_history, is_whole, result, state_of, table

DECLARED = declared()
whole_history = pytest.mark.skipif(
    not is_whole(), reason="no repository with its whole history: git fetch --unshallow"
)


def test_the_table_has_every_result_and_nothing_else() -> None:
    assert sorted(DECLARED["results"]) == committed(), "amend benchmarks/results.yaml"


@pytest.mark.parametrize("name", committed())
def test_what_a_result_measures_is_there(name: str) -> None:
    entry = DECLARED["results"][name]
    assert entry["measures"]
    for place in entry["measures"]:
        assert (ROOT / place).exists(), place
    target = entry["target"].split()
    if target[0] == "make":
        assert f"\n{target[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_results_are_of_clean_commits() -> None:
    dirty = {name for name in committed() if str(result(name)["commit"]).endswith("-dirty")}
    assert dirty == set(DECLARED["not_clean"]), (
        "measure it again, or take what is clean off the list"
    )
    assert all(DECLARED["not_clean"].values())


def test_no_result_has_no_commit() -> None:
    for name in committed():
        commit = str(result(name)["commit"]).removesuffix("-dirty")
        assert len(commit) >= 7
        assert set(commit) <= set("0123456789abcdef"), name


@whole_history
def test_results_are_of_commits_in_the_history() -> None:
    strange = {
        name
        for name in committed()
        if not in_history(str(result(name)["commit"]).removesuffix("-dirty"))
    }
    assert strange == set(DECLARED["not_in_history"]), (
        "measure it again, or take what is known off the list"
    )
    assert all(DECLARED["not_in_history"].values())


@whole_history
def test_the_state_of_a_result_counts_what_changed_since() -> None:
    found = state_of("learn", DECLARED["results"]["learn"])
    assert (found.clean, found.in_history) == (True, True)
    assert found.changed >= 0
    nothing = state_of("learn", {"measures": ["LICENCE-THAT-NEVER-WAS"], "target": "make learn"})
    assert nothing.changed == 0
    everything = state_of("learn", {"measures": ["."], "target": "make learn"})
    assert everything.changed >= found.changed
    assert table([found]).row_count == 1
