"""A collection: a folder of episodes that teachers walked, each with its trajectory,
its typed outcome and what it was given.

    DIR/suite/                            the tasks, as `suites.storage` keeps them
    DIR/episodes/<task>.<policy>.<run>/
      trajectory.parquet, blobs/          a bundle of `trajectories`
      episode.json
      events.json.gz                      what the judge saw (`suites.recording`)

`episode.json` holds what a trajectory's file does not say: the result row, what the
document's phrases stood for (`binds`; null when that could not be learned), the finding
as it was told, and when the audit log shows writes. `events.json.gz` is not there where
nobody judged. An episode's folder is there whole or not at all, so that a collection
that was killed goes on. Everything in it is data from outside. Reading blocks: a
service calls it in a thread.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from proofwalk.kernel.clock import isoformat, parse_moment
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.kernel.outcomes import Finding
from proofwalk.orders import verification
from proofwalk.orders.verification import FindingBody
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Procedure
from proofwalk.procedures.selection import select
from proofwalk.suites.counting.rows import Row, read_row, row_json
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.recording import Recording, from_json, to_json
from proofwalk.suites.storage import load_suite, write_suite
from proofwalk.trajectories.records import EndingRecord, EpisodeRecord, StepRecord
from proofwalk.trajectories.trajectory import PARQUET, Trajectory, image_in

_NOTES = "episode.json"
_EVENTS = "events.json.gz"
_SAFE = re.compile(r"[a-z0-9][a-z0-9._-]{0,199}")


@dataclass(frozen=True, kw_only=True)
class Notes:
    """What is known of an episode besides its trajectory."""

    row: Row
    console: str = ""
    """What people call the console, as the policy was told."""
    binds: Mapping[str, str] | None = None
    """The document's phrases and the provisioned values; None when what was provisioned
    is not known."""
    finding: Finding | None = None
    writes: tuple[datetime, ...] | None = None
    """When the audit log shows a write in the judged window; None when the log was not
    read."""

    @property
    def name(self) -> str:
        """The episode's folder."""
        return f"{self.row.task}.{self.row.policy}.{self.row.run}"


@dataclass(frozen=True, kw_only=True)
class Episode:
    """One collected episode."""

    task: Task
    procedure: Procedure
    notes: Notes
    about: EpisodeRecord
    ending: EndingRecord
    steps: tuple[StepRecord, ...]
    trajectory: Trajectory | None = None
    """Where pictures come from."""
    recording: Recording | None = None
    """What the judge saw of it; None where nobody judged, or nobody kept it."""
    thoughts: Mapping[int, str] = field(default_factory=dict)
    """Thoughts that a model wrote in hindsight, by position: they stand in place of
    those that were recorded (`hindsight.thought_files`)."""

    @property
    def name(self) -> str:
        return self.notes.name

    def image(self, address: str) -> bytes:
        """A picture by its address; empty when the episode has none. Raises
        `trajectory.image_missing`, `trajectory.image_damaged`."""
        return self.trajectory.image(address) if address and self.trajectory is not None else b""


