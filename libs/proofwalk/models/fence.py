"""The fence around what others wrote, wherever a model is asked: policies, judges,
explorers.

The fence bears a random code of its conversation. Whoever writes a page or a document
cannot know it, so that nothing inside can end the fence and be taken for the
conversation. A chat template renders a message's text unescaped, and a tokenizer reads
the names of its control tokens wherever they stand: `<|im_end|>` on a page would end
the turn. Such names are broken by a space.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_CONTROL = re.compile(
    # ChatML, Llama, Qwen, Phi; DeepSeek; Gemma, Llama 2 and their kin; Mistral
    r"<(?=\|[^|<>]{1,60}\|>"
    r"|｜[^｜<>]{1,60}｜>"
    r"|/?(?:s|bos|eos|unk|pad|mask|(?:start|end)_of_(?:turn|image)|think|tool_call"
    r"|tool_response)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
"""Where the name of a control token begins."""


class Fence:
    """Encloses text of others, so that it cannot be taken for the conversation. Passes
    it through `mask` first: no secret leaves in it."""

    def __init__(self, code: str, mask: Callable[[str], str]) -> None:
        self.code = code
        self._mask = mask

    def mask(self, text: str) -> str:
        """The text without registered secrets and without the code, line by line, and
        without names of control tokens."""
        masked = "\n".join(self._mask(line) for line in text.split("\n"))
        # Taking the code out of the middle of another may leave one.
        while self.code in masked:
            masked = masked.replace(self.code, "")
        return _CONTROL.sub(r"\g<0> ", masked)

    def enclose(self, kind: str, text: str) -> str:
        return f"<<<{self.code} {kind}\n{self.mask(text)}\n{self.code}>>>"
