"""What `proofwalk verify` tells its caller: the exit code, the table, JUnit and the
index, by outcome."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from xml.etree import ElementTree

import pytest
from rich.console import Console

from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.integration import checked
from proofwalk.cli.report_index import index_page
from proofwalk.cli.verification import Result, exit_code
from proofwalk.findings.formats.junit import junit
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.orders.verification import FindingBody, SignedInAsBody, VerdictBody


def result(outcome: str, *, document: str = "a.md") -> Result:
    if outcome == "refused":
        return Result(
            document=document, verification=None, error=invalid("document.empty", "it is empty")
        )
    status = {"verified": "verified", "doc_defect": "defect"}.get(outcome, "not_verified")
    finding: FindingBody = {
        "file": document,
        "line": 3,
        "sentence": "Click Stop.",
        "kind": "renamed",
        "message": "it is called Halt",
    }
    verdict: VerdictBody = {
        "outcome": outcome,
        "cause": "",
        "reason": "so it ended",
        "blame": "nobody",
        "evidence": "none",
        "finding": finding if outcome in ("doc_defect", "suspected") else None,
        "audit_events": [],
        "substeps": [
            {
                "number": "1",
                "text": "Click Stop.",
                "line": 3,
                "status": status,
                "reason": "executed, but so it ended",
            }
        ],
        "seconds": 1.0,
        "cost": 0.0,
    }
    return Result(document=document, verification={"verification_id": "ver_1", "verdict": verdict})


CODES = [
    (("verified", "verified"), ExitCode.VERIFIED),
    (("verified", "unproven"), ExitCode.UNPROVEN),
    (("unproven",), ExitCode.UNPROVEN),
    (("unproven", "env_failure"), ExitCode.ENVIRONMENT),
    (("unproven", "agent_failure"), ExitCode.ENVIRONMENT),
    (("unproven", "refused"), ExitCode.USAGE),
    (("suspected",), ExitCode.SUSPECTED),
    (("suspected", "unproven", "verified"), ExitCode.SUSPECTED),
    (("suspected", "agent_failure"), ExitCode.ENVIRONMENT),
    (("suspected", "doc_defect"), ExitCode.FINDINGS),
    (("unproven", "doc_defect"), ExitCode.FINDINGS),
    (("refused", "doc_defect"), ExitCode.FINDINGS),
]


@pytest.mark.parametrize(("outcomes", "code"), CODES)
def test_the_exit_code_tells_what_weighs_most(outcomes: tuple[str, ...], code: ExitCode) -> None:
    assert exit_code([result(outcome) for outcome in outcomes]) is code


def test_the_exit_codes_are_what_the_readme_says() -> None:
    assert [(code.name, code.value) for code in ExitCode] == [
        ("VERIFIED", 0),
        ("FINDINGS", 1),
        ("USAGE", 2),
        ("ENVIRONMENT", 3),
        ("UNPROVEN", 4),
        ("SUSPECTED", 5),
    ]


@pytest.mark.parametrize("outcome", ["unproven", "suspected"])
def test_a_walk_that_tells_nothing_is_skipped_in_junit_and_says_why(outcome: str) -> None:
    root = ElementTree.fromstring(junit(checked([result(outcome)])))  # our own
    (case,) = root.iter("testcase")
    assert [child.tag for child in case] == ["skipped"]
    assert case[0].get("message") == "executed, but so it ended"


@pytest.mark.parametrize("kind", OutcomeKind)
def test_every_outcome_has_its_words_and_no_other_looks_like_verified(kind: OutcomeKind) -> None:
    assert kind.value in output.WORDS
    assert (output.STYLES.get(kind.value) == output.STYLES["verified"]) is (
        kind is OutcomeKind.VERIFIED
    )
    shown = StringIO()
    output.print_table([result(kind.value)], Console(file=shown, width=120))
    assert output.WORDS[kind.value] in shown.getvalue()
    assert f'class="verdict {kind.value}"' in index_page([result(kind.value)], {})


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"role": "admin", "why": "a.md:3 says so", "code": ""}, "signed in as admin: a.md:3"),
        ({"role": "", "why": "nothing asks for a role", "code": ""}, "as the first account: noth"),
        ({"role": "owner", "why": "no account has it", "code": "account.no_role"}, ""),
        ({"role": "", "asked_by": "default", "why": "", "code": ""}, ""),
    ],
)
def test_whose_account_signed_in_is_told_where_there_was_a_choice(
    choice: SignedInAsBody, told: str
) -> None:
    one = result("verified")
    assert one.verification is not None
    one = replace(one, verification={**one.verification, "signed_in_as": choice})
    shown = StringIO()
    output.print_table([one], Console(file=shown, width=200))
    assert told in shown.getvalue()
    assert told or "signed in" not in shown.getvalue()
    assert output.as_data(one)["signed_in_as"] == choice
