"""The literal policy: reads each sub-step with the grammar and plays its intents, one
action per turn.

It needs no model and never guesses: what it clicks has the name that the document gives
it, and a sub-step with a sentence that it does not understand is not begun. State
between turns is the running script of the current sub-step (`scene`) and the memory of
the walk; a fresh policy is made for each episode. A sub-step that leaves the script
without an action is complete. Reading order: `grammar` → `substeps` → `moves` → `seek`,
`forms`, `needs`, `findings`.
"""

from __future__ import annotations

from proofwalk.agent.core.policy import Decision, Task, Turn
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import is_foreign
from proofwalk.agent.policies.literal import (
    beginnings,
    forms,
    needs,
    preconditions,
    presupposed,
    unsent,
)
from proofwalk.agent.policies.literal.confirmations import confirm_last
from proofwalk.agent.policies.literal.detours import detour
from proofwalk.agent.policies.literal.editions import edition_of, other_edition
from proofwalk.agent.policies.literal.moves import play
from proofwalk.agent.policies.literal.scene import DocumentScene, Memory, Replay
from proofwalk.agent.policies.literal.sights import effects_of
from proofwalk.agent.policies.literal.substeps import read_procedure
from proofwalk.agent.reading.chinese.rewriting import is_chinese
from proofwalk.agent.reading.intents import Intent, IntentKind, Reading, ScopeKind, Unread
from proofwalk.agent.reading.remedies import remedies
from proofwalk.console.actions import (
    AnswerDialog,
    GoTo,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
)
from proofwalk.kernel.obstacles import Obstacle, ObstacleKind
from proofwalk.kernel.outcomes import FindingKind
from proofwalk.kernel.readings import SubStepReading

_CERTAIN, _UNREAD, _UNDONE = 1.0, 0.6, 0.3
"""Confidence when all words of the sub-step were placed; when some were not; when some
were not and nothing was done. Words that were not placed may ask for more, or a finding
may rest on a misread sentence. Clicked labels are always the document's own, so clicks
are certain."""
LAST_DONE = "The last sub-step is done."
_NO_BEGINNING = "the document does not say where to begin"
_REPEATS = 2
"""How often an intent is repeated from the page where the work began."""


def done(substep: str) -> str:
    """Return the thought that ends a sub-step that is not the last (`LAST_DONE`)."""
    return f"Sub-step {substep} is done."


class LiteralPolicy:
    """One episode's literal policy."""

    name = "literal"

    def __init__(self) -> None:
        self._memory: Memory | None = None
        self._script: Script[Decision] | None = None
        self._index = -1
        self._reading: SubStepReading | None = None
        """The reading that the last decision reported."""

    async def decide(self, turn: Turn) -> Decision:
        if turn.observation.browser_dialog:
            return Decision(
                thought="A browser dialog is in the way; I accept it.",
                action=AnswerDialog(accept=True),
                reading=self._reading,
            )
        if self._memory is None:
            readings = read_procedure(turn.task.procedure)
            self._memory = Memory(
                readings=readings,
                mentioned=_whole_text(turn.task),
                standing=_standing(readings),
                base=turn.observation.url,
            )
        try:
            if turn.index != self._index or self._script is None:
                self._index = turn.index
                self._script = _substep(turn, self._memory)
                decision = next(self._script)
            else:
                decision = self._script.send(turn)
        except StopIteration as stop:
            self._script = None
            decision = stop.value
        self._reading = decision.reading
        return decision

    async def close(self) -> None:
        if self._script is not None:
            self._script.close()
            self._script = None


