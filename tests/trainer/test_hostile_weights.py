"""Folders of weights that would run code when they are read: they are refused, by the
trainer and by inference, and nothing of them runs."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
import torch

from proofwalk.inference.engines.weights import read_model, stage
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.trainer.model_loading import load_model
from tests.inference import tiny

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)


class Deed:
    """Makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self._mark,)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "it-ran"


def pickled(mark: Path) -> bytes:
    """Weights as an earlier form of torch has them: a bare pickle."""
    return pickle.dumps(Deed(mark))


def test_the_deed_would_be_done(mark: Path) -> None:
    pickle.loads(pickled(mark))
    assert mark.exists()


def refused(folder: Path, base: Path) -> list[str]:
    """The codes by which each reader refuses a folder."""
    codes = []
    for read in (
        lambda: load_model(folder, adaptation="full"),
        lambda: stage(folder, base=base, dtype=torch.float32),
    ):
        with pytest.raises(ProofwalkError) as caught:
            read()
        codes.append(caught.value.code)
    return codes


def test_a_pickle_in_place_of_a_models_weights(tmp_path: Path, mark: Path) -> None:
    base = tiny.save(tmp_path / "base")
    folder = tiny.save(tmp_path / "model")
    for path in folder.glob("*.safetensors"):
        path.unlink()
    (folder / "pytorch_model.bin").write_bytes(pickled(mark))
    assert refused(folder, base) == ["trainer.bad_model", "inference.bad_weights"]
    assert not mark.exists()


def test_a_pickle_in_place_of_an_adapters_weights(tmp_path: Path, mark: Path) -> None:
    base = tiny.save(tmp_path / "base")
    folder = tiny.save_adapter(tmp_path / "adapter", base=base)
    (folder / "adapter_model.safetensors").rename(folder / "other.safetensors")
    (folder / "adapter_model.bin").write_bytes(pickled(mark))
    (folder / "tokenizer.json").write_bytes((base / "tokenizer.json").read_bytes())
    assert refused(folder, base) == ["trainer.bad_model", "inference.bad_weights"]
    assert not mark.exists()


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_that_comes_with_a_model_is_not_run(tmp_path: Path, mark: Path, file: str) -> None:
    """Named as a model's or a tokenizer's own class: it is not taken from there."""
    folder = tiny.save(tmp_path / "model")
    code = f"from pathlib import Path\nPath({str(mark)!r}).touch()\nclass Own: ...\n"
    (folder / "own.py").write_text(code, encoding="utf-8")
    said = json.loads((folder / file).read_text(encoding="utf-8"))
    own = dict.fromkeys(("AutoConfig", "AutoModelForCausalLM"), "own.Own")
    said["auto_map"] = {**own, "AutoTokenizer": ["own.Own", "own.Own"]}
    (folder / file).write_text(json.dumps(said), encoding="utf-8")
    for read in (
        lambda: load_model(folder, adaptation="full"),
        lambda: read_model(folder, "float32"),
    ):
        read()
        assert not mark.exists()
