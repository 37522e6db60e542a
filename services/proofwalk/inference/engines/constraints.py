"""Constraints on what may be decoded: a JSON schema as masks over the vocabulary, by
llguidance.

A grammar is compiled once (up to seconds for a large one) and copied for each sample.
No whitespace is allowed between the parts of an object, so that a model that is unsure
cannot spend its tokens on it. The masks are filled through numpy: the way through torch
compiles for seconds at first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any

import llguidance
import llguidance.hf
import llguidance.numpy
import numpy as np
from numpy.typing import NDArray

from proofwalk.inference.domain import bad_schema

_KEPT = 32
"""Compiled grammars: a role is asked for few schemas, again and again."""


class Grammars:
    """Compiles schemas for one tokenizer. Used by several threads."""

    def __init__(self, tokenizer: Any, *, vocabulary: int, ends: Sequence[int]) -> None:
        self.vocabulary = vocabulary
        self._tokenizer = llguidance.hf.from_tokenizer(
            tokenizer, n_vocab=vocabulary, eos_token=list(ends)
        )
        self._compiled: OrderedDict[str, Any] = OrderedDict()
        self._lock = Lock()

    def matcher(self, schema: str) -> Matcher:
        """A matcher at the beginning of an answer. Raises `inference.bad_schema`."""
        with self._lock:
            compiled = self._compiled.get(schema)
            if compiled is None:
                try:
                    grammar = llguidance.LLMatcher.grammar_from_json_schema(
                        schema, overrides={"whitespace_flexible": False}
                    )
                except ValueError as error:
                    raise bad_schema(str(error)) from error
                compiled = llguidance.LLMatcher(self._tokenizer, grammar, log_level=0)
                if compiled.is_error():
                    raise bad_schema(str(compiled.get_error()))
                self._compiled[schema] = compiled
                while len(self._compiled) > _KEPT:
                    self._compiled.popitem(last=False)
            self._compiled.move_to_end(schema)
            return Matcher(compiled.deep_copy(), self.vocabulary)


class Matcher:
    """One sample's way through its grammar."""

    def __init__(self, matcher: Any, vocabulary: int) -> None:
        self._matcher = matcher
        self._vocabulary = vocabulary
        self._bits = llguidance.numpy.allocate_token_bitmask(1, vocabulary)

    def fork(self) -> Matcher:
        """Another one at the same place."""
        return Matcher(self._matcher.deep_copy(), self._vocabulary)

    def allowed(self) -> NDArray[np.bool_]:
        """Which tokens may come next: one truth value for each of the vocabulary."""
        llguidance.numpy.fill_next_token_bitmask(self._matcher, self._bits)
        unpacked = np.unpackbits(self._bits.view(np.uint8).reshape(-1), bitorder="little")
        return unpacked[: self._vocabulary].astype(np.bool_)

    def take(self, token: int) -> bool:
        """Go on by an allowed token; whether the answer is complete and nothing more
        can come."""
        if not self._matcher.consume_token(token):
            raise RuntimeError(
                f"the grammar does not take token {token}: {self._matcher.get_error()}"
            )
        if self._matcher.is_error():
            raise RuntimeError(f"the grammar has failed: {self._matcher.get_error()}")
        return bool(self._matcher.is_stopped())
