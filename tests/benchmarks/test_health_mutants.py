"""Which mutants the health bench asks about (`benchmarks.health.mutants`), and what it
remembers of them (`benchmarks.health.journal`)."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.health import journal, scores
from benchmarks.health.journal import Fate, Trial
from benchmarks.health.mutants import Mutant, listed, sample, telling
from benchmarks.health.scores import Score

SOURCE = """\
Id: TypeAlias = str | int

def grant(left: int | None, *, more: int) -> int | None:
    known: list[int | str] = [*range(more)]
    return left + more if left else len({**{}} | {})
"""


def mutant(line: int, column: int, operator: str, occurrence: int = 0) -> Mutant:
    return Mutant(
        module="m.py",
        operator=f"core/{operator}",
        occurrence=occurrence,
        line=line,
        column=column,
    )


def at(line: int, text: str, operator: str) -> Mutant:
    return mutant(line, SOURCE.splitlines()[line - 1].index(text), operator)


def test_mutants_are_read_as_the_tool_lists_them() -> None:
    spec = {
        "module_path": "m.py",
        "operator_name": "core/AddNot",
        "occurrence": 3,
        "start_pos": [4, 8],
    }
    dump = json.dumps([{"job_id": "a", "mutations": [spec]}, None]) + "\n"
    assert list(listed(dump)) == [mutant(4, 8, "AddNot", 3)]


def test_what_is_no_calculation_and_what_is_an_annotation_is_not_asked_about() -> None:
    plus = at(5, "+", "ReplaceBinaryOperator_Add_Sub")
    union = at(5, "| {}", "ReplaceBinaryOperator_BitOr_BitAnd")
    condition = at(5, "left else", "AddNot")
    silent = [
        at(1, "|", "ReplaceBinaryOperator_BitOr_BitAnd"),
        at(3, "| None, *", "ReplaceBinaryOperator_BitOr_Add"),
        at(3, "*", "ReplaceBinaryOperator_Mul_Div"),
        at(3, "| None:", "ReplaceBinaryOperator_BitOr_Add"),
        at(4, "|", "ReplaceBinaryOperator_BitOr_Add"),
        at(4, "*range", "ReplaceBinaryOperator_Mul_Div"),
        at(5, "**", "ReplaceBinaryOperator_Pow_Mul"),
        at(5, "left", "ReplaceComparisonOperator_Eq_Is"),
    ]
    assert telling([plus, *silent, union, condition], {"m.py": SOURCE}) == [
        plus,
        union,
        condition,
    ]


def test_columns_are_of_characters() -> None:
    text = 'x = "täglich" + "é" * 2\n'
    times = mutant(1, text.index("*"), "ReplaceBinaryOperator_Mul_Add")
    assert telling([times], {"m.py": text}) == [times]
    assert (
        telling([mutant(1, text.index("2"), "ReplaceBinaryOperator_Mul_Add")], {"m.py": text}) == []
    )


def test_a_longer_sample_begins_with_the_shorter_and_has_one_of_each_kind_at_a_place() -> None:
    many = [
        mutant(line, 0, f"{kind}_{other}", line)
        for line in range(30)
        for kind in ("ReplaceBinaryOperator", "NumberReplacer")
        for other in "abc"
    ]
    whole = sample(many, size=1000, seed=1)
    assert len(whole) == 60 == len({(one.place, one.kind) for one in whole})
    assert sample(list(reversed(many)), size=7, seed=1) == whole[:7]
    assert sample(many, size=7, seed=2) != whole[:7]


def trial(fate: Fate, line: int = 1, digest: str = "d", package: str = "kernel") -> Trial:
    return Trial(
        package=package,
        digest=digest,
        mutant=mutant(line, 0, "AddNot", line),
        fate=fate,
        seconds=1.0,
        change="- if a\n+ if not a" if fate is Fate.SURVIVED else "",
    )


def test_what_was_tried_is_read_again_and_a_line_that_was_cut_off_is_not(tmp_path: Path) -> None:
    path = tmp_path / "of" / "j.jsonl"
    assert journal.read(path) == []
    journal.add(path, trial(Fate.KILLED))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"package": "ker')
    journal.add(path, trial(Fate.SURVIVED, 2))
    assert journal.read(path) == [trial(Fate.KILLED), trial(Fate.SURVIVED, 2)]


def test_a_trial_counts_while_the_module_and_its_tests_are_the_same(tmp_path: Path) -> None:
    module, test = tmp_path / "m.py", tmp_path / "test_m.py"
    module.write_text("a")
    test.write_text("b")
    before = journal.digest_of([module, test])
    test.write_text("c")
    assert journal.digest_of([module, test]) != before
    rows = [trial(Fate.SURVIVED, digest=before), trial(Fate.KILLED, 2, package="rules")]
    assert list(journal.valid(rows, "kernel", {"m.py": before}).values()) == rows[:1]
    assert journal.valid(rows, "kernel", {"m.py": "another"}) == {}


def test_a_change_is_what_a_diff_takes_and_gives() -> None:
    diff = "--- mutation diff ---\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n x\n-a < b\n+a <= b\n"
    assert journal.changed(diff) == "-a < b\n+a <= b"


def test_a_score_is_of_mutants_that_could_be_made() -> None:
    fates = [Fate.KILLED] * 16 + [Fate.TIMEOUT, Fate.SURVIVED, Fate.SURVIVED, Fate.BROKEN]
    rows = tuple(trial(fate, line) for line, fate in enumerate(fates))
    score = Score(trials=rows, planned=21, candidates=90)
    assert (score.noticed, len(score.survivors), score.is_complete) == (17, 2, False)
    assert not score.is_missed
    assert Score(trials=rows[1:], planned=19, candidates=90).is_missed is (16 < 0.85 * 18)
    told = score.to_json()
    assert told["score"] == {"value": 0.895, "target": ">= 0.85", "met": True}
    assert told["survivors"] == [
        f"m.py:{line} survived AddNot - if a\n+ if not a" for line in (17, 18)
    ]
    assert scores.measured([score, score]) == 40


def test_nothing_that_was_tried_has_neither_met_nor_missed() -> None:
    score = Score(trials=(), planned=3, candidates=3)
    assert not score.is_missed
    assert score.to_json()["interval"] == [None, None]
