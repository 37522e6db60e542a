"""The fence around what others wrote, wherever a model is asked: policies, judges,
explorers.

The fence bears a random code of its conversation. Whoever writes a page or a document
cannot know it, so that nothing inside can end the fence and be taken for the
conversation.
"""

from __future__ import annotations

from collections.abc import Callable


class Fence:
    """Encloses text of others, so that it cannot be taken for the conversation. Passes
    it through `mask` first: no secret leaves in it."""

    def __init__(self, code: str, mask: Callable[[str], str]) -> None:
        self.code = code
        self._mask = mask

    def mask(self, text: str) -> str:
        """The text without registered secrets and without the code, line by line."""
        masked = "\n".join(self._mask(line) for line in text.split("\n"))
        # Taking the code out of the middle of another may leave one.
        while self.code in masked:
            masked = masked.replace(self.code, "")
        return masked

    def enclose(self, kind: str, text: str) -> str:
        return f"<<<{self.code} {kind}\n{self.mask(text)}\n{self.code}>>>"
