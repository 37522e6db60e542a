"""One verification as one HTML file that opens offline and needs nothing else.

It answers on one screen: which sentence failed, what the agent saw, what it did, what
the cloud answered, who has to act, what it cost. The document's own text stands on the
left with each sub-step's result beside its line; the steps of the decisive episode with
their screenshots on the right; the audit events below. Everything that comes from a
page or a document is escaped text; the only script is the key navigation, allowed by
its hash in the page's content security policy.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import Blame, OutcomeKind
from proofwalk.rollout import episode_usecases
from proofwalk.rollout.conclusion import decisive
from proofwalk.rollout.episode_repository import EpisodeRow, StepRow
from proofwalk.rollout.judgement import Judgement, SubStepResult
from proofwalk.rollout.repository import VerificationRow

WORDS: Mapping[OutcomeKind, str] = {
    OutcomeKind.VERIFIED: "Verified",
    OutcomeKind.UNPROVEN: "Walked to its end, not proven",
    OutcomeKind.DOC_DEFECT: "The document is wrong here",
    OutcomeKind.SUSPECTED: "The document may be wrong here",
    OutcomeKind.AGENT_FAILURE: "Could not tell: the agent failed",
    OutcomeKind.ENV_FAILURE: "Could not tell: the environment failed",
    OutcomeKind.JUDGE_SPLIT: "Could not tell: judging came to no decision",
    OutcomeKind.CANCELLED: "Cancelled",
}
BLAME: Mapping[Blame, str] = {
    Blame.NOBODY: "nobody has to act",
    Blame.DOCUMENT: "the document's author",
    Blame.AGENT: "Proofwalk's agent",
    Blame.ENVIRONMENT: "whoever runs the environment",
}


_LINE_END = re.compile(r"\r\n|\r|\n")
"""Lines as the readers of documents count them; `splitlines` would also end one at a
form feed."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the document's source with what is known about it."""

    number: int
    text: str
    results: Sequence[SubStepResult]
    wrong: bool


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A step with its screenshot as a data URI."""

    step: StepRow
    action: JsonObject
    image: str
    seconds: float


class Report:
    """Renders reports from the rows and the blobs."""

    def __init__(self, *, db: Database, blobs: Blobs) -> None:
        self._db = db
        self._blobs = blobs
        folder = resources.files(__package__)
        self._script = folder.joinpath("page.js").read_text(encoding="utf-8").strip()
        self._style = folder.joinpath("page.css").read_text(encoding="utf-8")
        environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._template = environment.from_string(
            folder.joinpath("page.html.j2").read_text(encoding="utf-8")
        )

    async def render(self, row: VerificationRow, episodes: Sequence[EpisodeRow]) -> str:
        """The page of a finished verification."""
        verdict = row.verdict
        assert verdict is not None, "a finished verification has a verdict"
        judgement = verdict.judgement
        decides = decisive(episodes) or next(reversed(episodes), None)
        steps = await episode_usecases.read_steps(self._db, decides.id) if decides else []
        frames = [await self._frame(step) for step in steps]
        source = (await self._blobs.get(row.document_digest)).decode("utf-8", errors="replace")
        script_hash = base64.b64encode(hashlib.sha256(self._script.encode()).digest()).decode()
        return self._template.render(
            row=row,
            verdict=verdict,
            judgement=judgement,
            words=WORDS[judgement.outcome.kind],
            blame=BLAME[judgement.outcome.blame],
            isoformat=isoformat,
            lines=document_lines(source, judgement),
            frames=frames,
            moment=moment_of(judgement, frames),
            episodes=episodes,
            # Both are files of this package, not data from outside.
            style=Markup(self._style),  # noqa: S704
            script=Markup(self._script),  # noqa: S704
            script_hash=script_hash,
        )

    async def _frame(self, step: StepRow) -> Frame:
        image = ""
        if step.screenshot:
            try:
                image = (
                    "data:image/jpeg;base64,"
                    + base64.b64encode(await self._blobs.get(step.screenshot)).decode()
                )
            except ProofwalkError:
                image = ""  # collected since; the step's text is still evidence
        return Frame(
            step=step,
            action=json.loads(step.action or "{}"),
            image=image,
            seconds=(step.ended_at - step.started_at).total_seconds(),
        )


def moment_of(judgement: Judgement, frames: Sequence[Frame]) -> Frame | None:
    """The step with a screenshot at which the finding was made, of the sub-step that
    holds its line: the last that names what stands there instead, which was used then;
    else the last. None without a finding or a screenshot."""
    finding = judgement.finding
    if finding is None:
        return None
    before = [one for one in judgement.substeps if one.line <= finding.line]
    number = before[-1].number if before else ""
    pictured = [frame for frame in frames if frame.image]
    within = [frame for frame in pictured if frame.step.substep == number] or pictured
    naming = [frame for frame in within if f"“{finding.offered}”" in frame.step.thought]
    return next(reversed(naming or within), None)


def document_lines(source: str, judgement: Judgement) -> list[Line]:
    """The source's lines, each with the results of the sub-steps that begin on it."""
    results: dict[int, list[SubStepResult]] = {}
    for result in judgement.substeps:
        results.setdefault(result.line, []).append(result)
    wrong = judgement.finding.line if judgement.finding else 0
    return [
        Line(number=number, text=text, results=results.get(number, ()), wrong=number == wrong)
        for number, text in enumerate(_LINE_END.split(source), start=1)
    ]
