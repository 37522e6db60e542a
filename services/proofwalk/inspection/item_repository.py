"""SQL over items: what became of each procedure in an inspection, and so the history of
each procedure. Each function takes a transaction that its caller ends; none of them
decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import RowMapping, and_, func, insert, select, update

from proofwalk.chassis.database import Transaction
from proofwalk.inspection.domain import Due, Ending, How, Inputs, Item, ItemState
from proofwalk.inspection.progress import Tally
from proofwalk.inspection.tables import inspections, items
from proofwalk.kernel.outcomes import OutcomeKind

_BATCH = 200
"""Rows of one INSERT: SQLite bounds the variables of a statement."""


def _item(row: RowMapping) -> Item:
    ending = (
        Ending(
            outcome=OutcomeKind(row["outcome"]),
            reason=row["reason"],
            cost=row["cost"],
            seconds=row["seconds"],
        )
        if row["outcome"]
        else None
    )
    left = {
        name: value
        for name, value in row.items()
        if name not in ("outcome", "reason", "cost", "seconds", "rank")
    }
    return Item(
        **{
            **left,
            "due": Due(row["due"]),
            "state": ItemState(row["state"]),
            "how": How(row["how"]) if row["how"] else None,
            "inputs": Inputs(**row["inputs"]),
            "changed": tuple(row["changed"]),
            "ending": ending,
        }
    )


def _columns(item: Item) -> dict[str, Any]:
    values = {name: value for name, value in item.__dict__.items() if name != "ending"}
    ending = item.ending
    return {
        **values,
        "due": item.due.value,
        "state": item.state.value,
        "how": item.how.value if item.how else "",
        "inputs": dict(item.inputs.__dict__),
        "changed": list(item.changed),
        "outcome": ending.outcome.value if ending else "",
        "reason": ending.reason if ending else "",
        "cost": ending.cost if ending else 0.0,
        "seconds": ending.seconds if ending else 0.0,
    }


async def insert_items(tx: Transaction, planned: Sequence[Item]) -> None:
    for start in range(0, len(planned), _BATCH):
        rows = [_columns(item) for item in planned[start : start + _BATCH]]
        await tx.execute(insert(items), rows)


async def put_item(tx: Transaction, item: Item) -> None:
    """Write an item in the place of what it was."""
    await tx.execute(
        update(items)
        .where(items.c.inspection_id == item.inspection_id, items.c.number == item.number)
        .values(_columns(item))
    )


async def list_items(
    tx: Transaction, inspection_id: str, *, after: int = 0, limit: int | None = None
) -> Sequence[Item]:
    """In the order of asking, from just behind `after` on."""
    query = (
        select(items)
        .where(items.c.inspection_id == inspection_id, items.c.number > after)
        .order_by(items.c.number)
        .limit(limit)
    )
    return [_item(row) for row in (await tx.execute(query)).mappings()]


async def items_in(
    tx: Transaction, inspection_id: str, state: ItemState, *, limit: int
) -> Sequence[Item]:
    """The first items in a state, in the order of asking."""
    query = (
        select(items)
        .where(items.c.inspection_id == inspection_id, items.c.state == state.value)
        .order_by(items.c.number)
        .limit(limit)
    )
    return [_item(row) for row in (await tx.execute(query)).mappings()]


async def skip_waiting(tx: Transaction, inspection_id: str, *, why: str, code: str) -> None:
    """Skip what is not asked yet."""
    await tx.execute(
        update(items)
        .where(items.c.inspection_id == inspection_id, items.c.state == ItemState.WAITING.value)
        .values(state=ItemState.SKIPPED.value, why=why, code=code)
    )


async def history_of(
    tx: Transaction, collection_id: str, procedure_id: str, *, limit: int
) -> Sequence[Item]:
    """What walks of a procedure ended with, newest first."""
    query = (
        select(items)
        .where(
            items.c.collection_id == collection_id,
            items.c.procedure_id == procedure_id,
            items.c.state == ItemState.DONE.value,
        )
        .order_by(items.c.finished_at.desc(), items.c.inspection_id.desc())
        .limit(limit)
    )
    return [_item(row) for row in (await tx.execute(query)).mappings()]


async def recent_walks(
    tx: Transaction, collection_id: str, *, each: int
) -> Mapping[str, Sequence[Item]]:
    """The last `each` walks of every procedure of a collection, newest first."""
    rank = (
        func.row_number()
        .over(
            partition_by=items.c.procedure_id,
            order_by=(items.c.finished_at.desc(), items.c.inspection_id.desc()),
        )
        .label("rank")
    )
    done = and_(items.c.collection_id == collection_id, items.c.state == ItemState.DONE.value)
    ranked = select(items, rank).where(done).subquery()
    query = (
        select(ranked).where(ranked.c.rank <= each).order_by(ranked.c.procedure_id, ranked.c.rank)
    )
    walks: dict[str, list[Item]] = {}
    for row in (await tx.execute(query)).mappings():
        item = _item(row)
        walks.setdefault(item.procedure_id, []).append(item)
    return walks


async def last_items(tx: Transaction, collection_id: str) -> Sequence[Item]:
    """Of each procedure of a collection, what became of it in the last inspection that
    told of it."""
    rank = (
        func.row_number()
        .over(
            partition_by=items.c.procedure_id,
            order_by=(inspections.c.created_at.desc(), inspections.c.id.desc()),
        )
        .label("rank")
    )
    ranked = (
        select(items, rank)
        .join(inspections, inspections.c.id == items.c.inspection_id)
        .where(items.c.collection_id == collection_id)
        .subquery()
    )
    query = select(ranked).where(ranked.c.rank == 1).order_by(ranked.c.procedure_id)
    return [_item(row) for row in (await tx.execute(query)).mappings()]


async def tally(tx: Transaction, inspection_ids: Sequence[str]) -> Mapping[str, Sequence[Tally]]:
    """Items of inspections, counted by state, reason and outcome."""
    kinds = (items.c.inspection_id, items.c.state, items.c.due, items.c.code, items.c.outcome)
    query = (
        select(
            *kinds,
            func.count().label("count"),
            func.sum(items.c.cost).label("cost"),
            func.sum(items.c.seconds).label("seconds"),
            func.coalesce(func.sum(items.c.expected_s), 0.0).label("expected_s"),
            func.count(items.c.expected_s).label("measured"),
        )
        .where(items.c.inspection_id.in_(inspection_ids))
        .group_by(*kinds)
    )
    tallies: dict[str, list[Tally]] = {}
    for row in (await tx.execute(query)).mappings():
        counted = Tally(
            state=ItemState(row["state"]),
            due=Due(row["due"]),
            code=row["code"],
            outcome=OutcomeKind(row["outcome"]) if row["outcome"] else None,
            count=row["count"],
            cost=row["cost"],
            seconds=row["seconds"],
            expected_s=row["expected_s"],
            measured=row["measured"],
        )
        tallies.setdefault(row["inspection_id"], []).append(counted)
    return tallies
