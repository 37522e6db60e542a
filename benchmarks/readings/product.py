"""What the literal policy reads in an item, cut to single steps.

The item becomes a Markdown procedure of one step, is loaded as any document and read
with `read_substep`. A document that cannot be loaded reads as nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import ARROW, FORM, Intent, IntentKind, ScopeKind
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load

_PATHS = (IntentKind.CLICK, IntentKind.NAVIGATE, IntentKind.LOG_ON)


@dataclass(frozen=True, kw_only=True)
class Read:
    """One step that was read. `kind` is the intent's, or `key` for a click on a key."""

    kind: str
    label: str = ""
    value: str | None = None
    checked: bool = True
    phrase: str = ""
    scopes: tuple[tuple[str, str], ...] = ()
    """Kind and label of each place."""
    optional: bool = False
    conditional: bool = False
    target: str = ""
    example: bool = False
    beyond: bool = False
    """Of a kind that the labels' own scorer does not know: a confirmation, a form that
    is left to the reader, the arrow beside a button."""

    def said(self) -> str:
        """Every word of it."""
        return " ".join(part for part in (self.label, self.value or "", self.phrase) if part)

    def __str__(self) -> str:
        told = self.kind + (f" {self.label!r}" if self.label else "")
        told += f" = {self.value!r}" if self.value is not None else ""
        told += " off" if self.kind == "check" and not self.checked else ""
        told += f" <{self.phrase}>" if self.phrase else ""
        told += "".join(f" @{kind}:{label}" for kind, label in self.scopes)
        return told + (" ?" if self.optional else "") + (" if" if self.conditional else "")


@dataclass(frozen=True, kw_only=True)
class Heard:
    """The reading of an item."""

    reads: tuple[Read, ...]
    not_understood: tuple[str, ...] = ()
    """The spans that were not understood."""
    prose: tuple[str, ...] = ()
    """The sentences that were taken for prose, each with the reason."""


def hear(text: str) -> Heard:
    """Read an item's Markdown."""
    try:
        document = load("item.md", f"# Item\n\n1. {' '.join(text.split())}\n".encode())
    except ProofwalkError:
        return Heard(reads=())
    reads: list[Read] = []
    unread: list[str] = []
    prose: list[str] = []
    for procedure in document.procedures:
        for substep in procedure.substeps:
            reading = read_substep(substep)
            reads += [step for intent in reading.intents for step in _steps(intent)]
            unread += [one.rest or one.text for one in reading.not_understood]
            prose += [f"{one.text} ({one.why})" for one in reading.prose]
    return Heard(reads=tuple(reads), not_understood=tuple(unread), prose=tuple(prose))


def _steps(intent: Intent) -> list[Read]:
    kind = str(intent.kind)
    if intent.kind in (IntentKind.CLICK, IntentKind.NAVIGATE) and intent.noun == "key":
        kind = "key"
    if intent.kind is IntentKind.CONFIRM:
        kind = "click"
    phrase = intent.phrase
    if intent.kind is IntentKind.CONFIGURE and intent.noun == FORM and not intent.optional:
        kind, phrase = "set", intent.origin.sentence
    step = Read(
        kind=kind,
        phrase=phrase,
        scopes=tuple((str(scope.kind), scope.label) for scope in intent.scopes),
        optional=intent.optional,
        conditional=intent.conditional,
        target=intent.target,
        example=intent.example,
        beyond=intent.kind is IntentKind.CONFIRM or intent.noun in (ARROW, FORM),
    )
    if len(intent.path) > 1 and intent.kind in _PATHS and kind != "key":
        return [replace(step, label=label) for label in intent.path]
    # The arrow beside a button is not the button.
    label = "" if intent.noun == ARROW else intent.label
    whole = replace(step, label=label, value=intent.value, checked=intent.checked)
    row = intent.scope(ScopeKind.ROW)
    if kind == "click" and row is not None:
        place = replace(step, kind="locate", label=row.label, phrase=row.label or intent.phrase)
        return [place, whole]
    return [whole]
