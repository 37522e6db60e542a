"""P(YES) of an outcome model: two answers' probabilities, and nothing else."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from proofwalk.datasets.outcomes.answers import NO, YES
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.outcome_model import OutcomeModel, answered, is_success, yes_share
from tests.inference.tiny import model_of, tokenizer_of
from tests.rl.kit import plain_logprobs, tiny_model, tiny_tokenizer


def question(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "judge"}, {"role": "user", "content": text}]


def test_the_two_answers_share_what_the_rest_of_the_vocabulary_has() -> None:
    assert yes_share(math.log(0.3), math.log(0.1)) == pytest.approx(0.75)
    assert yes_share(math.log(0.002), math.log(0.018)) == pytest.approx(0.1)
    assert yes_share(-2000.0, -2000.0) == 0.5
    assert yes_share(-5000.0, -1.0) == 0.0
    assert yes_share(-1.0, -5000.0) == 1.0


def test_what_is_as_likely_as_its_opposite_is_no_success() -> None:
    assert [is_success(value) for value in (0.49, 0.5, 0.51)] == [False, False, True]


def test_an_answer_of_several_tokens_counts_with_their_product() -> None:
    model, tokenizer = model_of(seed=1), tokenizer_of()
    asked = question("was it done")
    yes, no = (answered(tokenizer, asked, answer) for answer in (YES, NO))
    assert (len(yes.completion), len(no.completion)) == (3, 2)
    assert tokenizer.decode(yes.completion) == YES
    logs = [float(plain_logprobs(model, one).detach().sum()) for one in (yes, no)]
    expected = math.exp(logs[0]) / (math.exp(logs[0]) + math.exp(logs[1]))
    found = OutcomeModel(model, tokenizer, precision="fp32").success_probabilities([asked])
    assert found == [pytest.approx(expected, rel=1e-4)]


def test_a_question_is_answered_alike_alone_and_among_others() -> None:
    model, tokenizer = model_of(seed=2), tokenizer_of()
    asked = [question(text) for text in ("a", "was it done", "b" * 90, "c" * 30)]
    judge = OutcomeModel(model, tokenizer, microbatch_tokens=400, precision="fp32")
    together = judge.success_probabilities(asked)
    assert together == judge.success_probabilities(asked)
    alone = [judge.success_probabilities([one])[0] for one in asked]
    assert together == pytest.approx(alone, rel=1e-4)
    assert judge.success_probabilities(asked[::-1]) == pytest.approx(together[::-1], rel=1e-4)
    assert len(set(together)) == len(asked)


def test_it_asks_without_gradient_and_without_dropout() -> None:
    model = model_of(seed=3).train()
    OutcomeModel(model, tokenizer_of()).success_probabilities([question("a")])
    assert not model.training
    assert all(one.grad is None for one in model.parameters())
    assert torch.is_grad_enabled()


def test_a_tokenizer_that_cannot_tell_the_answers_apart_is_refused() -> None:
    judge = OutcomeModel(tiny_model(), tiny_tokenizer())
    with pytest.raises(ProofwalkError) as refused:
        judge.success_probabilities([question("Release secret")])
    assert refused.value.code == "rl.answers_alike"


def test_no_question_has_no_answer() -> None:
    assert OutcomeModel(model_of(), tokenizer_of()).success_probabilities([]) == []
