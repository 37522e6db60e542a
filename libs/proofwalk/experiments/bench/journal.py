"""The rows of a run, on disk as soon as they are known, so that a killed run goes on
where it was.

One JSON line for each row, appended and synced; the first line says what is run, and a
journal of another run is refused. A line that a kill has cut off is dropped. A row
counts only for the task that it was made of (by digest).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.suites.counting.rows import Row, read_row, row_json

Key = tuple[str, str, str, int]
"""Task, its digest, policy, run."""


def key_of(row: Row) -> Key:
    """What a row is the row of."""
    return row.task, row.digest, row.policy, row.run


class Journal:
    """Rows by task, policy and run; the last one counts."""

    def __init__(self, path: Path, *, run: Mapping[str, object], resume: bool) -> None:
        """`run` describes what is run. Without `resume` it begins anew. Raises
        `bench.other_run`."""
        self._path = path
        self._rows: dict[Key, Row] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if resume and path.is_file():
            self._read(run)
        else:
            path.write_text(_line({"bench": dict(run)}), encoding="utf-8")

    def _read(self, run: Mapping[str, object]) -> None:
        text = self._path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            self._path.write_text(whole, encoding="utf-8")
        lines = [json.loads(line) for line in whole.splitlines()]
        found = lines[0].get("bench") if lines else None
        if found != json.loads(json.dumps(dict(run))):
            raise ProofwalkError(
                "bench.other_run",
                f"{self._path} holds another run: {found}",
                status=Status.INVALID_ARGUMENT,
                hint="leave --resume out to begin anew, or ask for the same run",
            )
        for members in lines[1:]:
            row = read_row(members)
            self._rows[key_of(row)] = row

    def add(self, row: Row) -> None:
        """Keep a row."""
        self._rows[key_of(row)] = row
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(row_json(row)))
            file.flush()
            os.fsync(file.fileno())

    def find(self, key: Key) -> Row | None:
        """The row, if it is known."""
        return self._rows.get(key)

    def rows(self, keys: Iterable[Key]) -> list[Row]:
        """The known rows among these, in their order."""
        return [self._rows[key] for key in keys if key in self._rows]


def read_rows(path: Path) -> list[Row]:
    """The rows of a journal, whatever it is of; of one run the last. Raises `OSError`,
    `ValueError`, `KeyError`, `TypeError`."""
    text = path.read_text(encoding="utf-8")
    lines = text[: text.rfind("\n") + 1].splitlines()[1:]
    rows = [read_row(json.loads(line)) for line in lines]
    return list({key_of(row): row for row in rows}.values())


def _line(members: Mapping[str, object]) -> str:
    return json.dumps(members, ensure_ascii=False, sort_keys=True) + "\n"
