"""What is asked inside the guest: programs, files, the clipboard, and what its windows
say of themselves (AT-SPI).

Programs and files are QEMU's guest agent's. The rest is
`deploy/desktop/guest/eyes.py`'s, which lives in the desktop's session: it owns the
clipboard while something is pasted, and so knows when the pasted text was taken, which
no program from outside can tell.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.errors import unavailable as _unavailable

if TYPE_CHECKING:
    # Its client of QEMU is not installed where tasks are only read.
    from proofwalk.desktop.wires import GuestLine

_CHUNK = 48 * 1024
_POLL_S = 0.05
_PASTED_S = 10.0
LARGEST_FILE = 16 * 2**20
"""Bytes of a file that is read: a link to `/dev/zero` has no end."""
LONGEST_PASTE = 200_000
"""Bytes of UTF-8: what X hands over in one piece."""
USER = "agent"
SESSION: Mapping[str, str] = {
    "DISPLAY": ":0",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    "XDG_RUNTIME_DIR": "/run/user/1000",
    "HOME": "/home/agent",
    "USER": USER,
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}
"""The environment of a program of the desktop."""


class Unpasted(ProofwalkError):
    """A text that cannot be pasted as asked: whoever acts may ask for something else.
    Everything else that the guest raises is the machine's failure."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How a program in the guest ended."""

    code: int
    out: bytes
    err: bytes


@dataclass(frozen=True, kw_only=True)
class Node:
    """One accessible thing of the desktop, as its program tells it."""

    role: str
    name: str
    text: str
    """Its text or value."""
    box: tuple[int, int, int, int]
    """x, y, width, height in pixels of the screen."""
    states: frozenset[str]
    window: str
    """Title of its window."""
    program: str
    actions: bool
    """Whether it can be pressed, chosen or edited."""
    path: str
    """Its place in the tree, which stays its own while the window does."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What the desktop tells of itself."""

    nodes: tuple[Node, ...]
    windows: tuple[str, ...] = field(default=())
    """Titles, the active one first."""
    cut: bool = False
    """There is more than was told."""


