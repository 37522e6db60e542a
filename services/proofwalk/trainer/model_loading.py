"""The model that a run begins with: full weights or an adapter on them, a language
model or one that looks at pictures (Qwen3-VL), in float32 on the device that there
is."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import torch

from proofwalk.rl.devices import resolved
from proofwalk.rl.images import Eyes, Reading, processor_in
from proofwalk.rl.saved_models import Unreadable, looks, read_saved_model
from proofwalk.trainer.examination import ADAPTER, bad_model, examine_model
from proofwalk.trajectories.trajectory import image_in


def load_model(folder: Path, *, adaptation: str) -> tuple[Any, Any]:
    """A model in training mode, float32, and its tokenizer. Raises
    `trainer.model_not_found`, `trainer.bad_model`."""
    from transformers import AutoTokenizer

    base = examine_model(folder)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except Exception as error:
        # tokenizers and transformers each have errors of their own.
        raise bad_model(folder, f"{type(error).__name__}: {error}") from error
    try:
        model = read_saved_model(base, dtype=torch.float32)
    except Unreadable as error:
        raise bad_model(folder, str(error)) from error
    if (folder / ADAPTER).is_file():
        model = _with_adapter(model, folder, merge=adaptation == "full")
    return model.to(resolved()).train(), tokenizer


def _with_adapter(model: Any, folder: Path, *, merge: bool) -> Any:
    from peft import PeftModel

    with warnings.catch_warnings():
        # peft 0.21 asks transformers 5.23 by a name that is to go
        warnings.filterwarnings(
            "ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning
        )
        try:
            adapted = PeftModel.from_pretrained(
                model, folder, is_trainable=not merge, torch_device="cpu"
            )
        except Exception as error:
            raise bad_model(folder, f"{type(error).__name__}: {error}") from error
    if not merge:
        return adapted
    merged = adapted.merge_and_unload()
    for parameter in merged.parameters():
        parameter.requires_grad_(True)
    return merged


def eyes_in(folder: Path, pictures: Path) -> Eyes | None:
    """How the model of a folder looks at the pictures in another; None for one that
    reads text alone. Raises `trainer.bad_model`."""
    from transformers import AutoConfig

    base = examine_model(folder)
    try:
        config = AutoConfig.from_pretrained(base, local_files_only=True)
        if not looks(config):
            return None
        processor = processor_in(base)
    except (OSError, ValueError) as error:
        raise bad_model(folder, f"it has no image processor: {error}") from error
    read = partial(image_in, pictures)
    return Eyes(processor=processor, image_token=int(config.image_token_id), read=read)


def saved_beside(tokenizer: Any, eyes: Eyes | None) -> Any:
    """What a checkpoint keeps beside its weights."""
    return tokenizer if eyes is None else Reading(tokenizer, eyes.processor)
