"""LoRA through peft, and the frozen policy that a run is held to."""

from __future__ import annotations

import copy
import hashlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import RunSettings

Scorer = Callable[[Sequence[Sample]], list[tuple[float, ...]]]
"""Samples to the log-probabilities of their completion tokens, as `logprobs.score`
gives them."""


def has_adapter(model: Any) -> bool:
    """Whether the model carries an adapter of peft."""
    return hasattr(model, "peft_config")


def adapted(model: Any, settings: RunSettings) -> Any:
    """The model as it is trained: itself, or with fresh LoRA adapters (which start as
    the identity). One that has adapters keeps them."""
    if settings.adaptation == "full" or has_adapter(model):
        return model
    from peft import LoraConfig, get_peft_model

    lora = settings.lora
    configuration = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets),
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        # peft 0.21 asks transformers 5.23 by a name that is to go
        warnings.filterwarnings(
            "ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning
        )
        return get_peft_model(model, configuration)


def fingerprint(model: Any) -> str:
    """SHA-256 over names, shapes and the first 256 entries of every weight: tells one
    starting policy from another in a moment."""
    total = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        head = tensor.detach().flatten()[:256].double().cpu().tolist()
        total.update(repr((name, tuple(tensor.shape), head)).encode("utf-8"))
    return total.hexdigest()


def frozen(model: Any) -> Any:
    """A copy that never learns: π_ref of §5.2, the policy that the run starts from."""
    reference = copy.deepcopy(model).eval()
    for parameter in reference.parameters():
        parameter.requires_grad_(False)
    return reference
