"""A small endpoint that speaks OpenAI's protocol over a real socket, with scripted
answers and faults."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. `body` is sent as it is; else a completion is made of `text`."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    finish_reason: str = "stop"
    usage: Mapping[str, Any] | None = None
    choice: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    hang: bool = False
    """Never answers."""
    cut: bool = False
    """Breaks off in the middle of the body."""

    def content(self, asked: Mapping[str, Any]) -> bytes:
        if self.body is not None:
            return self.body
        if self.status >= 400:
            return json.dumps({"error": {"message": self.text, "type": "error"}}).encode()
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": self.text},
            "finish_reason": self.finish_reason,
        }
        usage = (
            {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            if self.usage is None
            else self.usage
        )
        answer = {
            "id": "c",
            "object": "chat.completion",
            "model": asked.get("model"),
            "choices": [{**choice, **self.choice}],
        }
        return json.dumps({**answer, **({"usage": usage} if usage else {}), **self.more}).encode()


def act(
    thought: str, finding: Mapping[str, Any] | None = None, said: str = "thought", **action: Any
) -> Reply:
    """A well-formed decision."""
    answer = {said: thought, "action": action, **({"finding": finding} if finding else {})}
    return Reply(text=json.dumps(answer))


def refuse(message: str, status: int = 400, **headers: str) -> Reply:
    return Reply(
        text=message,
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


Answering = Callable[[dict[str, Any]], Reply]


class FakeEndpoint:
    """Answers its script one after the other, the last one for ever; keeps what it was
    asked."""

    def __init__(self, *script: Reply, answering: Answering | None = None) -> None:
        self.script = list(script)
        self.answering = answering
        self.models: list[dict[str, Any]] | Reply = [{"id": "fake-vl", "object": "model"}]
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""

    def text_of(self, index: int = -1) -> str:
        """Everything that a question said, messages joined."""
        pieces = []
        for message in self.asked[index]["messages"]:
            content = message["content"]
            pieces.append(
                content
                if isinstance(content, str)
                else "".join(part.get("text", "") for part in content)
            )
        return "\n\n".join(pieces)

    def images_of(self, index: int = -1) -> list[str]:
        """The addresses of a question's images, in order."""
        contents = [message["content"] for message in self.asked[index]["messages"]]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = head.split("\r\n")
                headers = {
                    name.strip().lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in lines[1:])
                    if name
                }
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.headers.append(headers)
                if not await self._answer(lines[0], body, writer):
                    return

    async def _answer(self, line: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        asked: dict[str, Any] = {}
        if "/models" in line:
            found = self.models
            reply = (
                found
                if isinstance(found, Reply)
                else Reply(body=json.dumps({"object": "list", "data": found}).encode())
            )
        elif "/chat/completions" in line:
            asked = json.loads(body)
            self.asked.append(asked)
            scripted = (
                self.script.pop(0)
                if len(self.script) > 1
                else self.script[0]
                if self.script
                else None
            )
            reply = self.answering(asked) if self.answering else scripted or Reply(text="")
        else:
            reply = refuse("no such path", 404)
        if reply.hang:
            await asyncio.Event().wait()
        content = reply.content(asked)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(content)),
            **reply.headers,
        }
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(
            f"HTTP/1.1 {reply.status} said\r\n{told}\r\n".encode()
            + (content[: len(content) // 2] if reply.cut else content)
        )
        await writer.drain()
        if reply.cut:
            writer.close()
        return not reply.cut


E = TypeVar("E", bound=FakeEndpoint)


@asynccontextmanager
async def serving(endpoint: E) -> AsyncIterator[E]:
    """The endpoint on a port of 127.0.0.1."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await endpoint.serve(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield endpoint
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
