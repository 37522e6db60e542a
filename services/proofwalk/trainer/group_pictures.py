"""Pictures that the policy was shown in a run's episodes: `rollouts/pictures/ab/ab…`,
each once. They are kept before the episodes that name them, so that whoever reads an
episode finds its pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from proofwalk.chassis.private_files import private_folder
from proofwalk.trainer.group_trajectories import Attempt, Trouble, Unfit


def pictures_in(folder: Path) -> Path:
    """Where the pictures of a run's folder lie."""
    return folder / "rollouts" / "pictures"


def keep_shown(attempts: Sequence[Attempt], images: Mapping[str, bytes], folder: Path) -> None:
    """Keep what the answers looked at. Blocks. Raises `Unfit` where a picture is
    missing."""
    for address in sorted({address for one in attempts for address in one.images}):
        path = folder / address[:2] / address
        if path.is_file():
            continue
        if address not in images:
            raise Unfit(Trouble.CORRUPT, f"it lacks the picture {address}")
        private_folder(path.parent)
        partial = path.with_name(f".{address}.partial")
        partial.write_bytes(images[address])
        partial.replace(path)
