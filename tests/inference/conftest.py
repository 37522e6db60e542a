"""Folders with a tiny model, another one, and an adapter, made once a session; engines
on them."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from proofwalk.inference.engines.embedded import EmbeddedEngine, open_embedded
from proofwalk.inference.engines.limits import Limits
from tests.fixtures.devices import DEVICES
from tests.inference import tiny
from tests.inference.real_vllm import RealVllm, real_vllm


@pytest.fixture(scope="session")
def base_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save(tmp_path_factory.mktemp("weights") / "tiny")


@pytest.fixture(scope="session")
def other_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same shape, other weights."""
    return tiny.save(tmp_path_factory.mktemp("weights") / "other", seed=7)


@pytest.fixture(scope="session")
def adapter_folder(tmp_path_factory: pytest.TempPathFactory, base_folder: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return tiny.save_adapter(tmp_path_factory.mktemp("weights") / "adapter", base=base_folder)


@pytest.fixture(scope="session")
def vllm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealVllm]:
    """A real one that takes full weights; for tests that are marked `vllm`."""
    with _serving(tmp_path_factory.mktemp("vllm"), lora=False) as server:
        yield server


@pytest.fixture(scope="session")
def lora_vllm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealVllm]:
    """A real one that takes adapters too."""
    with _serving(tmp_path_factory.mktemp("lora-vllm"), lora=True) as server:
        yield server


@contextmanager
def _serving(folder: Path, *, lora: bool) -> Iterator[RealVllm]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        with real_vllm(folder, lora=lora) as server:
            yield server


@pytest.fixture(params=DEVICES)
async def engine(
    request: pytest.FixtureRequest, base_folder: Path
) -> AsyncIterator[EmbeddedEngine]:
    async with open_embedded(
        base_folder, name="", dtype="float32", limits=Limits(), device=request.param
    ) as opened:
        yield opened
