"""A desktop's image: what `python -m deploy.desktop.build` made, and every sandbox of
it begins with.

    disk.qcow2    the system; never written again: a machine's own disk is an overlay over it
    vmlinuz, initrd.img
    state.zst     memory and devices at a usable screen, saved on that disk
    image.json    what machine they are for, and the SHA-256 of what they were made from

A state fits this disk, this much memory and these devices, and no others, so the
machine's shape is the image's to say.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from proofwalk.kernel.errors import ProofwalkError, Status

FILE = "image.json"
Accelerator = Literal["kvm", "tcg"]


@dataclass(frozen=True, kw_only=True)
class Image:
    """See the module. `version` is the digest of what it was made from, and the tool's
    version."""

    folder: Path
    version: str
    machine: str
    """QEMU's name for the board, with its version: `pc-q35-7.2`."""
    accelerator: Accelerator
    processor: str
    """QEMU's name for the processor that the state was saved on."""
    memory_mb: int
    cpus: int
    screen: tuple[int, int]

    @property
    def disk(self) -> Path:
        return self.folder / "disk.qcow2"

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        return self.folder / "initrd.img"

    @property
    def state(self) -> Path:
        return self.folder / "state.zst"

    @classmethod
    def read(cls, folder: Path) -> Image:
        """Raises `desktop.no_image`."""
        try:
            told = json.loads((folder / FILE).read_text("utf-8"))
            width, height = (int(length) for length in told["screen"])
            image = cls(
                folder=folder.absolute(),
                version=str(told["version"]),
                machine=str(told["machine"]),
                accelerator="kvm" if told["accelerator"] == "kvm" else "tcg",
                processor=str(told["processor"]),
                memory_mb=int(told["memory_mb"]),
                cpus=int(told["cpus"]),
                screen=(width, height),
            )
            missing = [
                file.name
                for file in (image.disk, image.kernel, image.initrd, image.state)
                if not file.is_file()
            ]
            if missing:
                raise ValueError(f"{missing[0]} is missing")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ProofwalkError(
                "desktop.no_image",
                f"{folder} has no desktop image: {error}",
                status=Status.FAILED_PRECONDITION,
                hint="make one with `make desktop-image`",
            ) from error
        return image

    def write(self) -> None:
        """Say what was made. Last of all files, so that an image that is half made is
        none."""
        told = {
            "version": self.version,
            "machine": self.machine,
            "accelerator": self.accelerator,
            "processor": self.processor,
            "memory_mb": self.memory_mb,
            "cpus": self.cpus,
            "screen": list(self.screen),
        }
        (self.folder / FILE).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
