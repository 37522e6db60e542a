"""One action space: a model that is given functions acts by hand and by call, in its
schema there are these functions and no others, and where a document is verified a call
is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from proofwalk.agent.core.endings import ActionFailures, Completed
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.functions import CallingEnvironment, WithFunctions
from proofwalk.agent.policies.llm.answers import answer_schema, read_answer
from proofwalk.agent.policies.llm.functions import describe_functions
from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.apis.calling import CatalogueFunctions
from proofwalk.apis.model import ApiFunction, Interface, Parameter, Provenance, Trial
from proofwalk.apis.running import Runner
from proofwalk.chassis.logs import Redaction
from proofwalk.console.actions import CallApi, parse_action
from proofwalk.console.functions import NO_FUNCTIONS
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.models.asking import Model
from proofwalk.models.settings import ModelSettings
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.apis.kit import InThread, Shelf
from tests.apis.written import PUT, RIGHT, one_test
from tests.datasets.kit import Scripted

SECRET = "s3cret-of-this-process"
LIST = Interface(
    name="list_boxes",
    description="List\nthe boxes.",
    parameters=(Parameter(name="order", type="string", choices=("up", "down")),),
)
CALL = {"type": "call_api", "name": "put_box", "arguments": {"name": "red"}}


def function_of(interface: Interface, code: str, application: str = "shelf") -> ApiFunction:
    return ApiFunction(
        application=application,
        interface=interface,
        code=code,
        tests=(one_test(),),
        trials=(Trial(test="one", passed=True),),
        provenance=Provenance(tasks=("a task",), model="m", prompts="p", rounds=1),
    )


PUT_BOX = function_of(PUT, RIGHT)


def functions_of(
    *functions: ApiFunction, shelf: Shelf | None = None, real: bool = False
) -> CatalogueFunctions:
    runner = (Runner if real else InThread)(shelf or Shelf())
    return CatalogueFunctions(functions, runner, mask=Redaction([SECRET]).text)


async def test_a_call_is_an_action_and_its_result_a_line() -> None:
    shelf = Shelf()
    done = await functions_of(PUT_BOX, shelf=shelf).call(CallApi(**CALL))
    assert (done.ok, done.message) == (True, 'put_box → {"id": "b-red"}')
    assert shelf.boxes == ["red"]


@pytest.mark.parametrize(
    ("name", "arguments", "code", "message"),
    [
        ("drop", {}, "action.no_such_function", "there is no function 'drop' (there is: put_box)"),
        ("put_box", {}, "action.bad_arguments", "put_box needs name"),
        ("put_box", {"name": 1}, "action.bad_arguments", "name is no string"),
        ("put_box", {"name": "a", "to": 1}, "action.bad_arguments", "has no parameter 'to'"),
        ("put_box", {"name": "there"}, "action.function_failed", "raised: ApiError: Taken"),
    ],
)
async def test_what_cannot_be_called_or_fails_is_a_failed_action(
    name: str, arguments: dict[str, Any], code: str, message: str
) -> None:
    shelf = Shelf()
    shelf.boxes.append("there")
    failed = await functions_of(PUT_BOX, shelf=shelf).call(CallApi(name=name, arguments=arguments))
    assert (failed.ok, failed.code) == (False, code)
    assert message in failed.message


async def test_a_call_is_confined_and_its_result_bounded_and_without_secrets() -> None:
    plain = Interface(name="look_around", description="Look.")
    reads = function_of(plain, "def look_around(api):\n    return open('/root/.bashrc').read()")
    refused = await functions_of(reads, real=True).call(CallApi(name="look_around"))
    assert refused.code == "action.function_confined", refused
    tells = function_of(plain, f"def look_around(api):\n    return '{SECRET}' + 9000 * 'x'")
    told = await functions_of(tells).call(CallApi(name="look_around"))
    assert told.ok
    assert SECRET not in told.message
    assert 2000 < len(told.message) < 2020


async def test_an_application_that_is_away_is_the_environments_failure() -> None:
    class Away(Runner):
        async def run(self, order: object) -> Any:
            raise unavailable("cloud.unavailable", "nobody there")

    functions = CatalogueFunctions([PUT_BOX], Away(Shelf()), mask=str)
    with pytest.raises(ProofwalkError) as caught:
        await functions.call(CallApi(**CALL))
    assert caught.value.status is Status.UNAVAILABLE


def test_functions_for_other_applications_are_left_out() -> None:
    other = function_of(LIST, "def list_boxes(api, order): pass", application="desktop")
    assert [one.name for one in functions_of(PUT_BOX, other).cards] == ["put_box"]


@pytest.mark.parametrize("batches", [False, True])
def test_the_schema_has_the_functions_that_there_are_and_no_others(batches: bool) -> None:
    cards = functions_of(PUT_BOX, function_of(LIST, "")).cards
    schema: Any = answer_schema("normal", batches=batches, functions=cards)
    holds = Draft202012Validator(schema).is_valid
    assert holds({"thought": "", "action": CALL})
    assert holds({"thought": "", "action": {"type": "click", "id": 1}})
    assert not holds({"thought": "", "action": {**CALL, "name": "drop"}})
    assert not holds({"thought": "", "action": {**CALL, "arguments": {"name": 1}}})
    if not batches:
        assert not holds({"thought": "", "action": {**CALL, "name": "list_boxes"}})
    without: Any = answer_schema("normal", batches=batches)
    assert not Draft202012Validator(without).is_valid({"thought": "", "action": CALL})
    assert "call_api" not in json.dumps(without)
    told = describe_functions(cards).splitlines()
    assert told[-2:] == [
        "- put_box (name: string, twice?: boolean): Put a box onto the shelf."
        " Returns id: the id of the box",
        "- list_boxes (order: up|down): List the boxes.",
    ]
    assert describe_functions(()) == ""


def test_an_answer_with_a_call_is_read() -> None:
    answer = read_answer(json.dumps({"thought": "quicker", "action": CALL}))
    assert answer.action == parse_action(json.dumps(CALL))


def model_of(*actions: dict[str, Any]) -> Scripted:
    lines = [json.dumps({"thought": "on", "action": one}) for one in actions]
    return Scripted(lambda count, _: lines[min(count, len(lines)) - 1])


def policy_of(client: Scripted, functions: CatalogueFunctions | None = None) -> LlmPolicy:
    settings = ModelSettings(vision=False, batches=False)
    return LlmPolicy(
        Model(client=client, settings=settings),
        code="c0de1234",
        functions=functions.cards if functions is not None else (),
    )


STEP = "Put a red box onto the shelf, and open the list of instances."


async def test_a_walk_acts_by_hand_and_by_call() -> None:
    shelf, events = Shelf(), list[StepEvent]()
    functions = functions_of(PUT_BOX, shelf=shelf, real=True)
    client = model_of(CALL, {"type": "click", "id": 1}, {"type": "sub_step_complete"})
    console = FakeConsole(rows=[FakeRow(id="i-1", name="web-1")])
    walked = await run(
        WithFunctions(console, functions), STEP, policy=policy_of(client, functions), events=events
    )
    assert isinstance(walked.ending, Completed)
    assert [(one.action.type, one.ok) for one in walked.history] == [
        ("call_api", True),
        ("click", True),
        ("sub_step_complete", True),
    ]
    assert shelf.boxes == ["red"]
    assert "- put_box (name: string" in client.asked[0][0].text
    assert 'put_box → {"id": "b-red"}' in client.asked[1][-1].text
    assert parse_action(events[0].action) == parse_action(json.dumps(CALL))


async def test_where_a_document_is_verified_a_call_is_refused() -> None:
    assert not issubclass(ConsoleSession, CallingEnvironment)
    shelf, events = Shelf(), list[StepEvent]()
    client = model_of(CALL)
    walked = await run(FakeConsole(), STEP, policy=policy_of(client), events=events)
    assert isinstance(walked.ending, ActionFailures)
    assert {(one.ok, one.result) for one in events} == {(False, NO_FUNCTIONS.message)}
    assert NO_FUNCTIONS.code == "action.no_functions"
    assert "call_api" not in client.asked[0][0].text
    assert shelf.requests == []
