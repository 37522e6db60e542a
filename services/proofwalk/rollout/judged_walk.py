"""What judges are shown of an episode: the procedure, what was done, the last page.
Pure.

Left out is what the policy thought and claimed (thoughts, notes, "complete"): judges
are to find out what happened, not to be told. Actions name their element in words,
since a mark means nothing without its page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.llm.prompts import substep_text
from proofwalk.console.actions import parse_action
from proofwalk.console.looking.prompt_text import render
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.model import Procedure, SubStep
from proofwalk.rollout.ports import JudgedStep, JudgedSubStepText, JudgedWalk, Provisioned

_CLAIMS = frozenset({"sub_step_complete", "task_complete", "task_unachievable", "note"})
_PAGE = 12_000
_RESULT = 2000


def step_to_judge(event: StepEvent) -> JudgedStep | None:
    """A step as judges see it; None for one that did nothing to the console."""
    try:
        action = parse_action(event.action)
    except ProofwalkError:
        return None
    if action.type in _CLAIMS:
        return None
    done = {"type": action.type, **action.model_dump(mode="json", exclude_defaults=True)}
    mark = getattr(action, "id", None)
    element = (
        event.observation.element(mark)
        if event.observation is not None and isinstance(mark, int)
        else None
    )
    name = f"{element.role} {element.name or element.label!r}" if element is not None else ""
    return JudgedStep(
        number=event.step,
        substep=event.substep,
        action=json.dumps(done, ensure_ascii=False),
        element=name,
        result=event.result[:_RESULT],
        ok=event.ok,
    )


def walk_to_judge(
    procedure: Procedure,
    walk: Walk,
    steps: Sequence[JudgedStep],
    made: Provisioned | None,
    *,
    document: str,
    console: str,
) -> JudgedWalk:
    """The whole walk; `document` is the document's title."""
    final = walk.final
    return JudgedWalk(
        title=": ".join(filter(None, [document, procedure.title])),
        console=console,
        prepared=made.description if made else "",
        binds=made.binds if made else {},
        substeps=tuple(
            JudgedSubStepText(number=one.number, text=_text(one), optional=one.optional)
            for one in procedure.substeps
        ),
        steps=tuple(steps),
        page=render(final, budget=_PAGE) if final is not None else "",
        screenshot=final.screenshot if final is not None else b"",
        viewport=final.viewport if final is not None else (0, 0),
    )


def _text(substep: SubStep) -> str:
    """Its sentences and material; number and optional are told apart."""
    return substep_text(substep).removeprefix(f"{substep.number}. ").removeprefix("(optional) ")
