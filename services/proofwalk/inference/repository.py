"""All SQL of the inference role: the versions that were loaded, one of them serving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Integer, String, Table, Text, insert, select, update

from proofwalk.chassis.database import Transaction, UtcDateTime, role_metadata
from proofwalk.inference.domain import Version

METADATA = role_metadata()

versions = Table(
    "inference_versions",
    METADATA,
    Column("version", String(128), primary_key=True),
    Column("uri", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("base", String(255), nullable=False),
    Column("loaded_at", UtcDateTime, nullable=False),
    Column("serving", Integer, nullable=False),
)


def _version(row: Any) -> Version:
    return Version(**{**row, "serving": bool(row["serving"])})


async def find(tx: Transaction, version: str) -> Version | None:
    found = (
        (await tx.execute(select(versions).where(versions.c.version == version))).mappings().first()
    )
    return None if found is None else _version(found)


async def every(tx: Transaction) -> Sequence[Version]:
    """Oldest first."""
    query = select(versions).order_by(versions.c.loaded_at, versions.c.version)
    return [_version(row) for row in (await tx.execute(query)).mappings()]


async def serve(tx: Transaction, version: Version) -> None:
    """Store the version, as the one that serves. One that is known keeps its row, with
    the time at which it was loaded last."""
    await tx.execute(update(versions).values(serving=0))
    values = {
        "uri": version.uri,
        "digest": version.digest,
        "base": version.base,
        "loaded_at": version.loaded_at,
        "serving": 1,
    }
    changed = await tx.execute(
        update(versions).where(versions.c.version == version.version).values(**values)
    )
    if changed.rowcount == 0:
        await tx.execute(insert(versions).values(version=version.version, **values))
