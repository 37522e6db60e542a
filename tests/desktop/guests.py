"""A guest's side of a port, in memory: answers what it is told to, late or not at
all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

Answer = Callable[[str, dict[str, Any]], Any]


class Late:
    """An answer that comes only before the next request's."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Nothing:
    """No answer at all."""


@asynccontextmanager
async def guest_at(socket: Path, answer: Answer) -> AsyncIterator[list[str]]:
    """Serves one client; yields the commands that it was asked."""
    asked: list[str] = []
    kept: list[bytes] = []
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        while line := await reader.readline():
            told = json.loads(line.replace(b"\xff", b""))
            command, arguments = told["execute"], told.get("arguments", {})
            if command == "guest-sync-delimited":
                writer.write(
                    b"".join(kept)
                    + b"\xff"
                    + json.dumps({"return": arguments["id"]}).encode()
                    + b"\n"
                )
                kept.clear()
                continue
            asked.append(command)
            try:
                value = answer(command, arguments)
            except ValueError as error:
                writer.write(json.dumps({"error": {"desc": str(error)}}).encode() + b"\n")
                continue
            if isinstance(value, Late):
                kept.append(json.dumps({"return": value.value}).encode() + b"\n")
            elif not isinstance(value, Nothing):
                writer.write(json.dumps({"return": value}).encode() + b"\n")
        writer.close()

    server = await asyncio.start_unix_server(serve, str(socket), limit=2**24)
    try:
        yield asked
    finally:
        server.close()
        for writer in writers:
            writer.close()
        await server.wait_closed()
