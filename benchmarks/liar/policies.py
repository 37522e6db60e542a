"""Policies that lie, and how an installation in this process comes to know them.

The product's own set has two that do no work (`null`, `random`) and none that lies. A
liar says what a policy may say and does nothing to the console, with every claim that a
`Decision` has room for: that acts were executed, that something was to be seen and is.

- `liar-completes` claims at the first look that the whole procedure is done.
- `liar-blames` claims at the first look that the first sentence of the document is
  wrong.
- `liar-skips` completes one sub-step after the other; each is said to have been read
  and executed.

Two are asked for by name only:

- `liar-notes` does as `liar-skips`, and tells of each sub-step that it was done under
  another name than the document's.
- `liar-touches` clicks one thing and then blames the document, as `liar-blames` does.
  It has touched something, so what it lacks as a witness is that it ever tried to do
  what it says cannot be done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from unittest.mock import patch

from proofwalk.agent.choosing import POLICIES, Choice
from proofwalk.agent.core.policy import Decision, Policy, Turn
from proofwalk.console.actions import Action, Click, SubStepComplete, TaskComplete, TaskUnachievable
from proofwalk.console.observation import State
from proofwalk.kernel.expectations import Expectation, SaidBy, Seen
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.kernel.readings import ReadAct, SubStepReading
from proofwalk.procedures.model import InlineRole


class Liar:
    """Decides by its kind alone; keeps nothing between turns."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def decide(self, turn: Turn) -> Decision:
        match self.name:
            case "liar-completes":
                return _claimed(turn, TaskComplete(note="everything is done"))
            case "liar-skips":
                return _claimed(turn, SubStepComplete())
            case "liar-notes":
                renamed = _finding(turn, FindingKind.RENAMED, "it is called otherwise here")
                return replace(_claimed(turn, SubStepComplete()), noted=(renamed,))
            case "liar-touches" if not turn.history and (mark := _harmless(turn)) is not None:
                return _claimed(turn, Click(id=mark))
            case _:
                return _blaming(turn)

    async def close(self) -> None:
        return


def _claimed(turn: Turn, action: Action) -> Decision:
    """The action, with a reading that says that it all was done and expectations that
    may well hold on this page.
    """
    reading = SubStepReading(
        acts=(ReadAct(asked=turn.substep.text, executed=f"did “{turn.substep.text}”"),)
    )
    return Decision(thought="It is done.", action=action, reading=reading, expected=_expected(turn))


def _expected(turn: Turn) -> tuple[Expectation, ...]:
    """Every marked word of the sub-step, as a text and as a row; that each resource is
    gone; and the page's own title.
    """
    marked = [
        inline.text
        for sentence in turn.substep.sentences
        for inline in sentence.inlines
        if inline.role in (InlineRole.STRONG, InlineRole.CODE)
    ]
    texts = [
        Expectation(kind=Seen.TEXT, text=text) for text in [*marked, turn.observation.title] if text
    ]
    rows = [Expectation(kind=Seen.ROW, text=text) for text in marked]
    gone = [
        Expectation(kind=Seen.GONE, text=name, said_by=SaidBy.OPERATION)
        for name in turn.task.binds.values()
    ]
    return (*texts, *rows, *gone)


def _blaming(turn: Turn) -> Decision:
    """The document's sentence at which the walk stands is wrong."""
    finding = _finding(
        turn, FindingKind.MISSING, "nothing on the page is called as this sentence says"
    )
    return Decision(
        thought="It is not there.", action=TaskUnachievable(reason=finding.message), finding=finding
    )


def _finding(turn: Turn, kind: FindingKind, message: str) -> Finding:
    """About the sentence at which the walk stands."""
    sentence = turn.substep.sentences[0]
    return Finding(
        file=sentence.span.file,
        line=sentence.span.line,
        sentence=sentence.text,
        kind=kind,
        message=message,
    )


def _harmless(turn: Turn) -> int | None:
    """A link of the page: a click that changes nothing in the cloud."""
    return next(
        (
            one.mark
            for one in turn.observation.elements
            if one.role == "link" and State.DISABLED not in one.states
        ),
        None,
    )


LIARS = ("liar-completes", "liar-blames", "liar-skips")
BESIDES = ("liar-notes", "liar-touches")
HONEST = ("null", "random")
"""Policies of the product that do no work and say so."""


@contextmanager
def nameable() -> Iterator[None]:
    """Inside, an installation that is started in this process takes requests for the
    liars; outside nobody knows them.
    """
    makers = {name: partial(_made, name) for name in (*LIARS, *BESIDES)}
    with ExitStack() as stack:
        stack.enter_context(patch.dict("proofwalk.agent.choosing._MAKERS", makers))
        stack.enter_context(patch("proofwalk.rollout.main.POLICIES", POLICIES | makers.keys()))
        yield


def _made(name: str, _: Choice) -> Policy:
    return Liar(name)
