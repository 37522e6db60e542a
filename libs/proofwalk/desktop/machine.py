"""A virtual machine: its program, its files, its life. Whoever works on it takes its
`seat`.

QEMU runs as a child that cannot outlive us, under what its image was made for: KVM, or
TCG, QEMU's own processor, some ten times slower.

The machine never boots in a sandbox's life: its disk is an overlay over the image's,
which is never written, and its memory is read from the state that the image's build
saved at a usable screen. So any number of machines begin at the same instant of the
same day, and differ from then on. What was done to one can be saved likewise (`save`),
with its overlay, and others can begin there.

    <folder>/control.sock                      QMP, ours alone: is it alive, save it
    <folder>/qmp.sock, agent.sock, eyes.sock   for the one who holds it (`seat`); each takes one client at a time
    <folder>/disk.qcow2, qemu.log, console.log
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
from asyncio.subprocess import DEVNULL
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qemu.qmp import QMPClient
from qemu.qmp.error import QMPError

from proofwalk.chassis.child_environment import inherited
from proofwalk.chassis.processes import ChildProcess, ProcessIdentity, run_child, start_child
from proofwalk.desktop.image import Image
from proofwalk.desktop.seat import Seat
from proofwalk.desktop.wires import PORTS, QMP_SOCKET
from proofwalk.kernel.errors import ProofwalkError, unavailable

_CONTROL = "control.sock"
_POLL_S = 0.02
_OVERLAY_S = 20.0
_QUIT_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Saved:
    """An instant in a machine's life that others can begin at."""

    state: Path
    disk: Path


