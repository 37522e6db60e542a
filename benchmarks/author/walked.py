"""`proofwalk author` on tasks whose META and rule are hidden: META is written and made,
the literal policy walks on it, a rule is written, and it is held beside the person's on
the oracle's recording.

The rule is of another walk than the one that it is compared on: other ids, other times,
other values where the document leaves them open. Each task's row is kept as it comes,
and a run that was stopped goes on.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.author.comparison import Compared, compared, figures_of, refused
from benchmarks.author.metas import Workshop, translated
from benchmarks.author.parts import parts
from proofwalk.experiments.authoring import Author, Knowledge
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.model import Task
from proofwalk.suites.orders import request_of

_LEVEL = "calm"
_SEED = 1


@dataclass(frozen=True, kw_only=True)
class Row:
    """What came of one task."""

    compared: Compared
    walks: int = 0
    seconds: float = 0.0


async def walk_all(shop: Workshop, tasks: Sequence[Task], known: Knowledge) -> list[Row]:
    """The rows of all tasks; those of the journal are not walked again."""
    journal = shop.journals / "walks.jsonl"
    rows = await asyncio.to_thread(read_rows, journal)
    writer = Author(shop.place, known, ids=shop.ids, poll_s=1.0)
    turns = asyncio.Semaphore(shop.parallel)

    async def one(task: Task) -> None:
        async with turns:
            row = await _row(shop, writer, task, known)
            rows[task.id] = row
            await asyncio.to_thread(keep_row, journal, row)
            told = row.compared.refused or ("equivalent" if row.compared.equivalent else "differs")
            print(f"[{len(rows)}/{len(tasks)}] {task.id}: {told} ({row.seconds:.0f} s)", flush=True)

    async with asyncio.TaskGroup() as group:
        for task in tasks:
            if task.id not in rows:
                group.create_task(one(task))
    return [rows[task.id] for task in tasks]


async def _row(shop: Workshop, writer: Author, task: Task, known: Knowledge) -> Row:
    scenario = await shop.place.scenarios.register(task, level=_LEVEL, seed=_SEED)
    asked = request_of(task, target=shop.place.target, policy="literal", scenario=scenario)
    began = time.monotonic()
    try:
        made = await shop.metas.record_for(asked, meta_id=task.id)
        authored = await writer.rule_for(
            asked.model_copy(update={"meta": made.yaml}), rule_id=task.id, say=_quiet
        )
    except ProofwalkError as error:
        return Row(compared=refused(task, error.code))
    rule = translated(authored.rule_yaml, task.meta_yaml, made.yaml)
    found = await asyncio.to_thread(compared, task, known, rule)
    return Row(compared=found, walks=authored.walks, seconds=round(time.monotonic() - began, 1))


def _quiet(text: str) -> None:
    """Nobody reads it."""


def walked_figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The figures of each part of the sample."""
    by_task = {row.compared.task: row for row in rows}
    return {
        name: _figures([by_task[one.task] for one in part])
        for name, part in parts([row.compared for row in rows]).items()
    }


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Of all tasks, and of those that got a rule."""
    written = [row for row in rows if not row.compared.refused]
    seconds = [row.seconds for row in written]
    return {
        **figures_of([row.compared for row in rows]),
        "written": record.share(len(written), len(rows)),
        "equivalent_of_written": record.share(
            sum(row.compared.equivalent for row in written), len(written)
        ),
        "walks": sum(row.walks for row in written),
        "seconds": record.spread(seconds) if seconds else None,
    }


def read_rows(journal: Path) -> dict[str, Row]:
    """The rows that were kept, by task."""
    if not journal.is_file():
        return {}
    rows = {}
    for line in journal.read_text(encoding="utf-8").splitlines():
        members = json.loads(line)
        members["compared"]["accepted"] = tuple(members["compared"]["accepted"])
        row = Row(**{**members, "compared": Compared(**members["compared"])})
        rows[row.compared.task] = row
    return rows


def keep_row(journal: Path, row: Row) -> None:
    """Add a row."""
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
