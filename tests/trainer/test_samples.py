"""What is learned has the tokens that inference would have read and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from proofwalk.datasets.chat_samples import ChatMessage
from proofwalk.inference.domain import Ask
from proofwalk.inference.engines.embedded import open_embedded
from proofwalk.inference.engines.limits import Limits
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.client import Message
from proofwalk.rl.chat import tokenized
from tests.trainer import kit


async def test_a_samples_prompt_is_what_the_engine_reads(model_folder: Path) -> None:
    samples = [
        *kit.chat_samples(3),
        *kit.chat_samples(1, question='Ask <|user|> for\n\n "ä 停止" \t now '),
    ]
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    async with open_embedded(model_folder, name="", dtype="float32", limits=Limits()) as engine:
        for sample in samples:
            messages = tuple(Message(role=one.role, text=one.text) for one in sample.messages)  # type: ignore[arg-type]
            generation = await engine.generate(Ask(messages=messages, max_tokens=1, seed=0))
            made = tokenized(tokenizer, sample)
            assert tuple(made.prompt) == generation.prompt_token_ids
            assert made.episode == sample.episode


def test_the_answer_alone_is_learned_and_ends_the_turn(model_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    [sample] = kit.chat_samples(1)
    made = tokenized(tokenizer, sample)
    assert tokenizer.decode(list(made.completion)) == f"{sample.answer}<|end|>"
    assert made.completion[-1] == tokenizer.eos_token_id
    assert made.learned == tuple(range(len(made.completion)))


def test_pictures_and_a_missing_template_are_refused(model_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    [sample] = kit.chat_samples(1)
    seen = replace(sample, messages=(ChatMessage(role="user", text="look", images=("0" * 64,)),))
    with pytest.raises(ProofwalkError) as caught:
        tokenized(tokenizer, seen)
    assert caught.value.status is Status.UNIMPLEMENTED
    tokenizer.chat_template = None
    with pytest.raises(ProofwalkError) as caught:
        tokenized(tokenizer, sample)
    assert caught.value.code == "rl.template_missing"
