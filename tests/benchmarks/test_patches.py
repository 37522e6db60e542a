"""What the measurement of patches counts."""

from __future__ import annotations

from typing import Any, cast

from benchmarks.patches import NOTED, figures_of
from proofwalk.suites.counting.rows import DEFECT, VERIFIED, Found, Row
from proofwalk.suites.model import Defect, Difficulty, Task


def task(name: str, *, wrong: bool) -> Task:
    return Task(
        id=name,
        suite="s",
        family="f",
        product="p",
        difficulty=Difficulty.STANDARD,
        document_name="a.md",
        media_type="text/markdown",
        document="",
        meta_yaml="",
        rule_yaml="",
        script_yaml="",
        expected=Defect(kind="renamed", sentence="Click Stop.", line=3) if wrong else None,
    )


def row(name: str, outcome: str, line: int | None, code: str = "", patched: str = "") -> Row:
    found = None if line is None else Found(kind="renamed", line=line, sentence="")
    extra = {"codes": [code] if code else [], "patched": patched}
    return Row(
        task=name,
        digest="d",
        run=1,
        policy="literal",
        product="p",
        difficulty="standard",
        language="en",
        outcome=outcome,
        finding=found if outcome == DEFECT else None,
        noted=(found,) if found and outcome == VERIFIED else (),
        extra=extra,
    )


def test_true_findings_are_counted_and_faithful_documents_apart() -> None:
    rows = [
        row("proven", DEFECT, 3, "patch", VERIFIED),
        row("noted", VERIFIED, 3, "patch", VERIFIED),
        row("wrongly patched", DEFECT, 3, "patch", NOTED),
        row("not patched", DEFECT, 3, "patch.not_once"),
        row("another sentence", DEFECT, 9, "patch", VERIFIED),
        row("nothing seen", VERIFIED, None),
        row("faithful", VERIFIED, None),
        row("faithful, broken", DEFECT, 3, "patch", DEFECT),
    ]
    tasks = {one.task: task(one.task, wrong="faithful" not in one.task) for one in rows}
    figures = cast(dict[str, Any], figures_of(rows, tasks))
    assert {name: figures[name] for name in ("findings", "patched", "verified")} == {
        "findings": 4,
        "patched": 3,
        "verified": 2,
    }
    assert figures["refusals"] == {"patch.not_once": 1}
    assert figures["by_kind"] == {"renamed": {"findings": 4, "patched": 3, "verified": 2}}
    assert (figures["faithful"], figures["faithful_patched"], figures["faithful_broken"]) == (
        2,
        1,
        1,
    )
