"""Console-like pages with planted controls, whose truth is known: which of them a
person can see and reach, and which only look so to a program.

A page of size N holds N controls, each with a name of its own: a side menu, a tool bar,
a form, tables, and pockets that are hard to read: open and closed shadow roots, a frame
of the same site and one of another site, a portal at the end of the body, an editable
`div`. Beside them stand decoys: controls under an opaque box, transparent, without
size, clipped away, hidden by `visibility`. What lies below the fold counts as not
visible. `serve` answers on loopback under two host names, so that the foreign frame
really is one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

SIZES = (150, 400, 1200)
_STYLE = """
*{box-sizing:border-box}body{margin:0;font:12px/1.4 sans-serif;color:#222}
header{height:44px;background:#1f2a44;color:#fff;display:flex;gap:6px;align-items:center;padding:0 12px}
aside{position:absolute;left:0;top:44px;width:180px;padding:6px}aside a{display:block;height:20px}
main{margin-left:180px;padding:8px}.bar{display:flex;flex-wrap:wrap;gap:4px}button,input,select{font-size:11px;height:22px}
input:not([type=checkbox]){width:90px}table{border-collapse:collapse;width:100%}td,th{border:1px solid #ddd;padding:1px 5px;height:24px}
.pockets{display:flex;gap:8px;align-items:flex-start;height:30px}iframe{border:0;width:130px;height:28px}
.decoys{position:relative;height:26px;width:620px}.decoys>*{position:absolute;left:0;top:0}.lid{width:620px;height:26px;background:#eee;z-index:5}
"""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A control of the page."""

    name: str
    kind: str
    decoy: bool = False


class _Names:
    def __init__(self) -> None:
        self.all: list[Planted] = []

    def take(self, kind: str, *, decoy: bool = False) -> str:
        word = "Decoy" if decoy else kind.capitalize()
        name = f"{word} {len(self.all):04d}"
        self.all.append(Planted(name=name, kind=kind, decoy=decoy))
        return name

    def button(self, **more: bool) -> str:
        return f'<button type="button">{self.take("button", **more)}</button>'

    def link(self) -> str:
        return f'<a href="#x">{self.take("link")}</a>'

    def field(self) -> str:
        name = self.take("field")
        return f'<input type="text" aria-label="{name}" value="v-{len(self.all)}">'

    def check(self) -> str:
        return f'<label><input type="checkbox"> {self.take("check")}</label>'

    def choice(self) -> str:
        name = self.take("choice")
        return f'<select aria-label="{name}"><option>one</option><option>two</option></select>'


def build(size: int, foreign: str) -> tuple[str, list[Planted]]:
    """The page as HTML and what is planted in it; `foreign` is the address of the frame
    of another site."""
    names = _Names()
    menu = "".join(names.link() for _ in range(24))
    bar = "".join(names.button() for _ in range(12)) + "".join(names.choice() for _ in range(4))
    form = "".join(f"<div>{names.field()}</div><div>{names.check()}</div>" for _ in range(8))
    open_root, closed_root, editable, portal = (
        names.take(kind) for kind in ("shadow", "closed", "editable", "portal")
    )
    framed, alien = names.take("framed"), names.take("alien")
    hidden = [names.take("button", decoy=True) for _ in range(6)]
    decoys = (
        f"<button>{hidden[0]}</button><div class=lid></div>"
        f'<button style="opacity:0;left:100px">{hidden[1]}</button><button'
        f' style="visibility:hidden;left:200px">{hidden[2]}</button>'
        "<button"
        f' style="width:0;height:0;padding:0;border:0;overflow:hidden;left:300px">{hidden[3]}</button>'
        '<div style="overflow:hidden;width:60px;height:20px;left:400px"><button'
        f' style="margin-left:100px">{hidden[4]}</button></div>'
        f'<button style="display:none">{hidden[5]}</button>'
    )
    rows, cells = [], 0
    while len(names.all) < size:
        left = [
            names.check(),
            names.link(),
            f"cn-east-{cells % 7}",
            "Running" if cells % 3 else "Stopped",
            f"10.0.{cells % 250}.7",
        ]
        right = names.button() + names.button() if len(names.all) + 2 <= size else names.button()
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in [*left, right]) + "</tr>")
        cells += 1
    head = "".join(
        f"<th>{word}</th>" for word in ("Select", "Instance", "Zone", "State", "Address", "Actions")
    )
    script = (
        "const"
        f" o=document.querySelector('#open').attachShadow({{mode:'open'}});o.innerHTML='<button>{open_root}</button>';"
        "const"
        f" c=document.querySelector('#closed').attachShadow({{mode:'closed'}});c.innerHTML='<button>{closed_root}</button>';"
    )
    page = (
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Instances"
        f" {size}</title><style>{_STYLE}</style></head><body><header><b>Console</b></header><aside>{menu}</aside><main><div"
        f" class=bar>{bar}</div><div class=bar>{form}</div><div class=pockets><div"
        f" id=open></div><div id=closed></div><div contenteditable=true aria-label='{editable}'"
        " style='width:90px;border:1px solid'>text</div><iframe srcdoc='<body"
        f" style=margin:0><button>{framed}</button>'></iframe><iframe"
        f" src='{foreign}?name={alien.replace(' ', '+')}'></iframe></div><div"
        f" class=decoys>{decoys}</div><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></main><div"
        " style='position:fixed;right:12px;bottom:12px;z-index:2000;background:#fff;border:1px"
        f" solid'><button>{portal}</button></div><script>{script}</script></body></html>"
    )
    return page, names.all


TRUTH = """(names) => {
  const seen = [], at = (root, x, y) => { let hit = root.elementFromPoint(x, y); return hit; };
  const walk = (root) => { for (const el of root.querySelectorAll('button,a,input,select')) {
    const name = (el.getAttribute('aria-label') || (el.closest('label') || el).innerText || '').trim();
    if (!names.includes(name)) continue;
    const r = el.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2;
    if (r.width < 1 || y < 0 || x < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = at(document, x, y), style = getComputedStyle(el);
    if (hit && (el.contains(hit) || hit.contains(el) && hit.localName === 'label') && style.opacity !== '0') seen.push(name);
  } };
  walk(document);
  return seen;
}"""
"""Asked of the page once, apart from what is measured: which plain controls a pointer
reaches at their middle.

The pockets are in view by construction.
"""

POCKETS = ("shadow", "closed", "editable", "portal", "framed", "alien")


@asynccontextmanager
async def serve() -> AsyncIterator[int]:
    """Serve the pages at `/SIZE` and the foreign frame at `/frame` on 127.0.0.1 (also
    as `localhost`); yields the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split(" ", 2)
                url = urlsplit(request[1])
                kind, status = "text/html; charset=utf-8", "200 OK"
                if url.path == "/frame":
                    body = f"<body style=margin:0><button>{parse_qs(url.query)['name'][0]}</button>"
                elif url.path.endswith(".json"):
                    kind, body = (
                        "application/json",
                        json.dumps([vars(p) for p in _page(int(url.path[1:-5]), port)[1]]),
                    )
                elif url.path[1:].isdigit():
                    body = _page(int(url.path[1:]), port)[0]
                else:
                    status, body = "404 Not Found", "nothing here"
                data = body.encode()
                head = (
                    f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length:"
                    f" {len(data)}\r\nConnection: close\r\n\r\n"
                )
                writer.write(head.encode() + data)
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = int(server.sockets[0].getsockname()[1])
    async with server:
        yield port


def _page(size: int, port: int) -> tuple[str, list[Planted]]:
    return build(size, f"http://localhost:{port}/frame")
