"""Answers: every form in which models give one is read, everything else is told apart,
and the schema admits exactly the actions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proofwalk.agent.policies.llm.answers import answer_schema, describe_actions, read_answer
from proofwalk.console.actions import Click, TaskUnachievable, action_json_schema
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import FindingKind

CLICK = '{"type": "click", "id": 7}'
OBJECT = f'{{"thought": "I click.", "action": {CLICK}}}'


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        (OBJECT, "I click."),
        (f"```json\n{OBJECT}\n```", "I click."),
        (f"Here it is:\n```\n{OBJECT}\n```\nDone.", "I click."),
        (f"<think>Shall I? {{}} Action: {{</think>\n{OBJECT}", "I click."),
        (f"thinking without a beginning</think>{OBJECT}", "I click."),
        (f'{{"memory": "At the list.", "action": [{CLICK}]}}', "At the list."),
        (CLICK, ""),
        (f"Thought: I click.\nAction: {CLICK}", "I click."),
        (f"**Thought:** I click.\n**Action:** {CLICK}", "I click."),
        (f"Thought: I click.\nAction:\n```json\n{CLICK}\n```", "I click."),
        (f"Thought: I click.\nAction: {CLICK}\nand then we shall see", "I click."),
        ('{"thought": "a\nline", "action": {"type": "click", "id": 7}}', "a\nline"),
    ],
)
def test_answers_are_read_in_the_forms_that_models_give(text: str, thought: str) -> None:
    answer = read_answer(text)
    assert answer.action == Click(id=7)
    assert answer.thought == thought


def test_a_finding_is_read_from_an_object_and_from_text() -> None:
    finding = {
        "kind": "renamed",
        "quote": "click Stop",
        "observed": "It says Halt.",
        "candidates": ["Halt"],
        "extra": 1,
    }
    action = {"type": "task_unachievable", "reason": "no Stop"}
    structured = read_answer(json.dumps({"thought": "", "action": action, "finding": finding}))
    written = read_answer(
        f"Thought: none\nAction: {json.dumps(action)}\nFinding: {json.dumps(finding)}"
    )
    assert structured.action == TaskUnachievable(reason="no Stop")
    assert structured.finding == written.finding
    assert structured.finding is not None
    assert (structured.finding.kind, structured.finding.candidates) == (
        FindingKind.RENAMED,
        ["Halt"],
    )
    assert (
        read_answer(json.dumps({"thought": "", "action": action, "finding": None})).finding is None
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("<think>only this</think>", "empty"),
        ("I would click Stop.", "no action"),
        ('{"thought": "I cl', "not complete JSON"),
        ('{"thought": "none"}', "no action"),
        (f'{{"action": [{CLICK}, {CLICK}]}}', "2 actions"),
        (f"Action: {CLICK}\nObservation: done\nAction: {CLICK}", "2 actions"),
        ("Action: {click 7}", "not JSON"),
        ('{"action": {"type": "click"}}', "id"),
        ('{"action": {"type": "tap", "id": 7}}', "tap"),
        ('{"action": {"type": "click", "id": 7, "why": "?"}}', "why"),
        ('{"action": "click 7"}', "not a JSON object"),
        ('{"thought": 4, "action": {"type": "go_back"}}', "not a text"),
        (
            '{"action": {"type": "task_unachievable", "reason": "x"}, "finding": {"kind": "ugly"}}',
            "finding",
        ),
        ("[" * 100_000, "no action"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, told: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_answer(text)
    assert caught.value.code == "model.malformed"
    assert caught.value.status is Status.INVALID_ARGUMENT
    assert told in caught.value.message


def test_the_schema_holds_every_action_and_only_what_decoders_share() -> None:
    kinds = {one["properties"]["type"]["const"]: one for one in definitions().values()}
    schema: Any = answer_schema("normal")
    offered = {
        one["properties"]["type"]["enum"][0]: one for one in schema["properties"]["action"]["anyOf"]
    }
    assert (
        offered.keys()
        == kinds.keys()
        >= {"click", "type", "select", "provision", "task_unachievable"}
    )
    assert offered["click"]["required"] == ["type", "id"]
    assert all(
        one["additionalProperties"] is False and "type" in one["required"]
        for one in offered.values()
    )
    assert not {"discriminator", "default", "$ref", "title"} & set(keywords(schema))
    assert schema["required"] == ["thought", "action"]
    assert list(schema["properties"]) == [
        "thought",
        "action",
        "finding",
    ], "the thought comes before the action"
    flash: Any = answer_schema("flash")
    assert flash["required"] == ["memory", "action"]


def test_the_prompt_lists_every_action_with_its_members() -> None:
    lines = describe_actions().splitlines()
    assert len(lines) == len(definitions())
    assert any(line.startswith("- click (id: integer, double?: boolean") for line in lines)
    assert any(line.startswith("- go_back: ") for line in lines)
    assert any("clear: boolean = true" in line for line in lines), "a default that says something"


def definitions() -> dict[str, Any]:
    found: Any = action_json_schema()["$defs"]
    return dict(found)


def keywords(schema: Any, *, named: bool = False) -> list[str]:
    if isinstance(schema, list):
        return [key for one in schema for key in keywords(one)]
    if not isinstance(schema, dict):
        return []
    own = [] if named else list(schema)
    return own + [
        key
        for name, value in schema.items()
        for key in keywords(value, named=name == "properties" and not named)
    ]
