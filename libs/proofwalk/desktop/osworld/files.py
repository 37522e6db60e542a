"""The files that a task downloads, from a folder of this system instead of a network.

A task names them `file:NAME`; the name leads to a file in the folder and never out of
it, through links neither.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from proofwalk.desktop.osworld.setup import Fetch, no_network
from proofwalk.kernel.errors import ProofwalkError, Status

_SCHEME = "file:"
_LARGEST = 64 * 2**20


def files_of(folder: Path) -> Fetch:
    """Reads `file:NAME` from `folder`, up to 64 MiB. Raises `osworld.no_download`."""

    async def fetch(url: str) -> bytes:
        if not url.startswith(_SCHEME):
            return await no_network(url)
        return await asyncio.to_thread(_read, folder, url.removeprefix(_SCHEME))

    return fetch


def _read(folder: Path, name: str) -> bytes:
    root = folder.resolve()
    try:
        file = (root / name).resolve(strict=True)
        if not file.is_relative_to(root) or not file.is_file():
            raise FileNotFoundError
        if file.stat().st_size > _LARGEST:
            raise _refused(name, f"is larger than {_LARGEST} bytes")
        return file.read_bytes()
    except (OSError, ValueError):
        raise _refused(name, f"is no file in {folder}") from None


def _refused(name: str, why: str) -> ProofwalkError:
    return ProofwalkError(
        "osworld.no_download",
        f"the task's file {name[:200]!r} {why}",
        status=Status.FAILED_PRECONDITION,
        hint="lay the files that tasks download into that folder",
    )
