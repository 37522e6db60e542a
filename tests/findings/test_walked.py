"""What a verdict says to whoever patches its document, and where its lines are from."""

from __future__ import annotations

import pytest

from proofwalk.findings.attempts import NoPatch, Refusal
from proofwalk.findings.manuscript import Manuscript, lines_of
from proofwalk.findings.patching import options_of
from proofwalk.findings.source import Edit
from proofwalk.findings.walked import WalkEnd, walked_of
from proofwalk.orders.verification import FindingBody, SubstepBody, VerdictBody

FINDING: FindingBody = {
    "kind": "missing_step",
    "line": 4,
    "sentence": "Click OK.",
    "offered": "Zone",
}


def verdict(
    outcome: str, *, evidence: str = "audit", finding: FindingBody | None = None
) -> VerdictBody:
    statuses = {1: "verified", 2: "verified", 3: "not_verified", 5: "verified"}
    steps: list[SubstepBody] = [{"line": line, "status": one} for line, one in statuses.items()]
    return {
        "outcome": outcome,
        "evidence": evidence,
        "finding": finding,
        "noted": [{"kind": "moved", "line": 2, "sentence": "Go to it."}],
        "substeps": steps,
    }


@pytest.mark.parametrize(
    ("outcome", "end"),
    [
        ("verified", WalkEnd.VERIFIED),
        ("unproven", WalkEnd.NOT_VERIFIED),
        ("agent_failure", WalkEnd.NOT_VERIFIED),
        ("env_failure", WalkEnd.UNTOLD),
        ("judge_split", WalkEnd.UNTOLD),
        ("cancelled", WalkEnd.UNTOLD),
    ],
)
def test_what_the_environment_failed_says_nothing(outcome: str, end: WalkEnd) -> None:
    assert walked_of(verdict(outcome), document="a.md").end is end


def test_nothing_is_taken_out_for_a_kind_that_only_a_later_release_knows() -> None:
    body: FindingBody = {"kind": "blurred", "line": 4, "sentence": "Click OK."}
    ended, noted = (
        walked_of({"outcome": outcome, "finding": one, "noted": other}, document="a.md").observed
        for outcome, one, other in (("doc_defect", body, []), ("verified", None, [body]))
    )
    for options in options_of([*ended, *noted], b"# Stop\n\n1. Open it.\n2. Click **OK**.\n"):
        assert options.candidates == ()
        assert options.refusal is not None
        assert options.refusal.code is Refusal.NO_EVIDENCE


def test_a_finding_is_certain_with_two_witnesses_and_a_noted_one_never() -> None:
    walked = walked_of(verdict("doc_defect", finding=FINDING), document="a.md")
    assert [(one.is_certain, one.went_on) for one in walked.observed] == [
        (True, False),
        (False, True),
    ]
    assert (
        not walked_of(verdict("suspected", finding=FINDING), document="a.md").observed[0].is_certain
    )
    assert walked.by_audit
    assert not walked_of(verdict("verified", evidence="page"), document="a.md").by_audit


def test_a_step_is_proven_if_it_is_verified_and_nothing_was_found_in_it() -> None:
    walked = walked_of(verdict("doc_defect", finding=FINDING), document="a.md")
    assert walked.proven == (1, 5)


def test_values_of_a_field_come_from_what_the_record_binds() -> None:
    walked = walked_of(verdict("doc_defect", finding=FINDING), document="a.md")
    meta = 'binds:\n  the zone of the disk: cn-h\n  the disk: d-1\n  its zone: "${output.zone}"\n'
    assert [one.values for one in walked.with_values(meta).observed] == [("cn-h",), ()]
    for meta in ("", "- a", "a: [", "binds: [a]"):
        assert [one.values for one in walked.with_values(meta).observed] == [(), ()]


TEXT = "# A\n\n1. One.\n2. Two.\n"


def test_edits_are_taken_over_by_line_and_column() -> None:
    body = "\ufeff# A\r\n\r\n1. One.\r\n2. Two.".encode()
    manuscript = Manuscript(text=TEXT, origins=lines_of("a.md", TEXT), files={"a.md": body})
    begin = TEXT.index("2.")
    edits = [Edit(begin=begin, end=len(TEXT), text=""), Edit(begin=0, end=0, text="x\n")]
    after = manuscript.edited(edits)
    assert manuscript.is_one_file
    assert after.files["a.md"] == "\ufeffx\r\n# A\r\n\r\n1. One.\r\n".encode()
    again = after.edited(
        [Edit(begin=after.text.index("One"), end=after.text.index("One") + 3, text="1")]
    )
    assert again.files["a.md"] == "\ufeffx\r\n# A\r\n\r\n1. 1.\r\n".encode()


def test_an_edit_is_made_in_the_file_that_its_line_comes_from() -> None:
    origins = (("a.md", 1), ("a.md", 2), ("b.md", 1), ("b.md", 2))
    files = {"a.md": b"# A\n\n{!b.md!}\n", "b.md": b"1. One.\n2. {{ two }}.\n"}
    manuscript = Manuscript(text=TEXT, origins=origins, files=files)
    assert not manuscript.is_one_file
    one = Edit(begin=TEXT.index("One"), end=TEXT.index("One") + 3, text="1")
    assert manuscript.edited([one]).files == {**files, "b.md": b"1. 1.\n2. {{ two }}.\n"}
    two = Edit(begin=TEXT.index("Two"), end=TEXT.index("Two") + 3, text="2")
    for edit, missing, code in (
        (two, {}, Refusal.NO_SENTENCE),
        (one, {"b.md": None}, Refusal.NO_FILE),
        (one, {"b.md": b"\xff\xff"}, Refusal.UNREADABLE),
    ):
        other = Manuscript(text=TEXT, origins=origins, files={**files, **missing})
        with pytest.raises(NoPatch) as raised:
            other.edited([edit])
        assert raised.value.code is code
