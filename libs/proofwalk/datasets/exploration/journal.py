"""What was proposed, round by round, as JSON lines in the folder (`proposals.jsonl`):
what became a task and what had to be refused.

A line is written, and synced, before its task is walked, so that an exploration that
was killed walks it when it goes on. A line that a kill has cut off is dropped. What
came of a task is not in it: that is in the rows of the runner's journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from proofwalk.datasets.exploration.operations import Operation
from proofwalk.datasets.exploration.proposals import Proposal
from proofwalk.kernel.errors import invalid

FILE = "proposals.jsonl"


@dataclass(frozen=True, kw_only=True)
class Record:
    """A round's question to the model and what it came to."""

    round: int
    product: str
    task: str = ""
    """Id of the task; empty where every answer was refused."""
    operation: str = ""
    resource: str = ""
    title: str = ""
    steps: tuple[str, ...] = ()
    name: str = ""
    refused: tuple[str, ...] = ()
    """Why answers were not taken."""
    model: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    @property
    def proposal(self) -> Proposal:
        """What was proposed, of a record that has a task."""
        return Proposal(
            operation=Operation(self.operation),
            resource=self.resource,
            title=self.title,
            steps=self.steps,
            name=self.name,
        )


class ProposalJournal:
    """The records of a folder, in their order."""

    def __init__(self, folder: Path) -> None:
        """Raises `data.bad_proposals`."""
        self._path = folder / FILE
        self._records: list[Record] = []
        if not self._path.is_file():
            return
        text = self._path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            self._path.write_text(whole, encoding="utf-8")
        try:
            for line in whole.splitlines():
                members = json.loads(line)
                lists = {name: tuple(map(str, members[name])) for name in ("steps", "refused")}
                record = Record(**{**members, **lists})
                if record.task:
                    Operation(record.operation)
                self._records.append(record)
        except (ValueError, TypeError, KeyError) as error:
            raise invalid(
                "data.bad_proposals",
                f"{self._path} cannot be read: {error}",
                hint="explore into another folder",
            ) from error

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def add(self, record: Record) -> None:
        """Keep a record."""
        self._records.append(record)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record), ensure_ascii=False, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
