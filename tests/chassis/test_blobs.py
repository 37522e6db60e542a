"""Blobs: whole or not there, once, and young again when put again."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from pathlib import Path

import pytest

from proofwalk.chassis.blobs import Blobs, LocalBlobs
from proofwalk.kernel.errors import ProofwalkError


@pytest.fixture
def blobs(tmp_path: Path) -> LocalBlobs:
    return LocalBlobs(tmp_path)


def age(blobs: LocalBlobs, blob_id: str, seconds: float) -> None:
    os.utime(blobs.path(blob_id), (time.time() - seconds,) * 2)


async def test_what_was_put_is_got_under_its_digest(blobs: LocalBlobs) -> None:
    store: Blobs = blobs
    blob_id = await store.put(b"data")
    assert blob_id == hashlib.sha256(b"data").hexdigest()
    assert await store.get(blob_id) == b"data"
    assert await store.has(blob_id)


async def test_the_same_bytes_put_by_many_at_once_are_one_file(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    ids = await asyncio.gather(*(blobs.put(b"x" * 100_000) for _ in range(20)))
    assert len(set(ids)) == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [ids[0]]


async def test_what_cannot_be_stored_is_said_and_may_be_tried_again(tmp_path: Path) -> None:
    no_folder = tmp_path / "blobs"
    no_folder.write_text("in the way")
    with pytest.raises(ProofwalkError) as caught:
        await LocalBlobs(no_folder).put(b"data")
    assert (caught.value.code, caught.value.retryable) == ("blob.not_stored", True)


async def test_what_is_not_there_is_not_found(blobs: LocalBlobs) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await blobs.get("0" * 64)
    assert caught.value.code == "blob.not_found"
    assert not await blobs.has("0" * 64)


@pytest.mark.parametrize(
    "blob_id", ["", "../../etc/passwd", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 64 + "\n"]
)
async def test_an_id_is_never_a_path(blobs: LocalBlobs, blob_id: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await blobs.get(blob_id)
    assert caught.value.code == "blob.bad_id"


async def test_collection_takes_the_old_keeps_the_kept_and_what_was_put_again(
    blobs: LocalBlobs,
) -> None:
    old, kept, again, young = [
        await blobs.put(data) for data in (b"old", b"kept", b"again", b"young")
    ]
    for blob_id in (old, kept, again):
        age(blobs, blob_id, 100)
    await blobs.put(b"again")
    assert await blobs.collect(older_than_s=50, keep=frozenset({kept})) == 1
    assert [await blobs.has(blob_id) for blob_id in (old, kept, again, young)] == [
        False,
        True,
        True,
        True,
    ]


async def test_what_a_crash_left_half_written_is_collected(
    blobs: LocalBlobs, tmp_path: Path
) -> None:
    (tmp_path / "ab").mkdir()
    half = tmp_path / "ab" / ".put-1"
    half.write_bytes(b"ha")
    os.utime(half, (0, 0))
    assert await blobs.collect(older_than_s=50) == 0
    assert not half.exists()
