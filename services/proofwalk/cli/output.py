"""Results for people (a table) and for programs (JSON). What continuous integration
reads is written by `integration`, the index of a folder of reports by
`report_index`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Required, TypedDict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from proofwalk.kernel.json_values import JsonObject
from proofwalk.orders.verification import (
    FindingBody,
    SightingBody,
    SignedInAsBody,
    SubstepBody,
)

if TYPE_CHECKING:
    from proofwalk.cli.verification import Result

_ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
STYLES = {
    "verified": "green",
    "unproven": "blue",
    "doc_defect": "red",
    "suspected": "dark_orange",
    "refused": "red",
}
WORDS = {
    "verified": "verified",
    "unproven": "walked, not proven",
    "doc_defect": "document is wrong",
    "suspected": "document may be wrong",
    "agent_failure": "could not tell (agent)",
    "env_failure": "could not tell (environment)",
    "judge_split": "could not tell (judges)",
    "cancelled": "cancelled",
    "refused": "refused",
}


def clean(text: str) -> str:
    """Text from documents and pages without terminal escapes."""
    return _ESCAPES.sub("", text)


def say(text: str) -> None:
    """A line for people, beside what goes to stdout."""
    Console(stderr=True).print(clean(text), highlight=False, markup=False, soft_wrap=True)


def print_data(value: Any) -> None:
    """A value on stdout as JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


class ErrorBody(TypedDict):
    """Why a document was refused."""

    code: str
    message: str
    hint: str


class ResultBody(TypedDict, total=False):
    """One result as the JSON output has it."""

    document: Required[str]
    verdict: Required[str]
    cause: str
    reason: str
    blame: str
    evidence: str
    goal: str
    sightings: Sequence[SightingBody]
    second_sighting_seconds: float
    finding: Required[FindingBody | None]
    noted: Sequence[FindingBody]
    audit_events: Sequence[str]
    judges: Sequence[JsonObject]
    substeps: Sequence[SubstepBody]
    signed_in_as: SignedInAsBody
    kept_meta: str
    verification_id: str
    seconds: float
    cost: float
    report: str
    error: ErrorBody


def as_data(result: Result) -> ResultBody:
    """One result as the JSON output has it."""
    if result.verification is None:
        error = result.error
        assert error is not None
        return {
            "document": result.document,
            "verdict": "refused",
            "finding": None,
            "audit_events": [],
            "error": {"code": error.code, "message": error.message, "hint": error.hint},
        }
    verdict = result.verification["verdict"]
    finding = verdict.get("finding")
    return {
        "document": result.document,
        "verdict": verdict["outcome"],
        "cause": verdict["cause"],
        "reason": verdict["reason"],
        "blame": verdict["blame"],
        "evidence": verdict["evidence"],
        "goal": verdict.get("goal", "unknown"),
        "sightings": verdict.get("sightings", []),
        "second_sighting_seconds": verdict.get("second_sighting_seconds", 0.0),
        "finding": finding,
        "noted": verdict.get("noted", []),
        "audit_events": verdict["audit_events"],
        "judges": verdict.get("judges", []),
        "substeps": verdict["substeps"],
        "signed_in_as": result.verification.get("signed_in_as", {}),
        "kept_meta": result.verification.get("kept_meta", ""),
        "verification_id": result.verification["verification_id"],
        "seconds": verdict["seconds"],
        "cost": verdict["cost"],
        "report": result.report,
    }


def print_json(results: Sequence[Result], console: Console) -> None:
    console.out(
        json.dumps([as_data(result) for result in results], ensure_ascii=False, indent=2),
        highlight=False,
    )


def print_table(results: Sequence[Result], console: Console) -> None:
    """A row a document; a finding with its place; what a verdict rests on."""
    table = Table(show_lines=False)
    table.add_column("Document", overflow="fold")
    table.add_column("Verdict")
    table.add_column("Evidence or finding", overflow="fold")
    table.add_column("Seconds", justify="right")
    for result in results:
        data = as_data(result)
        outcome = str(data["verdict"])
        finding = data["finding"]
        if finding:
            told = (
                f"{finding['file']}:{finding['line']} ({finding['kind']}) {finding['sentence']}\n→"
                f" {finding['message']}"
            )
            told += f"\n{data['reason']}" if outcome == "suspected" else ""
            told += "\nthe goal was reached all the same" if data["goal"] == "yes" else ""
        elif "error" in data:
            told = f"{data['error']['code']}: {data['error']['message']}\n→ {data['error']['hint']}"
        elif outcome == "verified":
            told = (
                f"audit events {', '.join(data['audit_events'])}"
                if data["audit_events"]
                else data["reason"]
            )
        else:
            told = data["reason"]
        told += _who_signed_in(data.get("signed_in_as", {}))
        if data.get("kept_meta"):
            told += f"\nmade before: the META record that is kept for it, {data['kept_meta']}"
        told += "".join(
            f"\nbeside, {one['file']}:{one['line']}: {one['message']}"
            for one in data.get("noted", ())
        )
        seconds = f"{data['seconds']:.1f}" if "seconds" in data else ""
        style = STYLES.get(outcome, "yellow")
        table.add_row(
            clean(result.document),
            Text(WORDS.get(outcome, outcome), style=style),
            Text(clean(told)),
            seconds,
        )
    console.print(table)


def _who_signed_in(choice: SignedInAsBody) -> str:
    """As whom, where the target has roles; what kept everybody out is the reason
    already."""
    if not choice.get("why") or choice.get("code"):
        return ""
    return f"\nsigned in as {choice.get('role') or 'the first account'}: {choice['why']}"
