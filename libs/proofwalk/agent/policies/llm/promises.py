"""What a sentence says that follows, held against the page by which a model says that
it does not.

A model may have read an order to blame the document. So it can blame only a sentence
that tells what follows, of what was done for it, and not one whose words for it are all
in view. Sentences in other languages than English and Chinese are not looked into.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from proofwalk.agent.page.grounding import seen
from proofwalk.console.observation import Observation

_TELLS = re.compile(
    r"\b(?:is|are|was|were|will|should|has|have|goes|gets|you (?:can |should )?see|until|check|"
    r"verify|confirm|ensure|make sure|(?:dis)?appears?|shows|displays|opens|closes|changes|"
    r"becomes?|lists|returns|turns|redirects|remains?|stays|starts|stops|ends|finishes|completes|"
    r"succeeds|reads|says|confirms|contains|moves|vanish(?:es)?|exists?)\b"
    r"|会|将|显示|出现|变为|变成|成为|跳转|弹出|提示|直到|成功|状态为|可以看到|检查|查看",
    re.I,
)
_KNOWN = re.compile(
    r"\b(?:the|a|an|to|and|of|in|on|for|click|select|choose|open|enter|press|go|set)\b|[一-鿿]",
    re.I,
)
"""What English and Chinese sentences have."""


def tells_what_follows(text: str) -> bool:
    """True if the sentence says what the console does or shows: `**OK** closes the
    dialog`. `Click **OK**.` does not."""
    return _TELLS.search(text) is not None or _KNOWN.search(text) is None


def is_kept(text: str, labels: Iterable[str], page: Observation) -> bool:
    """True if all words in bold or code behind what tells it are in view."""
    tells = _TELLS.search(text)
    behind = text[tells.start() :] if tells is not None else ""
    promised = [label for label in labels if label in behind]
    return bool(promised) and all(seen(page, label) for label in promised)
