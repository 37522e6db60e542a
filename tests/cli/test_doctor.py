"""`proofwalk doctor --endpoint`: what an endpoint can do, what it only claims, and a
clear line for every way in which it can be broken."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from proofwalk.agent.policies.llm.probe_reports import Report
from proofwalk.agent.policies.llm.probe_samples import picture
from proofwalk.agent.policies.llm.probing import probe
from proofwalk.cli.main import app
from proofwalk.kernel.clock import SystemClock
from proofwalk.models.endpoint import Access
from tests.models.fake_endpoint import FakeEndpoint, Reply, act, refuse, serving

KEY = "sk-canary-0123456789"
Answering = Callable[[dict[str, Any]], Reply]


class Able:
    """Answers every probe as a good endpoint would. It reads a picture by its bytes:
    `numbers` says what was drawn."""

    def __init__(self, **not_able: bool) -> None:
        self._not = not_able
        self.limit = 20_000

    def __call__(self, asked: dict[str, Any]) -> Reply:
        text = question(asked)
        tokens = len(text.split())
        if tokens > self.limit:
            return refuse(f"This model's maximum context length is {self.limit} tokens")
        usage = {"prompt_tokens": tokens, "completion_tokens": 20}
        form = asked.get("response_format", {})
        if self._not.get("schema") and form.get("type") == "json_schema":
            return refuse("response_format json_schema is not supported")
        if self._not.get("images") and images(asked):
            return refuse("image input is not supported")
        if "The sub-step" in text or "You carry out" in text or "You check whether" in text:
            return Reply(text=act("I stop it.", type="click", id=2).text, usage=usage)
        if form.get("type") == "json_schema":
            return Reply(text=json.dumps(example(form["json_schema"]["schema"])), usage=usage)
        if form:
            return Reply(text='{"colours": ["red", "blue"]}', usage=usage)
        if "Which number" in text:
            return Reply(text=self._read(images(asked)[0]), usage=usage)
        if found := re.search(r"The code is (\w+)\.", text):
            return Reply(text="I forgot" if self._not.get("memory") else found[1], usage=usage)
        if found := re.search(r"nothing else: (\w+)", text):
            return Reply(text=found[1], usage=usage)
        choice = {
            "logprobs": {"content": [{"logprob": -0.1}] if asked.get("logprobs") else None},
            "token_ids": [7, 8],
        }
        return Reply(text="Hello", usage=usage, choice=choice, more={"prompt_token_ids": [1]})

    def _read(self, address: str) -> str:
        """The number whose picture this is: the generator's pictures are the same for
        the same number."""
        wanted = address.partition("base64,")[2]
        return (
            f"It is {PICTURES[wanted]}."
            if wanted in PICTURES and not self._not.get("sight")
            else "I see nothing."
        )


def question(asked: dict[str, Any]) -> str:
    contents = [message["content"] for message in asked["messages"]]
    return "\n".join(one if isinstance(one, str) else one[0]["text"] for one in contents)


def images(asked: dict[str, Any]) -> list[str]:
    contents = [
        message["content"] for message in asked["messages"] if isinstance(message["content"], list)
    ]
    return [
        part["image_url"]["url"]
        for content in contents
        for part in content
        if part["type"] == "image_url"
    ]


def example(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value["enum"][0] for name, value in schema["properties"].items()}


PICTURES: dict[str, str] = {}
"""What was drawn, by the picture."""


@pytest.fixture(autouse=True)
def _seen_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake endpoint has no eyes: it is told which picture is of which number when
    it is drawn."""

    def drawn(text: str, width: int, height: int) -> Any:
        made = picture(text, width, height)
        PICTURES[base64.b64encode(made.jpeg).decode()] = text
        return made

    monkeypatch.setattr("proofwalk.agent.policies.llm.probing.picture", drawn)


async def report(
    endpoint: FakeEndpoint, *, model: str = "", seconds: float = 10, key: str = ""
) -> Report:
    async with serving(endpoint):
        access = Access(url=endpoint.url, key=SecretStr(key))
        return await probe(
            access, model=model, seconds=seconds, chance=Random(7), clock=SystemClock()
        )


def row(found: Report, name: str) -> tuple[bool, str]:
    one = next(row for row in found.rows if row.name == name)
    return one.ok, one.found


async def test_a_good_endpoint_is_usable_and_its_settings_are_told() -> None:
    endpoint = FakeEndpoint(answering=Able())
    endpoint.models = [{"id": "fake-vl", "max_model_len": 16_000}]
    found = await report(endpoint)
    assert found.usable
    assert [one.name for one in found.rows if not one.ok] == []
    assert {
        name.removeprefix("PROOFWALK_ROLLOUT__MODEL__"): value
        for name, value in found.settings.items()
    } == {
        "ENDPOINT": endpoint.url,
        "NAME": "fake-vl",
        "ANSWERS": "schema",
        "VISION": "true",
        "LOGPROBS": "true",
        "TOKEN_IDS": "true",
        "CONTEXT_TOKENS": "16000",
    }
    assert "16000 tokens by its own word" in row(found, "context")[1]
    assert row(found, "images") == (True, "10 in a question, up to 2880×1800 pixels")
    assert row(found, "decision")[1].startswith("the right action (answers: schema)")


async def test_a_context_that_nobody_tells_is_tried_out() -> None:
    found = await report(FakeEndpoint(answering=Able()))
    assert row(found, "context") == (True, "at least 16000 tokens; 32000 are refused")


