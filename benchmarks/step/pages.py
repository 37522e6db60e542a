"""Pages to click, to type into and to wait for, served on loopback.

`/acting` counts its clicks. `/settling?kind=` does something when its button is clicked
and notes on the wall clock when that was (`begunAt`) and when it made its last change
(`finishedAt`, 0 while it is under way): at once (`sync`), after a request (`fetch`),
after a request, a timer and another request (`cascade`), after a request while the page
polls (`polling`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

KINDS = ("sync", "fetch", "cascade", "polling")

_HEAD = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bench</title></head><body"
    " style='font:14px sans-serif'>"
)
_ACTING = (
    f"{_HEAD}<button id=press style='width:160px;height:40px'>Press</button><p id=count>0</p>"
    "<input id=field aria-label='Name' style='width:300px'>"
    "<script>let n = 0; press.onclick = () => { count.textContent = ++n; }</script></body></html>"
)
_SETTLING = (
    _HEAD
    + """<button id=go style='width:160px;height:40px'>Go</button><p id=state>start</p><script>
let begunAt = 0, finishedAt = 0;
const wall = () => performance.timeOrigin + performance.now(), kind = new URLSearchParams(location.search).get('kind');
const slow = (ms) => fetch(`/slow?ms=${ms}&n=${Math.random()}`).then((answer) => answer.text());
const done = () => { state.textContent = 'final'; finishedAt = wall(); };
const ways = {
  sync: done,
  fetch: () => slow(100).then(done),
  cascade: () => slow(100).then(() => setTimeout(() => slow(100).then(done), 60)),
  polling: () => slow(150).then(done),
};
if (kind === 'polling') setInterval(() => fetch('/slow?ms=50'), 600);
go.onclick = () => { begunAt = wall(); finishedAt = 0; state.textContent = 'working'; ways[kind](); };
</script></body></html>"""
)


@asynccontextmanager
async def serve() -> AsyncIterator[int]:
    """Serve the pages; yields the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(20):
                request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split(" ", 2)
                url = urlsplit(request[1])
                if url.path == "/slow":
                    await asyncio.sleep(int(parse_qs(url.query)["ms"][0]) / 1000)
                body = {"/acting": _ACTING, "/settling": _SETTLING, "/slow": "slow"}.get(
                    url.path, ""
                )
                data = body.encode()
                head = (
                    f"HTTP/1.1 {'200 OK' if body else '404 Not Found'}\r\nContent-Type: text/html;"
                    " charset=utf-8\r\nCache-Control: no-store\r\nContent-Length:"
                    f" {len(data)}\r\nConnection: close\r\n\r\n"
                )
                writer.write(head.encode() + data)
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])
