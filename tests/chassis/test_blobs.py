"""Blobs: whole or not there, once, and young again when put again."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from obstore.store import LocalStore
from pydantic import SecretStr

from proofwalk.chassis.blob_forms import Sealing
from proofwalk.chassis.blobs import Blobs, blobs_of
from proofwalk.chassis.envelopes import Ring
from proofwalk.chassis.local_blobs import LocalBlobs
from proofwalk.chassis.object_blobs import ObjectBlobs
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import ProofwalkError

KEY, LATER = b"k" * 32, b"l" * 32


MakeStore = Callable[..., Blobs]


@pytest.fixture(params=["folder", "bucket"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> MakeStore:
    """A store below `tmp_path` with these keys, one after another. The bucket is the
    client's own of a folder, whose objects are files of the same names; a real service
    is asked in `test_buckets`."""

    def store(*keys: bytes) -> Blobs:
        ring = Ring(keys) if keys else None
        if request.param == "folder":
            return LocalBlobs(tmp_path, ring=ring)
        return ObjectBlobs(LocalStore(tmp_path), ring=ring)

    return store


@pytest.fixture(params=["open", "sealed"])
def keys(request: pytest.FixtureRequest) -> Sequence[bytes]:
    return [KEY] if request.param == "sealed" else []


@pytest.fixture
def blobs(make: MakeStore, keys: Sequence[bytes]) -> Blobs:
    return make(*keys)


def file_of(folder: Path, blob_id: str) -> Path:
    """The one file of a blob."""
    (path,) = folder.glob(f"??/{blob_id}*")
    return path


def age(folder: Path, blob_id: str, seconds: float) -> None:
    os.utime(file_of(folder, blob_id), (time.time() - seconds,) * 2)


async def test_what_was_put_is_got_under_its_digest(blobs: Blobs) -> None:
    blob_id = await blobs.put(b"data")
    assert blob_id == hashlib.sha256(b"data").hexdigest()
    assert await blobs.get(blob_id) == b"data"
    assert await blobs.has(blob_id)


async def test_the_same_bytes_put_by_many_at_once_are_one_file(
    blobs: Blobs, tmp_path: Path
) -> None:
    ids = await asyncio.gather(*(blobs.put(b"x" * 100_000) for _ in range(20)))
    assert len(set(ids)) == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [file_of(tmp_path, ids[0])]


async def test_what_cannot_be_stored_is_said_and_may_be_tried_again(
    blobs: Blobs, tmp_path: Path
) -> None:
    (tmp_path / hashlib.sha256(b"data").hexdigest()[:2]).write_text("in the way")
    with pytest.raises(ProofwalkError) as caught:
        await blobs.put(b"data")
    assert (caught.value.code, caught.value.retryable) == ("blob.not_stored", True)


async def test_what_is_not_there_is_not_found(blobs: Blobs) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await blobs.get("0" * 64)
    assert caught.value.code == "blob.not_found"
    assert not await blobs.has("0" * 64)


@pytest.mark.parametrize(
    "blob_id", ["", "../../etc/passwd", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 64 + "\n"]
)
async def test_an_id_is_never_a_path(blobs: Blobs, blob_id: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await blobs.get(blob_id)
    assert caught.value.code == "blob.bad_id"


async def test_collection_takes_the_old_keeps_the_kept_and_what_was_put_again(
    blobs: Blobs, tmp_path: Path
) -> None:
    old, kept, again, young = [
        await blobs.put(data) for data in (b"old", b"kept", b"again", b"young")
    ]
    for blob_id in (old, kept, again):
        age(tmp_path, blob_id, 100)
    await blobs.put(b"again")
    assert await blobs.collect(older_than_s=50, keep=frozenset({kept})) == 1
    assert [await blobs.has(blob_id) for blob_id in (old, kept, again, young)] == [
        False,
        True,
        True,
        True,
    ]


async def test_what_a_crash_left_half_written_is_collected(tmp_path: Path) -> None:
    (tmp_path / "ab").mkdir()
    half = tmp_path / "ab" / ".put-1"
    half.write_bytes(b"ha")
    os.utime(half, (0, 0))
    assert await LocalBlobs(tmp_path).collect(older_than_s=50) == 0
    assert not half.exists()


async def test_what_is_no_blob_is_left_alone_in_a_bucket(tmp_path: Path) -> None:
    (tmp_path / "ab").mkdir()
    other = tmp_path / "ab" / "somebody's"
    other.write_bytes(b"of another system")
    os.utime(other, (0, 0))
    store = ObjectBlobs(LocalStore(tmp_path), ring=Ring([KEY]))
    assert await store.collect(older_than_s=50) == 0
    assert await store.seal_all() == Sealing()
    assert other.read_bytes() == b"of another system"


async def test_bytes_that_somebody_altered_are_not_given_out(blobs: Blobs, tmp_path: Path) -> None:
    blob_id = await blobs.put(b"what was seen")
    path = file_of(tmp_path, blob_id)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    await refused(blobs.get(blob_id), "blob.altered")


async def test_sealed_bytes_do_not_pass_for_those_of_another_blob(
    make: MakeStore, tmp_path: Path
) -> None:
    blobs = make(KEY)
    one, other = await blobs.put(b"one"), await blobs.put(b"other")
    file_of(tmp_path, one).write_bytes(file_of(tmp_path, other).read_bytes())
    await refused(blobs.get(one), "blob.altered")


async def test_nothing_of_what_is_sealed_lies_in_the_folder(tmp_path: Path) -> None:
    key = base64.urlsafe_b64encode(KEY).decode()
    settings = ProcessSettings(home=tmp_path, blob_keys=SecretStr(key))
    blob_id = await blobs_of(settings).put(b"the document's words")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files] == [f"{blob_id}.sealed"]
    assert b"words" not in files[0].read_bytes()
    assert files[0].stat().st_mode & 0o777 == 0o600
    assert await blobs_of(settings).get(blob_id) == b"the document's words"


async def test_what_lay_open_is_read_and_sealed_when_it_is_put_again(
    make: MakeStore, tmp_path: Path
) -> None:
    blob_id = await make().put(b"data")
    blobs = make(KEY)
    assert await blobs.get(blob_id) == b"data"
    await blobs.put(b"data")
    assert file_of(tmp_path, blob_id).name == f"{blob_id}.sealed"
    assert await blobs.get(blob_id) == b"data"


async def test_the_key_is_replaced_and_the_earlier_one_left_out(
    make: MakeStore, tmp_path: Path
) -> None:
    first, both, later = make(KEY), make(LATER, KEY), make(LATER)
    opened = await make().put(b"open")
    sealed = await first.put(b"sealed")
    broken = await both.put(b"broken")
    file_of(tmp_path, broken).write_bytes(b"PWE1")
    assert await both.seal_all() == Sealing(sealed=1, renewed=1, unreadable=1, current=0)
    assert await both.seal_all() == Sealing(sealed=0, renewed=0, unreadable=1, current=2)
    assert [await later.get(one) for one in (opened, sealed)] == [b"open", b"sealed"]
    await refused(first.get(sealed), "blob.no_key")


async def test_replacing_the_key_of_files_makes_nothing_young(tmp_path: Path) -> None:
    blob_id = await LocalBlobs(tmp_path, ring=Ring([KEY])).put(b"sealed")
    age(tmp_path, blob_id, 100)
    later = LocalBlobs(tmp_path, ring=Ring([LATER, KEY]))
    assert await later.seal_all() == Sealing(renewed=1)
    assert await later.collect(older_than_s=50) == 1


async def test_without_a_key_nothing_sealed_is_read_and_nothing_is_sealed(make: MakeStore) -> None:
    blob_id = await make(KEY).put(b"data")
    blobs = make()
    assert await blobs.has(blob_id)
    await refused(blobs.get(blob_id), "blob.no_key")
    await refused(blobs.seal_all(), "blob.no_key")


@pytest.mark.parametrize("text", ["short", "c2hvcnQ=", "!" * 44, f"{'QUFB' * 11}="])
def test_a_text_that_is_no_ring_of_keys_ends_the_start(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        blobs_of(ProcessSettings(home=tmp_path, blob_keys=SecretStr(text)))
    assert caught.value.code == "settings.bad_blob_keys"
    assert text not in str(caught.value)


async def refused(awaited: Awaitable[object], code: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await awaited
    assert caught.value.code == code
