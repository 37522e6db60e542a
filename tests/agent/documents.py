"""Short documents in a Markdown of one line per sub-step, and the walk of one against a
fake console."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from proofwalk.agent.core.environment import Environment, StepEvent
from proofwalk.agent.core.policy import Policy, Task
from proofwalk.agent.core.walk import walk
from proofwalk.agent.core.walk_budget import Budget
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.kernel.needs import Need, Report
from proofwalk.kernel.purposes import Purpose
from proofwalk.procedures.model import (
    Block,
    Inline,
    InlineRole,
    Procedure,
    Sentence,
    SourceSpan,
    SubStep,
)

_MARKUP = re.compile(r"\*\*(.+?)\*\*|`(.+?)`|\[(.+?)\]\((.+?)\)|([^*`\[]+|.)", re.S)


def inlines(text: str) -> tuple[Inline, ...]:
    """`**bold**`, `` `code` `` and `[link](address)`."""
    found = []
    for bold, code, link, target, plain in _MARKUP.findall(text):
        role = (
            InlineRole.STRONG
            if bold
            else InlineRole.CODE
            if code
            else InlineRole.LINK
            if link
            else InlineRole.TEXT
        )
        found.append(Inline(role=role, text=bold or code or link or plain, target=target))
    return tuple(found)


def sentence(text: str, line: int = 1) -> Sentence:
    parts = inlines(text)
    return Sentence(
        text="".join(part.text for part in parts),
        span=SourceSpan(file="doc.md", line=line, end_line=line),
        inlines=parts,
    )


def procedure(*steps: str | tuple[str, Block], optional: frozenset[int] = frozenset()) -> Procedure:
    """One sub-step a line, beginning with line 1; a block makes its sub-step longer."""
    substeps = []
    for index, step in enumerate(steps):
        text, blocks = (step, ()) if isinstance(step, str) else (step[0], (step[1],))
        sentences = tuple(
            sentence(piece, index + 1) for piece in re.split(r"(?<=\.)\s+(?=[A-Z(])", text)
        )
        substeps.append(
            SubStep(
                number=str(index + 1),
                text=" ".join(one.text for one in sentences),
                sentences=sentences,
                span=SourceSpan(file="doc.md", line=index + 1, end_line=index + 1),
                blocks=blocks,
                optional=index in optional,
            )
        )
    span = SourceSpan(file="doc.md", line=1, end_line=len(steps))
    return Procedure(
        id="doc/procedure",
        title="Procedure",
        headings=("Doc",),
        substeps=tuple(substeps),
        span=span,
    )


async def no_provision(need: Need) -> Report:
    raise unavailable("provision.none", f"nothing provisions {need.text}")


async def run(
    console: Environment,
    *steps: str | tuple[str, Block],
    policy: Policy | None = None,
    binds: Mapping[str, str] | None = None,
    name: str = "",
    purpose: Purpose = "inspect",
    provision: Callable[[str], str | Report] | None = None,
    budget: Budget | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    events: list[StepEvent] | None = None,
    before: Sequence[str] = (),
    introduction: str = "",
    title: str = "Procedure",
) -> Walk:
    """Walk the steps. `before`: the procedures before them, of one step each.
    `introduction`: a sentence before the steps."""

    async def provide(need: Need) -> Report:
        if provision is None:
            return await no_provision(need)
        told = provision(need.text)
        return Report(text=told) if isinstance(told, str) else told

    async def listen(event: StepEvent) -> None:
        if events is not None:
            events.append(event)

    return await walk(
        Task(
            procedure=replace(
                procedure(*steps),
                title=title,
                before=tuple(procedure(one).substeps for one in before),
                introduction=(sentence(introduction),) if introduction else (),
            ),
            binds=binds or {},
            console=name,
            purpose=purpose,
        ),
        policy or LiteralPolicy(),
        console,
        clock=ManualClock(),
        provision=provide,
        on_event=listen,
        should_stop=should_stop,
        budget=budget,
    )


__all__ = ["ProofwalkError", "inlines", "procedure", "run", "sentence"]
