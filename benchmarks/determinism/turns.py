"""Walks in turn on disk, so that a run of hours that was stopped goes on where it was:
the account that all share lasts beside it.

Each run begins with what the account holds; a row follows when its walk is over. A walk
that was stopped in its middle is walked again, on what it had done by then.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from proofwalk.suites.counting.rows import Row, read_row, row_json


class Turns:
    """The rows of one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, Row] = {}
        self._first: Counter[str] | None = None
        self.seconds = 0.0
        """That the runs before this one took."""
        if path.is_file():
            self._read()

    @property
    def rows(self) -> Mapping[str, Row]:
        """By task."""
        return self._rows

    def begin(self, held: Counter[str]) -> Counter[str]:
        """A run begins on an account that holds this; what it held at the very
        first."""
        self._add({"held": held})
        if self._first is None:
            self._first = held
        return self._first

    def add(self, row: Row, *, at: float) -> None:
        """A walk is over, so many seconds after the run's beginning."""
        self._rows[row.task] = row
        self._add({"at": at, "row": row_json(row)})

    def _add(self, line: Mapping[str, object]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _read(self) -> None:
        last = 0.0
        for text in self._path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if "held" in line:
                self.seconds, last = self.seconds + last, 0.0
                self._first = Counter(line["held"]) if self._first is None else self._first
            else:
                row, last = read_row(line["row"]), line["at"]
                self._rows[row.task] = row
        self.seconds += last
