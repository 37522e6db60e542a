"""Which stages of an experiment are done, what each came to and what it cost:
`stages.json`, written whole at every change.

A stage has a key: a digest of the recipe's parts that decide it and of the keys of the
stages that it builds on. One that is done under the same key is not run again; under
another key it is, and counts from nothing. While a stage runs its time is written down
every few seconds, so that what a killed attempt took is in the sum.

Processor time is this process's and its descendants', those that have ended included as
far as somebody waited for them; a browser that was killed with its parent may be
missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import psutil

from proofwalk.chassis.tasks import end
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject

_BEAT_S = 10.0


@dataclass(kw_only=True)
class Entry:
    """One stage."""

    key: str
    state: Literal["running", "done", "failed"] = "running"
    attempts: int = 0
    began_at: str = ""
    ended_at: str = ""
    seconds: float = 0.0
    """Of all attempts under this key."""
    cpu_seconds: float = 0.0
    result: JsonObject = field(default_factory=dict)
    error: str = ""


def processor_seconds() -> float:
    """What this process and its descendants have used of the processor so far."""
    own = os.times()
    total = own.user + own.system + own.children_user + own.children_system
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            times = child.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


class Ledger:
    """The stages of one experiment. One process writes."""

    def __init__(
        self, path: Path, *, clock: Clock, used: Callable[[], float] = processor_seconds
    ) -> None:
        """Raises `learn.bad_stages` for a file that is none."""
        self._path = path
        self._clock = clock
        self._used = used
        self.entries: dict[str, Entry] = {}
        if path.is_file():
            try:
                kept = json.loads(path.read_text(encoding="utf-8"))["stages"]
                self.entries = {name: Entry(**members) for name, members in kept.items()}
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise invalid(
                    "learn.bad_stages",
                    f"{path} is no file of stages: {error}",
                    hint="delete it to begin again",
                ) from error

    def result(self, name: str, key: str) -> JsonObject | None:
        """What the stage came to, if it is done under this key."""
        entry = self.entries.get(name)
        return (
            entry.result
            if entry is not None and entry.key == key and entry.state == "done"
            else None
        )

    @asynccontextmanager
    async def running(self, name: str, key: str) -> AsyncIterator[Entry]:
        """One attempt at a stage. Whoever runs it fills `result`; what it raises is
        written down and passes through."""
        former = self.entries.get(name)
        entry = former if former is not None and former.key == key else Entry(key=key)
        entry.state, entry.error, entry.began_at = "running", "", isoformat(self._clock.now())
        entry.attempts += 1
        self.entries[name] = entry
        seconds, used = entry.seconds, entry.cpu_seconds
        started, used_before = self._clock.monotonic(), self._used()

        def count() -> None:
            entry.seconds = round(seconds + self._clock.monotonic() - started, 1)
            entry.cpu_seconds = round(used + max(0.0, self._used() - used_before), 1)
            self._write()

        async def beat() -> None:
            while True:
                count()
                await asyncio.sleep(_BEAT_S)

        heart = asyncio.create_task(beat(), name=f"stage {name}")
        try:
            yield entry
            entry.state = "done"
        except BaseException as error:
            entry.state, entry.error = "failed", f"{type(error).__name__}: {error}"[:1000]
            raise
        finally:
            await end([heart])
            entry.ended_at = isoformat(self._clock.now())
            count()

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        told = {"stages": {name: asdict(entry) for name, entry in self.entries.items()}}
        partial = self._path.with_name(f".{self._path.name}.partial")
        partial.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        partial.replace(self._path)
