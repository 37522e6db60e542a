"""Several models that take turns by chance, over a real endpoint."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import AnswerForm, Message
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from tests.models.fake_endpoint import FakeEndpoint, Reply, serving

ASK = (Message(role="user", text="Hello."),)
SCHEMA: JsonObject = {"type": "object"}


async def test_each_question_goes_to_one_of_them_and_its_answer_names_it() -> None:
    async with serving(FakeEndpoint(answering=lambda asked: Reply(text="ok"))) as endpoint:
        settings = ModelSettings(
            endpoint=endpoint.url, pool=("one", "two", "three"), answers="json"
        )
        async with connect(settings, clock=SystemClock()) as model:
            assert model is not None
            assert model.client.form is AnswerForm.JSON
            told = [
                (await model.client.generate(ASK, schema=SCHEMA, max_tokens=64)).model
                for _ in range(60)
            ]
    assert [one["model"] for one in endpoint.asked] == told
    assert set(told) == {"one", "two", "three"}
    assert len({tuple(told[at : at + 3]) for at in range(0, 60, 3)}) > 3, "in no fixed order"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": "one"}, "leave NAME empty"),
        ({"via": "inference"}, "VIA at endpoint"),
        ({"pool": ("one", "one")}, "twice"),
        ({"pool": ("one", "")}, "without a name"),
        ({"answers": "auto"}, "in one form"),
    ],
)
def test_a_pool_that_cannot_work_is_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        ModelSettings.model_validate({"pool": ("one", "two"), "answers": "schema", **fields})
