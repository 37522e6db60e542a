"""Results of `verify` for continuous integration: the files and log lines that its
options ask for.

What is written where is `findings.formats`' knowledge; this module knows the results,
their patches and the options.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from importlib import metadata
from pathlib import Path

from proofwalk.cli.output import say
from proofwalk.cli.patches import Proposals, patch_files
from proofwalk.cli.report_options import Reports
from proofwalk.cli.verification import Result
from proofwalk.findings.formats import job_log
from proofwalk.findings.formats.checked import REFUSED, Checked, Level, Reported, StepEnd
from proofwalk.findings.formats.code_quality import code_quality
from proofwalk.findings.formats.junit import junit
from proofwalk.findings.formats.sarif import sarif
from proofwalk.findings.formats.summary import summary
from proofwalk.findings.patching import Refused
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.outcomes import OutcomeKind, SubStepStatus
from proofwalk.orders.verification import SubstepBody, VerdictBody, finding_of


def checked(results: Sequence[Result], proposals: Proposals | None = None) -> list[Checked]:
    """Return the results as the formats take them."""
    return [_checked(result, proposals or Proposals()) for result in results]


def write_reports(
    results: Sequence[Result], proposals: Proposals, reports: Reports, *, now: datetime
) -> None:
    """Write what the options ask for, and say on standard error what became of patches.
    Raises `report.not_written`."""
    documents = checked(results, proposals)
    if reports.sarif is not None:
        log = sarif(documents, version=metadata.version("proofwalk"))
        write_file(reports.sarif, log.encode("utf-8"))
    if reports.junit is not None:
        write_file(reports.junit, junit(documents))
    if reports.code_quality is not None:
        write_file(reports.code_quality, code_quality(documents).encode("utf-8"))
    if reports.summary is not None:
        write_file(reports.summary, summary(documents).encode("utf-8"))
    if reports.patches is not None:
        _write_patches(documents, proposals, reports.patches)
    sys.stderr.write(log_lines(documents, reports.annotations, now=now))


def log_lines(documents: Sequence[Checked], system: str, *, now: datetime) -> str:
    """Return the lines of the job's log for `github` or `gitlab`; none for `none`."""
    if system == "github":
        return job_log.github(documents)
    return job_log.gitlab(documents, now=now) if system == "gitlab" else ""


def _write_patches(documents: Sequence[Checked], proposals: Proposals, folder: Path) -> None:
    for name, diff in patch_files(proposals).items():
        write_file(folder / name, diff)
        say(f"{folder / name}: a proposed patch")
    for document in documents:
        for one in document.findings:
            if isinstance(one.patch, Refused):
                place = f"{one.finding.file}:{one.finding.line}"
                say(f"{place}: no patch ({one.patch.code.value}): {one.patch.reason}")


def write_file(path: Path, content: bytes) -> None:
    """Write a file and its folder. Raises `report.not_written`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise invalid(
            "report.not_written",
            f"{path} cannot be written: {error.strerror}",
            hint="name a file in a folder that can be written to",
        ) from error


def _checked(result: Result, proposals: Proposals) -> Checked:
    if result.verification is None:
        error = result.error
        assert error is not None, "a result without a verification has an error"
        return Checked(
            document=result.document, outcome=REFUSED, reason=error.message, code=error.code
        )
    verdict = result.verification["verdict"]
    return Checked(
        document=result.document,
        outcome=verdict["outcome"],
        reason=verdict.get("reason", ""),
        code=verdict.get("code", ""),
        seconds=verdict.get("seconds", 0.0),
        steps=tuple(map(_step, verdict.get("substeps", ()))),
        findings=tuple(_findings(result.document, verdict, proposals)),
    )


def _findings(document: str, verdict: VerdictBody, proposals: Proposals) -> list[Reported]:
    ended = verdict.get("finding")
    is_certain = verdict["outcome"] == OutcomeKind.DOC_DEFECT
    bodies = [(ended, Level.ERROR if is_certain else Level.WARNING)] if ended else []
    bodies += [(one, Level.NOTE) for one in verdict.get("noted", ())]
    findings = [(finding_of(body, document=document), level) for body, level in bodies]
    return [
        Reported(finding=one, level=level, patch=proposals.of(document, one))
        for one, level in findings
    ]


def _step(body: SubstepBody) -> StepEnd:
    return StepEnd(
        number=body.get("number", ""),
        text=body.get("text", ""),
        line=body["line"],
        status=SubStepStatus(body.get("status", SubStepStatus.NOT_VERIFIED)),
        reason=body.get("reason", ""),
    )
