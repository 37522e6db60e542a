"""From an intent that expects something to what the walk is asked to look for itself.

The moves of `EXPECT_…` intents look with the policy's eyes, so that it can wait, load
again or find fault. What they looked for goes with the next decision as an
`Expectation`, seen or not.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.intents import Intent, IntentKind
from proofwalk.agent.policies.literal.scene import Memory
from proofwalk.kernel.expectations import Expectation, SaidBy, Seen


def expectations_of(intent: Intent, memory: Memory) -> tuple[Expectation, ...]:
    """What the sentence says is to be seen; nothing for an intent that only acts."""
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
    """What the operation itself shows at the end of a sub-step: what the document gave
    a name to stands in a list. `line` is the sub-step's."""
    return tuple(
        Expectation(kind=Seen.ROW, text=name, said_by=SaidBy.OPERATION, line=line)
        for name in memory.names[-1:]
    )