class Machine:
    """A running machine. Made by `start`; ends by `end`."""

    def __init__(self, child: ChildProcess, control: QMPClient, image: Image, folder: Path) -> None:
        self._child = child
        self._control = control
        self.image = image
        self.folder = folder

    @classmethod
    async def start(
        cls,
        image: Image,
        *,
        folder: Path,
        saved: Saved | None = None,
        boots: bool = False,
        within_s: float = 60.0,
    ) -> Machine:
        """A machine at the image's saved state, at another one, or (`boots`) at its
        power switch. Its files are in `folder`, which ends with it.

        Raises `sandbox.start_failed`.
        """
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        child: ChildProcess | None = None
        control = QMPClient("control")
        state = None if boots else (saved.state if saved else image.state)
        try:
            async with asyncio.timeout(within_s):
                await _overlay(saved.disk if saved else image.disk, folder / "disk.qcow2")
                asked = arguments(image, folder=folder, state=state)
                with (folder / "qemu.log").open("wb") as log:
                    child = await start_child(
                        asked,
                        name="qemu",
                        env=inherited(os.environ),
                        stdout=DEVNULL,
                        stderr=log,
                    )
                await _until_there(child, folder)
                await control.connect(str(folder / _CONTROL))
                if not boots:
                    await _until_running(child, folder, control)
        except (TimeoutError, QMPError, OSError) as error:
            await asyncio.shield(_discard(child, control, folder))
            why = (
                f"it was not there within {within_s:g} s"
                if isinstance(error, TimeoutError)
                else str(error)
            )
            raise unavailable(
                "sandbox.start_failed", f"the desktop did not start: {why}"
            ) from error
        except BaseException:
            await asyncio.shield(_discard(child, control, folder))
            raise
        return cls(child, control, image, folder)

    @property
    def identity(self) -> ProcessIdentity:
        """Of QEMU, with its guard."""
        return self._child.identity

    async def seat(self, *, within_s: float = 20.0) -> Seat:
        """Its screen, keys and guest, for one holder. Raises `desktop.guest_silent`,
        `desktop.gone`."""
        return await Seat.take(self.folder, screen=self.image.screen, within_s=within_s)

    async def end(self) -> None:
        """Kill it, with its disk. Repeatable."""
        await _discard(self._child, self._control, self.folder)

    async def ended_within(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it came."""
        try:
            async with asyncio.timeout(seconds):
                await self._child.wait()
        except TimeoutError:
            return False
        return True

    async def is_alive(self, within_s: float) -> bool:
        """Whether QEMU answers, and the machine runs."""
        try:
            async with asyncio.timeout(within_s):
                status: Any = await self._control.execute("query-status")
        except (TimeoutError, QMPError):
            return False
        return bool(status["status"] == "running")

    async def save(self, folder: Path) -> Saved:
        """Stop it for good, and write memory, devices and disk to a folder, where
        machines of the same image can begin.

        Raises `desktop.not_saved`.
        """
        saved = Saved(state=folder / "state.zst", disk=folder / "disk.qcow2")
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        try:
            await self._control.execute("stop")
            await self._control.execute(
                "migrate", {"uri": f"exec:zstd -q -1 -f -o {shlex.quote(str(saved.state))}"}
            )
            await self._migrated()
            await self._control.execute("quit")
        except QMPError as error:
            raise unavailable(
                "desktop.not_saved", f"the machine's state could not be saved: {error}"
            ) from error
        # Its disk is whole once QEMU has closed it.
        if not await self.ended_within(_QUIT_S):
            await self._child.kill()
        await asyncio.to_thread(shutil.copyfile, self.folder / "disk.qcow2", saved.disk)
        return saved

    async def _migrated(self) -> None:
        while True:
            migration: Any = await self._control.execute("query-migrate")
            if migration.get("status") == "failed":
                raise unavailable(
                    "desktop.not_saved",
                    f"the machine's state could not be saved: {migration.get('error-desc', '')}",
                )
            if migration.get("status") == "completed":
                return
            await asyncio.sleep(_POLL_S)


def arguments(image: Image, *, folder: Path, state: Path | None) -> Sequence[str]:
    """QEMU's command line. What is not asked for is not there: no network, no sound, no
    USB but the pointer's."""
    width, height = image.screen
    command_line = [
        "qemu-system-x86_64",
        *(
            "-nodefaults",
            "-no-user-config",
            "-display",
            "none",
            "-serial",
            f"file:{folder / 'console.log'}",
        ),
        *("-machine", f"{image.machine},accel={image.accelerator}", "-cpu", image.processor),
        *("-smp", str(image.cpus), "-m", str(image.memory_mb)),
        *(
            "-kernel",
            str(image.kernel),
            "-initrd",
            str(image.initrd),
            "-append",
            "root=/dev/vda rw console=ttyS0 quiet",
        ),
        *("-drive", f"file={_escaped(folder / 'disk.qcow2')},if=virtio,format=qcow2,cache=unsafe"),
        *("-device", f"virtio-vga,xres={width},yres={height}"),
        *(
            "-device",
            "virtio-keyboard-pci",
            "-device",
            "qemu-xhci",
            "-device",
            "usb-tablet",
            "-device",
            "virtio-rng-pci",
        ),
        *("-device", "virtio-serial-pci"),
    ]
    for name, port in PORTS.items():
        command_line += [
            "-chardev",
            f"socket,path={_escaped(folder / f'{name}.sock')},server=on,wait=off,id={name}",
        ]
        command_line += ["-device", f"virtserialport,chardev={name},name={port}"]
    for socket in (_CONTROL, QMP_SOCKET):
        command_line += ["-qmp", f"unix:{_escaped(folder / socket)},server=on,wait=off"]
    command_line += ["-rtc", "base=utc,clock=vm"]
    if state is not None:
        command_line += ["-incoming", f"exec:zstd -q -d -c {shlex.quote(str(state))}"]
    return command_line


def _escaped(path: Path) -> str:
    """A path within one of QEMU's options, where a comma ends a value."""
    return str(path).replace(",", ",,")


def missing_programs() -> Iterable[str]:
    """Programs that a machine needs and this system has not."""
    return [
        name for name in ("qemu-system-x86_64", "qemu-img", "zstd") if shutil.which(name) is None
    ]


async def _overlay(base: Path, disk: Path) -> None:
    asked = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", str(base), str(disk)]
    ran = await run_child(asked, timeout_s=_OVERLAY_S)
    if ran.code != 0:
        raise unavailable(
            "sandbox.start_failed",
            f"no disk could be made: {ran.stderr.decode(errors='replace')[-300:]}",
        )


async def _until_there(child: ChildProcess, folder: Path) -> None:
    # Opened in the order of the command line: the last of them is there when all are.
    while not await asyncio.to_thread((folder / QMP_SOCKET).exists):
        await _still_runs(child, folder)
        await asyncio.sleep(_POLL_S)


async def _until_running(child: ChildProcess, folder: Path, control: QMPClient) -> None:
    while True:
        await _still_runs(child, folder)
        status: Any = await control.execute("query-status")
        if status["status"] == "running":
            return
        if status["status"] in ("paused", "postmigrate"):
            # A state that was saved from a machine that stood still comes back standing
            # still.
            await control.execute("cont")
        await asyncio.sleep(_POLL_S)


async def _still_runs(child: ChildProcess, folder: Path) -> None:
    if child.returncode is not None:
        log = await asyncio.to_thread((folder / "qemu.log").read_text, "utf-8", "replace")
        raise unavailable(
            "sandbox.start_failed",
            f"QEMU ended with status {child.returncode}: {log.strip()[-300:]}",
        )


async def _discard(child: ChildProcess | None, control: QMPClient, folder: Path) -> None:
    with contextlib.suppress(ProofwalkError, QMPError, OSError, EOFError):
        await control.disconnect()
    if child is not None:
        await child.kill()
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
