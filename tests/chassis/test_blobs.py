"""Blobs: whole or not there, once, and young again when put again."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import time
from collections.abc import Awaitable
from pathlib import Path

import pytest
from pydantic import SecretStr

from proofwalk.chassis.blobs import Blobs, LocalBlobs, Sealing, local_blobs
from proofwalk.chassis.envelopes import Ring
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import ProofwalkError

KEY, LATER = b"k" * 32, b"l" * 32


@pytest.fixture(params=["open", "sealed"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> LocalBlobs:
    return LocalBlobs(tmp_path, ring=Ring([KEY]) if request.param == "sealed" else None)


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
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [blobs.path(ids[0])]


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


async def test_bytes_that_somebody_altered_are_not_given_out(blobs: LocalBlobs) -> None:
    blob_id = await blobs.put(b"what was seen")
    path = blobs.path(blob_id)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    await refused(blobs.get(blob_id), "blob.altered")


async def test_sealed_bytes_do_not_pass_for_those_of_another_blob(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path, ring=Ring([KEY]))
    one, other = await blobs.put(b"one"), await blobs.put(b"other")
    blobs.path(one).write_bytes(blobs.path(other).read_bytes())
    await refused(blobs.get(one), "blob.altered")


async def test_nothing_of_what_is_sealed_lies_in_the_folder(tmp_path: Path) -> None:
    key = base64.urlsafe_b64encode(KEY).decode()
    settings = ProcessSettings(home=tmp_path, blob_keys=SecretStr(key))
    blob_id = await local_blobs(settings).put(b"the document's words")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files] == [f"{blob_id}.sealed"]
    assert b"words" not in files[0].read_bytes()
    assert files[0].stat().st_mode & 0o777 == 0o600
    assert await local_blobs(settings).get(blob_id) == b"the document's words"


async def test_what_lay_open_is_read_and_sealed_when_it_is_put_again(tmp_path: Path) -> None:
    blob_id = await LocalBlobs(tmp_path).put(b"data")
    blobs = LocalBlobs(tmp_path, ring=Ring([KEY]))
    assert await blobs.get(blob_id) == b"data"
    await blobs.put(b"data")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{blob_id}.sealed"]
    assert await blobs.get(blob_id) == b"data"


async def test_the_key_is_replaced_and_the_earlier_one_left_out(tmp_path: Path) -> None:
    first = LocalBlobs(tmp_path, ring=Ring([KEY]))
    opened = await LocalBlobs(tmp_path).put(b"open")
    sealed = await first.put(b"sealed")
    age(first, sealed, 100)
    both = LocalBlobs(tmp_path, ring=Ring([LATER, KEY]))
    broken = await both.put(b"broken")
    both.path(broken).write_bytes(b"PWE1")
    assert await both.seal_all() == Sealing(sealed=1, renewed=1, unreadable=1, current=0)
    assert await both.seal_all() == Sealing(sealed=0, renewed=0, unreadable=1, current=2)
    later = LocalBlobs(tmp_path, ring=Ring([LATER]))
    assert [await later.get(one) for one in (opened, sealed)] == [b"open", b"sealed"]
    await refused(first.get(sealed), "blob.no_key")
    # Replacing a key makes nothing young again.
    assert await later.collect(older_than_s=50) == 1


async def test_without_a_key_nothing_sealed_is_read_and_nothing_is_sealed(tmp_path: Path) -> None:
    blob_id = await LocalBlobs(tmp_path, ring=Ring([KEY])).put(b"data")
    blobs = LocalBlobs(tmp_path)
    assert await blobs.has(blob_id)
    await refused(blobs.get(blob_id), "blob.no_key")
    await refused(blobs.seal_all(), "blob.no_key")


@pytest.mark.parametrize("text", ["short", "c2hvcnQ=", "!" * 44, f"{'QUFB' * 11}="])
def test_a_text_that_is_no_ring_of_keys_ends_the_start(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        local_blobs(ProcessSettings(home=tmp_path, blob_keys=SecretStr(text)))
    assert caught.value.code == "settings.bad_blob_keys"
    assert text not in str(caught.value)


async def refused(awaited: Awaitable[object], code: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await awaited
    assert caught.value.code == code
