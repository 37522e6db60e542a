"""browser-use's state summary with a screenshot, as its agent takes it in every step.
Runs in the peers' virtual environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ.update(
    ANONYMIZED_TELEMETRY="false",
    BROWSER_USE_LOGGING_LEVEL="error",
    BROWSER_USE_CLOUD_SYNC="false",
    BROWSER_USE_SETUP_LOGGING="false",
)
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from browser_use.browser import BrowserProfile, BrowserSession
from browser_use.browser.events import NavigateToUrlEvent

from benchmarks.observe import worker


class BrowserUse:
    def __init__(self, session: Any) -> None:
        self._session = session

    async def open(self, url: str) -> None:
        await self._session.event_bus.dispatch(NavigateToUrlEvent(url=url))

    async def look(self, kind: str) -> None:
        await self._session.get_browser_state_summary(include_screenshot=True)

    async def listing(self) -> dict[str, Any]:
        seen = await self._session.get_browser_state_summary(include_screenshot=True)
        text = seen.dom_state.llm_representation()
        return {"text": text, "chars": len(text), "listed": len(seen.dom_state.selector_map)}


async def run(executable: str, folder: str) -> None:
    process, endpoint = await worker.browser(executable, folder)
    profile = BrowserProfile(
        headless=True,
        viewport={"width": 1440, "height": 900},
        highlight_elements=False,
        enable_default_extensions=False,
    )
    session = BrowserSession(cdp_url=endpoint, browser_profile=profile)
    try:
        await session.start()
        await worker.serve(BrowserUse(session))
    finally:
        await session.kill()
        if process.returncode is None:
            process.terminate()
        await process.wait()


if __name__ == "__main__":
    worker.main(run)
