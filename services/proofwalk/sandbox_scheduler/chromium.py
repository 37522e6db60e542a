"""The local backend: one Chromium per sandbox, as a child that cannot outlive this process.

Each sandbox is a browser process tree of its own with its own profile folder and its own egress proxy, so that one episode's crash, cookies
and allow-list are never another's. The real binary is started, not the distribution's wrapper script, whose death would orphan the browser.
Being alive means answering on the DevTools port within a bound: a hung browser is as dead as a crashed one.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2

from proofwalk.chassis.processes import ChildProcess, ProcessIdentity, end_if_same, start_child
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.sandbox_scheduler.backend import Started
from proofwalk.sandbox_scheduler.domain import Tool
from proofwalk.sandbox_scheduler.egress import EgressProxy

CANDIDATES = (
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/snap/chromium/current/usr/lib/chromium-browser/chrome",
)
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,DialMediaRouteProvider",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--password-store=basic",
    "--use-mock-keychain",
    "--mute-audio",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--lang=en-US",
    "--window-size=1440,900",
)
_POLL_S = 0.02


def find_chromium(setting: Path | None) -> Path:
    """The browser's binary; raises `sandbox.no_chromium`."""
    if setting is not None:
        if is_binary(setting):
            return setting
        raise _missing(f"{setting} is not an executable program")
    found = [Path(path) for path in CANDIDATES] + [Path(path) for name in NAMES if (path := shutil.which(name))]
    playwright = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache" / "ms-playwright"))
    if playwright.is_dir():
        found += sorted(playwright.glob("chromium*/chrome-linux*/chrome"), reverse=True)
    for candidate in found:
        if is_binary(candidate):
            return candidate
    raise _missing("no Chromium was found")


def is_binary(path: Path) -> bool:
    """Whether this is a program itself, and not a script that starts one."""
    try:
        with path.open("rb") as file:
            return os.access(path, os.X_OK) and file.read(2) != b"#!"
    except OSError:
        return False


def _missing(what: str) -> ProofwalkError:
    return unavailable(
        "sandbox.no_chromium",
        what,
        hint="apt-get install chromium, or set PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM to the browser's binary",
    )


@dataclass(frozen=True, kw_only=True)
class _Instance:
    child: ChildProcess
    proxy: EgressProxy
    folder: Path
    port: int


class LocalChromium:
    """Answers `backend.Backend`."""

    def __init__(self, binary: Path, *, folder: Path, version: str, hang_s: float) -> None:
        self._binary = binary
        self._folder = folder
        self._hang_s = hang_s
        self._instances: dict[str, _Instance] = {}
        self.tool = Tool(name="chromium", version=version, backend="local")

    async def start(self, sandbox_id: str) -> Started:
        """Raises `sandbox.start_failed`; the caller bounds it in time."""
        proxy = EgressProxy()
        await proxy.start()
        await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=f"{sandbox_id}-", dir=self._folder))
        child: ChildProcess | None = None
        try:
            child = await start_child([str(self._binary), *self._arguments(folder, proxy)], stdout=DEVNULL, stderr=DEVNULL)
            port, path = await _devtools_port(child, folder)
        except BaseException:
            await asyncio.shield(_discard(child, proxy, folder))
            raise
        self._instances[sandbox_id] = _Instance(child=child, proxy=proxy, folder=folder, port=port)
        identity = child.identity
        return Started(cdp_endpoint=f"ws://127.0.0.1:{port}{path}", pid=identity.pid, pid_started=identity.started)

    def _arguments(self, folder: Path, proxy: EgressProxy) -> Sequence[str]:
        return [
            *FLAGS,
            f"--user-data-dir={folder}",
            "--remote-debugging-address=127.0.0.1",
            "--remote-debugging-port=0",
            f"--proxy-server=http://127.0.0.1:{proxy.port}",
            "--proxy-bypass-list=<-loopback>",
            "about:blank",
        ]

    async def allow(self, sandbox_id: str, hosts: Sequence[str]) -> None:
        instance = self._instances.get(sandbox_id)
        if instance is not None:
            instance.proxy.allow(hosts)

    async def is_alive(self, sandbox_id: str) -> bool:
        instance = self._instances.get(sandbox_id)
        if instance is None or instance.child.returncode is not None:
            return False
        try:
            # Without TLS: reading the system's certificates would be most of the work.
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=self._hang_s) as client:
                answer = await client.get(f"http://127.0.0.1:{instance.port}/json/version")
                return answer.status_code == 200
        except httpx2.HTTPError:
            return False

    async def end(self, sandbox_id: str) -> Mapping[str, int]:
        instance = self._instances.pop(sandbox_id, None)
        if instance is None:
            return {}
        await _discard(instance.child, instance.proxy, instance.folder)
        return instance.proxy.refused

    async def end_orphan(self, pid: int, pid_started: float) -> None:
        await end_if_same(ProcessIdentity(pid=pid, started=pid_started))


async def _discard(child: ChildProcess | None, proxy: EgressProxy, folder: Path) -> None:
    if child is not None:
        await child.kill()
    await proxy.close()
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _devtools_port(child: ChildProcess, folder: Path) -> tuple[int, str]:
    """Chromium writes the port that it chose, and the browser's path, into its profile once it listens."""
    file = folder / "DevToolsActivePort"
    while True:
        if child.returncode is not None:
            raise unavailable("sandbox.start_failed", f"the browser ended with status {child.returncode} while starting")
        lines = await asyncio.to_thread(_read_lines, file)
        if len(lines) >= 2 and lines[0].isdigit():
            return int(lines[0]), lines[1]
        await asyncio.sleep(_POLL_S)


def _read_lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return []


async def chromium_version(binary: Path) -> str:
    """`156.0.8078.79`; `unknown` when the binary does not say."""
    child = await start_child([str(binary), "--version"], stdout=asyncio.subprocess.PIPE, stderr=DEVNULL)
    try:
        async with asyncio.timeout(20):
            out, _ = await child.communicate()
    except TimeoutError:
        await child.kill()
        return "unknown"
    return next((word for word in out.decode(errors="replace").split() if word[:1].isdigit()), "unknown")
