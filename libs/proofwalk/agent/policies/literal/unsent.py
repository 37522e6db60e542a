"""Notes a form that the document ends with and does not send.

The last act fills a field, which still shows its value; one button in front sends the
form; and no sentence from the form's first one on has that button's verb. It is noted
and nothing is pressed: many forms keep what is chosen at once. Only where the log
denies the effect is it a finding (`rollout.findings`).
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.agent.page import page_fields
from proofwalk.agent.page.differences import Difference, in_front
from proofwalk.agent.page.places import Place
from proofwalk.agent.page.wording import not_sent
from proofwalk.agent.page.words import normalise, tokens
from proofwalk.agent.policies.literal import confirmations, findings
from proofwalk.agent.policies.literal.scene import DocumentScene, Filled
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.console.observation import State
from proofwalk.kernel.outcomes import FindingKind
from proofwalk.procedures.model import Procedure

_SHORTEST = 4
"""Letters of a verb that other forms of it share."""


def note(scene: DocumentScene, intents: Sequence[Intent]) -> None:
    """Note the open form, behind the document's last sub-step."""
    acts = [one for one in intents if one.kind is not IntentKind.MENTION]
    filled = scene.memory.filled
    if not acts or acts[-1].kind is not IntentKind.SET or not filled:
        return
    if scene.unplaced or scene.noted:
        return  # What was not understood, or is called otherwise, may be why.
    if filled[-1].origin != acts[-1].origin or not _is_open(scene, filled[-1]):
        return
    button = confirmations.sending_button(scene.page)
    line = filled[0].origin.line
    if button is None or _speaks_of(scene.turn.task.procedure, button.name, line):
        return
    place = in_front(scene.page)
    scene.noted.append(
        findings.finding(
            acts[-1].origin,
            FindingKind.MISSING_STEP,
            not_sent(place, button=button.name),
            (button.name,),
            differs=Difference(place=place),
        )
    )


def _is_open(scene: DocumentScene, last: Filled) -> bool:
    """True if the field that was filled last shows what was filled in."""
    named = page_fields.fields(scene.page, last.label, Place(), by_words=True)
    wanted = normalise(last.value)
    return bool(wanted) and any(
        wanted in normalise(element.value)
        or (State.CHECKED in element.states and normalise(element.name) == wanted)
        for field in named
        for element in field.elements
    )


def _speaks_of(procedure: Procedure, name: str, line: int) -> bool:
    """True if a sentence from this line on may ask for the button: `Save your
    changes`."""
    verb = (tokens(name) or [normalise(name)])[0]
    stem = verb.removesuffix("e") if len(verb) > _SHORTEST else verb
    texts = [one.text for one in procedure.substeps if one.span.end_line >= line]
    blocks = [
        inline.text
        for one in procedure.substeps
        for block in one.blocks
        for inline in (*block.inlines, *(part for item in block.items for part in item))
    ]
    return any(word.startswith(stem) for text in (*texts, *blocks) for word in tokens(text)) or any(
        name in text for text in texts
    )