class Guest:
    """The guest of one machine."""

    def __init__(self, agent: GuestLine, eyes: GuestLine) -> None:
        self._agent = agent
        self._eyes = eyes

    async def ping(self) -> None:
        """Raises `desktop.guest_silent`."""
        await self._agent.ask("guest-ping")

    async def run(
        self,
        argv: Sequence[str],
        *,
        user: str = USER,
        stdin: bytes = b"",
        env: Mapping[str, str] = SESSION,
        within_s: float = 60.0,
    ) -> Ran:
        """Run a program as the desktop's user (or root), and wait for its end. Raises
        `desktop.program_late`; such a program is left to the guest."""
        request: dict[str, Any] = {"path": argv[0], "arg": list(argv[1:])}
        if user != "root":
            request = {"path": "/usr/sbin/runuser", "arg": ["-u", user, "--", *argv]}
        request |= {
            "capture-output": True,
            "env": [f"{name}={value}" for name, value in env.items()],
        }
        if stdin:
            request["input-data"] = base64.b64encode(stdin).decode()
        pid = (await self._agent.ask("guest-exec", **request))["pid"]
        try:
            async with asyncio.timeout(within_s):
                while not (status := await self._agent.ask("guest-exec-status", pid=pid))["exited"]:  # noqa: ASYNC110  # nobody announces it
                    await asyncio.sleep(_POLL_S)
        except TimeoutError:
            raise ProofwalkError(
                "desktop.program_late",
                f"{argv[0]} did not end within {within_s:g} s",
                status=Status.DEADLINE_EXCEEDED,
                hint="start what is to go on running with `start`",
            ) from None
        out, err = (base64.b64decode(status.get(name, "")) for name in ("out-data", "err-data"))
        # A program that a signal ended has no exit code.
        return Ran(
            code=int(status.get("exitcode", 128 + int(status.get("signal", 0)))), out=out, err=err
        )

    async def start(self, argv: Sequence[str]) -> None:
        """Start a program of the desktop, and do not wait for it."""
        command = ["/usr/sbin/runuser", "-u", USER, "--", "/usr/bin/setsid", "--fork", *argv]
        env = [f"{name}={value}" for name, value in SESSION.items()]
        await self._agent.ask("guest-exec", path=command[0], arg=command[1:], env=env)

    async def read(self, path: str) -> bytes:
        """A file's content. Raises `desktop.guest_refused`, and `desktop.file_too_large`
        for what a guest could fill our memory with."""
        handle = await self._agent.ask("guest-file-open", path=path, mode="r")
        content = bytearray()
        try:
            while len(content) <= LARGEST_FILE:
                part = await self._agent.ask("guest-file-read", handle=handle, count=_CHUNK)
                content += base64.b64decode(part["buf-b64"])
                if part["eof"]:
                    return bytes(content)
            raise ProofwalkError(
                "desktop.file_too_large",
                f"{path[:200]!r} has more than {LARGEST_FILE} bytes",
                status=Status.FAILED_PRECONDITION,
            )
        finally:
            await self._agent.ask("guest-file-close", handle=handle)

    async def write(self, path: str, content: bytes) -> None:
        """Make or replace a file, which is the desktop's user's then. Raises
        `desktop.guest_refused`."""
        handle = await self._agent.ask("guest-file-open", path=path, mode="w")
        try:
            for start in range(0, len(content), _CHUNK):
                part = base64.b64encode(content[start : start + _CHUNK]).decode()
                await self._agent.ask("guest-file-write", **{"handle": handle, "buf-b64": part})
        finally:
            await self._agent.ask("guest-file-close", handle=handle)
        await self.run(["/usr/bin/chown", f"{USER}:{USER}", path], user="root")

    async def look(self) -> Look:
        """What the programs on the screen tell of themselves."""
        told = await self._eyes.ask("look")
        nodes = tuple(
            Node(
                role=str(one["role"]),
                name=str(one["name"]),
                text=str(one["text"]),
                box=(
                    int(one["box"][0]),
                    int(one["box"][1]),
                    int(one["box"][2]),
                    int(one["box"][3]),
                ),
                states=frozenset(map(str, one["states"])),
                window=str(one["window"]),
                program=str(one["program"]),
                actions=bool(one["actions"]),
                path=str(one["path"]),
            )
            for one in told["nodes"]
        )
        return Look(nodes=nodes, windows=tuple(map(str, told["windows"])), cut=bool(told["cut"]))

    async def offer(self, text: str) -> None:
        """Own the clipboard and the selection with this text. Raises `Unpasted`
        (`action.too_long`)."""
        if len(text.encode()) > LONGEST_PASTE:
            raise Unpasted(
                "action.too_long",
                f"at most {LONGEST_PASTE} bytes can be pasted at once",
                status=Status.INVALID_ARGUMENT,
                hint="type it in parts",
            )
        await self._eyes.ask("offer", text=text)

    async def wait_until_pasted(self) -> None:
        """Wait until somebody took what is offered. Raises `Unpasted`
        (`action.not_pasted`)."""
        try:
            async with asyncio.timeout(_PASTED_S):
                while not await self._eyes.ask("taken"):  # noqa: ASYNC110  # nobody announces it
                    await asyncio.sleep(_POLL_S)
        except TimeoutError:
            raise Unpasted(
                "action.not_pasted",
                f"nothing took the text from the clipboard within {_PASTED_S:g} s",
                status=Status.FAILED_PRECONDITION,
                hint="give a text field the keyboard first",
            ) from None

    async def clipboard(self) -> str:
        """What is on the clipboard. Raises `desktop.no_clipboard`."""
        ran = await self.run(["/usr/bin/xclip", "-selection", "clipboard", "-out"])
        if ran.code:
            raise _unavailable(
                "desktop.no_clipboard",
                f"the clipboard has no text: {ran.err.decode(errors='replace').strip()}",
            )
        return ran.out.decode("utf-8", "replace")
