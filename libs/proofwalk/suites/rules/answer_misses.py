"""Near misses of a rule that expects an answer: a passing walk that told something
else, left a field out, or changed something that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.documents import RuleDocument
from proofwalk.suites.rules.near_misses import NearMiss

_UNASKED = "UnaskedChange"
"""An operation that no cloud has, so that no clause can ask for it."""


def answer_misses(rule: RuleDocument, recording: Recording) -> Iterator[NearMiss]:
    """Return the near misses of the answer; none for a rule that expects no answer."""
    events = tuple(recording.events)
    lines = recording.answer.splitlines()
    for name in rule.get("answer") or {}:
        place = f"answer.{name}"
        others = [line for line in lines if not line.startswith(f"{name}:")]
        told = next((line for line in lines if line not in others), "")
        if not told:
            continue
        wrong = "\n".join([*others, f"{told} or another"])
        yield NearMiss(
            kind="answer", place=place, why="another value was told", events=events, answer=wrong
        )
        yield NearMiss(
            kind="answer",
            place=place,
            why="the field was left out",
            events=events,
            answer="\n".join(others),
        )
    if rule.get("answer"):
        unasked = AuditEvent(
            id="unasked",
            time=recording.start,
            service="",
            name=_UNASKED,
            kind="",
            write=True,
            ok=True,
        )
        yield NearMiss(
            kind="unasked",
            place="answer",
            why="something was changed that nobody asked for",
            events=(*events, unasked),
        )


def missed(recording: Recording, miss: NearMiss) -> Recording:
    """The recording as the near miss has it."""
    answer = recording.answer if miss.answer is None else miss.answer
    return replace(recording, events=miss.events, answer=answer)
