"""Patterns of words without a label, up to the end of the phrase or to what may be
another act."""

from __future__ import annotations

from proofwalk.agent.reading.marks import LABEL

MARKS = LABEL[1:-1]
ANOTHER_ACT = r"\b(?:and|then)\s+(?:then\s+)?(?!(?:the|an?|its?|your|no|not)\b)[a-z]+\s+(?:the|an?|it|your|them)\b"
NO_LABEL = rf"(?:(?!{ANOTHER_ACT})[^,;.{MARKS}§])*"