def _substep(turn: Turn, memory: Memory) -> Script[Decision]:
    """Play a sub-step. Return the decision that ends it."""
    reading = memory.readings[turn.index]
    scene = DocumentScene(turn, memory)
    scene.unplaced += reading.unplaced
    try:
        # What lies over a page that nobody has acted on yet, like a first page's region
        # dialog.
        yield from scene.clear()
        if (
            is_foreign(turn.substep.text)
            and not is_chinese(turn.substep.text)
            and all(intent.kind is IntentKind.MENTION for intent in reading.intents)
        ):
            raise Stuck("this policy reads English and Chinese, and the sub-step is in neither")
        unread = next((one for one in reading.not_understood if not one.optional), None)
        if unread is not None:
            raise _not_understood(unread)
        for intent in reading.intents:
            steps = scene.steps
            yield from _surely(scene, intent)
            scene.ledger.close(intent, scene.steps - steps)
        yield from scene.settle()
        last = turn.index + 1 == len(turn.task.procedure.substeps)
        if last:
            yield from confirm_last(scene, reading.intents)
            unsent.note(scene, reading.intents)
    except Stuck as stuck:
        return Decision(
            thought=f"I cannot go on: {stuck.reason}.",
            action=TaskUnachievable(reason=stuck.reason),
            finding=stuck.finding,
            obstacle=stuck.obstacle,
            noted=tuple(scene.noted),
            reading=scene.ledger.substep_reading(),
            unplaced=tuple(dict.fromkeys(scene.unplaced)),
            confidence=_UNREAD if scene.unplaced else _CERTAIN,
        )
    scene.expected += effects_of(memory, line=turn.substep.span.line)
    return Decision(
        thought=LAST_DONE if last else done(turn.substep.number),
        action=TaskComplete() if last else SubStepComplete(),
        unplaced=tuple(dict.fromkeys(scene.unplaced)),
        expected=scene.take_expected(),
        noted=tuple(scene.noted),
        reading=scene.ledger.substep_reading(),
        confidence=(_UNREAD if scene.steps else _UNDONE) if scene.unplaced else _CERTAIN,
    )


def _not_understood(unread: Unread) -> Stuck:
    """Return what ends the walk before anything of the sub-step is done: a part of an
    instruction is another instruction."""
    reason = f"I do not understand “{unread.text}” (line {unread.origin.line})"
    if unread.rest != unread.text:
        reason = f"{reason}: I cannot read “{unread.rest}” in it"
    return Stuck(reason, obstacle=Obstacle(kind=ObstacleKind.NOT_UNDERSTOOD, message=reason))


