"""What an engine must be able to do. tests/inference/test_engines.py holds every
implementation to it.

An engine is opened with its base weights serving, as an async context manager of its
own module, and closed by leaving that. It raises `ProofwalkError`s only for what the
caller or the environment did; anything else is a bug. Cancelling a call gives its work
up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from proofwalk.inference.domain import Ask, Continuation, Generation, OnDelta, Scored, Weights


class Engine(Protocol):
    """Generates, scores, and takes weights."""

    @property
    def name(self) -> str:
        """Which kind of engine: `embedded`, `openai`, `vllm`."""
        ...

    @property
    def base(self) -> Weights:
        """The weights that it began with; its version names the model."""
        ...

    async def generate(self, ask: Ask, *, on_delta: OnDelta | None = None) -> Generation:
        """`ask.n` samples of one prompt. `on_delta` is called in the event loop's
        thread, for each sample's every delta, before this returns."""
        ...

    async def score(self, rows: Sequence[Continuation]) -> Scored:
        """Raw log-probabilities of given tokens, all of one version."""
        ...

    async def load(self, weights: Weights) -> None:
        """What begins after this returns acts by `weights`; what began before it was
        called ends as it began. May be called again with the same.

        `weights.version == base.version` goes back to the base. The service calls it
        for one version after the other, never twice at once.
        """
        ...
