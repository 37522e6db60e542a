"""A lease that the pool ends because it cost too much ends the job as an environment
failure of the account, with the pool's code."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Ending
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.fakes import Gate
from tests.rollout.setting import Setting, settings

OVER = ProofwalkError(
    "account.over_budget",
    "the lease of ep_1 cost 2.01 CNY, more than its cap of 2.00",
    status=Status.FAILED_PRECONDITION,
    cause=EnvCause.ACCOUNT,
)


async def check(setting: Setting) -> None:
    await setting.create()
    await setting.finish()
    outcome = (await setting.verdict()).judgement.outcome
    assert (outcome.kind, outcome.cause, outcome.code) == (
        "env_failure",
        "account",
        "account.over_budget",
    )
    assert "more than its cap of 2.00" in outcome.reason
    assert outcome.blame == "environment"
    await setting.check_all_is_well()
    assert setting.world.accounts.releases == []


async def test_it_is_noticed_while_the_walk_goes_on(setting: Setting) -> None:
    setting.settings = settings(hold_ttl_s=0.2)
    never = Gate()

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        setting.world.accounts.take_away(OVER)
        await never.opened.wait()
        raise AssertionError("unreachable")

    setting.world.walker.script = script
    await check(setting)


@pytest.mark.parametrize("call", ["provisioner.provision", "accounts.console_login"])
async def test_it_is_noticed_by_the_next_call(setting: Setting, call: str) -> None:
    setting.world.before[call].append(OVER)
    await setting.create()
    await setting.finish()
    outcome = (await setting.verdict()).judgement.outcome
    assert (outcome.cause, outcome.code) == ("account", "account.over_budget")
