"""A tiny model's folder and a file of samples, made once a session, and a place for
rollouts of groups."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proofwalk.chassis.tracing import Tracing
from tests.inference import tiny
from tests.trainer import kit
from tests.trainer.group_place import Place, placed


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def data_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kit.write_data(tmp_path_factory.mktemp("data") / "samples.parquet", kit.chat_samples(32))


@pytest.fixture
def config(model_folder: Path, data_file: Path) -> str:
    return kit.configuration(model_folder, data_file)


@pytest.fixture
async def place(home: Path, tmp_path: Path, tracing: Tracing) -> AsyncIterator[Place]:
    async with placed(home, tmp_path, tracing) as place:
        yield place