class Collection:
    """The episodes in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tasks: dict[str, Task] | None = None

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks by id. Raises `data.not_found`, `suite.damaged`."""
        if self._tasks is None:
            if not (self.folder / "suite" / "suite.yaml").is_file():
                raise not_found(
                    "data.not_found",
                    f"{self.folder} holds no collected episodes",
                    hint="run: proofwalk data collect SUITE --out DIR",
                )
            self._tasks = {task.id: task for task in load_suite(self.folder / "suite").tasks}
        return self._tasks

    def add_tasks(self, suite: Suite, tasks: Sequence[Task]) -> None:
        """Keep tasks of a suite beside those that are there. Raises `data.other_suite`
        when there are tasks of another one."""
        place = self.folder / "suite"
        tasks_by_id: dict[str, Task] = {}
        if (place / "suite.yaml").is_file():
            there = load_suite(place)
            if (there.id, there.version) != (suite.id, suite.version):
                raise invalid(
                    "data.other_suite",
                    f"{self.folder} holds episodes of {there.id} version {there.version}, not of"
                    f" {suite.id} version {suite.version}",
                    hint="collect into another folder",
                )
            tasks_by_id = {task.id: task for task in there.tasks}
        tasks_by_id |= {task.id: replace(task, recording=None) for task in tasks}
        ordered = tuple(tasks_by_id[name] for name in sorted(tasks_by_id))
        write_suite(replace(suite, tasks=ordered), place)
        self._tasks = tasks_by_id

    def names(self) -> list[str]:
        """The episodes' folders, sorted."""
        root = self.folder / "episodes"
        return (
            sorted(path.name for path in root.glob("*") if (path / _NOTES).is_file())
            if root.is_dir()
            else []
        )

    def keep(self, notes: Notes, bundle: bytes, recording: Recording | None = None) -> Path:
        """Keep an episode: its notes, the bundle (zip) of its trajectory, and what the
        judge saw of it. One of the same name is replaced. Raises `data.bad_bundle`."""
        if not _SAFE.fullmatch(notes.name):
            raise invalid(
                "data.bad_name", f"{notes.name[:200]!r} cannot be the name of an episode's folder"
            )
        place = self.folder / "episodes" / notes.name
        partial = place.with_name(f".{notes.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        try:
            with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
                archive.extractall(partial)  # extractall keeps members inside of the folder
        except (zipfile.BadZipFile, OSError) as error:
            shutil.rmtree(partial, ignore_errors=True)
            raise invalid(
                "data.bad_bundle", f"the trajectory of {notes.name} cannot be unpacked: {error}"
            ) from error
        if recording is not None:
            (partial / _EVENTS).write_bytes(gzip.compress(to_json(recording).encode(), mtime=0))
        (partial / _NOTES).write_text(_notes_text(notes), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        os.replace(partial, place)
        return place

    def episode(self, name: str) -> Episode:
        """One episode. Raises `data.damaged`, `data.unknown_task`, `trajectory.*`."""
        place = self.folder / "episodes" / name
        notes = _read_notes(place / _NOTES)
        task = self.tasks.get(notes.row.task)
        if task is None or task.digest != notes.row.digest:
            raise invalid(
                "data.unknown_task",
                f"{place}: the task {notes.row.task!r} is not among the collection's, or has"
                " changed",
                hint="collect its episodes again",
            )
        trajectory = Trajectory.load(place / PARQUET)
        return Episode(
            task=task,
            procedure=_procedure(
                task.document_name, task.document, task.media_type, trajectory.episode.procedure_id
            ),
            notes=notes,
            about=trajectory.episode,
            ending=trajectory.ending,
            steps=tuple(trajectory),
            trajectory=trajectory,
            recording=_recording(place / _EVENTS),
        )

    def picture(self, name: str, address: str) -> bytes:
        """The JPEG of an episode at a content address. Raises as `image_in`."""
        return image_in(self.folder / "episodes" / name / "blobs", address)

    def __iter__(self) -> Iterator[Episode]:
        """Every episode, by name; one is in memory at a time."""
        for name in self.names():
            yield self.episode(name)


@lru_cache(maxsize=64)
def _procedure(name: str, text: str, media_type: str, procedure_id: str) -> Procedure:
    return select(load(name, text.encode(), media_type), procedure_id or None)


def procedure_of(task: Task, procedure_id: str = "") -> Procedure:
    """The task's procedure as an episode walks it: the one that is named, else the one
    that the document is about."""
    return _procedure(task.document_name, task.document, task.media_type, procedure_id)


def finding_of(members: FindingBody | None) -> Finding | None:
    """The finding of a verdict's JSON; None when there is none."""
    if not members:
        return None
    return verification.finding_of(members, document="")


def _recording(path: Path) -> Recording | None:
    """Raises `data.damaged`, `suite.recording_invalid`."""
    if not path.is_file():
        return None
    try:
        text = gzip.decompress(path.read_bytes()).decode()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise _damaged(path, error) from error
    return from_json(text, name=str(path))


def _notes_text(notes: Notes) -> str:
    finding = notes.finding
    members = {
        "row": row_json(notes.row),
        "console": notes.console,
        "binds": None if notes.binds is None else dict(notes.binds),
        "finding": (
            None
            if finding is None
            else {
                **finding.__dict__,
                "kind": finding.kind.value,
                "candidates": list(finding.candidates),
                "way": list(finding.way),
            }
        ),
        "writes": None if notes.writes is None else [isoformat(moment) for moment in notes.writes],
    }
    return json.dumps(members, ensure_ascii=False, indent=1) + "\n"


def _read_notes(path: Path) -> Notes:
    try:
        members = json.loads(path.read_text(encoding="utf-8"))
        writes = members["writes"]
        return Notes(
            row=read_row(members["row"]),
            console=str(members["console"]),
            binds=members["binds"],
            finding=finding_of(members["finding"]),
            writes=None if writes is None else tuple(parse_moment(moment) for moment in writes),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, ProofwalkError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> ProofwalkError:
    return invalid(
        "data.damaged",
        f"{path} cannot be read: {error}",
        hint="delete the folder and collect again",
    )
