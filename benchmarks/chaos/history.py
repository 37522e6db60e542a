"""What happened in a round, in the order in which it was seen: every call of a client
with its answer, every event of a job, every fault.

An entry is kept as a line as soon as it is made, so that a round that dies tells how
far it came. A call has an *invoked* entry before it and one of *ok* and *failed* after
it; without either nobody knows what became of it, and both are possible.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from proofwalk.kernel.json_values import JsonObject


class Said(StrEnum):
    """What an entry tells."""

    INVOKED = "invoked"
    OK = "ok"
    FAILED = "failed"
    SEEN = "seen"
    """An event of a verification, as its row shows it."""
    STRUCK = "struck"
    """A fault that was lifted, with what it touched."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """`at`: seconds since the round began, by the driver's own steady clock."""

    at: float
    who: str
    said: Said
    act: str
    about: JsonObject


class History:
    """The entries of one round, and the file that they are kept in."""

    def __init__(self, path: Path) -> None:
        self._began = time.monotonic()
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
        self._entries: list[Entry] = []

    def now(self) -> float:
        """Seconds since the round began."""
        return round(time.monotonic() - self._began, 3)

    def add(self, who: str, said: Said, act: str, **about: object) -> None:
        """Note what has just happened."""
        entry = Entry(at=self.now(), who=who, said=said, act=act, about=about)  # type: ignore[arg-type]
        self._entries.append(entry)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")

    @property
    def entries(self) -> Sequence[Entry]:
        """All that was noted."""
        return tuple(self._entries)
