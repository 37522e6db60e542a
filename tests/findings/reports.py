"""Documents that ended in every way, for the formats."""

from __future__ import annotations

from proofwalk.findings.attempts import Refusal
from proofwalk.findings.formats.checked import REFUSED, Checked, Level, Reported, StepEnd
from proofwalk.findings.patching import Observed, Refused, options_of, patched
from proofwalk.kernel.outcomes import Finding, FindingKind, OutcomeKind, SubStepStatus

BODY = b"# Stop\n\n1. Open the page.\n2. Click **Stop**.\n3. Click **OK**.\n"


def usual() -> list[Checked]:
    """A wrong document with a patch, a suspected one, a verified one, one refused."""
    renamed = Finding(
        file="docs/stop it.md",
        line=4,
        sentence="Click Stop.",
        kind=FindingKind.RENAMED,
        message="The console has “Halt” where the document says “Stop”.",
        asked="Stop",
        offered="Halt",
    )
    (options,) = options_of([Observed(finding=renamed)], BODY)
    edits = options.proposal
    assert not isinstance(edits, Refused)
    noted = Finding(
        file="docs/stop it.md",
        line=5,
        sentence="Click OK.",
        kind=FindingKind.MOVED,
        message="“OK” is elsewhere.",
    )
    return [
        Checked(
            document="docs/stop it.md",
            outcome=OutcomeKind.DOC_DEFECT,
            reason="two episodes saw it",
            seconds=12.5,
            steps=(
                step("1", "Open the page.", 3, SubStepStatus.VERIFIED),
                step("2", "Click Stop.", 4, SubStepStatus.DEFECT),
                step("3", "Click OK.", 5, SubStepStatus.NOT_VERIFIED),
            ),
            findings=(
                Reported(
                    finding=renamed,
                    level=Level.ERROR,
                    patch=patched(renamed.file, BODY, edits),
                ),
                Reported(
                    finding=noted,
                    level=Level.NOTE,
                    patch=Refused(code=Refusal.NO_EVIDENCE, reason="it does not say what to write"),
                ),
            ),
        ),
        hostile("Click OK.", "a.md"),
        Checked(document="b.md", outcome=OutcomeKind.VERIFIED, reason="the log has it"),
        Checked(document="c.md", outcome=REFUSED, reason="it is empty", code="document.empty"),
    ]


def hostile(text: str, file: str = "a.md") -> Checked:
    """A document of which everything that comes from it or from a page is `text`."""
    finding = Finding(
        file=file,
        line=3,
        sentence=text,
        kind=FindingKind.MISSING_STEP,
        message=text,
        asked=text,
        offered=text,
    )
    return Checked(
        document=file,
        outcome=OutcomeKind.SUSPECTED,
        reason=text,
        steps=(
            step("1", text, 3, SubStepStatus.DEFECT),
            step("2", text, 4, SubStepStatus.NOT_VERIFIED),
        ),
        findings=(
            Reported(
                finding=finding,
                level=Level.WARNING,
                patch=Refused(code=Refusal.NOT_ONCE, reason=text),
            ),
        ),
    )


def step(number: str, text: str, line: int, status: SubStepStatus) -> StepEnd:
    return StepEnd(number=number, text=text, line=line, status=status, reason=f"because: {text}")
