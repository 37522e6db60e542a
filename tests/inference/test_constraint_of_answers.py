"""What samples teach is what the constraint lets through, token by token: a model is
never pushed off what it has learned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proofwalk.agent.policies.llm.answers import answer_schema
from proofwalk.console import actions as a
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.samples import Recipe, answer_text, samples_of
from proofwalk.inference.engines.constraints import Grammars
from proofwalk.models.client import AnswerForm
from proofwalk.models.settings import ModelSettings
from tests.datasets.kit import collect, task_of
from tests.inference.tiny import tokenizer_of

_ACTIONS: list[a.Action] = [
    a.Click(id=26),
    a.Type(id=1, text='Promotion "site" – 中文'),
    a.Select(id=2, option="Large"),
    a.SetChecked(id=3, checked=False),
    a.Wait(text="Running", seconds=8.0),
    a.Press(key="Enter"),
    a.Scroll(dy=400),
    a.SubStepComplete(),
    a.TaskUnachievable(reason="there is no such button"),
]


@pytest.fixture(scope="module")
def grammars() -> Grammars:
    tokenizer = tokenizer_of()
    return Grammars(tokenizer, vocabulary=264, ends=[tokenizer.eos_token_id])


def _refused(grammars: Grammars, answer: str) -> str:
    """What stands from the first token on that the constraint does not let through;
    empty when all of the answer is."""
    tokenizer: Any = tokenizer_of()
    matcher = grammars.matcher(json.dumps(answer_schema("normal")))
    tokens = tokenizer(answer, add_special_tokens=False)["input_ids"]
    for at, token in enumerate(tokens):
        if not matcher.allowed()[token]:
            return str(tokenizer.decode(tokens[at:]))
        matcher.take(token)
    return "" if matcher.allowed()[tokenizer.eos_token_id] else "(the end)"


@pytest.mark.parametrize("action", _ACTIONS, ids=lambda one: one.type)
def test_an_answer_as_it_is_learned_is_let_through(grammars: Grammars, action: a.Action) -> None:
    for form in (AnswerForm.SCHEMA, AnswerForm.JSON):
        assert _refused(grammars, answer_text("I do it. → OK [26]", action, form=form)) == ""


@pytest.mark.parametrize("layout", ["normal", "compact"])
async def test_so_are_the_answers_of_a_whole_walk(
    grammars: Grammars, tmp_path: Path, layout: str
) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    settings = ModelSettings(vision=False).model_copy(update={"layout": layout})
    samples = samples_of(episode, Recipe(settings=settings)).samples
    assert len(samples) >= 7
    assert [_refused(grammars, one.answer) for one in samples] == [""] * len(samples)
