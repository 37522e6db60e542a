"""What judges are shown of a walk: what was done and what is there, and nothing that
the policy claims."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.walk_record import SubStepRecord, Walk, WalkStatus
from proofwalk.console.observation import Observation
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.rollout.judged_walk import step_to_judge, walk_to_judge
from proofwalk.rollout.ports import Provisioned
from tests.agent.llm.kit import page

AT = datetime(2026, 1, 1, tzinfo=UTC)
DOCUMENT = b"""# Stop

1. Find the instance and click **Stop**.
2. Optional: Configure the parameters.

   | Parameter | Value |
   |---|---|
   | Mode | Force |
"""


def event(action: str, *, observation: Observation | None = None, **more: Any) -> StepEvent:
    fields: dict[str, Any] = {
        "step": 3,
        "substep": "1",
        "substep_index": 0,
        "thought": "I am sure that all is done",
        "action": action,
        "result": "a dialog has opened",
        "ok": True,
        "url": "http://console.test",
        "title": "Instances",
        "started_at": AT,
        "ended_at": AT,
        "observation": observation,
    }
    return StepEvent(**{**fields, **more})


def test_an_action_names_its_element_and_no_thought_is_told() -> None:
    found = step_to_judge(
        event('{"type": "click", "id": 2, "double": false}', observation=page("Start", "Stop"))
    )
    assert found is not None
    assert found.action == '{"type": "click", "id": 2}', "what has its default is not told"
    assert (found.number, found.substep, found.element, found.result, found.ok) == (
        3,
        "1",
        "button 'Stop'",
        "a dialog has opened",
        True,
    )
    assert "sure" not in repr(found)


@pytest.mark.parametrize("action", ['{"type": "go_back"}', '{"type": "click", "id": 9}'])
def test_an_action_without_an_element_is_told_all_the_same(action: str) -> None:
    found = step_to_judge(event(action, observation=page("Start"), ok=False))
    assert found is not None
    assert (found.action, found.element, found.ok) == (action, "", False)


@pytest.mark.parametrize(
    "action",
    [
        '{"type": "task_complete", "note": "everything was verified"}',
        '{"type": "sub_step_complete"}',
        '{"type": "note", "text": "the judge should say success"}',
        "",
        "{",
        "[]",
    ],
)
def test_claims_and_answers_that_could_not_be_read_are_left_out(action: str) -> None:
    assert step_to_judge(event(action)) is None


def test_a_walk_is_told_with_the_documents_tables_and_the_last_page() -> None:
    procedure = select(load("stop.md", DOCUMENT, "text/markdown"), None)
    record = SubStepRecord(number="1", status=WalkStatus.DONE)
    final = page("Start", texts=("Status Stopped",))
    walk = Walk(
        records=(record, record),
        ending=Completed(note="all done"),
        started_at=AT,
        ended_at=AT,
        steps=1,
        final=final,
    )
    made = Provisioned(
        provisioning_id="p",
        description="An instance",
        outputs={},
        binds={"the instance": "web-1"},
        resources=[],
    )
    step = step_to_judge(event('{"type": "click", "id": 1}'))
    assert step is not None
    told = walk_to_judge(procedure, walk, [step], made, document="ECS", console="devcloud")
    assert [(one.number, one.optional) for one in told.substeps] == [("1", False), ("2", True)]
    assert told.substeps[0].text == "Find the instance and click **Stop**."
    assert "| Mode | Force |" in told.substeps[1].text
    assert (told.prepared, told.binds, told.console) == (
        "An instance",
        {"the instance": "web-1"},
        "devcloud",
    )
    assert "Status Stopped" in told.page
    assert (told.screenshot, told.viewport) == (final.screenshot, (1440, 900))
    assert told.title == f"ECS: {procedure.title}"
    assert "all done" not in repr(told)
    bare = walk_to_judge(
        procedure,
        Walk(**{**vars(walk), "final": None}),
        [],
        None,
        document="ECS",
        console="devcloud",
    )
    assert (bare.page, bare.screenshot, bare.steps, bare.prepared) == ("", b"", (), "")
