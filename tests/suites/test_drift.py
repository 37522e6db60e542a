"""Planted defects: one sentence is wrong, everything else the document rests on is as
it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import object_of
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.suites.families import drift
from proofwalk.suites.families.drift import generate_drift, untouched
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import load_suite, write_suite
from proofwalk.suites.writing.defects import candidates
from proofwalk.suites.writing.new_names import new_name
from proofwalk.suites.writing.planted import FINDINGS, DefectKind


@pytest.fixture(scope="module")
def suite(library: Any, console: Any) -> Suite:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drift, "WRONG", 16)
        patch.setattr(drift, "FAITHFUL", 16)
        return generate_drift(library, console, suite_id="drift", version=1, seed=1)


def test_half_of_the_documents_are_wrong_in_all_kinds(suite: Suite) -> None:
    kinds = Counter(task.expected.kind for task in suite.tasks if task.expected)
    assert set(kinds) >= {kind.value for kind in DefectKind} - {DefectKind.CHANGED_DEFAULT.value}
    assert sum(kinds.values()) == 16
    assert max(kinds.values()) <= 4
    assert sum(task.expected is None for task in suite.tasks) == 16
    assert {task.language for task in suite.tasks} == {"en"}
    assert len({task.id for task in suite.tasks}) == 32


def test_the_wrong_sentence_stands_at_its_line(suite: Suite) -> None:
    for task in suite.tasks:
        if task.expected is None:
            continue
        substeps = select(
            load(task.document_name, task.document.encode(), task.media_type)
        ).substeps
        found = [
            one
            for substep in substeps
            for one in substep.sentences
            if one.text == task.expected.sentence
        ]
        assert [one.span.line for one in found] == [task.expected.line]


def test_a_revision_changes_what_the_wrong_sentence_rests_on_and_nothing_else(
    library: Any, console: Any
) -> None:
    before = console.labels("en")
    checked = Counter[str]()
    place = drift._Drift(library, console, 1, "d")
    for unit in library.units:
        draft = place._draft(drift._Place(unit=unit, number=0))
        assert draft is not None
        for kind in DefectKind:
            for planted in candidates(kind, draft, before):
                if not planted.patches or place._checked(draft, planted) is None:
                    continue
                after = console.labels("en", planted.patches)
                for number, item in enumerate(planted.items):
                    for use in item.uses:
                        if number != planted.item:
                            assert after.text_at(use.at) == before.text_at(use.at) == use.text
                checked[kind] += 1
    assert (
        min(
            checked[kind]
            for kind in (
                DefectKind.RENAMED,
                DefectKind.MOVED,
                DefectKind.REMOVED,
                DefectKind.ADDED_STEP,
            )
        )
        >= 1
    )


def test_a_revision_that_touches_another_sentence_is_no_planted_defect(
    library: Any, console: Any
) -> None:
    place = drift._Drift(library, console, 1, "d")
    draft = place._draft(drift._Place(unit="vpc.create_vpc", number=0))
    assert draft is not None
    planted = next(candidates(DefectKind.RENAMED, draft, console.labels("en")))
    also = {"at": "vpc/resources/vpc/fields/cidr", "set": {"label": "Network"}}
    both = console.labels("en", (*planted.patches, also))
    assert untouched(planted, console.labels("en"), console.labels("en", planted.patches))
    assert not untouched(planted, console.labels("en"), both)


def test_faithful_documents_may_meet_unrelated_revisions(suite: Suite) -> None:
    faithful = [task for task in suite.tasks if task.expected is None]
    revised = [task for task in faithful if task.scenario is not None]
    assert 4 <= len(revised) <= 8
    for task in revised:
        assert task.scenario is not None
        labels = [str(object_of(patch["set"])["label"]) for patch in task.scenario.patches]
        assert not any(f"**{label}**" in task.document for label in labels)


def test_defects_of_the_document_leave_the_console_alone(suite: Suite) -> None:
    for task in suite.tasks:
        if task.expected and task.expected.kind in (
            DefectKind.WRONG_ORDER,
            DefectKind.WRONG_OUTCOME,
        ):
            assert task.scenario is None
            assert task.expected.path == ""


def test_the_same_seed_gives_the_same_suite(
    library: Any, console: Any, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift, "WRONG", 16)
    monkeypatch.setattr(drift, "FAITHFUL", 16)
    assert generate_drift(library, console, suite_id="drift", version=1, seed=1) == suite


def test_the_suite_is_read_as_it_was_written(suite: Suite, tmp_path: Path) -> None:
    write_suite(suite, tmp_path)
    assert load_suite(tmp_path) == suite


def test_too_few_units_are_said(library: Any, console: Any) -> None:
    with pytest.raises(ProofwalkError) as caught:
        generate_drift(library, console, suite_id="drift", version=1, seed=1)
    assert caught.value.code == "suite.too_few"


def test_every_kind_has_findings_that_name_it() -> None:
    assert set(FINDINGS) == set(DefectKind)
    assert new_name("Create Disk") == "Build Disk"
    assert new_name("Frobnicate") == ""
    assert yaml.safe_load("renamed") == DefectKind.RENAMED.value
