"""What hostile documents, META, rules, targets and scripts take of the processes that
read them: seconds, megabytes, and what they end as.

Each input goes to a process of its own through the bounds of the role that reads it
(`chassis.readers`). Seconds are what its caller waits, without the start of the
process; megabytes are the most that the process has resident, over what it has before
it reads.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.holes import hostile_texts
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.chassis.readers import Bounds, Order, Readers
from proofwalk.cloud.target import parse_target
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.confined import DocumentReader
from proofwalk.resource_provisioner.confined import MetaReader
from proofwalk.reward_service.confined import Rules

_LOOK_S = 0.01
_MB = 1 << 20
_GOOD: Mapping[str, str] = {
    "document": "1. Click **Stop**.\n",
    "meta": "id: a\ndescription: d\n",
    "rule": "{id: x, version: 1, delta_s: 0, all: [{event: A}]}",
    "target": "{id: a, title: t, adapter: generic, console: {url: 'http://127.0.0.1:1'}}",
    "script": "- [{press: a}]",
}
Read = Callable[[Readers, str, str], Awaitable[object]]


def read_target(arguments: Mapping[str, Any], body: bytes) -> bytes:
    """A target in a process of its own, to measure it: roles read the targets of their
    own folder in place, by the same function."""
    return parse_target(body.decode(), path=Path("a.yaml"), environment={}).id.encode()


def read_script(arguments: Mapping[str, Any], body: bytes) -> bytes:
    """A script, likewise: the intake reads it in place, by the same function."""
    return str(len(parse_script(body.decode()).entries)).encode()


async def _document(readers: Readers, name: str, text: str) -> object:
    return await DocumentReader(reading=readers).procedure(name.split()[0], text.encode())


async def _meta(readers: Readers, name: str, text: str) -> object:
    return await MetaReader(reading=readers).check(text)


async def _rule(readers: Readers, name: str, text: str) -> object:
    return await Rules(reading=readers).check(text)


def _here(kind: str) -> Read:
    async def read(readers: Readers, name: str, text: str) -> object:
        order = Order(
            reader=f"{__name__}:read_{kind}",
            subject=kind,
            arguments={},
            body=text.encode(),
            bounds=Bounds(wall_s=15),
        )
        return await readers.read(order)

    return read


KINDS: Mapping[str, tuple[Read, Mapping[str, str]]] = {
    "document": (_document, hostile_texts.DOCUMENTS),
    "meta": (_meta, hostile_texts.METAS),
    "rule": (_rule, hostile_texts.RULES),
    "target": (_here("target"), hostile_texts.TARGETS),
    "script": (_here("script"), hostile_texts.SCRIPTS),
}


class _Watch:
    """The most memory that the process which reads has resident."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self.most = 0
        self.before = 0

    def resident(self) -> int:
        total = 0
        with suppress(psutil.Error):
            for guard in self._readers.pids:
                total += sum(below.memory_info().rss for below in psutil.Process(guard).children())
        return total

    async def run(self) -> None:
        self.before = self.resident()
        while True:
            self.most = max(self.most, self.resident())
            await asyncio.sleep(_LOOK_S)


async def _one(kind: str, name: str, text: str, read: Read) -> dict[str, object]:
    async with Readers(processes=1) as readers:
        await read(readers, "good.md", _GOOD[kind])
        watch = _Watch(readers)
        watching = asyncio.create_task(watch.run())
        await asyncio.sleep(0)
        started = time.monotonic()
        try:
            await read(readers, name, text)
            outcome = "read"
        except ProofwalkError as error:
            outcome = error.code
        seconds = time.monotonic() - started
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        megabytes = max(watch.most, watch.resident()) - watch.before
    return {
        "seconds": round(seconds, 3),
        "mb": round(max(megabytes, 0) / _MB, 1),
        "outcome": outcome,
        "bytes": len(text.encode()),
    }


async def _all() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for kind, (read, texts) in KINDS.items():
        for name, text in texts.items():
            found[f"{kind}: {name}"] = await _one(kind, name, text, read)
            print(f"{kind}: {name}", found[f"{kind}: {name}"], file=sys.stderr)
    return found


def measure() -> dict[str, object]:
    """The worst of all inputs, and each: seconds, megabytes, and the code that it ended
    with (`read` if it was read)."""
    inputs = asyncio.run(_all())
    return {
        "worst_seconds": max(float(str(one["seconds"])) for one in inputs.values()),
        "worst_mb": max(float(str(one["mb"])) for one in inputs.values()),
        "inputs": inputs,
    }
