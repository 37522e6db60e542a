"""The client over real sockets: what is sent, what comes back, whose failure a failure
is, and that the key stays secret."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import SecretStr

from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import (
    CONTEXT_EXCEEDED,
    FORM_REFUSED,
    AnswerForm,
    Completion,
    Image,
    Message,
)
from proofwalk.models.connection import connect
from proofwalk.models.endpoint import Access, open_endpoint
from proofwalk.models.settings import ModelSettings
from tests.agent.llm.kit import model_of
from tests.models.fake_endpoint import FakeEndpoint, Reply, refuse, serving

KEY = "sk-canary-0123456789"
ASK = (Message(role="user", text="Hello."),)
SCHEMA: JsonObject = {"type": "object"}


async def ask(endpoint: FakeEndpoint, **settings: Any) -> Completion:
    async with serving(endpoint), model_of(endpoint, **settings) as model:
        return await model.client.generate(ASK, schema=SCHEMA, max_tokens=64)


async def failing(endpoint: FakeEndpoint, **settings: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await ask(endpoint, **settings)
    return caught.value


async def test_a_question_goes_out_in_the_protocols_form() -> None:
    endpoint = FakeEndpoint(Reply(text="ok"))
    image = Image(jpeg=b"\xff\xd8", width=10, height=10)
    async with serving(endpoint), model_of(endpoint, api_key=SecretStr(KEY)) as model:
        said = (
            Message(role="system", text="Be brief."),
            Message(role="user", text="Look.", images=(image,)),
        )
        await model.client.generate(said, schema=SCHEMA, max_tokens=64)
    asked = endpoint.asked[0]
    assert asked["model"] == "fake-vl"
    assert (asked["max_tokens"], asked["temperature"]) == (64, 0.0)
    assert asked["response_format"]["json_schema"]["schema"] == SCHEMA
    assert asked["messages"][0] == {"role": "system", "content": "Be brief."}
    assert [part["type"] for part in asked["messages"][1]["content"]] == ["text", "image_url"]
    assert endpoint.images_of() == ["data:image/jpeg;base64,/9g="]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_without_a_key_no_key_is_sent_whatever_the_environment_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.test/v1")
    endpoint = FakeEndpoint(Reply(text="ok"))
    await ask(endpoint)
    assert (
        not {"authorization", "openai-organization", "openai-project"} & endpoint.headers[0].keys()
    )


async def test_tokens_ids_and_logprobs_come_back_where_they_are_served() -> None:
    usage = {
        "prompt_tokens": 900,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 800},
    }
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -0.25}]}
    served = Reply(
        text="ab",
        finish_reason="length",
        usage=usage,
        choice={"logprobs": logprobs, "token_ids": [4, 5]},
        more={"prompt_token_ids": [1, 2, 3], "model": "fake-vl-2026"},
    )
    endpoint = FakeEndpoint(served)
    found = await ask(endpoint, logprobs=True, token_ids=True)
    assert (found.tokens_in, found.tokens_out, found.tokens_cached, found.counted) == (
        900,
        2,
        800,
        True,
    )
    assert (found.token_ids, found.prompt_token_ids, found.logprobs) == (
        (4, 5),
        (1, 2, 3),
        (-0.5, -0.25),
    )
    assert (found.text, found.finish_reason, found.model) == ("ab", "length", "fake-vl-2026")
    assert endpoint.asked[0]["logprobs"] is True
    assert endpoint.asked[0]["return_token_ids"] is True


async def test_tokens_are_estimated_where_the_endpoint_does_not_count() -> None:
    found = await ask(FakeEndpoint(Reply(text="some words here", usage={})))
    assert not found.counted
    assert found.tokens_in >= 2
    assert found.tokens_out >= 3


async def test_the_only_listed_model_is_taken_when_none_is_named() -> None:
    endpoint = FakeEndpoint(Reply(text="ok"))
    await ask(endpoint, name="")
    assert endpoint.asked[0]["model"] == "fake-vl"
    several = FakeEndpoint(Reply(text="ok"))
    several.models = [{"id": "a"}, {"id": "b"}]
    error = await failing(several, name="")
    assert (error.code, error.status) == ("model.several", Status.UNAVAILABLE)
    assert "a, b" in error.message


@pytest.mark.parametrize(
    "fault",
    [
        refuse("slow down", 429, Retry_After="0.01"),
        refuse("oops", 500),
        refuse("bad gateway", 502),
        Reply(text="cut", cut=True),
    ],
)
async def test_a_passing_fault_is_repeated(fault: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    endpoint = FakeEndpoint(fault, Reply(text="ok"))
    assert (await ask(endpoint)).text == "ok"
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize(
    ("fault", "code", "status"),
    [
        (
            refuse("slow down", 429, Retry_After="0.01"),
            "model.rate_limited",
            Status.RESOURCE_EXHAUSTED,
        ),
        (refuse("oops", 500), "model.away", Status.UNAVAILABLE),
        (Reply(text="cut", cut=True), "model.away", Status.UNAVAILABLE),
        (Reply(hang=True), "model.timeout", Status.UNAVAILABLE),
        (refuse("who are you", 401), "model.unauthenticated", Status.UNAUTHENTICATED),
        (refuse("not you", 403), "model.unauthenticated", Status.UNAUTHENTICATED),
        (refuse("no such model", 404), "model.unknown", Status.UNAVAILABLE),
        (refuse("maximum context length is 4096 tokens"), CONTEXT_EXCEEDED, Status.UNAVAILABLE),
        (Reply(body=b"<html>hello</html>"), "model.bad_answer", Status.UNAVAILABLE),
        (Reply(body=b'{"choices": []}'), "model.bad_answer", Status.UNAVAILABLE),
        (Reply(body=b'{"choices": "many"}'), "model.bad_answer", Status.UNAVAILABLE),
        (
            Reply(body=b"\xff\xfe\x00", headers={"content-type": "text/plain"}),
            "model.bad_answer",
            Status.UNAVAILABLE,
        ),
        (
            Reply(status=302, headers={"location": "http://127.0.0.1:1/"}, body=b""),
            "model.bad_answer",
            Status.UNAVAILABLE,
        ),
    ],
)
async def test_a_lasting_fault_is_the_environments(
    fault: Reply, code: str, status: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    endpoint = FakeEndpoint(fault)
    error = await failing(endpoint, retries=1, timeout_s=1, deadline_s=3)
    assert (error.code, error.status) == (code, status)
    assert len(endpoint.asked) <= 2


async def test_an_endpoint_that_is_not_there_is_away() -> None:
    async with serving(FakeEndpoint()) as gone:
        pass
    async with model_of(gone, retries=0) as model:
        with pytest.raises(ProofwalkError) as caught:
            await model.client.generate(ASK, schema=SCHEMA, max_tokens=64)
    assert caught.value.code == "model.away"


async def test_a_key_that_the_endpoint_repeats_is_in_no_error() -> None:
    error = await failing(
        FakeEndpoint(refuse(f"Incorrect API key provided: {KEY}\x1b[31m", 401)),
        api_key=SecretStr(KEY),
    )
    assert KEY not in str(error)
    assert "\x1b" not in error.message
    assert KEY not in repr(error.details)


async def test_what_is_refused_is_left_out_and_stays_left_out() -> None:
    def answering(asked: dict[str, Any]) -> Reply:
        if "max_tokens" in asked:
            return refuse("Unsupported parameter: use 'max_completion_tokens' instead.")
        if "temperature" in asked:
            return refuse("temperature does not support 0.0")
        if "logprobs" in asked:
            return refuse("logprobs are not supported")
        return Reply(text="ok")

    endpoint = FakeEndpoint(answering=answering)
    async with serving(endpoint), model_of(endpoint, logprobs=True) as model:
        for _ in range(2):
            assert (await model.client.generate(ASK, schema=SCHEMA, max_tokens=64)).text == "ok"
        assert model.client.form is AnswerForm.SCHEMA
    assert len(endpoint.asked) == 5
    assert endpoint.asked[-1]["max_completion_tokens"] == 64


async def test_a_refused_constraint_leads_to_the_next_weaker_form() -> None:
    def answering(asked: dict[str, Any]) -> Reply:
        kind = asked.get("response_format", {}).get("type")
        return refuse(f"response_format {kind} is not supported") if kind else Reply(text="ok")

    endpoint = FakeEndpoint(answering=answering)
    async with serving(endpoint), model_of(endpoint) as model:
        for form in (AnswerForm.JSON, AnswerForm.TEXT):
            with pytest.raises(ProofwalkError) as caught:
                await model.client.generate(ASK, schema=SCHEMA, max_tokens=64)
            assert caught.value.code == FORM_REFUSED
            assert model.client.form is form
        assert (await model.client.generate(ASK, schema=SCHEMA, max_tokens=64)).text == "ok"
    assert "response_format" not in endpoint.asked[-1]


async def test_a_form_that_is_set_is_not_given_up() -> None:
    error = await failing(
        FakeEndpoint(refuse("response_format is not supported")), answers="schema"
    )
    assert error.code == "model.refused_request"


@pytest.mark.parametrize(
    "url", ["", "host/v1", "ftp://host/v1", "http://", "https://user:word@host/v1"]
)
async def test_what_is_no_endpoint_is_refused_before_anything_is_asked(url: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        async with open_endpoint(Access(url=url)):
            pass
    assert caught.value.code == "model.bad_endpoint"


async def test_without_an_endpoint_there_is_no_model() -> None:
    async with connect(ModelSettings(), clock=SystemClock()) as model:
        assert model is None


async def test_one_client_serves_questions_at_the_same_time() -> None:
    endpoint = FakeEndpoint(answering=lambda asked: Reply(text=asked["messages"][0]["content"]))
    async with serving(endpoint), model_of(endpoint) as model:
        texts = [f"question {number}" for number in range(8)]
        questions = [
            model.client.generate((Message(role="user", text=text),), schema=SCHEMA, max_tokens=8)
            for text in texts
        ]
        found = await asyncio.gather(*questions)
    assert [one.text for one in found] == texts
    assert json.dumps(endpoint.asked)
