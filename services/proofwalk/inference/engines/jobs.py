"""What the embedded engine's thread has to do, and the samples on their way."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proofwalk.inference.domain import (
    Ask,
    Continuation,
    OnDelta,
    Weights,
)
from proofwalk.inference.engines.constraints import Matcher
from proofwalk.inference.engines.decoding import Prefill
from proofwalk.rl.images import PlacedImages


@dataclass(eq=False, kw_only=True)
class Job:
    """Something for the thread to do, and where its result goes."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    given_up: bool = False
    """Set by the event loop's thread, read by ours: a flag that only rises needs no
    lock."""

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """In the event loop; not at all once that is closed."""
        try:
            self.loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            self.given_up = True

    def succeed(self, result: Any) -> None:
        self.call(lambda: None if self.future.done() else self.future.set_result(result))

    def fail(self, error: BaseException) -> None:
        self.call(lambda: None if self.future.done() else self.future.set_exception(error))


@dataclass(eq=False, kw_only=True)
class Generating(Job):
    ask: Ask
    prompt: tuple[int, ...]
    looked: PlacedImages | None
    """The pictures in the prompt, if there are any."""
    matcher: Matcher | None
    on_delta: OnDelta | None
    prompt_logprobs: tuple[float, ...] = ()
    cached: int = 0
    rows: list[Row] = field(default_factory=list)
    prefill: Prefill | None = None


@dataclass(eq=False, kw_only=True)
class Scoring(Job):
    rows: Sequence[Continuation]


@dataclass(eq=False, kw_only=True)
class Loading(Job):
    weights: Weights
    staged: Any


@dataclass(eq=False, kw_only=True)
class Row:
    """One sample on its way."""

    job: Generating
    index: int
    draws: random.Random
    matcher: Matcher | None
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    constrained: list[float] = field(default_factory=list)
    text: str = ""
    told: int = 0
    """Characters of the text that went out as deltas."""
    finish: str = ""
