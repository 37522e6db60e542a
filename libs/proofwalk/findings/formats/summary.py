"""A summary in Markdown, for a job's page or a comment on a merge request.

What documents and pages say stands in code spans and code blocks alone, whose fences
are longer than any run of backticks inside: no mark-up, mention or link of theirs is
read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from proofwalk.findings.formats.checked import Checked, Level, Reported, title_of
from proofwalk.findings.formats.texts import one_line, printable
from proofwalk.findings.patching import Patch, Refused

_BACKTICKS = re.compile("`+")
_SEEN = {
    Level.ERROR: "seen twice",
    Level.WARNING: "seen once",
    Level.NOTE: "beside, the walk went on",
}


def summary(documents: Sequence[Checked]) -> str:
    """Return the summary: how many documents ended how, then what is wrong with
    each."""
    counts = Counter(document.outcome for document in documents)
    told = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in counts.items())
    parts = [f"## Proofwalk: {told or 'no documents'}\n"]
    for document in documents:
        if document.findings or document.told_nothing:
            parts.append(f"### {code(document.document)}: {document.outcome.replace('_', ' ')}\n")
        if document.told_nothing:
            parts.append(f"{code(document.reason)}\n")
        parts += [_item(one) for one in document.findings]
    return "\n".join(parts)


def code(text: str) -> str:
    """Return a code span that says the text and nothing else."""
    line = one_line(text) or " "
    fence = "`" * (_longest(line) + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{edge}{line}{edge}{fence}"


def _item(one: Reported) -> str:
    finding = one.finding
    lines = [
        f"- **{title_of(finding.kind)}** ({_SEEN[one.level]}),"
        f" {code(f'{finding.file}:{finding.line}')}",
        f"  - the document: {code(finding.sentence)}",
        f"  - the walk: {code(finding.message)}",
    ]
    match one.patch:
        case Patch(diff=diff):
            lines += ["  - proposed:", "", *_block(diff.decode("utf-8", "replace"))]
        case Refused(code=refusal, reason=reason):
            lines.append(f"  - no patch: `{refusal.value}`, {code(reason)}")
        case None:
            pass
    return "\n".join((*lines, ""))


def _block(diff: str) -> list[str]:
    fence = "`" * max(3, _longest(diff) + 1)
    rows = [printable(row) for row in diff.removesuffix("\n").split("\n")]
    return [f"    {row}" for row in (f"{fence}diff", *rows, fence)]


def _longest(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
