"""Copies of a run's checkpoints in object storage (S3 and what speaks like it), or in a
folder of another disk.

    <address>/<run>/step-00000010/    the checkpoint's files; manifest.json last

A copy is there when its manifest can be read: that is written behind every other file
and removed before them, so an upload or a removal that was cut short leaves nothing
that is taken for a checkpoint. Files are held against the manifest's digests on the way
out, since a checkpoint may be pruned while it is read, and on the way back. Everything
here blocks.

The file systems are pyarrow's, which samples need anyway; no other client comes with
them. Without keys, credentials are those of the environment, as AWS' libraries find
them. Next: `run_files`, and `trainer.publishing`, which does it while a run goes on.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs
from pydantic import ValidationError

from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.rl.run_files import (
    MANIFEST,
    Checkpoint,
    Manifest,
    damaged,
    read_checkpoints,
    synced,
)
from proofwalk.rl.storage import Storage

_STEP = re.compile(r"step-\d{8,}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_CHUNK = 8 << 20
_CONNECT_S, _REQUEST_S, _TRIES = 10.0, 60.0, 3


class Abandoned(Exception):
    """The copying was given up."""


class PublishedCheckpoints:
    """The copies of one run. One process writes."""

    def __init__(self, storage: Storage, run_id: str) -> None:
        self._files, place = _opened(storage)
        self._root = f"{place.rstrip('/')}/{run_id}"
        self.address = f"{storage.address.rstrip('/')}/{run_id}"

    def all(self) -> list[Manifest]:
        """Manifests of the copies that are whole, by step. Raises
        `rl.storage_unavailable`."""
        with self._telling():
            found = [self._manifest(name) for name in self._steps()]
        return sorted(
            (manifest for manifest in found if manifest is not None),
            key=lambda manifest: manifest.step,
        )

    def put(self, checkpoint: Checkpoint, *, go_on: Callable[[], bool] = lambda: True) -> bool:
        """Copy a checkpoint unless its copy is there. False: it was pruned meanwhile.
        Raises `rl.storage_unavailable`; `Abandoned` when `go_on` says no."""
        name = checkpoint.path.name
        with self._telling():
            there = self._manifest(name)
            if there is not None and there.digest == checkpoint.manifest.digest:
                return True
            self._remove(name)
            self._files.create_dir(f"{self._root}/{name}", recursive=True)
            for file, digest in checkpoint.manifest.files.items():
                try:
                    source = (checkpoint.path / file).open("rb")
                except FileNotFoundError:
                    self._remove(name)
                    return False
                with source:
                    into = self._files.open_output_stream(f"{self._root}/{name}/{file}")
                    if _copied(source, into, go_on) != digest:
                        raise damaged(checkpoint.path, f"{file} is not what was written")
            text = checkpoint.manifest.model_dump_json(indent=1).encode()
            with self._files.open_output_stream(f"{self._root}/{name}/{MANIFEST}") as into:
                into.write(text)
        return True

    def get(
        self, manifest: Manifest, folder: Path, *, go_on: Callable[[], bool] = lambda: True
    ) -> Checkpoint:
        """Put a copy into a run's folder of checkpoints, whole or not at all. Raises
        `rl.published_damaged`, `rl.storage_unavailable`; `Abandoned`."""
        name = f"step-{manifest.step:08d}"
        aside = folder / f".writing-{name}"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        for file, digest in manifest.files.items():
            if not _FILE.fullmatch(file):
                raise self._damaged(name, f"its manifest names the file {file[:80]!r}")
            with (aside / file).open("wb") as into, self._telling():
                try:
                    source = self._files.open_input_stream(f"{self._root}/{name}/{file}")
                except FileNotFoundError:
                    raise self._damaged(name, f"{file} is missing") from None
                with source:
                    found = _copied(source, into, go_on)
            if found != digest:
                raise self._damaged(name, f"{file} is not what was written")
            synced(aside / file)
        (aside / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
        synced(aside / MANIFEST)
        synced(aside)
        aside.rename(folder / name)
        synced(folder)
        return Checkpoint(folder / name, manifest)

    def keep(self, steps: Collection[int]) -> list[str]:
        """Remove every copy but those of `steps`, halves of copies too. Returns the
        names of what was removed. Raises `rl.storage_unavailable`."""
        kept = {f"step-{step:08d}" for step in steps}
        with self._telling():
            gone = [name for name in self._steps() if name not in kept]
            for name in gone:
                self._remove(name)
        return gone

    def _steps(self) -> list[str]:
        found = self._files.get_file_info(fs.FileSelector(self._root, allow_not_found=True))
        return sorted(one.base_name for one in found if _STEP.fullmatch(one.base_name))

    def _manifest(self, name: str) -> Manifest | None:
        try:
            with self._files.open_input_stream(f"{self._root}/{name}/{MANIFEST}") as source:
                return Manifest.model_validate_json(source.read())
        except (FileNotFoundError, ValidationError):
            return None

    def _remove(self, name: str) -> None:
        for remove, path in (
            (self._files.delete_file, f"{self._root}/{name}/{MANIFEST}"),
            (self._files.delete_dir, f"{self._root}/{name}"),
        ):
            with suppress(FileNotFoundError):
                remove(path)

    def _damaged(self, name: str, what: str) -> ProofwalkError:
        return ProofwalkError(
            "rl.published_damaged",
            f"{self.address}/{name}: {what}",
            status=Status.FAILED_PRECONDITION,
            hint="remove this copy; the run resumes from the one before it, or begins again",
        )

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise unavailable(
                "rl.storage_unavailable",
                f"{self.address}: {error}",
                hint="see to its address, its endpoint and the credentials; it is tried again",
            ) from error


def fetch_newer(
    published: PublishedCheckpoints, folder: Path, *, go_on: Callable[[], bool] = lambda: True
) -> list[Checkpoint]:
    """Bring the copies back into a run's folder of checkpoints, if the last of them is
    of a later step than the last that is there. Raises `rl.published_damaged`,
    `rl.storage_unavailable`, `rl.checkpoint_damaged`; `Abandoned`."""
    here = {checkpoint.manifest.step for checkpoint in read_checkpoints(folder)}
    there = published.all()
    if not there or there[-1].step <= max(here, default=-1):
        return []
    # The last one at the end: until it is there, what was cut short is done again.
    return [
        published.get(manifest, folder, go_on=go_on)
        for manifest in there
        if manifest.step not in here
    ]


def _copied(source: Any, into: Any, go_on: Callable[[], bool]) -> str:
    """SHA-256 of what was copied."""
    digest = hashlib.sha256()
    with into:
        while chunk := source.read(_CHUNK):
            if not go_on():
                raise Abandoned
            digest.update(chunk)
            into.write(chunk)
    return digest.hexdigest()


def _opened(storage: Storage) -> tuple[fs.FileSystem, str]:
    """The file system of an address, and the place in it."""
    scheme, _, place = storage.address.partition("://")
    if scheme == "file":
        return fs.LocalFileSystem(), place
    protocol, _, host = storage.endpoint.rpartition("://")
    files = fs.S3FileSystem(
        access_key=storage.access_key or None,
        secret_key=storage.secret_key or None,
        region=storage.region or None,
        endpoint_override=host.rstrip("/") or None,
        scheme=protocol or "https",
        force_virtual_addressing=storage.bucket_in_host,
        connect_timeout=_CONNECT_S,
        request_timeout=_REQUEST_S,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_TRIES),
    )
    return files, place
