"""A page of 400 controls that all fit the viewport, served from loopback: the densest
thing that an observation has to number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

COLUMNS = 20
ROWS = 20
CONTROLS = COLUMNS * ROWS


def html() -> str:
    """Buttons, links, fields, check boxes and lists in turn."""
    kinds = (
        '<button type="button">Stop {n}</button>',
        '<a href="#{n}">i-{n:04}</a>',
        '<input type="text" aria-label="Name {n}" value="web-{n}">',
        '<label><input type="checkbox"> {n}</label>',
        '<select aria-label="Zone {n}"><option>a-{n}</option><option>b-{n}</option></select>',
    )
    cells = "".join(f"<div>{kinds[n % len(kinds)].format(n=n)}</div>" for n in range(CONTROLS))
    style = (
        "body{margin:8px;font:11px sans-serif}"
        f"main{{display:grid;grid-template-columns:repeat({COLUMNS},70px);grid-auto-rows:43px}}"
        "input[type=text],select,button{width:60px;font-size:11px}"
    )
    return (
        "<!doctype html><html"
        f" lang=en><head><title>Dense</title><style>{style}</style></head><body><main>{cells}</main></body></html>"
    )


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """The `host:port` that answers every request with the page."""
    body = html().encode()
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length:"
        f" {len(body)}\r\nConnection: close\r\n\r\n"
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(head.encode() + body)
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()[:2]
        yield f"{host}:{port}"
