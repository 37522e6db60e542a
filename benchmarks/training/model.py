"""Makes the folder with the model that both sides train: SmolLM2-135M as
`rl.pretrained` fetches it, or random weights of its shape.

A process of its own, so that the benchmark's own memory stays small: a child's peak
begins at its parent's.
"""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "smollm2-135m"
WORDS = 49152


def random_weights(folder: Path) -> None:
    """SmolLM2-135M's configuration; what a step costs does not depend on what the
    weights say."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=8192,
        rope_parameters={"rope_type": "default", "rope_theta": 100000.0},
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=2,
        initializer_range=0.04,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer = Tokenizer(
        models.WordLevel({f"w{number}": number for number in range(WORDS)}, unk_token="w0")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="w2", pad_token="w2", unk_token="w0"
    ).save_pretrained(folder)


def main(kind: str, folder: Path) -> None:
    """`pretrained` or `random`, into a folder."""
    if kind == "random":
        random_weights(folder)
        return
    from proofwalk.rl.pretrained import fetch

    fetch(NAME, folder)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
