"""Rules of training documents are counted with those that have no walk to be written
from."""

from __future__ import annotations

from dataclasses import replace

from benchmarks import record
from benchmarks.author.training import rule_figures
from proofwalk.suites.storage import load_suite


def test_a_task_whose_oracle_failed_has_no_rule_and_counts() -> None:
    suite = load_suite(record.ROOT / "suites" / "console-278")
    walked = next(one for one in suite.tasks if one.id == "slb-rename-stopped")
    other = replace(suite.tasks[0], recording=None)
    figures = rule_figures([walked, other])
    assert (figures["n"], figures["confirmed"]) == (2, 1)
    assert figures["refused"] == {"author.no_recording": 1}
    assert figures["rule_equivalent"]["count"] <= 1
    assert figures["own_accepted"] == 0
