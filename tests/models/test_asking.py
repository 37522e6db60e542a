"""A question is asked until it is taken: weaker where the form is refused, shorter
where it is too long, and no more often than is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from proofwalk.kernel.errors import ProofwalkError, Status, invalid, unavailable
from proofwalk.models.asking import Model, Room, Usage, answered, ask
from proofwalk.models.client import CONTEXT_EXCEEDED, FORM_REFUSED, AnswerForm, Completion, Message
from proofwalk.models.prices import Price, PriceTable
from proofwalk.models.settings import ModelSettings

SETTINGS = ModelSettings(context_tokens=1000, max_tokens=100)


class StrictClient:
    """Takes questions in one form and up to a length."""

    def __init__(self, *, takes: AnswerForm = AnswerForm.SCHEMA, most_chars: int = 10_000) -> None:
        self.form = AnswerForm.SCHEMA
        self.asked: list[tuple[AnswerForm, int]] = []
        self._takes = takes
        self._most = most_chars

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        form, chars = self.form, sum(len(one.text) for one in messages)
        self.asked.append((form, chars))
        if form is not self._takes and form.weaker is not None:
            self.form = form.weaker
            raise ProofwalkError(FORM_REFUSED, "not in this form", status=Status.UNAVAILABLE)
        if chars > self._most:
            raise ProofwalkError(CONTEXT_EXCEEDED, "too long", status=Status.UNAVAILABLE)
        return Completion(
            text="yes",
            finish_reason="stop",
            model="strict",
            tokens_in=chars,
            tokens_out=5,
            tokens_cached=10,
        )


@dataclass(frozen=True)
class Sized:
    form: AnswerForm
    messages: tuple[Message, ...]


def model_of(client: StrictClient, **prices: Price) -> Model:
    return Model(client=client, settings=SETTINGS, prices=PriceTable(currency="CNY", models=prices))


def sized(room: Room) -> Callable[[AnswerForm], Sized]:
    def build(form: AnswerForm) -> Sized:
        return Sized(form, (Message(role="user", text="x" * room.tokens),))

    return build


async def test_a_question_goes_on_to_the_form_that_is_taken() -> None:
    client = StrictClient(takes=AnswerForm.TEXT)
    room = Room(SETTINGS)
    question, completion = await ask(model_of(client), sized(room), schema={}, room=room)
    assert (question.form, completion.text) == (AnswerForm.TEXT, "yes")
    assert [form for form, _ in client.asked] == [
        AnswerForm.SCHEMA,
        AnswerForm.JSON,
        AnswerForm.TEXT,
    ]


async def test_a_question_that_is_too_long_is_built_anew_with_less_room() -> None:
    client = StrictClient(most_chars=200)
    room = Room(SETTINGS)
    question, _ = await ask(model_of(client), sized(room), schema={}, room=room)
    lengths = [chars for _, chars in client.asked]
    assert lengths[0] == SETTINGS.context_tokens - SETTINGS.max_tokens
    assert lengths == sorted(lengths, reverse=True)
    assert len(question.messages[0].text) == lengths[-1] <= 200


async def test_it_ends_when_no_length_is_taken() -> None:
    client = StrictClient(most_chars=0)
    room = Room(SETTINGS)
    with pytest.raises(ProofwalkError) as caught:
        await ask(model_of(client), sized(room), schema={}, room=room)
    assert caught.value.code == CONTEXT_EXCEEDED
    assert len(client.asked) == 5


async def test_a_question_without_room_is_not_asked_again_for_its_length() -> None:
    client = StrictClient(most_chars=0)
    with pytest.raises(ProofwalkError) as caught:
        await answered(model_of(client), [Message(role="user", text="long")], schema={})
    assert caught.value.code == CONTEXT_EXCEEDED
    assert len(client.asked) == 1


async def test_what_the_question_cannot_be_built_for_passes_through() -> None:
    client = StrictClient()

    def build(form: AnswerForm) -> Sized:
        raise invalid("test.no_question", "nothing to ask")

    with pytest.raises(ProofwalkError) as caught:
        await ask(model_of(client), build, schema={}, room=Room(SETTINGS))
    assert (caught.value.code, client.asked) == ("test.no_question", [])


async def test_what_keeps_the_endpoint_from_answering_passes_through() -> None:
    class Away(StrictClient):
        async def generate(
            self,
            messages: Sequence[Message],
            *,
            schema: Mapping[str, object],
            max_tokens: int,
            seed: int | None = None,
        ) -> Completion:
            raise unavailable("model.away", "nobody there")

    with pytest.raises(ProofwalkError) as caught:
        await answered(model_of(Away()), [], schema={})
    assert caught.value.code == "model.away"


def test_usage_adds_up_with_the_price_of_the_model_that_answered() -> None:
    completion = Completion(
        text="", finish_reason="stop", model="strict", tokens_in=1_000_000, tokens_out=500_000
    )
    usage, priced = Usage(), model_of(StrictClient(), strict=Price(input=2.0, output=8.0))
    assert usage.count(completion, model_of(StrictClient())) == 0.0
    assert (usage.calls, usage.tokens_in, usage.cost, usage.currency) == (1, 1_000_000, 0.0, "")
    assert usage.count(completion, priced) == pytest.approx(6.0)
    assert usage.cost == pytest.approx(6.0)
    assert (usage.calls, usage.tokens_out, usage.currency) == (2, 1_000_000, "CNY")
