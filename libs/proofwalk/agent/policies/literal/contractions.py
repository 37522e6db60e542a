"""Spells contractions out: `it isn't compatible` becomes `it is not compatible`.

The rules that find a subject and its verb know the words by themselves. A possessive
(`the pump's lid`) is none, so `'s` is spelled out behind pronouns alone.
"""

from __future__ import annotations

import re

_NOT = re.compile(
    r"\b(?P<stem>is|are|was|were|do|does|did|has|have|had|would|could|should|must|need|wo|ca|sha)"
    r"n['’]t\b",
    re.I,
)
_STEMS = {"wo": "will", "ca": "can", "sha": "shall"}
_IS = re.compile(r"\b(?P<who>it|that|there|this|here|what|he|she|who)['’]s\b", re.I)
_OTHERS = re.compile(r"\b(?P<who>i|you|we|they|it|that|there|who)['’](?P<verb>ll|re|ve)\b", re.I)
_VERBS = {"ll": "will", "re": "are", "ve": "have"}


def spelled_out(text: str) -> str:
    """Return the text without contractions."""
    text = _NOT.sub(lambda found: f"{_STEMS.get(found['stem'].lower(), found['stem'])} not", text)
    text = _IS.sub(lambda found: f"{found['who']} is", text)
    return _OTHERS.sub(lambda found: f"{found['who']} {_VERBS[found['verb'].lower()]}", text)
