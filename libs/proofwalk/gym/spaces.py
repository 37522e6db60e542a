"""Gymnasium spaces for what a console says and takes: any text, and actions as JSON.

Gymnasium's `Text` knows a finite set of characters; a page uses all of Unicode.
`ActionText` samples actions that are well formed, so that a random policy acts instead
of stammering. Vector environments must not put these texts into shared memory
(`shared_memory=False`).
"""

from __future__ import annotations

import string
from typing import Any

from gymnasium.spaces import Text

from proofwalk.console.actions import Click, Press, Scroll, Type
from proofwalk.kernel.errors import invalid

_KEYS = ("Tab", "Enter", "ArrowDown", "Space")
_MARKS = 10


class AnyText(Text):
    """Any Unicode text of at most `max_length` characters, the empty one included."""

    def __init__(self, max_length: int) -> None:
        super().__init__(
            max_length,
            min_length=0,
            charset=string.ascii_letters + string.digits + string.punctuation + " ",
        )

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"


class ActionText(AnyText):
    """An action of `console.actions` as JSON. Any text may be given: one that is not an
    action is an action that failed."""

    def sample(self, mask: object = None, probability: object = None) -> str:
        """A click, a text, a key or a scroll; marks are 1 to 10 and need not exist."""
        if mask is not None or probability is not None:
            raise invalid("gym.no_mask", "actions are sampled without masks and probabilities")
        mark = int(self.np_random.integers(1, _MARKS + 1))
        match int(self.np_random.integers(4)):
            case 0:
                return Type(id=mark, text=f"text {mark}").model_dump_json()
            case 1:
                return Press(key=_KEYS[int(self.np_random.integers(len(_KEYS)))]).model_dump_json()
            case 2:
                return Scroll(dy=100).model_dump_json()
            case _:
                return Click(id=mark).model_dump_json()

    def __repr__(self) -> str:
        return f"ActionText({self.max_length})"
