"""Blobs in a bucket of a real S3 server (moto's, as `make test-s3` names it), and what
is said when there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator

import pytest
from pydantic import SecretStr, ValidationError

from proofwalk.chassis.blob_forms import Sealing
from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.envelopes import Ring
from proofwalk.chassis.object_blobs import object_blobs
from proofwalk.chassis.settings_sections import BlobStoreSettings
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.installation import free_port
from tests.rl.storages import SECRET, bucket


def settings_of(port: int, address: str = "s3://evidence/team") -> BlobStoreSettings:
    return BlobStoreSettings(
        address=address,
        endpoint=f"http://127.0.0.1:{port}",
        region="us-east-1",
        access_key=SecretStr("AKIATEST"),
        secret_key=SecretStr(SECRET),
    )


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with bucket("evidence", tmp_path_factory.mktemp("moto")) as port:
        yield port


@pytest.mark.s3
async def test_a_bucket_keeps_finds_seals_and_collects(port: int) -> None:
    plain = object_blobs(settings_of(port), None)
    large = b"p" * 3_000_000
    one, other = await plain.put(b"one"), await plain.put(large)
    sealed = object_blobs(settings_of(port), Ring([b"k" * 32]))
    assert await sealed.seal_all() == Sealing(sealed=2)
    assert await sealed.get(other) == large
    await refused(plain.get(one), "blob.no_key", secret=False)
    assert await sealed.collect(older_than_s=3600) == 0
    # The service's clock has seconds, and is this machine's.
    assert await sealed.collect(older_than_s=-5, keep=frozenset({one})) == 1
    assert [await sealed.has(blob_id) for blob_id in (one, other)] == [True, False]
    assert (await refused(sealed.get(other), "blob.not_found", secret=False)).retryable is False


@pytest.mark.s3
async def test_what_lies_beside_the_prefix_is_not_touched(port: int) -> None:
    beside = object_blobs(settings_of(port, "s3://evidence/others"), None)
    blob_id = await beside.put(b"theirs")
    assert (
        await object_blobs(settings_of(port, "s3://evidence/mine"), None).collect(older_than_s=-5)
        == 0
    )
    assert await beside.has(blob_id)


@pytest.mark.s3
async def test_many_pages_are_collected(port: int) -> None:
    store = object_blobs(settings_of(port, "s3://evidence/many"), None)
    await asyncio.gather(*(store.put(b"%d" % number) for number in range(1100)))
    assert await store.collect(older_than_s=-5) == 1100


@pytest.mark.s3
async def test_a_bucket_that_is_not_there_is_said(port: int) -> None:
    store = object_blobs(settings_of(port, "s3://no-such-bucket/x"), None)
    error = await refused(store.put(b"data"), "blob.not_stored")
    assert "bucket" in error.message


async def test_a_service_that_is_not_reached_is_the_environments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("proofwalk.chassis.object_blobs._TRIES", 0)
    store: Blobs = object_blobs(settings_of(free_port()), None)
    error = await refused(store.put(b"data"), "blob.not_stored")
    assert error.retryable
    assert (await refused(store.get("0" * 64), "blob.not_read")).retryable


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"address": "s3://b-b/p", "access_key": "AKIA"}, "come together"),
        ({"address": "s3://b-b/p", "bucket_in_host": True}, "needs the ENDPOINT"),
        ({"region": "us-east-1"}, "ADDRESS missing"),
        ({"address": "s3://user:word@bucket/p"}, "address"),
        ({"address": "https://host/bucket"}, "address"),
        ({"address": "s3://bucket/p", "endpoint": "http://user:word@host"}, "endpoint"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(given: dict[str, str | bool], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        BlobStoreSettings.model_validate(given)


async def refused(awaited: Awaitable[object], code: str, *, secret: bool = True) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await awaited
    assert caught.value.code == code
    if secret:
        assert SECRET not in repr(caught.value) + str(caught.value.__cause__)
    return caught.value
