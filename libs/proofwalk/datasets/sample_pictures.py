"""Pictures of a file of samples: they lie beside it, `samples.parquet` has them in
`samples.pictures/` as `ab/ab…`, each once. `trajectories.trajectory.image_in` reads
them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.trajectories.trajectory import Trajectory


def pictures_of(samples: Path) -> Path:
    """The folder of the pictures of a file of samples."""
    return samples.with_suffix(".pictures")


def keep_pictures(samples: Iterable[ChatSample], trajectory: Trajectory, folder: Path) -> None:
    """Copy what the samples of an episode show; what is there is left. Raises as
    `Trajectory.image`."""
    addresses = {
        address for one in samples for message in one.messages for address in message.images
    }
    for address in sorted(addresses):
        path = folder / address[:2] / address
        if not path.is_file():
            jpeg = trajectory.image(address)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(jpeg)
