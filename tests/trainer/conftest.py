"""A tiny model's folder and a file of samples, made once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inference import tiny
from tests.trainer import kit


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def data_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kit.write_data(tmp_path_factory.mktemp("data") / "samples.parquet", kit.chat_samples(32))


@pytest.fixture
def config(model_folder: Path, data_file: Path) -> str:
    return kit.configuration(model_folder, data_file)
