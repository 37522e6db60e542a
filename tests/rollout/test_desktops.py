"""Orders whose target is a desktop: what is taken in, what becomes of the score, and
that no account is needed. The machine is a fake; `tests/desktop/test_rollout.py` has
real ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from proofwalk.agent.core.endings import Cancelled, Completed, Ending, EnvironmentFailed
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.kernel.outcomes import EnvCause, Evidence, Goal, OutcomeKind, SubStepStatus
from proofwalk.kernel.reward import Reward, reward_of
from proofwalk.orders.order import DocumentSource
from proofwalk.rollout.intake import Submission
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.groups import TARGET, Place, code_of
from tests.rollout.setting import asking

DESKTOP = replace(
    TARGET,
    id="desktops",
    has_audit_log=False,
    has_provisioning=False,
    has_scenarios=False,
    tool="desktop",
)
EVALUATOR = {
    "func": "exact_match",
    "result": {"type": "vm_command_line", "command": "cat /home/agent/line.txt"},
    "expected": {"type": "rule", "rules": {"expected": "hello\n"}},
}


TASK = {"id": "a-line", "instruction": "Type hello, and press Enter.", "evaluator": EVALUATOR}


def document(task: Mapping[str, Any] = TASK) -> DocumentSource:
    """A task of OSWorld's format."""
    return DocumentSource(text=json.dumps(task), name="a-line.json")


def on_desktop(verification_id: str = "", **options: Any) -> Submission:
    """An order for it."""
    return asking(
        options.pop("document", document()),
        verification_id,
        **{"target": "desktops", "rule": "", **options},
    )


@pytest.fixture
def desks(here: Place) -> Place:
    """Groups whose walker is a desktop's."""
    here.setting.world.walker.walked_in = "desktop"
    here.setting.world.walker.audit_log = False
    here.targets = {"desktops": DESKTOP, "devcloud": TARGET}
    return here


async def _walked(desks: Place, score: float | None, ending: Ending | None = None) -> Any:
    walker = desks.setting.world.walker
    walker.score = score

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return ending or Completed(note="done")

    walker.script = script
    row = await desks.intake.accept(on_desktop("ver_1"))
    assert (row.total, row.document_title, row.procedure_id) == (1, "a-line", "a-line")
    await desks.worker().attend("ver_1")
    return (await desks.setting.verdict("ver_1")).judgement


async def test_the_whole_score_is_verified_on_the_validators_evidence(desks: Place) -> None:
    judgement = await _walked(desks, 1.0)
    assert (judgement.outcome.kind, judgement.evidence, judgement.goal) == (
        OutcomeKind.VERIFIED,
        Evidence.VALIDATOR,
        Goal.YES,
    )
    assert [one.status for one in judgement.substeps] == [SubStepStatus.VERIFIED]
    assert reward_of(judgement.outcome.kind, judgement.evidence) == Reward(value=1.0)


async def test_less_is_the_agents_failure_and_a_valid_zero(desks: Place) -> None:
    judgement = await _walked(desks, 0.5)
    assert (judgement.outcome.kind, judgement.outcome.code, judgement.goal) == (
        OutcomeKind.AGENT_FAILURE,
        "osworld.not_reached",
        Goal.NO,
    )
    assert "0.5 of 1" in judgement.outcome.reason
    assert reward_of(judgement.outcome.kind, judgement.evidence) == Reward(value=0.0)


@pytest.mark.parametrize(
    ("ending", "kind", "cause"),
    [
        (
            EnvironmentFailed(
                substep="1",
                cause=EnvCause.SANDBOX,
                error=unavailable("desktop.gone", "the machine is gone"),
            ),
            OutcomeKind.ENV_FAILURE,
            EnvCause.SANDBOX,
        ),
        (Cancelled(substep="1"), OutcomeKind.CANCELLED, None),
    ],
)
async def test_a_walk_without_a_score_says_nothing_of_the_policy(
    desks: Place, ending: Ending, kind: OutcomeKind, cause: EnvCause | None
) -> None:
    judgement = await _walked(desks, None, ending)
    assert (judgement.outcome.kind, judgement.outcome.cause) == (kind, cause)


@pytest.mark.parametrize("code", ["osworld.setup_failed", "desktop.guest_silent", "desktop.late"])
async def test_trouble_with_setup_guest_or_validator_is_the_environments(
    desks: Place, code: str
) -> None:
    desks.setting.world.before["walker.walk"].append(unavailable(code, "it did not answer"))
    judgement = await _walked(desks, 1.0)
    assert (judgement.outcome.kind, judgement.outcome.cause, judgement.outcome.code) == (
        OutcomeKind.ENV_FAILURE,
        EnvCause.SANDBOX,
        code,
    )


async def test_no_account_is_leased_and_nothing_is_provisioned(desks: Place) -> None:
    await _walked(desks, 1.0)
    world = desks.setting.world
    assert {name.partition(".")[0] for name in world.calls} <= {"sandboxes", "walker"}
    order = world.walker.orders[0]
    assert order.task is not None
    assert (order.task.id, order.login, order.procedure.substeps[0].text) == (
        "a-line",
        {},
        "Type hello, and press Enter.",
    )
    assert world.sandboxes.tools == ["desktop"]


async def test_a_group_is_told_of_as_members_for_training(desks: Place) -> None:
    desks.setting.world.walker.score = 1.0
    await desks.groups.run("run.1.line", on_desktop(), size=2)
    await desks.finish(0, group_id="run.1.line")
    desks.setting.world.walker.score = 0.0
    await desks.finish(1, group_id="run.1.line")
    members = await desks.watched("run.1.line")
    assert [
        (one.number, one.judgement.outcome.kind.value, one.judgement.evidence.value)
        for one in members
    ] == [(0, "verified", "validator"), (1, "agent_failure", "validator")]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (
            {"document": document({**TASK, "evaluator": {"func": "compare_table"}})},
            "osworld.unsupported",
        ),
        ({"document": DocumentSource(text="# No task", name="a.md")}, "osworld.task_invalid"),
        ({"document": DocumentSource(text="[" * 9_000, name="a.json")}, "osworld.task_invalid"),
        ({"document": DocumentSource(text="x" * 10_001, name="a.json")}, "osworld.task_invalid"),
        ({"meta": "meta: 1"}, "order.not_for_desktops"),
        ({"rule": "rule: 1"}, "order.not_for_desktops"),
        ({"role": "admin"}, "order.not_for_desktops"),
        ({"trace": True}, "order.not_for_desktops"),
    ],
)
async def test_what_desktops_cannot_do_is_refused_before_there_is_a_row(
    desks: Place, options: dict[str, Any], code: str
) -> None:
    assert await code_of(desks.intake.accept(on_desktop("ver_1", **options))) == code
    with pytest.raises(ProofwalkError, match=r"verification\.not_found"):
        await desks.setting.row("ver_1")
