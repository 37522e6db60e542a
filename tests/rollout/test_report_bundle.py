"""A static bundle of real reports, as a browser shows it from a file server and from a
folder: nothing comes from elsewhere, every link leads somewhere, and texts stay
texts."""

from __future__ import annotations

import functools
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.async_api import Page, async_playwright
from selectolax.lexbor import LexborHTMLParser

from proofwalk.agent.core.endings import Ending, Unachievable
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.cli.reports import write_bundle
from proofwalk.gateway import schemas
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.orders.verification import VerificationBody
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.devcloud.console.conftest import FLAGS, chromium
from tests.rollout.api import OPERATOR, Api

__all__ = ["chromium"]

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOSTILE = (
    "<script>hacked=1</script>"
    '<img src="data:image/png;base64,AAAA" onerror="hacked=1">'
    "</style><style>*{display:none}</style>"
    '"><svg onload=hacked=1>'
    '<a href="javascript:hacked=1">x</a><base href="http://evil.example/">'
)


class Installation:
    """What a client of the gateway gets."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def get(self, verification_id: str) -> VerificationBody:
        request = pb.GetVerificationRequest(caller=OPERATOR, verification_id=verification_id)
        reply = await self._api.stub.GetVerification(request, timeout=5)
        body: VerificationBody = schemas.operation(reply.verification)  # type: ignore[assignment]
        return body

    async def report(self, verification_id: str) -> bytes:
        return (await self._api.report(verification_id)).encode()


async def bundled(api: Api, out: Path) -> Path:
    """A bundle of a wrong document with hostile words, and of a right one."""
    finding = Finding(
        file=HOSTILE,
        line=6,
        sentence=HOSTILE,
        kind=FindingKind.RENAMED,
        message=HOSTILE,
        asked=HOSTILE,
        offered=HOSTILE,
    )

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return Unachievable(substep="2", reason=HOSTILE, finding=finding)

    await api.create("ver_right", rule_yaml="r")
    await api.setting.finish("ver_right")
    api.setting.world.walker.script = script
    api.setting.world.rewards.decision = "denied"
    hostile = pb.DocumentSource(content=f"# {HOSTILE}\n\n1. Click **Stop**.\n".encode(), name="x")
    await api.create("ver_wrong", rule_yaml="r", document=hostile)
    await api.setting.finish("ver_wrong")
    ids = ["ver_right", "ver_wrong"]
    manifest = await write_bundle(Installation(api), ids, out, now=NOW)
    assert len(manifest.verifications) == 2
    return out


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server of nothing but files."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_parts: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def broken_links(out: Path) -> list[str]:
    """What a page names and the folder has not."""
    broken = []
    for page in (out / "index.html", *(out / "verifications").iterdir()):
        tree = LexborHTMLParser(page.read_bytes())
        for node in tree.css("[src], [href]"):
            address = node.attributes.get("src") or node.attributes.get("href") or ""
            if not (page.parent / address).is_file():
                broken.append(f"{page.name}: {address}")
    return broken


async def shown(page: Page, address: str) -> None:
    """Use the index as a reader does, and read a page of it."""
    await page.goto(f"{address}index.html")
    rows = page.locator("tbody tr:visible")
    assert await rows.count() == 2
    await page.get_by_label("Verdict").select_option("doc_defect")
    assert await rows.count() == 1
    assert await page.locator("output").inner_text() == "1 of 2"
    await page.get_by_label("Verdict").select_option("")
    await page.get_by_label("Text").fill("nothing of the kind")
    assert await rows.count() == 0
    await page.get_by_label("Text").fill("")
    await page.locator("tbody tr").first.get_by_role("link").click()
    await page.locator("article.frame img").first.wait_for()
    assert await page.evaluate("getComputedStyle(document.querySelector('.frames')).display")
    assert await page.locator("article.frame.current").count() == 1
    await page.get_by_role("link", name="All verifications").click()
    assert await rows.count() == 2
    assert await page.evaluate("window.hacked") is None


async def test_a_bundle_is_read_in_a_browser_and_asks_nobody_else(
    api: Api, tmp_path: Path, chromium: Path
) -> None:
    out = await bundled(api, tmp_path / "out")
    assert broken_links(out) == []
    for path in out.rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"<style|<script>|data:image/jpeg", text)
        assert text.count("<script") == 1
        assert "'unsafe-inline'" not in text
    asked: list[str] = []
    errors: list[str] = []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            page = await browser.new_page()
            page.set_default_timeout(5000)
            page.on("request", lambda request: asked.append(request.url))
            page.on("console", lambda message: errors.append(message.text))
            page.on("pageerror", lambda error: errors.append(str(error)))
            with served(out) as address:
                await shown(page, address)
                assert {url.startswith(address) for url in asked if "favicon" not in url} == {True}
            asked.clear()
            await shown(page, f"{out.as_uri()}/")
            assert {url.startswith(out.as_uri()) for url in asked} == {True}
        finally:
            await browser.close()
    assert [one for one in errors if "favicon" not in one and "404" not in one] == []
    assert json.loads((out / "manifest.json").read_text())["format"] == "proofwalk-bundle/1"
