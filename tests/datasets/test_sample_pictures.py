"""Pictures of samples: kept beside the file, each once, and only what is what its
address says."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from proofwalk.datasets.chat_samples import ChatMessage, ChatSample
from proofwalk.datasets.sample_pictures import keep_pictures, pictures_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.trajectories.trajectory import Trajectory, image_in
from tests.trainer import kit


class Recorded:
    """A trajectory's pictures, and how often each was read."""

    def __init__(self, *jpegs: bytes) -> None:
        self.jpegs = {hashlib.sha256(one).hexdigest(): one for one in jpegs}
        self.reads: list[str] = []

    def image(self, address: str) -> bytes:
        self.reads.append(address)
        return self.jpegs[address]


def showing(*addresses: str) -> ChatSample:
    [sample] = kit.chat_samples(1)
    return replace(sample, messages=(ChatMessage(role="user", text="look", images=addresses),))


def test_pictures_lie_beside_the_samples_each_once(tmp_path: Path) -> None:
    recorded = Recorded(b"one", b"two", b"never shown")
    one, two, _ = recorded.jpegs
    folder = pictures_of(tmp_path / "samples.parquet")
    assert folder == tmp_path / "samples.pictures"
    for _ in range(2):
        keep_pictures([showing(one), showing(one, two)], cast(Trajectory, recorded), folder)
    assert recorded.reads == sorted([one, two])
    assert image_in(folder, two) == b"two"
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 2


def test_a_picture_that_was_changed_is_refused(tmp_path: Path) -> None:
    recorded = Recorded(b"one")
    [address] = recorded.jpegs
    folder = pictures_of(tmp_path / "samples.parquet")
    keep_pictures([showing(address)], cast(Trajectory, recorded), folder)
    (folder / address[:2] / address).write_bytes(b"other")
    with pytest.raises(ProofwalkError) as caught:
        image_in(folder, address)
    assert caught.value.code == "trajectory.image_damaged"
