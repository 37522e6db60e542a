"""Reads a trajectory: `Trajectory.load(path)` yields typed steps and resolves their
pictures.

    trajectory = Trajectory.load(Path("ep_1.parquet"))
    for step in trajectory:
        jpeg = trajectory.image(step.screenshot)

Pictures lie in `blobs/` beside the file (or where `blobs` says) as `ab/ab…`, the layout
of `chassis.blobs.LocalBlobs` and of an exported bundle. A picture whose bytes are not
what its address says is refused.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from proofwalk.kernel.errors import invalid, not_found
from proofwalk.trajectories import schema
from proofwalk.trajectories.records import EndingRecord, EpisodeRecord, StepRecord

_ADDRESS = re.compile(r"[0-9a-f]{64}")
PARQUET = "trajectory.parquet"
"""Name of the file in a bundle."""


class Trajectory:
    """One episode's recording."""

    def __init__(self, file: pq.ParquetFile, blobs: Path) -> None:
        self._file = file
        self._blobs = blobs
        self.episode: EpisodeRecord
        self.ending: EndingRecord
        self.episode, self.ending = schema.read_about(file)

    @classmethod
    def load(cls, path: Path, *, blobs: Path | None = None) -> Trajectory:
        """The trajectory in a file, or in the folder of an unpacked bundle. Raises
        `trajectory.not_found`, `trajectory.unreadable`, `trajectory.newer_schema`."""
        if path.is_dir():
            path = path / PARQUET
        if not path.is_file():
            raise not_found("trajectory.not_found", f"there is no file {path}")
        return cls(_open(path, str(path)), blobs or path.parent / "blobs")

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def __iter__(self) -> Iterator[StepRecord]:
        """The steps in their order, read in batches."""
        for batch in self._file.iter_batches(batch_size=64):
            for row in batch.to_pylist():
                yield schema.record_of(row, StepRecord)

    def image(self, address: str) -> bytes:
        """The JPEG at a content address. Raises as `image_in`."""
        return image_in(self._blobs, address)

    def images(self) -> list[str]:
        """Addresses of all pictures, each once, in the order of their first use."""
        return images_of(self)


def image_in(blobs: Path, address: str) -> bytes:
    """The JPEG at a content address in a folder. Raises `trajectory.bad_address`,
    `trajectory.image_missing`, `trajectory.image_damaged`."""
    if not _ADDRESS.fullmatch(address):
        raise invalid("trajectory.bad_address", f"{address[:80]!r} is not the address of a picture")
    try:
        data = (blobs / address[:2] / address).read_bytes()
    except FileNotFoundError:
        raise not_found(
            "trajectory.image_missing",
            f"no picture {address} in {blobs}",
            hint="export the trajectory with its pictures, or say where the blobs are",
        ) from None
    if hashlib.sha256(data).hexdigest() != address:
        raise invalid(
            "trajectory.image_damaged",
            f"the picture {address} in {blobs} is not what its address says",
        )
    return data


def images_of(steps: Iterable[StepRecord]) -> list[str]:
    """Addresses of the pictures that steps name, each once."""
    addresses: dict[str, None] = {}
    for step in steps:
        addresses.update(dict.fromkeys((step.screenshot, step.raw_screenshot)))
        for exchange in step.exchanges:
            for message in exchange.messages:
                addresses.update(dict.fromkeys(message.images))
    return [address for address in addresses if address]


def images_in(parquet: bytes) -> list[str]:
    """Addresses of the pictures that a trajectory's file names, each once."""
    return Trajectory(_open(io.BytesIO(parquet), "the trajectory"), Path()).images()


def bundle(parquet: bytes, images: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip that unpacks into a folder that `Trajectory.load` reads: the file, and its
    pictures in `blobs/`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(PARQUET, parquet)
        for address, data in images:
            archive.writestr(f"blobs/{address[:2]}/{address}", data)
    return out.getvalue()


def unbundled(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The file in a bundle, and its pictures by address. Raises
    `trajectory.unreadable`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            images = {
                name.rpartition("/")[2]: archive.read(name)
                for name in archive.namelist()
                if name.startswith("blobs/")
            }
            return archive.read(PARQUET), images
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise invalid("trajectory.unreadable", f"it is no bundle: {error}") from error


def _open(source: Path | IO[bytes], name: str) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(source)
    except (pa.ArrowInvalid, OSError) as error:
        raise invalid("trajectory.unreadable", f"{name} is not a Parquet file: {error}") from error
