"""The scripted policy: plays a script by looking and acting, one action per turn. It is
the oracle that proves a suite's tasks solvable.

Besides the script, it gets nothing that another policy does not get: no selectors, no
identifiers, no way past the page. What it lacks it asks for as others do, where its
script says so (`needs`). A move that cannot be played ends the walk as the policy's own
failure, with the move and the sub-step; it never blames the document. Reading order:
`script` (the moves), `moves`, `fields`, `stage`.
"""

from __future__ import annotations

from proofwalk.agent.core.policy import Decision, Turn
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.policies.scripted import script
from proofwalk.agent.policies.scripted.moves import play
from proofwalk.agent.policies.scripted.script import Move
from proofwalk.agent.policies.scripted.stage import Stage, Whereabouts
from proofwalk.console.actions import AnswerDialog, SubStepComplete, TaskComplete, TaskUnachievable


class ScriptedPolicy:
    """One episode's scripted policy."""

    name = "scripted"

    def __init__(self, plan: script.Script) -> None:
        self._plan = plan
        self._where = Whereabouts()
        self._script: Script[Decision] | None = None
        self._index = -1

    async def decide(self, turn: Turn) -> Decision:
        if turn.observation.browser_dialog:
            return Decision(
                thought="A browser dialog is in the way; I accept it.",
                action=AnswerDialog(accept=True),
            )
        try:
            if turn.index != self._index or self._script is None:
                self._index = turn.index
                entry = (
                    self._plan.entries[turn.index] if turn.index < len(self._plan.entries) else ()
                )
                self._script = _entry(Stage(turn, self._where), entry)
                return next(self._script)
            return self._script.send(turn)
        except StopIteration as stop:
            self._script = None
            decision: Decision = stop.value
            return decision

    async def close(self) -> None:
        if self._script is not None:
            self._script.close()
            self._script = None


def _entry(stage: Stage, entry: tuple[Move, ...]) -> Script[Decision]:
    """Play the moves of one sub-step. Return the decision that ends it."""
    yield from stage.clear()
    for number, move in enumerate(entry, start=1):
        try:
            yield from _surely(stage, script.with_names(move, stage.where.names))
        except Stuck as stuck:
            said = move.model_dump_json(exclude_defaults=True)
            reason = f"move {number} ({said[:160]}): {stuck.reason}"
            return Decision(
                thought=f"I cannot go on: {reason}.", action=TaskUnachievable(reason=reason)
            )
    yield from stage.settle()
    substep = stage.turn.substep
    if stage.turn.index + 1 == len(stage.turn.task.procedure.substeps):
        answer = "\n".join(f"{name}: {value}" for name, value in stage.where.answer.items())
        return Decision(thought="The script is played.", action=TaskComplete(answer=answer))
    return Decision(
        thought=f"The script of sub-step {substep.number} is played.", action=SubStepComplete()
    )


def _surely(stage: Stage, move: Move) -> Script[None]:
    """Play a move. If a renewed session lost a form meanwhile, return to the form and
    fill it again."""
    where = stage.where
    for attempt in range(_RENEWALS + 1):
        renewed = stage.renewed
        try:
            if attempt:
                for past in where.trail:
                    yield from play(stage, past)
            yield from play(stage, move)
        except Stuck:
            if stage.renewed == renewed or attempt == _RENEWALS:
                raise
            continue
        if (
            stage.renewed == renewed
            or _ends(move)
            or not any(not _leads(past) for past in (*where.trail, move))
        ):
            break
    if isinstance(move, script.Open):
        where.trail = [move]
    elif isinstance(move, script.Wait | script.Need | script.Read):
        return
    elif _ends(move):
        where.trail = [past for past in where.trail if _leads(past)]
    else:
        where.trail.append(move)


_RENEWALS = 3


def _ends(move: Move) -> bool:
    """Return True if no form is left open after the move."""
    return isinstance(
        move, script.Submit | script.Confirm | script.Wait | script.Need | script.Read
    )


def _leads(move: Move) -> bool:
    """Return True if a move only leads to a page."""
    return isinstance(
        move, script.Open | script.Region | script.Tab | script.Search | script.Page
    ) or (isinstance(move, script.Row) and move.open)
