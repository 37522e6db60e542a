"""How many tokens a question is: an estimate that errs on the high side, for no
tokenizer is at hand.

Text: 3.5 characters a token, one for each character beyond ASCII. Images: one for each
patch of 28×28 pixels, as vision models of the Qwen family count them; others count
less. `Estimator` learns from what the endpoint counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from proofwalk.models.client import Completion, Message

_CHARS = 3.5
_PATCH = 28
_MESSAGE = 6
"""Tokens around each message."""
_LOW, _HIGH = 0.6, 2.0
_WEIGHT = 0.3


def count_text(text: str) -> int:
    """Tokens of a text, estimated."""
    beyond = sum(not character.isascii() for character in text)
    return math.ceil((len(text) - beyond) / _CHARS) + beyond


def count(messages: Sequence[Message]) -> int:
    """Tokens of messages with their images, estimated."""
    images = [image for message in messages for image in message.images]
    pictured = sum(
        math.ceil(image.width / _PATCH) * math.ceil(image.height / _PATCH) for image in images
    )
    return sum(count_text(message.text) + _MESSAGE for message in messages) + pictured


class Estimator:
    """Estimates, corrected by what was counted: a running ratio, kept within bounds so
    that an endpoint that miscounts does no harm."""

    def __init__(self) -> None:
        self._ratio = 1.0

    def count(self, messages: Sequence[Message]) -> int:
        return math.ceil(count(messages) * self._ratio)

    def learn(self, messages: Sequence[Message], completion: Completion) -> None:
        """A ratio above the known one counts at once, one below it slowly: too much
        context is worse than too little."""
        if not completion.counted or completion.tokens_in <= 0:
            return
        seen = min(max(completion.tokens_in / max(count(messages), 1), _LOW), _HIGH)
        self._ratio = seen if seen > self._ratio else self._ratio + _WEIGHT * (seen - self._ratio)
