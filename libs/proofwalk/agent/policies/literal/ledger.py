"""Accounts for a sub-step: each thing that it asked for, and what was done for it.

The policy opens one line for each intent that asks for something. A closed line says
what was executed, or why nothing had to be (`waived`). A line that stays open keeps the
sub-step from being verified, whatever else is known (`kernel.readings`). Mentions and
places for parameters ask for nothing and have no line.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from proofwalk.agent.reading.intents import Intent, IntentKind, Reading, ScopeKind
from proofwalk.agent.reading.phrasing import act_in_words
from proofwalk.kernel.readings import ReadAct, Span, SubStepReading

_NO_LINE = (IntentKind.MENTION, IntentKind.CONFIGURE)


@dataclass(kw_only=True)
class Ledger:
    """The lines of one sub-step."""

    reading: Reading = field(default_factory=lambda: Reading(intents=()))
    closed: list[ReadAct] = field(default_factory=list)
    waived: str = ""
    """Why nothing has to be done for the intent that is being played."""
    under: str = ""
    """The console's name of the thing that was used, where the document has another."""
    first: str = ""
    """What was done before it, because the console wants it and the document leaves it
    out (`preconditions`)."""

    def open(self) -> None:
        """Begin the next intent."""
        self.waived = self.under = self.first = ""

    def close(self, intent: Intent, steps: int) -> None:
        """End an intent for which `steps` steps were taken."""
        if intent.kind in _NO_LINE:
            return
        asked = in_words(intent)
        done = f"done under the name “{self.under}”" if self.under else "done"
        done += f", after {self.first}" if self.first else ""
        executed = "" if self.waived else done if steps else "held already"
        self.closed.append(ReadAct(asked=asked, executed=executed, waived=self.waived))

    def substep_reading(self) -> SubStepReading:
        """Return all lines, with open ones for intents that were not reached."""
        asked = [intent for intent in self.reading.intents if intent.kind not in _NO_LINE]
        left = [ReadAct(asked=in_words(intent)) for intent in asked[len(self.closed) :]]
        spans = [
            Span(file=one.origin.file, line=one.origin.line, text=one.text)
            for one in self.reading.not_understood
            if not one.optional
        ]
        return SubStepReading(acts=(*self.closed, *left), not_understood=tuple(spans))


def in_words(intent: Intent) -> str:
    """Return what an intent asks for in words, with its place: `click “Stop” (column
    “Actions”)`."""
    places = [
        f"{scope.kind.value.replace('_', ' ')} “{scope.label}”"
        for scope in intent.scopes
        if _tells(scope.kind, scope.label)
    ]
    return act_in_words(intent) + (f" ({', '.join(places)})" if places else "")


def _tells(kind: ScopeKind, label: str) -> bool:
    return bool(label) and kind is not ScopeKind.FIELD
