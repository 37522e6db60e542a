"""Thoughts for the steps of a whole collection, until it has them all or a bound is
met.

One question is asked at a time, so that an endpoint's limits on its rate are met by its
client's own pauses (`Retry-After`), and each thought is in its file before the next one
is asked for: a run that is stopped anywhere goes on. The steps of an episode come in
their order, since a question shows the thoughts before it. Episodes that the filter
drops get none.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.filters import episode_rule, step_rules
from proofwalk.datasets.hindsight.questions import PROMPT
from proofwalk.datasets.hindsight.schemata import schemata_of
from proofwalk.datasets.hindsight.thought_files import StepThought, Thoughts, wanting
from proofwalk.datasets.hindsight.writer import ThoughtWriter, WrittenThought
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid


class HindsightEnding(StrEnum):
    """Why a run ended."""

    COMPLETE = "complete"
    """Every step has its thought."""
    THOUGHTS = "thoughts"
    MINUTES = "minutes"
    COST = "cost"


@dataclass(frozen=True, kw_only=True)
class HindsightBounds:
    """How far a run goes. 0 sets no limit."""

    thoughts: int = 0
    """Of this call."""
    minutes: float = 0.0
    """Of this call; a question that was asked is answered."""
    cost: float = 0.0
    """Of the collection's thoughts, those of earlier calls included, in the currency of
    the price table."""


@dataclass(kw_only=True)
class HindsightFigures:
    """What a run came to."""

    ending: HindsightEnding = HindsightEnding.COMPLETE
    written: int = 0
    left_to_template: int = 0
    """Steps of which no answer could be taken."""
    calls: int = 0
    schemata: Counter[str] = field(default_factory=Counter)
    cost: float = 0.0
    """Of the collection's thoughts, those of earlier calls included."""
    currency: str = ""


class HindsightRun:
    """Writes the thoughts of a collection. `asked_for`: the model's name in the
    settings."""

    def __init__(
        self,
        collection: Collection,
        writer: ThoughtWriter,
        *,
        asked_for: str,
        bounds: HindsightBounds,
        clock: Clock,
    ) -> None:
        self._collection = collection
        self._writer = writer
        self._asked_for = asked_for
        self._bounds = bounds
        self._clock = clock
        self._started = 0.0
        self.figures = HindsightFigures()

    async def run(self, progress: Callable[[str], None] = lambda name: None) -> HindsightFigures:
        """Go on until a bound is met; `progress` is called behind each episode.

        Raises `data.not_found` where there are no episodes, `data.bad_thoughts`,
        `data.no_price`, what keeps the endpoint from answering, and what an episode
        that cannot be read raises.
        """
        await asyncio.to_thread(lambda: self._collection.tasks)
        self._started = self._clock.monotonic()
        names = await asyncio.to_thread(self._collection.names)
        for name in names:
            thoughts = await asyncio.to_thread(self._thoughts, name)
            self.figures.cost += sum(one.cost for one in thoughts.by_position.values())
        for name in names:
            episode = await asyncio.to_thread(self._collection.episode, name)
            if episode_rule(episode) is not None:
                continue
            ending = await self._episode(episode)
            progress(name)
            if ending is not None:
                self.figures.ending = ending
                break
        return self.figures

    async def _episode(self, episode: Episode) -> HindsightEnding | None:
        """Write what an episode lacks; the bound that was met meanwhile."""
        thoughts = await asyncio.to_thread(self._thoughts, episode.name)
        verdicts = step_rules(episode.steps, writes=episode.notes.writes)
        schemata = schemata_of(episode.steps, verdicts, substeps=len(episode.procedure.substeps))
        done = thoughts.written(asked_for=self._asked_for, prompt=PROMPT)
        texts = {at: one.text for at, one in done.items() if one.text}
        for at in wanting(episode, verdicts):
            if at in done:
                continue
            ending = self._bound_met()
            if ending is not None:
                return ending
            schema = schemata[at]
            told = await self._writer.write(replace(episode, thoughts=texts), at, schema)
            self._count(told, schema.schema.value)
            replaced = thoughts.by_position.get(at)
            thought = StepThought(
                text=told.text,
                schema=schema.schema,
                asked_for=self._asked_for,
                model=told.model,
                prompt=PROMPT,
                refused=tuple(told.refused),
                calls=told.usage.calls,
                tokens_in=told.usage.tokens_in,
                tokens_out=told.usage.tokens_out,
                cost=told.usage.cost + (0.0 if replaced is None else replaced.cost),
                currency=told.usage.currency,
            )
            await asyncio.to_thread(thoughts.keep, at, thought)
            if told.text:
                texts = {**texts, at: told.text}
            self._check_price(told)
        return None

    def _thoughts(self, name: str) -> Thoughts:
        return Thoughts.read(self._collection.folder / "episodes" / name)

    def _bound_met(self) -> HindsightEnding | None:
        bounds, figures = self._bounds, self.figures
        asked = figures.written + figures.left_to_template
        if bounds.thoughts and asked >= bounds.thoughts:
            return HindsightEnding.THOUGHTS
        seconds = self._clock.monotonic() - self._started
        if bounds.minutes and seconds >= 60 * bounds.minutes:
            return HindsightEnding.MINUTES
        return HindsightEnding.COST if bounds.cost and figures.cost >= bounds.cost else None

    def _count(self, told: WrittenThought, schema: str) -> None:
        figures = self.figures
        figures.written += bool(told.text)
        figures.left_to_template += not told.text
        figures.schemata[schema] += 1
        figures.calls += told.usage.calls
        figures.cost += told.usage.cost
        figures.currency = figures.currency or told.usage.currency

    def _check_price(self, told: WrittenThought) -> None:
        """Raise `data.no_price` when a bound on cost bounds nothing."""
        if self._bounds.cost and told.usage.calls and not told.usage.currency:
            raise invalid(
                "data.no_price",
                f"the price table has no price for {told.model!r}, so that --cost bounds nothing",
                hint="add the model to the price file, or leave --cost out",
            )
