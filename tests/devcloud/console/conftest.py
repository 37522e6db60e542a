"""A devcloud process, a Chromium, and a tab; every request that leaves the devcloud
fails the test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright, expect

from tests.devcloud.console.pages import ConsolePage

TOKEN = "token-of-the-console-tests"
DEADLINE_S = 20.0
LOCATOR_MS = 15_000
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True, kw_only=True)
class LiveCloud:
    """A running devcloud, seen from the host's side."""

    url: str

    def admin(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/admin{path}", data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return json.loads(reply.read())

    def account(self) -> dict[str, Any]:
        created: dict[str, Any] = self.admin("/accounts", {"count": 1})["accounts"][0]
        return created

    def inventory(self, account: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.admin(f"/accounts/{account['account_id']}/inventory")[
            "resources"
        ]
        return found


@pytest.fixture(scope="module")
def live_cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveCloud]:
    state = tmp_path_factory.mktemp("devcloud")
    command = [
        sys.executable,
        "-m",
        "proofwalk.devcloud",
        "--port",
        "0",
        "--state",
        str(state),
        "--admin-token",
        TOKEN,
        "--speed",
        "8",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            # "devcloud URL admin-token …", or nothing if it could not start
            first = process.stdout.readline()
            assert first.startswith("devcloud "), "devcloud did not start"
            yield LiveCloud(url=first.split()[1])
        finally:
            process.terminate()
            process.wait(timeout=DEADLINE_S)


@pytest.fixture(scope="session")
def chromium() -> Path:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("PROOFWALK_TEST_CHROMIUM") or next(
        filter(None, map(shutil.which, names)), None
    )
    if found is None:
        pytest.skip(
            "no Chromium: install the distribution's `chromium`, or name one in"
            " PROOFWALK_TEST_CHROMIUM"
        )
    return Path(found)


@pytest.fixture
async def tab(live_cloud: LiveCloud, chromium: Path) -> AsyncIterator[Page]:
    expect.set_options(timeout=LOCATOR_MS)
    strangers: list[str] = []
    failures: list[str] = []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(LOCATOR_MS)
            page.on(
                "request",
                lambda r: (
                    None if r.url.startswith((live_cloud.url, "data:")) else strangers.append(r.url)
                ),
            )
            page.on("pageerror", lambda error: failures.append(str(error)))
            yield page
        finally:
            await browser.close()
    assert strangers == []
    assert failures == []


@pytest.fixture
def console(tab: Page, live_cloud: LiveCloud) -> ConsolePage:
    return ConsolePage(tab, live_cloud.url)


@pytest.fixture
def owner(live_cloud: LiveCloud) -> dict[str, Any]:
    return live_cloud.account()


@pytest.fixture
async def signed_in(console: ConsolePage, owner: dict[str, Any]) -> ConsolePage:
    await console.open("/")
    await console.sign_in(owner)
    await console.see("Products and services")
    return console
