"""Findings as lines of a job's log: workflow commands that GitHub shows beside the
document's lines, and a section of GitLab's log.

A value ends no command early: GitHub's own escapes for percent signs, line breaks, and
in properties for colons and commas. GitLab's log has no commands for findings (the Code
Quality report shows them beside the lines), so each is a line for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from proofwalk.findings.formats.checked import Checked, Level, Reported, title_of
from proofwalk.findings.formats.texts import one_line
from proofwalk.findings.patching import Patch

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}
_SECTION = "proofwalk_findings"


def github(documents: Sequence[Checked]) -> str:
    """Return a workflow command for each finding, and for each document that could not
    be verified."""
    lines = []
    for document in documents:
        lines += [_command(one) for one in document.findings]
        if document.told_nothing:
            name = _property(document.document)
            lines.append(f"::error file={name},title=Not verified::{_text(document.reason)}")
    return "".join(f"{line}\n" for line in lines)


def gitlab(documents: Sequence[Checked], *, now: datetime) -> str:
    """Return a section of the log with a line for each finding, and for each document
    that could not be verified; empty if there are none."""
    lines = []
    for document in documents:
        lines += [
            f"{one.level.upper()}: {one_line(one.finding.file)}:{one.finding.line}:"
            f" {one_line(one.finding.message)}"
            for one in document.findings
        ]
        if document.told_nothing:
            lines.append(f"ERROR: {one_line(document.document)}: {one_line(document.reason)}")
    if not lines:
        return ""
    at = int(now.timestamp())
    begin = f"\x1b[0Ksection_start:{at}:{_SECTION}\r\x1b[0KFindings of Proofwalk"
    return "\n".join((begin, *lines, f"\x1b[0Ksection_end:{at}:{_SECTION}\r\x1b[0K", ""))


def _command(one: Reported) -> str:
    finding = one.finding
    properties = [f"file={_property(finding.file)}", f"line={max(finding.line, 1)}"]
    if isinstance(one.patch, Patch) and one.patch.replacements:
        first = one.patch.replacements[0]
        if len(one.patch.replacements) == 1 and first.line == first.end_line == finding.line:
            properties += [f"col={first.column}", f"endColumn={first.end_column}"]
    properties.append(f"title={_property(title_of(finding.kind))}")
    text = _text(f"{finding.message} ({finding.sentence})")
    return f"::{_COMMANDS[one.level]} {','.join(properties)}::{text}"


def _text(text: str) -> str:
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
