"""The browser's program: where it is, how it is started, and what it leaves behind.

One profile for everybody who starts a Chromium: the sandbox scheduler, the Gymnasium
environment, tests and benchmarks. The real binary is started, not the distribution's
wrapper script, whose death would orphan the browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable
from pathlib import Path

from proofwalk.chassis.child_environment import inherited_by_browsers
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.kernel.errors import ProofwalkError, unavailable

CANDIDATES = (
    Path("/usr/lib/chromium/chromium"),
    Path("/usr/lib/chromium-browser/chromium-browser"),
    Path("/opt/google/chrome/chrome"),
    Path("/snap/chromium/current/usr/lib/chromium-browser/chrome"),
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_MOUSE = ",".join(
    (
        "primaryHoverType=2",
        "availableHoverTypes=2",
        "primaryPointerType=4",
        "availablePointerTypes=4",
    )
)
"""A pointer that is fine and can hover, as the media queries ask for it."""
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
    # The last two ask hosts that a page names from the browser's own process, past
    # every interception.
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,DialMediaRouteProvider,WebPayments,FedCm",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name in older versions
    "--password-store=basic",
    "--use-mock-keychain",
    "--mute-audio",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--lang=en-US",
    # Without a mouse, pages draw what is made for a touch screen.
    f"--blink-settings={_MOUSE}",
    "--window-size=1440,900",
)
HEADLESS_SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
_POLL_S = 0.02


def find_chromium(setting: Path | None, *, window: bool = False) -> Path:
    """Return the browser's binary: what is set, else Chromium's headless shell, else a
    whole browser. The shell starts with a third of the processor time and has half the
    memory; a `window` only a whole browser has. Raises `sandbox.no_chromium`."""
    if setting is not None:
        if is_binary(setting):
            return setting
        raise _missing(f"{setting} is not an executable program")
    shell = _installed((HEADLESS_SHELL,), (HEADLESS_SHELL.name,))
    whole = _installed(CANDIDATES, NAMES)
    playwright = Path(
        os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache" / "ms-playwright")
    )
    if playwright.is_dir():
        whole += sorted(playwright.glob("chromium*/chrome-linux*/chrome"), reverse=True)
    for candidate in whole if window else shell + whole:
        if is_binary(candidate):
            return candidate
    raise _missing("no Chromium was found")


def _installed(places: Iterable[Path], names: Iterable[str]) -> list[Path]:
    return [*places, *(Path(path) for name in names if (path := shutil.which(name)))]


def is_binary(path: Path) -> bool:
    """Return True for a program, False for a script that starts one."""
    try:
        with path.open("rb") as file:
            return os.access(path, os.X_OK) and file.read(2) != b"#!"
    except OSError:
        return False


def _missing(what: str) -> ProofwalkError:
    return unavailable(
        "sandbox.no_chromium",
        what,
        hint=(
            "as root, apt-get install chromium-headless-shell (or chromium); without root,"
            " playwright install chromium; or say which program to take"
            " (PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM)"
        ),
    )


async def devtools_address(child: ChildProcess, profile: Path) -> tuple[int, str]:
    """Return port and path of the browser's DevTools, which it writes into its profile
    once it listens.

    Raises `sandbox.start_failed` if the browser ends first. The caller bounds the wait.
    """
    file = profile / "DevToolsActivePort"
    while True:
        if child.returncode is not None:
            raise unavailable(
                "sandbox.start_failed",
                f"the browser ended with status {child.returncode} while starting",
            )
        lines = await asyncio.to_thread(_read_lines, file)
        if len(lines) >= 2 and lines[0].isdigit():
            return int(lines[0]), lines[1]
        await asyncio.sleep(_POLL_S)


def _read_lines(file: Path) -> list[str]:
    try:
        return file.read_text("ascii").splitlines()
    except OSError:
        return []


def remove_profile(profile: Path) -> None:
    """Remove the profile of a browser that has ended, and the socket folder that a
    killed one leaves in the temporary folder."""
    with contextlib.suppress(OSError):
        socket = Path(os.readlink(profile / "SingletonSocket"))
        if socket.name == "SingletonSocket" and ".chromium." in socket.parent.name.lower():
            shutil.rmtree(socket.parent, ignore_errors=True)
    shutil.rmtree(profile, ignore_errors=True)


async def chromium_version(binary: Path) -> str:
    """Return the version, `156.0.8078.79`; `unknown` if the binary does not say."""
    child = await start_child(
        [str(binary), "--version"],
        env=inherited_by_browsers(os.environ),
        stdout=PIPE,
        stderr=DEVNULL,
    )
    try:
        async with asyncio.timeout(20):
            out, _ = await child.communicate()
    except TimeoutError:
        await child.kill()
        return "unknown"
    return next(
        (word for word in out.decode(errors="replace").split() if word[:1].isdigit()), "unknown"
    )
