"""Copies of checkpoints are there whole or not at all, and come back as they were."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.checkpoints import Checkpoints
from proofwalk.rl.published import Abandoned, PublishedCheckpoints, fetch_newer
from proofwalk.rl.run_files import Checkpoint
from proofwalk.rl.storage import Storage
from tests.rl.storages import KINDS, SECRET, storage

LARGE = 17 << 20
"""More than two chunks, and than one part of an upload."""


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    with storage(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def published(place: Storage) -> PublishedCheckpoints:
    return PublishedCheckpoints(place, "run-1")


def saved(folder: Path, step: int, *, size: int = 10, score: float | None = None) -> Checkpoint:
    def write(into: Path) -> None:
        (into / "model.safetensors").write_bytes(bytes([step]) * size)
        (into / "config.json").write_text("{}", encoding="utf-8")

    return Checkpoints(folder).save(
        write, step=step, position={"step": step}, score=score, settings={"seed": 1}, origin="d"
    )


def steps(published: PublishedCheckpoints) -> list[int]:
    return [manifest.step for manifest in published.all()]


def test_a_copy_comes_back_as_it_was(published: PublishedCheckpoints, tmp_path: Path) -> None:
    assert published.all() == []
    checkpoint = saved(tmp_path / "here", 3, size=LARGE, score=0.5)
    assert published.put(checkpoint)
    assert published.put(checkpoint), "once more changes nothing"
    (manifest,) = published.all()
    assert manifest == checkpoint.manifest
    back = published.get(manifest, tmp_path / "there")
    store = Checkpoints(tmp_path / "there")
    store.verify(back)
    assert store.all() == [back]
    assert (back.path / "model.safetensors").read_bytes() == bytes([3]) * LARGE


def test_an_upload_that_was_cut_short_is_no_checkpoint_and_is_made_good(
    published: PublishedCheckpoints, tmp_path: Path
) -> None:
    checkpoint = saved(tmp_path / "here", 3, size=LARGE)
    answers = iter([True, True, False])
    with pytest.raises(Abandoned):
        published.put(checkpoint, go_on=lambda: next(answers))
    assert published.all() == []
    assert published.put(checkpoint)
    assert steps(published) == [3]


def test_what_is_not_kept_goes_and_so_do_halves(
    published: PublishedCheckpoints, tmp_path: Path
) -> None:
    for step in (1, 2, 3):
        assert published.put(saved(tmp_path / f"here-{step}", step))
    with pytest.raises(Abandoned):
        published.put(saved(tmp_path / "here-4", 4), go_on=lambda: False)
    assert published.keep([1, 3]) == ["step-00000002", "step-00000004"]
    assert steps(published) == [1, 3]
    assert published.keep([1, 3]) == []


def test_a_copy_is_replaced_where_the_step_was_done_again(
    published: PublishedCheckpoints, tmp_path: Path
) -> None:
    published.put(saved(tmp_path / "once", 3, size=10))
    again = saved(tmp_path / "again", 3, size=11)
    published.put(again)
    assert [manifest.digest for manifest in published.all()] == [again.manifest.digest]


def test_what_was_pruned_while_it_was_copied_leaves_nothing(
    published: PublishedCheckpoints, tmp_path: Path
) -> None:
    checkpoint = saved(tmp_path / "here", 3)
    (checkpoint.path / "model.safetensors").unlink()
    assert not published.put(checkpoint)
    assert published.keep([]) == []


def test_damage_is_found_on_both_ways(
    place: Storage, published: PublishedCheckpoints, tmp_path: Path
) -> None:
    checkpoint = saved(tmp_path / "here", 3)
    published.put(checkpoint)
    with published._files.open_output_stream(
        f"{published._root}/step-00000003/model.safetensors"
    ) as into:
        into.write(b"another")
    (manifest,) = published.all()
    with pytest.raises(ProofwalkError) as found:
        published.get(manifest, tmp_path / "there")
    assert found.value.code == "rl.published_damaged"
    assert Checkpoints(tmp_path / "there").all() == []

    (checkpoint.path / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ProofwalkError) as found:
        PublishedCheckpoints(place, "run-2").put(checkpoint)
    assert found.value.code == "rl.checkpoint_damaged"


def test_a_manifest_cannot_write_elsewhere(published: PublishedCheckpoints, tmp_path: Path) -> None:
    checkpoint = saved(tmp_path / "here", 3)
    for name in ("../outside", "/outside", "a/b", ".."):
        manifest = checkpoint.manifest.model_copy(update={"files": {name: "0" * 64}})
        with pytest.raises(ProofwalkError) as found:
            published.get(manifest, tmp_path / "there")
        assert found.value.code == "rl.published_damaged"


def test_copies_come_back_where_they_are_later(
    published: PublishedCheckpoints, tmp_path: Path
) -> None:
    assert fetch_newer(published, tmp_path / "there") == []
    store = Checkpoints(tmp_path / "here")
    for step, score in ((4, 0.9), (8, 0.1)):
        saved(tmp_path / "here", step, score=score)
    for checkpoint in store.all():
        published.put(checkpoint)
    back = fetch_newer(published, tmp_path / "there")
    assert [one.manifest.step for one in back] == [4, 8]
    assert fetch_newer(published, tmp_path / "there") == []
    saved(tmp_path / "later", 9)
    assert fetch_newer(published, tmp_path / "later") == []


@pytest.mark.parametrize(
    "address",
    ["", "models", "/models", "s3://", "s3://key:secret@models", "s3://models?x=1", "gs://models",
     "file://models"],
)  # fmt: skip
def test_another_address_is_refused(address: str) -> None:
    with pytest.raises(ProofwalkError) as refused:
        Storage(address=address)
    assert refused.value.code == "rl.bad_storage"
    assert "secret" not in refused.value.message


def test_storage_that_cannot_be_reached_is_told_without_the_key() -> None:
    place = Storage(
        address="s3://models",
        endpoint="http://127.0.0.1:9",
        region="us-east-1",
        access_key="AKIATEST",
        secret_key=SECRET,
    )
    with pytest.raises(ProofwalkError) as found:
        PublishedCheckpoints(place, "run-1").all()
    assert (found.value.code, found.value.retryable) == ("rl.storage_unavailable", True)
    told = f"{found.value.message} {found.value.__cause__} {place} {dataclasses.replace(place)!r}"
    assert SECRET not in told
