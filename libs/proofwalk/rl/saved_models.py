"""Models in folders, as `save_pretrained` writes them: language models, and models that
look at pictures.

Safetensors alone are read, so that nothing is unpickled, and from the folder alone. A
folder whose parameters are not exactly those of its configuration is no model: a weight
that is left as it was drawn at random would be noticed by nobody. Whoever reads says in
its own words what that means (`trainer.model_loading`, `inference.engines.weights`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch


class Unreadable(Exception):
    """Why a folder holds no model."""


def looks(config: Any) -> bool:
    """Whether a model's configuration has a part that sees."""
    return getattr(config, "vision_config", None) is not None


def read_saved_model(folder: Path, *, dtype: torch.dtype) -> Any:
    """A folder's model, in the processor's memory. Blocks. Raises `Unreadable`."""
    # Imported here: it takes seconds, and some who import this read no model.
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        kind = AutoModelForImageTextToText if looks(config) else AutoModelForCausalLM
        model, told = kind.from_pretrained(
            folder,
            dtype=dtype,
            local_files_only=True,
            use_safetensors=True,
            output_loading_info=True,
        )
    except Exception as error:
        # transformers, safetensors and the config's reader each have errors of their
        # own.
        raise Unreadable(f"{type(error).__name__}: {error}") from error
    for what in ("missing_keys", "mismatched_keys", "unexpected_keys"):
        if told.get(what):
            names = ", ".join(sorted(map(str, told[what])))[:500]
            raise Unreadable(f"{what.replace('_', ' ')}: {names}")
    return model