def _surely(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Carry out an intent. If the console has another name for the thing, which the
    document does not use itself, go on under that name (`detours`), unless the walk
    follows to the letter. The difference is noted as a finding, whatever becomes of the
    walk."""
    try:
        yield from _twice(scene, intent)
    except Stuck as stuck:
        if _may_begin(scene.memory, intent, stuck) and (
            yield from presupposed.begin(scene, intent)
        ):
            yield from _from_there(scene, intent)
            return
        if stuck.wants and scene.turn.task.purpose == "inspect":
            yield from preconditions.bring_about(scene, intent, stuck, _again)
            return
        if stuck.finding is not None:
            _excuse(scene, intent, stuck)
        other = detour(intent, stuck) if scene.turn.task.purpose == "inspect" else None
        if other is None or stuck.finding is None or scene.memory.asks_for(stuck.instead):
            raise
        try:
            yield from play(scene, other)
        except Replay:
            raise Stuck(
                f"{stuck.reason}; with that the page has to be loaded anew", stuck.finding
            ) from None
        except Stuck as further:
            raise Stuck(
                f"{stuck.reason}; with that it does not go on: {further}", stuck.finding
            ) from None
        scene.noted.append(stuck.finding)
        scene.ledger.under = stuck.instead


def _excuse(scene: DocumentScene, intent: Intent, stuck: Stuck) -> None:
    """Raise what was found without its finding, where something else than the document
    may be the reason for it."""
    memory = scene.memory
    if not _was_led(memory, intent):
        raise Stuck(f"{stuck.reason}; {_NO_BEGINNING}") from None
    if memory.done_first:
        raise Stuck(f"{stuck.reason}; {preconditions.excuse(memory.done_first)}") from None
    if memory.left_open:
        raise Stuck(f"{stuck.reason}; {_passed(memory.left_open)}") from None
    edition = edition_of(scene.turn.task.procedure)
    if edition:
        raise Stuck(stuck.reason, obstacle=other_edition(stuck.reason, edition)) from None


def _from_there(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Carry out an intent on a page that the document presupposes. Blames nothing."""
    try:
        yield from play(scene, beginnings.of_the_list(scene, intent))
    except Replay:
        raise Stuck(f"the page has to be loaded anew; {_NO_BEGINNING}") from None
    except Stuck as stuck:
        raise Stuck(f"{stuck.reason}; {_NO_BEGINNING}", obstacle=stuck.obstacle) from None


def _passed(choice: str) -> str:
    return f"“{choice}” could not be chosen before, which may be why"


def _was_led(memory: Memory, intent: Intent) -> bool:
    """True once the walk was led anywhere, or is being led. A procedure whose first
    word is a control of a page that it does not name presupposes that page, which is no
    defect of it. A path, and an entry of a menu that is named, lead themselves."""
    leads = len(intent.path) > 1 or intent.scope(ScopeKind.MENU) is not None
    return memory.led or leads or intent.kind in (IntentKind.LOG_ON, IntentKind.NAVIGATE)


def _may_begin(memory: Memory, intent: Intent, stuck: Stuck) -> bool:
    """True if the walk may look for where the document begins: it was led nowhere, and
    where the intent would lead itself, nothing is blamed for its being in vain."""
    blames = stuck.finding is not None or stuck.obstacle is not None
    return not _was_led(memory, intent) or (not memory.led and not blames)


def _twice(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Carry out an intent, and repeat it from where the work began if that page must be
    loaded anew: a resource was provisioned, the session lapsed and took a form with it,
    or a finding is about to be raised. A click that a redrawn page lost looks like a
    missing field, so a thing must be missing twice to count. The first look does not
    wait as long, because the second one does."""
    first: Stuck | None = None
    provisioned = False
    for _ in range(_REPEATS + 1):
        renewed, working = scene.renewed, forms.working(scene.page)
        scene.ledger.open()
        scene.looks_again = first is None
        try:
            yield from play(scene, intent)
        except Replay:
            if provisioned:
                raise Stuck("a second resource was missing in the same form") from None
            provisioned = True
            why = "It is provisioned; I begin with this page again."
        except Stuck as stuck:
            worth = _worth_a_second_look(stuck)
            other_row = worth and needs.take_another_row(scene)
            if scene.renewed == renewed and (not worth or (first and not other_row)):
                raise _of_both(first, stuck) from None
            first = first or stuck
            why = "Before I blame the document, I load the page again and look a second time."
        else:
            if (
                scene.renewed == renewed
                or forms.working(scene.page)
                or working == (intent.kind is IntentKind.CLICK)
            ):
                return
            # It was filled in, or opened, before the page was loaded anew.
            scene.memory.played = [one for one in scene.memory.played if one is not intent]
            why = "The session was renewed and the form is lost; I begin with this page again."
        finally:
            scene.looks_again = False
        try:
            yield from _again(scene, why)
        except Stuck as other:
            raise first or other from None
    raise first or Stuck("the page had to be loaded anew too often")


def _worth_a_second_look(stuck: Stuck) -> bool:
    """True if a reload could help. False for a missing outcome, which the policy has
    already waited for, and where the console says what it wants (`preconditions`)."""
    if stuck.obstacle is not None:
        return stuck.obstacle.kind is ObstacleKind.PRECONDITION and not remedies(stuck.wants)
    return stuck.finding is not None and stuck.finding.kind is not FindingKind.WRONG_OUTCOME


def _of_both(first: Stuck | None, second: Stuck) -> Stuck:
    """Combine two looks: the document is blamed only if both blame it. A control that
    was once seen disabled is not missing."""
    return (
        first
        if first is not None and first.obstacle is not None and second.finding is not None
        else second
    )


def _again(scene: DocumentScene, why: str) -> Script[None]:
    """Load the page where the work began, and repeat the intents played since."""
    memory = scene.memory
    played, memory.played = memory.played, []
    yield from scene.act(why, GoTo(url=memory.base or scene.page.url))
    yield from scene.settle()
    for intent in played:
        try:
            yield from play(scene, intent)
        except Replay:
            raise Stuck("a second resource was missing in the same form") from None


def _standing(readings: tuple[Reading, ...]) -> tuple[Intent, ...]:
    """Return the procedure's statements of a field's own value, from all sub-steps."""
    return tuple(
        intent
        for reading in readings
        for intent in reading.intents
        if intent.kind is IntentKind.EXPECT_VALUE
    )


def _whole_text(task: Task) -> str:
    """Return all text of the procedure, to look up whether it mentions a field."""
    pieces: list[str] = []
    for substep in task.procedure.substeps:
        pieces += [sentence.text for sentence in substep.sentences]
        for block in substep.blocks:
            pieces.append("".join(inline.text for inline in block.inlines))
            pieces += [cell for row in block.rows for cell in row]
            pieces += ["".join(inline.text for inline in item) for item in block.items]
    return " ".join(pieces)
