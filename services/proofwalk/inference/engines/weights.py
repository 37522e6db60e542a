"""Reads models and weights for the embedded engine: folders as `save_pretrained` writes
them, LoRA adapters as peft does.

Safetensors alone: nothing is unpickled. `stage` makes weights ready beside the model
that serves; `put` copies them into it. Between the two nothing can fail any more but
the machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoTokenizer

from proofwalk.inference.domain import bad_weights, weights_not_found
from proofwalk.inference.engines.attention import use_single_query_attention
from proofwalk.inference.engines.pictures import Pictures, pictures_of
from proofwalk.rl.devices import Device, resolved
from proofwalk.rl.precision import multiplies_bfloat16
from proofwalk.rl.saved_models import Unreadable, read_saved_model

_ADAPTER = "adapter_config.json"
_ADAPTER_WEIGHTS = "adapter_model.safetensors"


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A model that can serve."""

    model: Any
    tokenizer: Any
    context: int
    """Tokens of prompt and answer together."""
    ends: tuple[int, ...]
    """Tokens that end an answer."""
    vocabulary: int
    pictures: Pictures | None
    """None where the model reads text alone."""


def read_model(folder: Path, dtype: str, device: Device = "cpu") -> Loaded:
    """A base model on its device, with its tokenizer. Blocks. Raises
    `inference.weights_not_found`, `inference.bad_weights`, `rl.no_device`."""
    place = resolved(device)
    model = _model(folder, dtype_on(place, dtype)).to(place)
    text = model.config.get_text_config()
    kinds = set(getattr(text, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"}:
        raise bad_weights(
            folder,
            f"layers of the kinds {', '.join(sorted(kinds))} are not served, full attention"
            " alone is",
        )
    use_single_query_attention(model)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise bad_weights(folder, f"no tokenizer: {error}") from error
    if not tokenizer.is_fast:
        raise bad_weights(
            folder, "its tokenizer is not of the `tokenizers` library (tokenizer.json)"
        )
    said = model.generation_config.eos_token_id if model.generation_config is not None else None
    ends = said if isinstance(said, list) else [said]
    known = sorted({int(end) for end in [*ends, tokenizer.eos_token_id] if end is not None})
    if not known:
        raise bad_weights(
            folder,
            "neither its generation_config.json nor its tokenizer names a token that ends an"
            " answer",
        )
    return Loaded(
        model=model,
        tokenizer=tokenizer,
        context=int(text.max_position_embeddings),
        ends=tuple(known),
        vocabulary=int(text.vocab_size),
        pictures=pictures_of(folder, model.config),
    )


def stage(folder: Path, *, base: Path, dtype: torch.dtype) -> Mapping[str, Tensor]:
    """The parameters of a full model, or of the base with an adapter merged into it, in
    the processor's memory. Blocks. Raises as `read_model`."""
    if not folder.is_dir():
        raise weights_not_found(folder)
    model = _merged(folder, base, dtype) if (folder / _ADAPTER).is_file() else _model(folder, dtype)
    return dict(model.named_parameters())


def check(folder: Path, staged: Mapping[str, Tensor], model: Any) -> None:
    """Raises `inference.bad_weights` for parameters that are not, by name and shape,
    those of the model that serves."""
    wanted = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    given = {name: tuple(parameter.shape) for name, parameter in staged.items()}
    if wanted == given:
        return
    odd = sorted(
        name for name in wanted.keys() | given.keys() if wanted.get(name) != given.get(name)
    )
    first = odd[0]
    raise bad_weights(
        folder,
        f"{len(odd)} parameters are not those of the model that serves, the first of them {first}:"
        f" {given.get(first, 'missing')} instead of {wanted.get(first, 'none')}",
    )


def put(staged: Mapping[str, Tensor], model: Any) -> None:
    """Copy checked parameters into the model, in place."""
    for name, parameter in model.named_parameters():
        parameter.copy_(staged[name])


def dtype_on(device: torch.device, name: str) -> torch.dtype:
    """What weights are held in: `auto` is bfloat16 where the device multiplies it."""
    wide = name == "float32" or (name == "auto" and not multiplies_bfloat16(device))
    return torch.float32 if wide else torch.bfloat16


def _model(folder: Path, dtype: torch.dtype) -> Any:
    if not folder.is_dir():
        raise weights_not_found(folder)
    try:
        model = read_saved_model(folder, dtype=dtype)
    except Unreadable as error:
        raise bad_weights(folder, str(error)) from error
    return model.eval().requires_grad_(False)


def _merged(folder: Path, base: Path, dtype: torch.dtype) -> Any:
    from peft import PeftModel, get_peft_model_state_dict
    from safetensors import safe_open

    path = folder / _ADAPTER_WEIGHTS
    if not path.is_file():
        raise bad_weights(folder, f"the adapter has no {_ADAPTER_WEIGHTS}")
    try:
        kind = json.loads((folder / _ADAPTER).read_text(encoding="utf-8")).get("peft_type")
        if kind != "LORA":
            raise bad_weights(folder, f"adapters of the kind {kind} are not served, LORA is")
        adapted = PeftModel.from_pretrained(_model(base, dtype), folder, torch_device="cpu")
        with safe_open(path, framework="pt") as file:
            given = set(file.keys())
    except (OSError, ValueError, KeyError, RuntimeError, TypeError, AttributeError) as error:
        raise bad_weights(folder, f"{type(error).__name__}: {error}") from error
    odd = given ^ set(get_peft_model_state_dict(adapted))
    if odd:
        # peft leaves what it does not find at its initial value and says nothing.
        raise bad_weights(
            folder,
            f"{len(odd)} tensors do not belong to the base model's adapter, the first of them"
            f" {sorted(odd)[0]}",
        )
    return adapted.merge_and_unload().eval().requires_grad_(False)
