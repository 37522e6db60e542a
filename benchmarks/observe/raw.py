"""The browser's own calls over a bare websocket: `snapshot` (JPEG and DOMSnapshot
together) and `floor` (JPEG and one injected script)."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

from benchmarks.observe import pages, worker
from proofwalk.console.browser.devtools import DevTools, DevToolsSession

_SCRIPT = """JSON.stringify([...document.querySelectorAll('a,button,input,select,textarea,[role],[tabindex],[onclick]')].map(el => {
  const r = el.getBoundingClientRect();
  return [el.localName, (el.innerText || el.ariaLabel || '').slice(0, 80), r.left, r.top, r.width, r.height]; }))"""
_JPEG = {"format": "jpeg", "quality": 80, "optimizeForSpeed": True}
_SNAPSHOT = {"computedStyles": [], "includeDOMRects": True, "includePaintOrder": True}


class Raw:
    def __init__(self, session: DevToolsSession) -> None:
        self._session = session
        self._url = ""

    async def open(self, url: str) -> None:
        self._url = url
        loaded: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def arrived(_: dict[str, Any]) -> None:
            if not loaded.done():
                loaded.set_result(None)

        self._session.on("Page.loadEventFired", arrived)
        await self._session.send("Page.enable")
        await self._session.send("Page.navigate", {"url": url})
        async with asyncio.timeout(30):
            await loaded

    async def look(self, kind: str) -> None:
        picture = self._session.post("Page.captureScreenshot", _JPEG)
        if kind == "floor":
            other = self._session.post(
                "Runtime.evaluate", {"expression": _SCRIPT, "returnByValue": True}
            )
            json.loads((await other)["result"]["value"])
        else:
            await self._session.post("DOMSnapshot.captureSnapshot", _SNAPSHOT)
        base64.b64decode((await picture)["data"])

    async def listing(self) -> dict[str, Any]:
        planted = [
            p.name
            for p in pages.build(int(self._url.rsplit("/", 1)[1]), "http://localhost/frame")[1]
            if not p.decoy
        ]
        asked = {"expression": f"({pages.TRUTH})({json.dumps(planted)})", "returnByValue": True}
        return {"visible": (await self._session.send("Runtime.evaluate", asked))["result"]["value"]}


async def run(executable: str, folder: str) -> None:
    process, endpoint = await worker.browser(executable, folder)
    try:
        async with DevTools.connect(endpoint, seconds=20) as devtools:
            targets = await devtools.browser.send("Target.getTargets")
            page = next(t["targetId"] for t in targets["targetInfos"] if t["type"] == "page")
            session = await devtools.attach(page)
            size = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            await session.send("Emulation.setDeviceMetricsOverride", size)
            await worker.serve(Raw(session))
    finally:
        process.terminate()
        await process.wait()


if __name__ == "__main__":
    worker.main(run)
