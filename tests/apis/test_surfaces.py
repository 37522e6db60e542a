"""What functions may ask of a cloud and of a desktop, and what is data of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from proofwalk.apis.surfaces import BAD_REQUEST, FORBIDDEN, CloudSurface, DesktopSurface
from proofwalk.cloud.steps.caller import Answer, Values
from proofwalk.cloud.steps.model import AnyCall, ApiCall, Preparation
from proofwalk.kernel.errors import ProofwalkError, conflict, unavailable
from proofwalk.kernel.json_values import JsonObject


class Caller:
    """Answers every operation alike, and keeps what was called."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.calls: list[ApiCall] = []

    def refuse_undeclared(self, preparation: Preparation) -> None:
        raise NotImplementedError

    def quoted(self, text: str) -> str:
        return text.replace("s3cret", "***")

    async def call(self, call: AnyCall, values: Values) -> Answer:
        assert isinstance(call, ApiCall)
        self.calls.append(call)
        return self.answer


def asked(product: str, action: str, **parameters: str) -> JsonObject:
    return {"product": product, "action": action, "parameters": parameters}


async def test_an_operation_is_called_and_its_answer_is_data() -> None:
    caller = Caller(Answer(status=200, text='{"VpcId": "vpc-1"}'))
    reply = await CloudSurface(caller).answer(asked("vpc", "CreateVpc", VpcName="a"))
    assert (reply.content, reply.code) == ({"VpcId": "vpc-1"}, "")
    (call,) = caller.calls
    assert (call.api, call.operation, dict(call.parameters)) == (
        "vpc",
        "CreateVpc",
        {"VpcName": "a"},
    )


async def test_a_refusal_of_the_cloud_is_a_reply_without_the_accounts_secrets() -> None:
    caller = Caller(Answer(status=400, text="Invalid s3cret"))
    reply = await CloudSurface(caller).answer(asked("vpc", "CreateVpc"))
    assert (reply.code, reply.message) == ("Invalid ***", "the cloud refuses CreateVpc")


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (asked("ram", "CreateAccessKey"), FORBIDDEN),
        (asked("oss", "PutBucket"), FORBIDDEN),
        (asked("sts", "AssumeRole"), FORBIDDEN),
        (asked("kms", "GetSecretValue"), FORBIDDEN),
        (asked("ecs", "DescribeInstanceVncUrl"), FORBIDDEN),
        (asked("vpc", "create vpc"), BAD_REQUEST),
        (asked("vpc", "DescribeVpcs", VpcId="${output.a}"), BAD_REQUEST),
        ({"argv": ["/bin/true"]}, BAD_REQUEST),
        ({}, BAD_REQUEST),
    ],
)
async def test_what_may_not_be_called_never_reaches_the_cloud(
    request_: JsonObject, code: str
) -> None:
    caller = Caller(Answer(status=200, text="{}"))
    assert (await CloudSurface(caller).answer(request_)).code == code
    assert caller.calls == []


@dataclass(frozen=True, kw_only=True)
class Ended:
    code: int = 0
    out: bytes = b""
    err: bytes = b""


class Guest:
    """Runs `cat`, and fails as told."""

    def __init__(self, error: ProofwalkError | None = None) -> None:
        self.error = error

    async def run(self, argv: Sequence[str], *, within_s: float = 60.0) -> Ended:
        if self.error is not None:
            raise self.error
        return Ended(code=1, out=" ".join(argv).encode(), err=b"\xff" * 20_000)


async def test_a_program_runs_on_the_desktop_and_its_end_is_data() -> None:
    reply = await DesktopSurface(Guest()).answer({"argv": ["/usr/bin/cat", "a b"]})
    assert isinstance(reply.content, dict)
    assert (reply.content["code"], reply.content["out"]) == (1, "/usr/bin/cat a b")
    assert len(str(reply.content["err"])) == 16_000
    assert (await DesktopSurface(Guest()).answer({"argv": []})).code == BAD_REQUEST


async def test_a_program_that_cannot_run_is_a_reply_and_a_machine_that_is_gone_is_not() -> None:
    late = conflict("desktop.program_late", "it did not end")
    assert (await DesktopSurface(Guest(late)).answer({"argv": ["a"]})).code == late.code
    gone = unavailable("desktop.guest_silent", "nobody there")
    with pytest.raises(ProofwalkError, match="nobody there"):
        await DesktopSurface(Guest(gone)).answer({"argv": ["a"]})
