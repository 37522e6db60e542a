"""A Llama with random weights and a tokenizer made from given texts: what tries a
pipeline out without a download and in seconds.

The tokenizer is byte-level BPE with ChatML's turns, so that a conversation's prompt is
a prefix of its answered form (`samples.from_messages`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging

from proofwalk.kernel.errors import invalid

_BEGIN, _END, _PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content']"
    " }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def initialise(
    folder: Path,
    texts: Iterable[str],
    *,
    seed: int,
    layers: int,
    hidden: int,
    heads: int,
    vocabulary: int,
    context: int,
) -> int:
    """Write model and tokenizer into `folder`, which must not exist; the number of
    parameters. The same arguments give the same weights.

    Raises `rl.data_empty` when there is no text to make a vocabulary of.
    """
    tokenizer = _tokenizer(list(texts), vocabulary=vocabulary, context=context)
    logging.disable_progress_bar()
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=context,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def _tokenizer(texts: list[str], *, vocabulary: int, context: int) -> PreTrainedTokenizerFast:
    if not any(texts):
        raise invalid("rl.data_empty", "there is no text to make a vocabulary of")
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[_PAD, _BEGIN, _END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token=_END,
        pad_token=_PAD,
        additional_special_tokens=[_BEGIN],
        model_max_length=context,
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = _TEMPLATE
    return wrapped
