"""DevTools of a local sandbox: for who bears its ticket; the browser listens nowhere,
and others on this machine find nothing to ask."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import psutil
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from proofwalk.chassis.trust import system_trust
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.console.browser.devtools import DevTools, DevToolsError
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.sandbox_scheduler.browser import SandboxedBrowser
from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState, Shard
from proofwalk.sandbox_scheduler.local import LocalBackend
from proofwalk.sandbox_scheduler.reconciliation import Phase
from tests.fixtures.environments import environments_below

pytestmark = pytest.mark.browser
SHARD = Shard(tool="chromium", version="1", number=0)


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[SandboxedBrowser]:
    started = await SandboxedBrowser.start(find_chromium(None), folder=tmp_path / "sandboxes")
    yield started
    await started.end()


def listening(*, below: bool) -> set[int]:
    """Ports that this process listens on, or those that the processes below it do."""
    mine = psutil.Process()
    family = mine.children(recursive=True) if below else [mine]
    return {
        one.laddr.port
        for process in family
        for one in process.net_connections("inet")
        if one.status == "LISTEN"
    }


async def status_of(address: str) -> int:
    with pytest.raises(InvalidStatus) as caught:
        await connect(address, proxy=None)
    return int(caught.value.response.status_code)


async def test_the_browser_gets_nothing_of_the_roles_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFWALK_DATABASE_URL", "postgresql://u:canary-5319@h/d")
    monkeypatch.setenv("HTTPS_PROXY", "http://u:canary-5319@proxy:3128")
    monkeypatch.setenv("LANG", "C.UTF-8")
    started = await SandboxedBrowser.start(find_chromium(None), folder=tmp_path / "sandboxes")
    found = environments_below()
    await started.end()
    assert any(b"C.UTF-8" in one for one in found), "a control: they can be read"
    assert not any(b"canary-5319" in one for one in found)


async def test_the_browser_listens_nowhere(tmp_path: Path) -> None:
    before = listening(below=True)
    started = await SandboxedBrowser.start(find_chromium(None), folder=tmp_path / "sandboxes")
    try:
        assert listening(below=True) == before
        assert started.port in listening(below=False), "who listens is this process"
    finally:
        await started.end()
    assert started.port not in listening(below=False)


async def test_without_a_ticket_nothing_is_told_and_nothing_opened(
    browser: SandboxedBrowser,
) -> None:
    base = f"127.0.0.1:{browser.port}"
    async with httpx2.AsyncClient(trust_env=False, verify=system_trust()) as client:
        for path in (
            "/json",
            "/json/version",
            "/json/list",
            "/json/protocol",
            "/",
            "/devtools/",
            "/devtools/browser",
        ):
            answer = await client.get(f"http://{base}{path}")
            assert answer.status_code in (401, 426)
            assert "webSocketDebuggerUrl" not in answer.text
            assert browser.path not in answer.text
        assert (await client.put(f"http://{base}/json/new")).status_code >= 400
    short = browser.path[:-1]
    for path in (
        "",
        "/",
        "/devtools/",
        "/devtools/browser/x",
        short,
        f"{browser.path}x",
        browser.path.upper(),
        "/devtools/%00",
    ):
        assert await status_of(f"ws://{base}{path}") == 401


async def test_with_a_ticket_sessions_work_side_by_side(
    browser: SandboxedBrowser, tmp_path: Path
) -> None:
    address = browser.admit("a-ticket")

    async def title(number: int) -> str:
        async with ConsoleSession.connect(
            address,
            allowed_hosts=["127.0.0.1:1"],
            secrets={},
            clock=SystemClock(),
            artifacts=tmp_path,
        ) as session:
            page = (await session.current()).page
            await page.set_content(f"<title>{number}</title><button>Go</button>")
            seen = await session.observe()
            assert seen.screenshot
            return seen.title

    assert await asyncio.gather(*(title(number) for number in range(3))) == ["0", "1", "2"]
    assert await browser.is_alive(10)


async def targets(tools: DevTools) -> list[str]:
    found = (await tools.browser.send("Target.getTargets"))["targetInfos"]
    return sorted(one["targetId"] for one in found if one["type"] == "page")


async def test_a_connection_s_sessions_are_its_own_and_end_with_it(
    browser: SandboxedBrowser,
) -> None:
    async with DevTools.connect(browser.owners_endpoint, seconds=10) as first:
        before = await targets(first)
        async with DevTools.connect(browser.owners_endpoint, seconds=10) as second:
            context = (
                await second.browser.send("Target.createBrowserContext", {"disposeOnDetach": True})
            )["browserContextId"]
            made = await second.browser.send(
                "Target.createTarget", {"url": "about:blank", "browserContextId": context}
            )
            page = await second.attach(made["targetId"])
            value = await page.send(
                "Runtime.evaluate", {"expression": "'x'.repeat(3_000_000).length"}
            )
            assert value["result"]["value"] == 3_000_000
            large = await page.send(
                "Runtime.evaluate",
                {"expression": "'é\\u0000'.repeat(300_000)", "returnByValue": True},
            )
            assert len(large["result"]["value"]) == 600_000
            async with connect(browser.owners_endpoint, proxy=None) as other:
                order = {
                    "id": 7,
                    "method": "Runtime.evaluate",
                    "params": {"expression": "1"},
                    "sessionId": page.session_id,
                }
                await other.send(json.dumps(order))
                told = json.loads(await other.recv())
                assert (told["id"], told["error"]["code"]) == (
                    7,
                    -32001,
                ), "another connection's tab is not to be had"
            assert made["targetId"] in await targets(first)
        async with asyncio.timeout(10):
            while await targets(first) != before:
                await asyncio.sleep(0.02)


async def test_connections_end_with_the_browser(browser: SandboxedBrowser) -> None:
    async with DevTools.connect(browser.owners_endpoint, seconds=10) as tools:
        await browser.end()
        with pytest.raises(DevToolsError):
            await tools.browser.send("Browser.getVersion")
    assert not await browser.is_alive(1)


async def test_a_program_that_is_no_browser_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await SandboxedBrowser.start(Path("/bin/true"), folder=tmp_path)
    assert caught.value.code == "sandbox.start_failed"


async def test_only_the_holder_of_a_grant_gets_an_address_that_opens(tmp_path: Path) -> None:
    async def start() -> SandboxedBrowser:
        return await SandboxedBrowser.start(find_chromium(None), folder=tmp_path / "sandboxes")

    ids = RandomIds(SystemClock())
    backend = LocalBackend(
        start, tool="chromium", version="1", ids=ids, start_s=60, check_s=0.2, hang_s=10
    )
    try:
        await backend.scale(SHARD, 2)
        async with asyncio.timeout(60):
            while any(one.phase is not Phase.READY for one in await backend.observe(SHARD)):
                await asyncio.sleep(0.02)
        mine, others = [granted(one.id, one.endpoint) for one in await backend.observe(SHARD)]
        assert await status_of(mine.cdp_endpoint) == 401, "what a row says opens nothing"
        address = await backend.admit(mine, ["a.test:443"])
        assert await backend.admit(mine, ["a.test:443"]) == address
        other = await backend.admit(others, [])
        ticket = address.rpartition("/")[2]
        assert await status_of(f"{other.rpartition('/')[0]}/{ticket}") == 401, (
            "a ticket is for one sandbox"
        )
        async with DevTools.connect(address, seconds=10) as tools:
            assert "product" in await tools.browser.send("Browser.getVersion")
    finally:
        await backend.close()


def granted(instance: str, endpoint: str) -> Sandbox:
    return Sandbox(
        id="s",
        tool="chromium",
        version="1",
        shard=0,
        ordinal=0,
        place="local-0",
        instance=instance,
        state=SandboxState.LEASED,
        epoch=1,
        cdp_endpoint=endpoint,
        created_at=SystemClock().now(),
    )
