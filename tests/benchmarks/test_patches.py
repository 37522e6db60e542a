"""What the measurement of patches counts."""

from __future__ import annotations

from typing import Any, cast

from benchmarks.patches import extra_of, figures_of
from proofwalk.findings.patching import Observed, Options, options_of
from proofwalk.findings.proving import prove
from proofwalk.findings.walked import Walked, WalkEnd
from proofwalk.kernel.outcomes import Finding, FindingKind
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


def row(
    name: str,
    outcome: str,
    line: int | None,
    code: str = "",
    patched: str = "",
    hunk: dict[str, Any] | None = None,
) -> Row:
    found = None if line is None else Found(kind="renamed", line=line, sentence="")
    end = "verified" if patched == VERIFIED else "not_verified"
    guesses = int(code == "hypothesis")
    extra: dict[str, Any] = {
        "codes": [code] if code else [],
        "patched": patched,
        "trials": [{"end": end, "hypotheses": guesses}] if patched else [],
        "hunks": [hunk] if hunk else [],
    }
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


def hunk(line: int, *, is_hypothesis: bool = False) -> dict[str, Any]:
    return {"kind": "renamed", "line": line, "sentence": "", "is_hypothesis": is_hypothesis}


def test_true_findings_are_counted_and_faithful_documents_apart() -> None:
    failed = "patch.not_proven"
    rows = [
        row("proven", DEFECT, 3, "patch", VERIFIED, hunk(3)),
        row("noted", VERIFIED, 3, "patch", VERIFIED, hunk(9)),
        row("guessed", DEFECT, 3, "hypothesis", VERIFIED, hunk(3, is_hypothesis=True)),
        row("wrongly patched", DEFECT, 3, "patch", failed),
        row("not patched", DEFECT, 3, "patch.not_once"),
        row("guessed in vain", DEFECT, 3, "hypothesis", failed),
        row("another sentence", DEFECT, 9, "patch", VERIFIED),
        row("nothing seen", VERIFIED, None),
        row("faithful", VERIFIED, None),
        row("faithful, tried", DEFECT, 3, "hypothesis", failed),
        row("faithful, shown without proof", DEFECT, 3, "patch", failed),
    ]
    tasks = {one.task: task(one.task, wrong="faithful" not in one.task) for one in rows}
    figures = cast(dict[str, Any], figures_of(rows, tasks))
    counts = {
        "findings": 6,
        "patched": 5,
        "shown": 4,
        "verified": 3,
        "by_hypothesis": 1,
        "candidates": 5,
        "hypotheses": 2,
        "untold": 0,
    }
    assert {name: figures[name] for name in counts} == counts
    assert figures["proven"]["value"] == 0.5
    assert figures["restored"]["value"] == 0.75
    assert figures["refusals"] == {"patch.not_once": 1}
    assert figures["by_kind"] == {"renamed": counts}
    assert figures["beside"] == 1
    faithful = ("faithful", "faithful_tried", "faithful_patched")
    assert [figures[name] for name in faithful] == [3, 2, 1]


async def test_a_row_keeps_every_text_that_was_walked_and_what_the_proven_one_edits() -> None:
    text = "1. Open it.\n2. Click **Stop**.\n"
    one = Observed(
        finding=Finding(
            file="a.md",
            line=2,
            sentence="Click Stop.",
            kind=FindingKind.MISSING,
            message="it is gone",
            asked="Stop",
        ),
        is_certain=True,
    )
    first = Walked(end=WalkEnd.NOT_VERIFIED, observed=(one,))
    options = options_of(first.observed, text.encode())

    async def walk(_: str) -> Walked:
        return Walked(end=WalkEnd.VERIFIED, by_audit=True)

    async def look(*_: object) -> list[Options]:
        return options

    proof = await prove(first, text, walk=walk, look=look)
    assert extra_of(options, proof) == {
        "codes": ["hypothesis"],
        "patched": VERIFIED,
        "trials": [
            {
                "what": "the step taken out",
                "hypotheses": 1,
                "round": 1,
                "end": "verified",
                "reason": "",
            }
        ],
        "hunks": [
            {
                "what": "the step taken out",
                "is_hypothesis": True,
                "round": 1,
                "kind": "missing",
                "line": 2,
                "sentence": "Click Stop.",
            }
        ],
    }
