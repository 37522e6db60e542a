"""The stage on which moves are played: the latest turn, what was done so far, and how to take one step.

A *script* is a generator: it yields a `Decision` and is resumed with the next `Turn`. So a move reads like the steps of a
person, while
the policy stays one action per turn. A script that cannot go on raises `Stuck`; with a finding, the document is to blame.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from proofwalk.agent.core.policy import Decision, PastStep, Turn
from proofwalk.agent.page import grounding, interruptions
from proofwalk.agent.page.words import contains, normalise
from proofwalk.agent.policies.literal.intents import Intent, Origin, Reading, ScopeKind
from proofwalk.agent.policies.literal.ledger import Ledger, in_words
from proofwalk.console.actions import Action, Wait
from proofwalk.console.observation import Element, Observation
from proofwalk.kernel.expectations import Expectation
from proofwalk.kernel.obstacles import Obstacle
from proofwalk.kernel.outcomes import Finding

_INTERRUPTIONS = 8
T = TypeVar("T")
Script = Generator[Decision, Turn, T]


class Stuck(Exception):
    """The script cannot go on. `missed` is the document's name of what is not there, `instead` the name of what
    stands in its place, if anything does: another way on (`detours`)."""

    def __init__(
        self,
        reason: str,
        finding: Finding | None = None,
        obstacle: Obstacle | None = None,
        *,
        missed: str = "",
        instead: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.finding = finding
        self.obstacle = obstacle
        self.missed = missed
        self.instead = instead


class Replay(Exception):
    """What a form needs was provisioned: the page has to be loaded again and the form filled from its beginning."""


class Skipped(Exception):
    """An optional or conditional intent does not apply here."""


@dataclass(kw_only=True)
class Filled:
    """A field that was set."""

    label: str
    value: str
    origin: Origin


@dataclass(kw_only=True)
class Memory:
    """What the walk remembers from sub-step to sub-step."""

    row_value: str = ""
    """The id or name by which the row that the document speaks of is found again."""
    row_origin: Origin | None = None
    """The sentence that spoke of the row last."""
    filled: list[Filled] = field(default_factory=list)
    warned: dict[str, str] = field(default_factory=dict)
    """What a form said under a field right after it was filled, by the field's label."""
    names: list[str] = field(default_factory=list)
    """Names that the document gave to what it creates."""
    clicked: list[str] = field(default_factory=list)
    """Labels of the document that were clicked, oldest first."""
    asked: set[str] = field(default_factory=set)
    """Needs that were already asked for."""
    base: str = ""
    """Address of the page on which the latest work began."""
    played: list[Intent] = field(default_factory=list)
    """Intents that were carried out since then."""
    standing: tuple[Intent, ...] = ()
    """What the document says that fields stand at by themselves."""
    readings: tuple[Reading, ...] = ()
    """What was made of each sub-step."""
    mentioned: str = ""
    """The whole document's text, in compare-form."""

    def mentions(self, label: str) -> bool:
        """Whether the document speaks of a field."""
        return bool(normalise(label)) and contains(self.mentioned, label)

    def asks_for(self, label: str) -> bool:
        """Whether the document, as it was read, works with something of exactly this name."""
        name = normalise(label)
        return any(name == normalise(part) for reading in self.readings for intent in reading.intents for part in intent.path)


class Scene:
    """The current turn and the memory of the walk."""

    def __init__(self, turn: Turn, memory: Memory) -> None:
        self.turn = turn
        self.memory = memory
        self.unplaced: list[str] = []
        self.ledger = Ledger(reading=memory.readings[turn.index] if memory.readings else Reading(intents=()))
        self.expected: list[Expectation] = []
        """What was looked for on the current page; it goes with the next decision."""
        self.noted: list[Finding] = []
        """What in the document was found not to be so while the walk goes on; told with the sub-step's end."""
        self.steps = 0
        """Steps taken for the sub-step; those against what came over the page are not counted."""
        self.renewed = 0
        """How often a session that had lapsed was taken up again: what was filled in until then is lost."""

    @property
    def page(self) -> Observation:
        return self.turn.observation

    @property
    def row(self) -> str:
        """The row that the document speaks of, as it now stands on the page; empty when there is none."""
        return grounding.row_with(self.page, self.memory.row_value) if self.memory.row_value and not self.page.modal else ""

    def act(self, thought: str, action: Action) -> Script[PastStep]:
        """Take one step and come back with its result."""
        self.steps += not isinstance(action, Wait)
        self.turn = yield Decision(
            thought=thought, action=action, expected=self.take_expected(), reading=self.ledger.told()
        )
        past = self.turn.history[-1]
        yield from self.clear()
        return past

    def clear(self) -> Script[None]:
        """Deal with what came over the page by itself; a page that brings up more than a person would bear is left as it is."""
        for _ in range(_INTERRUPTIONS):
            answer = interruptions.answer(self.page, self.turn.history)
            if answer is None:
                return
            self.renewed += answer.renews
            self.turn = yield Decision(
                thought=answer.thought,
                action=answer.action,
                expected=self.take_expected(),
                reading=self.ledger.told(),
            )

    def pass_over(self, intent: Intent, *, why: str) -> None:
        """Go on without having done an intent, because nothing has to be done for it."""
        self.unplaced += intent.words
        self.ledger.waived = why

    def give_up(self, intent: Intent) -> NoReturn:
        """End at an intent that cannot be placed on the page: what was not done is not passed over."""
        if intent.optional or intent.conditional:
            raise Skipped
        self.unplaced += intent.words
        raise Stuck(f"I do not see what is meant by: {in_words(intent)}")

    def take_expected(self) -> tuple[Expectation, ...]:
        """What was looked for since the last decision."""
        found, self.expected = tuple(self.expected), []
        return found

    def settle(self, seconds: float = 10) -> Script[None]:
        """Wait until the page is quiet, if it is not."""
        for _ in range(3):
            if self.page.quiet:
                return
            yield from self.act("The page is still busy; I wait.", Wait(seconds=seconds))

    def pause(self, thought: str, seconds: float = 3, text: str = "") -> Script[None]:
        """Let time pass: until `text` comes, if it is not there; else all of `seconds`, for something is there that stays."""
        if not text or grounding.seen(self.page, text):
            stays = next((element.name for element in self.page.elements if element.name), "")
            yield from self.act(thought, Wait(text=stays, gone=bool(stays), seconds=seconds))
        else:
            yield from self.act(thought, Wait(text=text, seconds=seconds))
        yield from self.settle()

    def await_page(
        self, thought: str, ready: Callable[[Observation], bool], *, text: str = "", times: int = 2, seconds: float = 5
    ) -> Script[bool]:
        """Wait until the page answers `ready`, at most `times` pauses."""
        for _ in range(times):
            if ready(self.page):
                return True
            yield from self.pause(thought, seconds, text)
        return ready(self.page)

    def place(self, intent: Intent, *, navigation: bool | None = None) -> grounding.Place:
        """Where the intent's sentence says to look."""
        dialog = intent.scope(ScopeKind.DIALOG, ScopeKind.SECTION)
        column = intent.scope(ScopeKind.COLUMN)
        return grounding.Place(
            row=self.row,
            column=column.label if column else "",
            container=dialog.label if dialog else "",
            noun=intent.noun,
            navigation=navigation,
            top_bar=intent.scope(ScopeKind.TOP_BAR, ScopeKind.CORNER) is not None,
        )

    def appeared(self, before: Observation) -> list[Element]:
        """Elements that were not there before."""
        known = {element.identity for element in before.elements}
        return [element for element in self.page.elements if element.identity not in known]
