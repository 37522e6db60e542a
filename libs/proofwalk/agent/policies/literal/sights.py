"""Turns an intent that expects something into what the walk itself is asked to look
for.

The moves of `EXPECT_…` intents look through the policy, which can wait, reload or raise
a finding. What they looked for goes with the next decision as an `Expectation`, seen or
not.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.scene import Memory
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.kernel.expectations import Expectation, SaidBy, Seen


def expectations_of(intent: Intent, memory: Memory) -> tuple[Expectation, ...]:
    """Return what the sentence says will be seen; empty for an intent that only
    acts."""
    line, sentence = intent.origin.line, intent.origin.sentence
    match intent.kind:
        case IntentKind.EXPECT_STATUS:
            row = memory.row_value
            found = Expectation(
                kind=Seen.STATE, text=intent.value or "", subject=row, line=line, sentence=sentence
            )
        case IntentKind.EXPECT_ROW:
            name = intent.value or next(reversed(memory.names), "")
            found = Expectation(kind=Seen.ROW, text=name, line=line, sentence=sentence)
        case IntentKind.EXPECT_TEXT:
            found = Expectation(
                kind=Seen.TEXT, text=intent.value or intent.label, line=line, sentence=sentence
            )
        case IntentKind.EXPECT_VALUE:
            value = intent.value or ""
            found = Expectation(
                kind=Seen.VALUE, text=value, subject=intent.label, line=line, sentence=sentence
            )
        case _:
            return ()
    return (found,) if found.text else ()


def effects_of(memory: Memory, *, line: int) -> tuple[Expectation, ...]:
    """Return the effect of the operation at the end of a sub-step: the last thing that
    the document named stands in a list. `line` is the sub-step's."""
    return tuple(
        Expectation(kind=Seen.ROW, text=name, said_by=SaidBy.OPERATION, line=line)
        for name in memory.names[-1:]
    )
