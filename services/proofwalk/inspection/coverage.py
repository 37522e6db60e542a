"""How much of a collection is walked, and what an inspection would look at now: pure.

The procedures are those that the newest planned inspection listed, with the inputs that
it saw. What the source has become since is not known here, so a procedure is *changed*
if that inspection found it so and has not walked it. Everything else that makes one due
(`due`) follows from the rows and the time: a procedure may have grown old since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from proofwalk.inspection.domain import Collection, Due, Inspection, Item
from proofwalk.inspection.due import BEYOND, Assessment, Candidate, assess
from proofwalk.inspection.finding_fingerprint import document_key
from proofwalk.kernel.outcomes import OutcomeKind


@dataclass(kw_only=True)
class Folder:
    """Procedures whose pages are in one folder, without its subfolders."""

    path: str
    procedures: int = 0
    outcomes: Counter[OutcomeKind] = field(default_factory=Counter)
    """Last walks, of the procedures that were ever walked."""
    unreached: int = 0
    """Left out by the newest inspection's budget."""
    unreadable: int = 0
    """Pages that could not be read; not among the procedures."""


@dataclass(frozen=True, kw_only=True)
class DueProcedure:
    """What an inspection would look at now, and how its last walk ended."""

    assessment: Assessment
    title: str
    outcome: OutcomeKind | None


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What is known of a collection's procedures."""

    listed_by: Inspection | None = None
    """The newest inspection that has looked at the source."""
    folders: Sequence[Folder] = ()
    due: Sequence[DueProcedure] = ()
    """In the order of asking."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What coverage is told from."""

    listed_by: Inspection
    listed: Sequence[Item]
    """Its items."""
    past: Mapping[str, Sequence[Item]]
    """The last walks of each procedure, newest first."""
    fixes: frozenset[tuple[str, str]]
    """Document keys and procedures of which somebody says that a finding is fixed."""


def covered(collection: Collection, rows: Rows, *, now: datetime) -> Coverage:
    """Coverage from what the newest planned inspection listed."""
    folders: dict[str, Folder] = {}
    procedures = [item for item in rows.listed if not is_unreadable(item)]
    for item in rows.listed:
        path = _folder_of(item.page)
        folder = folders.setdefault(path, Folder(path=path))
        if is_unreadable(item):
            folder.unreadable += 1
            continue
        folder.procedures += 1
        folder.unreached += item.code in BEYOND.values()
        if (outcome := _last_outcome(rows, item.procedure_id)) is not None:
            folder.outcomes[outcome] += 1
    candidates = [
        Candidate(
            procedure_id=item.procedure_id,
            page=item.page,
            inputs=item.inputs,
            fixed=(document_key(item.page), _within_page(item)) in rows.fixes,
        )
        for item in procedures
    ]
    titles = {item.procedure_id: item.title for item in procedures}
    return Coverage(
        listed_by=rows.listed_by,
        folders=[folders[path] for path in sorted(folders)],
        due=[
            DueProcedure(
                assessment=one,
                title=titles[one.candidate.procedure_id],
                outcome=_last_outcome(rows, one.candidate.procedure_id),
            )
            for one in assess(candidates, rows.past, collection.spec, now=now)
            if one.due is not Due.NOT_DUE
        ],
    )


def is_unreadable(item: Item) -> bool:
    """Whether an item stands for a page that could not be read."""
    return bool(item.code) and not item.inputs.document


def _within_page(item: Item) -> str:
    """The procedure's id in its document."""
    return item.procedure_id.partition("#")[2]


def _last_outcome(rows: Rows, procedure_id: str) -> OutcomeKind | None:
    walks = rows.past.get(procedure_id, ())
    return walks[0].ending.outcome if walks and walks[0].ending else None


def _folder_of(page: str) -> str:
    folder = PurePosixPath(page).parent.as_posix()
    return "" if folder == "." else folder
