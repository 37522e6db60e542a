"""The inference role as a policy's model: what is asked over the contract, what reaches
the recorder, and whose failure a failure is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1 import inference_pb2_grpc
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.rpc import RpcService, deadlines
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, exhausted, invalid, unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.asking import Model
from proofwalk.models.client import (
    CONTEXT_EXCEEDED,
    FORM_REFUSED,
    AnswerForm,
    Completion,
    Image,
    Message,
    ModelClient,
)
from proofwalk.models.inference import served_model
from proofwalk.models.settings import ModelSettings
from tests.agent.llm.kit import CODE, turn_of

ASK = (Message(role="system", text="Be brief."), Message(role="user", text="Hello."))
SCHEMA: JsonObject = {"type": "object", "properties": {"a": {"type": "integer"}}}


class Scripted(inference_pb2_grpc.InferenceServicer):
    """Answers its script one after the other, the last one for ever."""

    def __init__(self, *script: str | ProofwalkError | None) -> None:
        self.script = list(script)
        self.asked: list[pb.GenerateRequest] = []

    async def Generate(self, request: pb.GenerateRequest, context: Any) -> pb.GenerateResponse:
        self.asked.append(request)
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(answer, ProofwalkError):
            raise answer
        if answer is None:
            await asyncio.Event().wait()
        return pb.GenerateResponse(
            policy_version="grpo-7",
            prompt_token_ids=[1, 2, 3],
            samples=[
                pb.Sample(
                    text=answer,
                    token_ids=[4, 5],
                    logprobs=[-0.5, -0.25],
                    constrained_logprobs=[-0.5, 0.0],
                    finish_reason="stop",
                )
            ],
            usage=pb.Usage(tokens_in=900, tokens_out=2, tokens_cached=800),
        )


@asynccontextmanager
async def served(
    process_settings: ProcessSettings, servicer: Scripted, **settings: Any
) -> AsyncIterator[Model]:
    async def start(_: RoleContext) -> Running:
        service = RpcService(
            descriptor=pb.DESCRIPTOR.services_by_name["Inference"],
            register=inference_pb2_grpc.add_InferenceServicer_to_server,
            servicer=servicer,
        )
        return Running(services=[service])

    async with Process(process_settings, [Role(name="inference", start=start)]) as process:
        channel = process.channel("inference")
        await channel.wait_until_ready(10)
        chosen = ModelSettings.model_validate(
            {"via": "inference", "deadline_s": 10, "timeout_s": 5, **settings}
        )
        yield await served_model(channel.grpc, chosen, clock=SystemClock())


async def said(client: ModelClient, messages: Sequence[Message] = ASK) -> Completion:
    return await client.generate(messages, schema=SCHEMA, max_tokens=64)


async def failing(client: ModelClient) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await said(client)
    return caught.value


async def test_a_question_goes_out_and_its_tokens_version_and_logprobs_come_back(
    process_settings: ProcessSettings,
) -> None:
    role = Scripted("ok")
    image = Image(jpeg=b"\xff\xd8", width=10, height=20)
    async with served(process_settings, role, temperature=0.5) as model:
        found = await said(
            model.client, (*ASK, Message(role="user", text="Look.", images=(image,)))
        )
    asked = role.asked[0]
    assert [(message.role, message.text) for message in asked.messages][:2] == [
        ("system", "Be brief."),
        ("user", "Hello."),
    ]
    assert asked.messages[2].images[0] == pb.Image(jpeg=b"\xff\xd8", width=10, height=20)
    assert (json.loads(asked.json_schema), asked.max_tokens, asked.temperature) == (SCHEMA, 64, 0.5)
    assert not asked.HasField("seed")
    assert (found.text, found.model, found.finish_reason) == ("ok", "grpo-7", "stop")
    assert (found.prompt_token_ids, found.token_ids, found.logprobs) == (
        (1, 2, 3),
        (4, 5),
        (-0.5, -0.25),
    )
    assert found.constrained_logprobs == (-0.5, 0.0)
    assert (found.tokens_in, found.tokens_out, found.tokens_cached, found.counted) == (
        900,
        2,
        800,
        True,
    )


async def test_a_decision_holds_the_exchange_with_what_training_needs(
    process_settings: ProcessSettings,
) -> None:
    answer = json.dumps({"thought": "Press it.", "action": {"type": "click", "id": 1}})
    async with served(process_settings, Scripted(answer)) as model:
        policy = LlmPolicy(model, code=CODE)
        decision = await policy.decide(turn_of())
    exchange = decision.exchanges[0]
    assert decision.model == exchange.completion.model == "grpo-7"
    assert exchange.completion.token_ids == (4, 5)
    assert exchange.completion.logprobs == (-0.5, -0.25)


async def test_a_seed_decides_the_seed_of_each_question_and_without_one_there_is_none(
    process_settings: ProcessSettings,
) -> None:
    async def seeds(seed: str) -> list[int | None]:
        role = Scripted(json.dumps({"thought": "Press it.", "action": {"type": "click", "id": 1}}))
        async with served(process_settings, role) as model:
            policy = LlmPolicy(model, code=CODE, seed=seed)
            for _ in range(3):
                await policy.decide(turn_of())
        return [asked.seed if asked.HasField("seed") else None for asked in role.asked]

    first = await seeds("task/1")
    assert await seeds("task/1") == first
    assert len({*first, *await seeds("task/2")}) == 6
    assert all(seed is not None and 0 <= seed < 2**63 for seed in first)
    assert await seeds("") == [None] * 3


@pytest.mark.parametrize(
    ("answers", "form", "schema"),
    [("json", AnswerForm.JSON, {"type": "object"}), ("text", AnswerForm.TEXT, None)],
)
async def test_weaker_forms_ask_for_less(
    process_settings: ProcessSettings, answers: str, form: AnswerForm, schema: dict[str, str] | None
) -> None:
    role = Scripted("{}")
    async with served(process_settings, role, answers=answers) as model:
        assert model.client.form is form
        await said(model.client)
    assert (json.loads(role.asked[0].json_schema) if role.asked[0].json_schema else None) == schema


async def test_a_full_role_is_asked_again_when_it_says(process_settings: ProcessSettings) -> None:
    full = exhausted("inference.overloaded", "full")
    full.details["retry_after_s"] = "0.01"
    role = Scripted(full, full, full, full, "ok")
    async with served(process_settings, role, retries=0) as model:
        assert (await said(model.client)).text == "ok"
    assert len(role.asked) == 5


async def test_a_role_that_stays_full_is_out_of_time(process_settings: ProcessSettings) -> None:
    full = exhausted("inference.overloaded", "full")
    full.details["retry_after_s"] = "600"
    async with served(process_settings, Scripted(full), deadline_s=1) as model:
        error = await failing(model.client)
    assert (error.code, error.status) == ("model.timeout", Status.UNAVAILABLE)


async def test_a_question_is_not_repeated_when_the_served_call_is_over_by_then(
    process_settings: ProcessSettings,
) -> None:
    role = Scripted(unavailable("inference.engine_away", "gone"))
    async with served(process_settings, role, retries=5) as model:
        deadlines.note(0.15)
        assert (await failing(model.client)).code == "inference.engine_away"
        assert len(role.asked) == 1


async def test_a_role_that_is_away_is_asked_again_a_bounded_number_of_times(
    process_settings: ProcessSettings,
) -> None:
    away = unavailable("inference.engine_away", "gone")
    role = Scripted(away, "ok")
    async with served(process_settings, role, retries=1) as model:
        assert (await said(model.client)).text == "ok"
    role = Scripted(away)
    async with served(process_settings, role, retries=1) as model:
        assert (await failing(model.client)).code == "inference.engine_away"
    assert len(role.asked) == 2


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (invalid("inference.context_exceeded", "too long"), CONTEXT_EXCEEDED),
        (ProofwalkError("inference.form_refused", "no", status=Status.UNAVAILABLE), FORM_REFUSED),
        (invalid("inference.images_unsupported", "text only"), "model.refused_request"),
        (
            ProofwalkError("inference.no_engine", "none", status=Status.FAILED_PRECONDITION),
            "model.refused_request",
        ),
        (ProofwalkError("internal", "a bug", status=Status.INTERNAL), "model.refused_request"),
        (
            ProofwalkError("model.unauthenticated", "key", status=Status.UNAUTHENTICATED),
            "model.unauthenticated",
        ),
    ],
)
async def test_no_failure_of_the_role_is_the_policys(
    process_settings: ProcessSettings, raised: ProofwalkError, code: str
) -> None:
    async with served(process_settings, Scripted(raised)) as model:
        error = await failing(model.client)
        assert error.code == code
        assert error.status in (
            Status.UNAVAILABLE,
            Status.RESOURCE_EXHAUSTED,
            Status.UNAUTHENTICATED,
        )
        assert code == raised.code or error.details["cause"] == raised.code
        assert model.client.form is (AnswerForm.JSON if code == FORM_REFUSED else AnswerForm.SCHEMA)


async def test_a_form_that_is_set_is_kept(process_settings: ProcessSettings) -> None:
    refused = ProofwalkError("inference.form_refused", "no", status=Status.UNAVAILABLE)
    async with served(process_settings, Scripted(refused), answers="schema") as model:
        assert (await failing(model.client)).code == "model.refused_request"
        assert model.client.form is AnswerForm.SCHEMA


async def test_a_role_that_does_not_answer_in_time_is_told_as_a_timeout(
    process_settings: ProcessSettings,
) -> None:
    async with served(process_settings, Scripted(None), timeout_s=1, retries=0) as model:
        assert (await failing(model.client)).code == "model.timeout"
