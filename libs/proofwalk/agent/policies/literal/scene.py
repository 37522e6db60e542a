"""The scene of a walk that follows a document: what the walk remembers, and what its
sub-step asks for.

The steps themselves are `agent.page.scene`'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from proofwalk.agent.core.policy import Turn
from proofwalk.agent.page import page_rows, places
from proofwalk.agent.page.scene import Scene, Stuck
from proofwalk.agent.page.words import contains, normalise
from proofwalk.agent.policies.literal.ledger import Ledger, in_words
from proofwalk.agent.reading.chinese.rewriting import is_chinese, said_in_chinese
from proofwalk.agent.reading.intents import Intent, Origin, Reading, ScopeKind
from proofwalk.kernel.outcomes import Finding
from proofwalk.kernel.readings import SubStepReading


class Replay(Exception):
    """Raised when a resource that a form needs was provisioned: the page must be loaded
    again and the form filled from its beginning."""


class Skipped(Exception):
    """Raised when an optional or conditional intent does not apply here."""


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
    """The id or name that identifies the row that the document speaks of."""
    row_is_ours: bool = False
    """True if the document leaves the row to its reader, and the walk took one."""
    refused_rows: set[str] = field(default_factory=set)
    """Rows that the walk took and with which it did not go on."""
    row_origin: Origin | None = None
    """The sentence that last spoke of the row."""
    begun: bool = False
    """True once a beginning was looked for that the document does not tell."""
    left_open: str = ""
    """What the document says to choose and was passed over: from then on, what is
    missing may be missing for that."""
    done_first: list[str] = field(default_factory=list)
    """Names of controls that were used because the console wanted it, and not the
    document."""
    tips: dict[str, str] = field(default_factory=dict)
    """What icons said when they were pointed at, by identity; empty for nothing."""
    head: str = ""
    """Identity of the head of the section that the document selected."""
    filled: list[Filled] = field(default_factory=list)
    warned: dict[str, str] = field(default_factory=dict)
    """A form's messages right after a field was filled, by the field's label."""
    names: list[str] = field(default_factory=list)
    """Names that the document gives to what it creates."""
    clicked: list[str] = field(default_factory=list)
    """Labels of the document that were clicked, oldest first."""
    entered: str = ""
    """Identity of the field that the document's last click was for."""
    asked_needs: set[str] = field(default_factory=set)
    """Needs that the policy asked for, by their noun in normal form."""
    led: bool = False
    """True once the document has led the walk anywhere."""
    base: str = ""
    """Address of the page on which the latest work began."""
    played: list[Intent] = field(default_factory=list)
    """Intents that were carried out since `base` was opened."""
    standing: tuple[Intent, ...] = ()
    """The document's statements of a field's own value."""
    readings: tuple[Reading, ...] = ()
    """The reading of each sub-step."""
    mentioned: str = ""
    """The whole text of the document."""

    def mentions(self, label: str) -> bool:
        """Return True if the document mentions a field."""
        if is_chinese(label):
            return said_in_chinese(self.mentioned, label)
        return bool(normalise(label)) and contains(self.mentioned, label)

    def asks_for(self, label: str) -> bool:
        """Return True if an intent of the document has exactly this label."""
        name = normalise(label)
        return any(
            name == normalise(part)
            for reading in self.readings
            for intent in reading.intents
            for part in intent.path
        )


class DocumentScene(Scene):
    """The current turn, the memory of the walk, and the ledger of the sub-step."""

    def __init__(self, turn: Turn, memory: Memory) -> None:
        super().__init__(turn)
        self.memory = memory
        self.unplaced: list[str] = []
        self.looks_again = False
        """True while a second look follows, if this one does not find the thing."""
        self.ledger = Ledger(
            reading=memory.readings[turn.index] if memory.readings else Reading(intents=())
        )
        self.noted: list[Finding] = []
        """Faults of the document that did not stop the walk. The sub-step's end reports
        them."""

    @property
    def row(self) -> str:
        """The row that the document speaks of, as the page shows it now; empty without
        one."""
        return (
            page_rows.row_with(self.page, self.memory.row_value)
            if self.memory.row_value and not self.page.modal
            else ""
        )

    def substep_reading(self) -> SubStepReading:
        """Return what the sub-step asks for and what was executed for it so far."""
        return self.ledger.substep_reading()

    def pass_over(self, intent: Intent, *, why: str) -> None:
        """Go on without doing an intent, since nothing has to be done for it."""
        self.unplaced += intent.words
        self.ledger.waived = why

    def give_up(self, intent: Intent) -> NoReturn:
        """End at an intent that cannot be placed on the page. Raises `Skipped` if the
        intent may be left out, else `Stuck`."""
        if intent.optional or intent.conditional:
            raise Skipped
        self.unplaced += intent.words
        raise Stuck(f"I do not see what is meant by: {in_words(intent)}")

    def place(self, intent: Intent, *, navigation: bool | None = None) -> places.Place:
        """Return where the intent's sentence says to look."""
        dialog = intent.scope(ScopeKind.DIALOG, ScopeKind.SECTION)
        column = intent.scope(ScopeKind.COLUMN)
        return places.Place(
            row=self.row,
            column=column.label if column else "",
            container=dialog.label if dialog else "",
            noun=intent.noun,
            navigation=navigation,
            top_bar=intent.scope(ScopeKind.TOP_BAR, ScopeKind.CORNER) is not None,
        )
