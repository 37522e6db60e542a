"""GitLab's Code Quality report: the members of Code Climate's issues that GitLab
reads."""

from __future__ import annotations

import json
from collections.abc import Sequence

from proofwalk.findings.formats.checked import Checked, Level
from proofwalk.findings.formats.sarif import rule_id
from proofwalk.findings.formats.texts import fingerprints, one_line
from proofwalk.kernel.json_values import JsonObject

_SEVERITIES = {Level.ERROR: "major", Level.WARNING: "minor", Level.NOTE: "info"}


def code_quality(documents: Sequence[Checked]) -> str:
    """Return the report: an issue for each finding. Documents that could not be
    verified have none; the command's exit code tells of them."""
    findings = [one for document in documents for one in document.findings]
    names = fingerprints(one.finding for one in findings)
    issues: list[JsonObject] = [
        {
            "description": f"{one_line(one.finding.message)} ({one_line(one.finding.sentence)})",
            "check_name": rule_id(one.finding.kind),
            "fingerprint": name,
            "severity": _SEVERITIES[one.level],
            "location": {
                "path": one_line(one.finding.file).removeprefix("./"),
                "lines": {"begin": max(one.finding.line, 1)},
            },
        }
        for one, name in zip(findings, names, strict=True)
    ]
    return json.dumps(issues, ensure_ascii=False, indent=2) + "\n"
