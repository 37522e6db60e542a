"""The parts of the result on holes are kept by commit."""

from __future__ import annotations

from pathlib import Path

from benchmarks.holes.__main__ import PARTS, keep, kept


def test_a_part_counts_for_the_commit_that_it_measured(tmp_path: Path) -> None:
    assert kept("guard", "a1", folder=tmp_path) is None
    keep("guard", "a1", {"guard_fuzzed": 5}, folder=tmp_path)
    assert kept("guard", "a1", folder=tmp_path) == {"guard_fuzzed": 5}
    assert kept("guard", "b2", folder=tmp_path) is None
    assert kept("tenancy", "a1", folder=tmp_path) is None


def test_the_parts() -> None:
    assert list(PARTS) == ["tenancy", "input", "guard"]
