"""SARIF 2.1.0: a rule for each kind of finding, a result for each finding, a fix for
each patch. A kind that a later release made has no rule here, and its result names it.

Columns count code points, as `Replacement` does. A document that could not be verified
is no result: it is a notification, and the run did not succeed. Of the members that
GitHub asks for, `partialFingerprints` keeps a result the same while lines move.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from proofwalk.findings.formats.checked import TITLES, Checked, Level, Reported
from proofwalk.findings.formats.texts import fingerprints, one_line, printable, uri
from proofwalk.findings.patching import Patch, Replacement
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import FindingKind, LaterKind

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_KINDS = list(FindingKind)
_ABSOLUTE = "://"


def sarif(documents: Sequence[Checked], *, version: str) -> str:
    """Return the log of one run. `version` is that of the program."""
    findings = [one for document in documents for one in document.findings]
    names = fingerprints(one.finding for one in findings)
    run: JsonObject = {
        "tool": {
            "driver": {
                "name": "Proofwalk",
                "semanticVersion": version,
                "rules": [_rule(kind) for kind in _KINDS],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "SRCROOT": {"description": {"text": "The folder that the command ran in."}}
        },
        "invocations": [
            {
                "executionSuccessful": not any(one.told_nothing for one in documents),
                "toolExecutionNotifications": [
                    _notification(one) for one in documents if one.told_nothing
                ],
            }
        ],
        "results": [_result(*pair) for pair in zip(findings, names, strict=True)],
    }
    log: JsonObject = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def rule_id(kind: FindingKind | LaterKind) -> str:
    """Return the name of a kind's rule."""
    return f"proofwalk/{one_line(kind.value).replace('_', '-')}"


def _rule(kind: FindingKind) -> JsonObject:
    return {
        "id": rule_id(kind),
        "name": "".join(word.capitalize() for word in kind.value.split("_")),
        "shortDescription": {"text": f"{TITLES[kind]}."},
        "defaultConfiguration": {"level": Level.ERROR.value},
    }


def _result(one: Reported, fingerprint: str) -> JsonObject:
    finding = one.finding
    patch = one.patch if isinstance(one.patch, Patch) else None
    region: JsonObject = {"startLine": max(finding.line, 1)}
    if patch and len(patch.replacements) == 1 and _has_width(patch.replacements[0]):
        region = _region(patch.replacements[0])
    location = {"artifactLocation": _artifact(finding.file), "region": region}
    members: JsonObject = {
        "ruleId": rule_id(finding.kind),
        **(
            {} if isinstance(finding.kind, LaterKind) else {"ruleIndex": _KINDS.index(finding.kind)}
        ),
        "level": one.level.value,
        "message": {"text": f"{_text(finding.sentence)}\n→ {_text(finding.message)}"},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"proofwalkFinding/v1": fingerprint},
    }
    return {**members, "fixes": [_fix(patch)]} if patch else members


def _fix(patch: Patch) -> JsonObject:
    return {
        "description": {"text": "What the walk saw in the place of what the document says."},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(patch.file),
                "replacements": [
                    {
                        "deletedRegion": _region(one),
                        "insertedContent": {"text": one.text},
                    }
                    for one in patch.replacements
                ],
            }
        ],
    }


def _notification(document: Checked) -> JsonObject:
    where = {"physicalLocation": {"artifactLocation": _artifact(document.document)}}
    text = _text(document.reason) or "it could not be verified"
    return {
        "level": Level.ERROR.value,
        "message": {"text": f"{_text(document.document)}: {text}"},
        "locations": [where],
        **({"descriptor": {"id": printable(document.code)}} if document.code else {}),
    }


def _text(text: str) -> str:
    """A text in which nothing reads as a link: SARIF's messages have
    `[text](target)`."""
    return one_line(text).replace("](", "] (")


def _artifact(file: str) -> JsonObject:
    address = uri(file)
    return {"uri": address} if _ABSOLUTE in address else {"uri": address, "uriBaseId": "SRCROOT"}


def _region(one: Replacement) -> JsonObject:
    return {
        "startLine": one.line,
        "startColumn": one.column,
        "endLine": one.end_line,
        "endColumn": one.end_column,
    }


def _has_width(one: Replacement) -> bool:
    return (one.line, one.column) != (one.end_line, one.end_column)
