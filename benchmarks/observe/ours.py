"""The observation of `proofwalk.console`: whole page, viewport alone, and again while
nothing has changed."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.observe import worker
from benchmarks.observe.marking import text_hidden
from proofwalk.console.looking.prompt_text import render
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.clock import SystemClock


class Ours:
    def __init__(self, session: ConsoleSession) -> None:
        self._session = session

    async def open(self, url: str) -> None:
        await self._session.open(url)

    async def look(self, kind: str) -> None:
        if kind != "unchanged":
            # Any action would do this; it is what makes the next look a whole one.
            self._session.forget_view()
        await self._session.observe(narrow=kind == "viewport", settle=kind == "unchanged")

    async def listing(self) -> dict[str, Any]:
        self._session.forget_view()
        seen = await self._session.observe(narrow=True)
        text = render(seen, budget=1_000_000)
        return {
            "names": [f"{e.name} {e.label}" for e in seen.elements if not e.offscreen],
            "chars": len(text),
            "text": text,
            "text_hidden": text_hidden(seen),
        }


async def run(executable: str, folder: str) -> None:
    process, endpoint = await worker.browser(executable, folder)
    try:
        with tempfile.TemporaryDirectory() as artifacts:
            hosts = sys.argv[2:]
            async with ConsoleSession.connect(
                f"http://{urlsplit(endpoint).netloc}",
                allowed_hosts=hosts,
                secrets={},
                clock=SystemClock(),
                artifacts=Path(artifacts),
            ) as session:
                await worker.serve(Ours(session))
    finally:
        process.terminate()
        await process.wait()


if __name__ == "__main__":
    worker.main(run)