async def test_an_endpoint_that_drops_the_beginning_is_found_out() -> None:
    endpoint = FakeEndpoint(answering=Able(memory=True))
    endpoint.models = [{"id": "fake-vl", "max_model_len": 131_072}]
    found = await report(endpoint)
    assert row(found, "context") == (
        False,
        "131072 tokens by its own word; of 12000 the beginning is forgotten",
    )
    assert not found.usable


async def test_without_eyes_and_schema_the_policy_runs_on_text_in_json() -> None:
    found = await report(FakeEndpoint(answering=Able(images=True, schema=True)))
    assert not row(found, "vision")[0]
    assert not row(found, "JSON schema")[0]
    assert found.usable
    assert found.settings["PROOFWALK_ROLLOUT__MODEL__VISION"] == "false"
    assert found.settings["PROOFWALK_ROLLOUT__MODEL__ANSWERS"] == "json"


async def test_claims_are_held_against_what_is_done() -> None:
    def lying(asked: dict[str, Any]) -> Reply:
        return Reply(
            text=act("I stop it.", type="click", id=2).text,
            choice={"logprobs": {"content": [{"logprob": 3.0}]}},
        )

    found = await report(FakeEndpoint(answering=lying))
    assert "where" in row(found, "vision")[1]
    assert "does not keep to it" in row(found, "JSON schema")[1]
    assert row(found, "log-probabilities") == (False, "what comes back is none")
    assert not found.usable, "no context was proven"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (refuse("no entry", 401), "HTTP 401"),
        (refuse("oops", 500), "HTTP 500"),
        (Reply(body=b"<html>"), "cannot be read"),
        (Reply(body=b'{"data": 7}'), "cannot be read"),
        (Reply(cut=True), "cannot be reached"),
        (Reply(hang=True), "nothing within 1 s"),
        (Reply(body=b'{"data": []}'), "none"),
    ],
)
async def test_an_endpoint_that_lists_no_models_is_a_line(fault: Reply, told: str) -> None:
    endpoint = FakeEndpoint()
    endpoint.models = fault
    found = await report(endpoint, seconds=1)
    assert len(found.rows) == 1
    assert told in found.rows[0].found
    assert not found.usable


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (refuse("oops", 500), "HTTP 500"),
        (Reply(body=b'{"choices": [{"message": null}]}'), "cannot be read"),
        (Reply(text=""), "empty answer"),
        (Reply(hang=True), "nothing within 1 s"),
        (Reply(cut=True), "cannot be reached"),
    ],
)
async def test_a_model_that_does_not_chat_is_a_line(fault: Reply, told: str) -> None:
    found = await report(FakeEndpoint(fault), seconds=1)
    assert [one.ok for one in found.rows] == [True, False]
    assert told in found.rows[1].found


async def test_an_endpoint_that_lists_nothing_is_taken_by_the_name_given() -> None:
    endpoint = FakeEndpoint(answering=Able())
    endpoint.models = refuse("not found", 404)
    assert (await report(endpoint, model="mine")).usable
    assert endpoint.asked[0]["model"] == "mine"
    endpoint = FakeEndpoint(answering=Able())
    found = await report(endpoint, model="other")
    assert "'other' is not among fake-vl" in found.rows[0].found


async def doctor(*arguments: str) -> Result:
    return await asyncio.to_thread(lambda: CliRunner().invoke(app, ["doctor", *arguments]))


async def test_the_command_prints_a_table_or_json_and_says_by_its_exit_code_whether_the_policy_can_run(
    tmp_path: Path,
) -> None:
    key = tmp_path / "key"
    key.write_text(KEY + "\n")
    endpoint = FakeEndpoint(answering=Able())
    async with serving(endpoint):
        shown = await doctor(
            "--endpoint", endpoint.url, "--api-key-file", str(key), "--timeout", "10"
        )
        told = await doctor("--endpoint", endpoint.url, "--api-key-file", str(key), "--json")
    assert shown.exit_code == 0, shown.output
    assert "PROOFWALK_ROLLOUT__MODEL__ANSWERS=schema" in shown.output
    data = json.loads(told.output)
    assert (told.exit_code, data["usable"], data["model"]) == (0, True, "fake-vl")
    assert {one["name"] for one in data["probes"]} >= {
        "models",
        "chat",
        "vision",
        "context",
        "speed",
        "decision",
    }
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in shown.output + told.output
    broken = FakeEndpoint(refuse(f"your key {KEY} is \x1b[31mno good", 401))
    async with serving(broken):
        refused = await doctor("--endpoint", broken.url, "--api-key-file", str(key))
    assert refused.exit_code == 3
    assert "cannot run" in refused.output
    assert KEY not in refused.output
    assert "\x1b[31mno" not in refused.output


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--endpoint", "nonsense"], "model.bad_endpoint"),
        (
            ["--endpoint", "http://127.0.0.1:1/v1", "--api-key-file", "/nowhere/key"],
            "settings.bad_file",
        ),
    ],
)
async def test_what_is_no_endpoint_or_key_is_a_usage_error(arguments: list[str], code: str) -> None:
    result = await doctor(*arguments)
    assert result.exit_code == 2
    assert code in result.stderr


async def test_nobody_there_is_exit_code_three() -> None:
    async with serving(FakeEndpoint()) as gone:
        pass
    result = await doctor("--endpoint", gone.url, "--timeout", "5")
    assert result.exit_code == 3
    assert "cannot be" in result.output
    assert "Traceback" not in result.output
