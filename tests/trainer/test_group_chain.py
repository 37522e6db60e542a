"""The rollout role itself under the trainer: what a walk's policy asked and wrote comes
back as what is learned from."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.policy import Decision
from proofwalk.chassis.tasks import end
from proofwalk.console.actions import SubStepComplete
from proofwalk.kernel.clock import ManualClock
from proofwalk.models.client import AnswerForm, Completion, Exchange, Message
from proofwalk.rl.settings import GrpoSettings
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_rollouts import group_rollouts
from tests.rl.kit import tiny_tokenizer
from tests.rollout.api import Api
from tests.rollout.conftest import api, setting
from tests.rollout.fakes import away
from tests.rollout.setting import DOCUMENT
from tests.trainer.test_group_tasks import TASK

__all__ = ["api", "setting"]  # the fixtures


def asked(*tokens: int, error: str = "") -> Exchange:
    answer = Completion(
        text="{}",
        finish_reason="stop",
        model="run_1@step-00000000",
        tokens_in=2,
        tokens_out=len(tokens),
        prompt_token_ids=(3, 4),
        token_ids=tokens,
        logprobs=tuple(-0.5 for _ in tokens),
    )
    question = Message(role="user", text="What next?")
    return Exchange(messages=(question,), form=AnswerForm.SCHEMA, completion=answer, error=error)


async def test_episodes_of_the_rollout_role_become_samples(
    api: Api, home: Path, tmp_path: Path
) -> None:
    here = api.setting
    now = here.clock.now()

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        decided = Decision(
            thought="", action=SubStepComplete(), exchanges=(asked(5, error="no JSON"), asked(6, 1))
        )
        step = StepEvent(
            step=4, substep="3", substep_index=2, thought="", action="{}", result="", ok=True, url="", title="", started_at=now,
            ended_at=now,
        )  # fmt: skip
        await listeners.on_step(replace(step, decision=decided))
        await listeners.on_step(
            replace(step, step=5, ok=False, unread=(asked(7, error="no JSON"),))
        )
        return Completed()

    here.world.walker.script = script
    here.world.before["sandboxes.acquire"].extend(away())
    task = replace(TASK, document=DOCUMENT.decode())
    await asyncio.to_thread(
        write_suite, Suite(id="train", version=1, seed=0, tasks=(task,)), tmp_path / "suite"
    )
    source = await asyncio.to_thread(
        group_rollouts,
        RolloutsConfig(
            suite=tmp_path / "suite", tasks_per_step=1, policy="literal", ahead=0, deadline_s=50
        ),
        run_id="run_1",
        folder=tmp_path / "run",
        rollout=f"unix:{home}/rollout.sock",
        inference=f"unix:{home}/nobody.sock",
        tokenizer=tiny_tokenizer(),
        settings=GrpoSettings(group_size=2),
        clock=ManualClock(),
    )
    working = asyncio.ensure_future(here.worker().run())
    try:
        (group,) = await asyncio.to_thread(source.roll, {"stop-1": 3}, 0)
    finally:
        await end([working])
        await asyncio.to_thread(source.close)
    failed, *told = group.rollouts
    assert (failed.episode, failed.reward, failed.samples) == ("run_1.0.stop-1.0", None, ())
    assert source.excluded == {"env_failure:sandbox": 1}
    for rollout in told:
        assert rollout.reward == 1.0
        assert [(sample.prompt, sample.completion) for sample in rollout.samples] == [
            ((3, 4), (5,)),
            ((3, 4), (6, 1)),
            ((3, 4), (7,)),
        ]
        assert rollout.samples[1].old_logprobs == (-0.5, -0.5)
        assert {sample.policy_version for sample in rollout.samples} == {"step-00000000"}
    for name in ("run_1.0.stop-1.0", "run_1.0.stop-1.1", "run_1.0.stop-1.2"):
        await here.check_all_is_well(name)
