"""A tiny Llama with random weights and a byte-level tokenizer, made on the spot."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging

CONTEXT = 512
PEFT_WARNING = "ignore:.is_gradient_checkpointing. is deprecated:FutureWarning"
"""What peft makes transformers say; for `pytest.mark.filterwarnings`."""
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor"
    " %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]


def tokenizer_of() -> PreTrainedTokenizerFast:
    """One token for each byte, and four special ones."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(
        models.BPE(vocab={letter: index for index, letter in enumerate(alphabet)}, merges=[])
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=SPECIAL[0],
        additional_special_tokens=SPECIAL[1:],
        clean_up_tokenization_spaces=False,
    )
    made.chat_template = TEMPLATE
    return made


def model_of(
    seed: int = 0,
    *,
    layers: int = 2,
    hidden: int = 32,
    context: int = CONTEXT,
    tied: bool = True,
) -> LlamaForCausalLM:
    """Random, and with differences between its words large enough that seeds and
    weights show."""
    logging.disable_progress_bar()
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=264,
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        bos_token_id=None,
        eos_token_id=256,
        initializer_range=0.3,
        tie_word_embeddings=tied,
    )
    return LlamaForCausalLM(config).eval()


def save(folder: Path, *, seed: int = 0, tied: bool = True, **shape: int) -> Path:
    """A folder as `save_pretrained` writes it."""
    model_of(seed, tied=tied, **shape).save_pretrained(folder)
    tokenizer_of().save_pretrained(folder)
    return folder


def save_adapter(folder: Path, *, base: Path, seed: int = 3) -> Path:
    """A LoRA adapter of the base as peft saves it, with both of its factors random: it
    changes what the model says."""
    torch.manual_seed(seed)
    model = get_peft_model(
        LlamaForCausalLM.from_pretrained(base),
        LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "down_proj"]),
    )
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    model.save_pretrained(folder)
    return folder


def logprobs_of(folder: Path, prompt: Sequence[int], completion: Sequence[int]) -> list[float]:
    """By a plain forward pass over the one sequence, without cache, padding or batch:
    what engines are held to."""
    model = LlamaForCausalLM.from_pretrained(folder).eval()
    with torch.no_grad():
        logits = model(torch.tensor([[*prompt, *completion]])).logits[0].log_softmax(dim=-1)
    return [float(logits[len(prompt) - 1 + place, token]) for place, token in enumerate(completion)]


class Gate:
    """Holds a model's forward passes back while it is closed, counts them, and makes
    one fail."""

    def __init__(self, model: Any) -> None:
        self.open = threading.Event()
        self.open.set()
        self.passes = 0
        self.fault: Exception | None = None
        model.register_forward_hook(self._hook)

    def _hook(self, *_: Any) -> None:
        self.passes += 1
        assert self.open.wait(20)
        fault, self.fault = self.fault, None
        if fault is not None:
            raise fault
