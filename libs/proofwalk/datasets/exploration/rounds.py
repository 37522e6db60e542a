"""The loop of self-exploration: a proposal, its walk, its outcome, what it showed;
until a bound is met or nothing more is proposed.

Each round takes the product that was walked least. Everything that a round needs lies
in the folder: proposals (`journal`), tasks and episodes (`collection`), the runner's
rows, `coverage.json`. So an exploration that was stopped anywhere goes on: a task that
was proposed and not walked is walked first, and episodes that are not in the coverage
are counted.

An episode that the environment failed counts for nothing: its round is not one of those
asked for, it is not in the coverage, and its task may be proposed again; when it
happens several times in a row the exploration stops and says so. What an agent failed
counts as a round, shows what it showed, and is kept in the collection, where the usual
filters drop it.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from proofwalk.datasets.collection import Collection
from proofwalk.datasets.exploration import figures
from proofwalk.datasets.exploration.coverage import Coverage
from proofwalk.datasets.exploration.journal import ProposalJournal, Record
from proofwalk.datasets.exploration.operations import Product
from proofwalk.datasets.exploration.proposals import SUITE, VERSION
from proofwalk.datasets.exploration.proposer import Past, Proposer
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid, unavailable
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Suite, Task

BARREN = 3
"""Rounds in a row without a proposal after which a product is left."""
FAILING = 3
"""Episodes in a row that the environment may fail."""
_LOST = frozenset({"env_failure", "judge_split", "cancelled"})


class Ending(StrEnum):
    """Why an exploration ended."""

    ROUNDS = "rounds"
    MINUTES = "minutes"
    COST = "cost"
    EXHAUSTED = "exhausted"
    """Nothing more was proposed that could be taken."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How far an exploration goes. Zero: no bound, but for rounds."""

    rounds: int
    """Walks in the folder that say something about the policy, those of earlier calls
    included."""
    minutes: float = 0.0
    """Of this call; a walk that has begun is ended."""
    cost: float = 0.0
    """Of the folder: proposals and walks, in the currency of the price table."""


class Walks(Protocol):
    """How a task is walked and its episode kept."""

    def row_of(self, task: Task) -> Row | None:
        """The row of a task that was walked."""
        ...

    async def walk(self, task: Task) -> Row:
        """Walk a task once and keep its episode; `extra["episode"]` names it where
        there is one."""
        ...


Progress = Callable[[Record, Row | None, Coverage], None]
"""Called behind each round; without a row where nothing was proposed."""


