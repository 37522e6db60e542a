"""Requests into the guest over a virtio port: one JSON object a line each way, one
request at a time.

Two speak so. QEMU's guest agent (programs, files) has no numbers on its answers: after
a timeout the line is synchronised anew (`guest-sync-delimited`), so that a late answer
is never taken for another one's. Ours understands the same envelope and the same
synchronisation. A machine that is restored begins with ports that nobody has spoken on:
`connect` synchronises, too.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from proofwalk.kernel.errors import ProofwalkError, Status, unavailable

_SENTINEL = b"\xff"
_LONGEST_LINE = 2**24
_GREETING_S = 2.0


class GuestPort:
    """`await connect()`, then ask."""

    def __init__(self, socket: Path, *, within_s: float = 20.0) -> None:
        self._socket = socket
        self._within_s = within_s
        self._turn = asyncio.Lock()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._syncs = 0
        self._lost = False

    async def connect(self, *, within_s: float | None = None) -> None:
        """Raises `desktop.guest_silent`."""
        async with self._bounded("the first greeting", within_s or self._within_s):
            self._reader, self._writer = await asyncio.open_unix_connection(
                str(self._socket), limit=_LONGEST_LINE
            )
            while True:
                # What is said before anybody listens is lost.
                try:
                    async with asyncio.timeout(_GREETING_S):
                        await self._synchronise()
                    return
                except TimeoutError:
                    continue

    async def close(self) -> None:
        """Hang up. Repeatable."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def ask(self, command: str, /, *, within_s: float | None = None, **arguments: Any) -> Any:
        """What it answers. Raises `desktop.guest_silent`, `desktop.guest_refused`."""
        async with self._turn, self._bounded(command, within_s or self._within_s):
            if self._lost:
                await self._synchronise()
            self._lost = True
            await self._send(
                {"execute": command, **({"arguments": arguments} if arguments else {})}
            )
            answer = json.loads(await self._line())
            self._lost = False
        if "error" in answer:
            raise ProofwalkError(
                "desktop.guest_refused",
                f"the guest refuses {command}: {answer['error'].get('desc', answer['error'])}",
                status=Status.FAILED_PRECONDITION,
            )
        return answer["return"]

    async def _synchronise(self) -> None:
        """Throw away what was said before: a delimited sync is answered with a byte
        that no JSON has, and then our number."""
        self._syncs += 1
        assert self._writer is not None
        self._writer.write(_SENTINEL)
        await self._send({"execute": "guest-sync-delimited", "arguments": {"id": self._syncs}})
        while True:
            line = (await self._line()).rpartition(_SENTINEL)[2]
            try:
                synchronised = json.loads(line).get("return") == self._syncs
            except ValueError:
                continue
            if synchronised:
                self._lost = False
                return

    async def _send(self, message: dict[str, Any]) -> None:
        if self._writer is None:
            raise _silent("the port is closed")
        self._writer.write(json.dumps(message).encode() + b"\n")
        await self._writer.drain()

    async def _line(self) -> bytes:
        assert self._reader is not None
        line = await self._reader.readline()
        if not line:
            raise _silent("the port was closed")
        return line

    @asynccontextmanager
    async def _bounded(self, what: str, within_s: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(within_s):
                yield
        except TimeoutError:
            raise _silent(f"no answer to {what} within {within_s:g} s") from None
        except (OSError, ValueError) as error:
            raise _silent(str(error)) from error


def _silent(why: str) -> ProofwalkError:
    return unavailable(
        "desktop.guest_silent", f"the guest does not answer: {why}", hint="acquire another sandbox"
    )
