"""Tiny models, a tokenizer made on the spot, and samples: what the tests of training
share."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from proofwalk.rl.samples import Sample

VOCABULARY = 40
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }} {{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)


def tiny_model(seed: int = 0, *, tied: bool = True, hidden: int = 32) -> Any:
    """A Llama of some 30k parameters with random weights, float32, in training mode."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        tie_word_embeddings=tied,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
        initializer_range=0.1,
    )
    return LlamaForCausalLM(config).train()


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Words apart at white space; ids 0 and 1 are padding and the end of a turn."""
    words = [
        "<pad>",
        "<|im_end|>",
        "<|im_start|>",
        "<unk>",
        "user",
        "assistant",
        "system",
        "click",
        "Release",
        "secret",
        "18",
        "done",
    ]
    tokenizer = Tokenizer(
        models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<unk>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="<|im_end|>",
        unk_token="<unk>",
        additional_special_tokens=["<|im_start|>"],
    )
    fast.chat_template = TEMPLATE
    return fast


def ragged_samples(count: int, seed: int = 0, **fields: Any) -> list[Sample]:
    """Samples of different lengths over the vocabulary."""
    chance = Random(seed)
    return [
        Sample(
            prompt=tuple(chance.randrange(2, VOCABULARY) for _ in range(chance.randint(1, 14))),
            completion=tuple(chance.randrange(2, VOCABULARY) for _ in range(chance.randint(1, 6))),
            episode=f"e{number // 2}",
            **fields,
        )
        for number in range(count)
    ]


def copying_samples(count: int, seed: int = 0) -> list[Sample]:
    """A task that can be learned: say the prompt's last token, then the end of the
    turn."""
    chance = Random(seed)
    prompts = [
        tuple(chance.randrange(2, 12) for _ in range(chance.randint(2, 5))) for _ in range(count)
    ]
    return [
        Sample(prompt=prompt, completion=(prompt[-1], 1), episode=str(number))
        for number, prompt in enumerate(prompts)
    ]


def plain_logprobs(model: Any, sample: Sample) -> torch.Tensor:
    """The definition, one sample at a time: all logits, log-softmax, the completion's
    entries."""
    ids = torch.tensor([[*sample.prompt, *sample.completion]])
    logs = torch.log_softmax(model(input_ids=ids, use_cache=False).logits[0].float(), dim=-1)
    rows = torch.arange(len(sample.prompt) - 1, ids.shape[1] - 1)
    return logs[rows, torch.tensor(list(sample.completion))]


def gradients(model: Any) -> dict[str, torch.Tensor]:
    """A copy of every parameter's gradient, which is cleared."""
    copies = {name: one.grad.clone() for name, one in model.named_parameters()}
    model.zero_grad(set_to_none=True)
    return copies


def held_at_step(model: Any, optimizer: Any) -> dict[str, torch.Tensor]:
    """Filled with every parameter's gradient when the optimizer is about to step."""
    held: dict[str, torch.Tensor] = {}
    optimizer.register_step_pre_hook(
        lambda *_: held.update({name: one.grad.clone() for name, one in model.named_parameters()})
    )
    return held


def assert_same_gradients(ours: dict[str, torch.Tensor], theirs: dict[str, torch.Tensor]) -> None:
    for name, value in theirs.items():
        assert torch.allclose(ours[name], value, rtol=1e-4, atol=1e-6), name


def ignore(step: int, values: object) -> None:
    """Metrics that nobody looks at."""


def never() -> bool:
    return False


def curve(rows: Sequence[Any], name: str) -> list[float]:
    return [row[name] for row in rows if name in row]