class Explorer:
    """Explores products into a folder."""

    def __init__(
        self,
        collection: Collection,
        products: Sequence[Product],
        proposer: Proposer,
        walks: Walks,
        *,
        bounds: Bounds,
        clock: Clock,
        progress: Progress = lambda record, row, coverage: None,
    ) -> None:
        """Reads what the folder holds; blocks. Raises `data.bad_coverage`,
        `data.bad_proposals`."""
        self._collection = collection
        self._products = {product.id: product for product in products}
        self._proposer = proposer
        self._walks = walks
        self._bounds = bounds
        self._clock = clock
        self._progress = progress
        collection.folder.mkdir(parents=True, exist_ok=True)
        self.journal = ProposalJournal(collection.folder)
        self.coverage = Coverage.read(collection.folder)
        self._rows: dict[str, Row] = {}
        self._failing = 0
        self._barren = Counter[str]()

    async def run(self) -> Ending:
        """Go on until a bound is met. Raises `data.environment_failing`, what keeps the
        proposing model or the installation from answering."""
        started = self._clock.monotonic()
        await self._catch_up()
        while True:
            ending = self._bound_met(self._clock.monotonic() - started)
            product = None if ending else self._next_product()
            if product is None:
                await self._keep()
                return ending or Ending.EXHAUSTED
            await self._round(product)

    async def _catch_up(self) -> None:
        """What an earlier call left: rows, episodes that are not in the coverage, tasks
        that were not walked."""
        for record in [one for one in self.journal if one.task]:
            task = self._collection.tasks.get(record.task)
            if task is None:
                what = (
                    f"{self._collection.folder} has no task {record.task!r}, which was proposed in"
                    f" round {record.round}"
                )
                raise invalid("data.unknown_task", what, hint="explore into another folder")
            row = self._walks.row_of(task)
            if row is None:
                await self._walk(record, task)
            else:
                await self._count(record, row)
        if len(self.journal):
            await self._keep()

    def _bound_met(self, seconds: float) -> Ending | None:
        bounds = self._bounds
        if sum(not self._is_lost(name) for name in self._rows) >= bounds.rounds:
            return Ending.ROUNDS
        if bounds.minutes and seconds >= 60 * bounds.minutes:
            return Ending.MINUTES
        spent = sum(one.cost for one in self.journal) + sum(row.cost for row in self._rows.values())
        return Ending.COST if bounds.cost and spent >= bounds.cost else None

    def _next_product(self) -> Product | None:
        """The one that was walked least, of those where something was proposed of
        late."""
        walked = Counter(
            one.product for one in self.journal if one.task and not self._is_lost(one.task)
        )
        left = [product for product in self._products.values() if self._barren[product.id] < BARREN]
        return min(
            left, key=lambda product: walked[product.id] + self._barren[product.id], default=None
        )

    async def _round(self, product: Product) -> None:
        number = len(self.journal) + 1
        asked = await self._proposer.propose(
            product, self.coverage, self._past(product), number=number
        )
        spent, proposal = asked.spent, asked.proposal
        record = Record(
            round=number,
            product=product.id,
            task="" if asked.task is None else asked.task.id,
            operation="" if proposal is None else proposal.operation.value,
            resource="" if proposal is None else proposal.resource,
            title="" if proposal is None else proposal.title,
            steps=() if proposal is None else proposal.steps,
            name="" if proposal is None else proposal.name,
            refused=tuple(asked.refused),
            model=spent.model,
            calls=spent.calls,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost=spent.cost,
        )
        if asked.task is not None:
            suite = Suite(id=SUITE, version=VERSION, seed=0, tasks=())
            await asyncio.to_thread(self._collection.add_tasks, suite, [asked.task])
        await asyncio.to_thread(self.journal.add, record)
        if asked.task is None:
            self._barren[product.id] += 1
            self._progress(record, None, self.coverage)
            return
        self._barren[product.id] = 0
        await self._walk(record, asked.task)
        await self._keep()

    def _past(self, product: Product) -> list[Past]:
        found = []
        for record in self.journal:
            row = self._rows.get(record.task)
            if record.product == product.id and row is not None:
                lost = row.outcome in _LOST
                found.append(
                    Past(
                        proposal=record.proposal,
                        outcome="lost: the environment failed" if lost else row.outcome,
                        verified=row.passed,
                        lost=lost,
                        reason="" if lost or row.passed else row.reason,
                    )
                )
        return found

    async def _walk(self, record: Record, task: Task) -> None:
        row = await self._walks.walk(task)
        await self._count(record, row)
        self._progress(record, row, self.coverage)
        self._failing = self._failing + 1 if row.outcome in _LOST else 0
        if self._failing >= FAILING:
            await self._keep()
            raise unavailable(
                "data.environment_failing",
                f"the environment failed {self._failing} walks in a row; the last:"
                f" {row.reason or row.code}",
                hint="what was explored is kept; call it again when the installation works",
            )

    async def _count(self, record: Record, row: Row) -> None:
        self._rows[record.task] = row
        name = str(row.extra.get("episode", ""))
        if not row.told or not name or name in self.coverage:
            return
        episode = await asyncio.to_thread(self._collection.episode, name)
        self.coverage.add(name, episode.steps, round=record.round)

    def _is_lost(self, task: str) -> bool:
        return self._rows[task].outcome in _LOST if task in self._rows else False

    @property
    def figures(self) -> dict[str, Any]:
        """What it came to so far."""
        rows: Mapping[str, Row] = self._rows
        lost = [name for name in rows if self._is_lost(name)]
        return figures.figures_of(list(self.journal), rows, self.coverage, lost=lost)

    async def _keep(self) -> None:
        folder, members = self._collection.folder, self.figures

        def write() -> None:
            self.coverage.write(folder)
            partial = folder / f".{figures.FILE}.partial"
            partial.write_text(
                json.dumps(members, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
            )
            os.replace(partial, folder / figures.FILE)

        await asyncio.to_thread(write)
