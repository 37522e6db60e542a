"""What one episode does in a good world and in failing ones: the outcome, its cause,
and that nothing is left behind."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import (
    ActionFailures,
    BudgetExhausted,
    Ending,
    EnvironmentFailed,
    Unachievable,
)
from proofwalk.kernel.errors import (
    ProofwalkError,
    Status,
    conflict,
    exhausted,
    not_found,
    unavailable,
)
from proofwalk.kernel.evidence import Citation
from proofwalk.kernel.json_values import list_of
from proofwalk.kernel.outcomes import Decision, EnvCause
from proofwalk.rollout.judgement import JudgeAnswer
from proofwalk.rollout.ports import LeftBehind, Reward, WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.fakes import Gate, Script, away
from tests.rollout.setting import SUBSTEPS, Setting, settings, until


def ends_with(ending: Ending) -> Script:
    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return ending

    return script


def explodes(error: Exception) -> Script:
    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        raise error

    return script


async def test_a_procedure_that_works_is_verified_on_the_logs_evidence(setting: Setting) -> None:
    await setting.create()
    await setting.finish()
    row = await setting.check_all_is_well()
    verdict = await setting.verdict()
    outcome = verdict.judgement.outcome
    assert (outcome.kind, outcome.blame, outcome.cause) == ("verified", "nobody", None)
    assert verdict.judgement.evidence == "audit"
    assert verdict.judgement.audit_events == ("evt-1",)
    assert [step.status for step in verdict.judgement.substeps] == ["verified"] * SUBSTEPS
    assert verdict.cost == 0.25
    assert verdict.episodes == 1
    assert (row.done, row.total) == (SUBSTEPS, SUBSTEPS)
    types = [event.type for event in await setting.events()]
    assert types == [
        "verification_queued",
        "episode_started",
        "procedure_read",
        "account_leased",
        "resources_provisioned",
        "sandbox_acquired",
        "signed_in",
        *["step_taken"] * SUBSTEPS,
        "walk_finished",
        "episode_judged",
        "resources_destroyed",
        "account_released",
        "episode_finished",
        "verification_finished",
    ]
    (order,) = setting.world.walker.orders
    assert (order.binds, order.resources) == ({"instance": "web-1"}, "an instance web-1")
    assert setting.world.sandboxes.allowed == [["devcloud.example:443"]]
    assert setting.world.rewards.outputs == {"instance_id": "i-1"}


async def test_the_browser_is_gone_before_the_log_is_judged(setting: Setting) -> None:
    await setting.create()
    await setting.finish()
    calls = setting.world.calls
    assert (
        calls.index("sandboxes.release")
        < calls.index("rewards.judge")
        < calls.index("provisioner.sweep")
    )
    assert calls.index("provisioner.sweep") < calls.index("accounts.release")


ERROR = unavailable("x.broken", "it broke")
FAILURES = [
    ("accounts.acquire", exhausted("account.none_free", "all leased"), "account"),
    ("accounts.acquire", not_found("target.unknown", "no target"), "account"),
    ("provisioner.provision", conflict("provision.apply_failed", "terraform failed"), "provision"),
    (
        "provisioner.provision",
        exhausted("provision.quota", "no more instances", cause=EnvCause.QUOTA),
        "quota",
    ),
    (
        "provisioner.provision",
        ProofwalkError("lease.stale_epoch", "it ended", status=Status.ABORTED),
        "account",
    ),
    ("sandboxes.acquire", exhausted("sandbox.none_free", "all in use"), "sandbox"),
    ("sandboxes.acquire", unavailable("sandbox.start_failed", "chromium crashed"), "sandbox"),
    ("accounts.console_login", conflict("account.no_such_credential", "no login"), "account"),
    ("walker.walk", unavailable("sign_in.failed", "no such field"), "sandbox"),
    ("rewards.judge", unavailable("reward.unavailable", "the log is away"), "audit_late"),
]


@pytest.mark.parametrize(
    ("call", "error", "cause"),
    FAILURES,
    ids=[f"{call} {error.code}" for call, error, _ in FAILURES],
)
async def test_a_failing_environment_is_named_and_never_a_reward_of_zero(
    setting: Setting, call: str, error: ProofwalkError, cause: str
) -> None:
    setting.world.before[call].append(error)
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.outcome.cause, judgement.outcome.code) == (
        "env_failure",
        cause,
        error.code,
    )
    assert judgement.outcome.blame == "environment"
    (episode,) = await setting.episodes()
    assert episode.outcome == "env_failure"


async def test_what_was_refused_is_not_asked_for_again_to_be_undone(setting: Setting) -> None:
    setting.world.before["sandboxes.acquire"].append(
        unavailable("sandbox.start_failed", "chromium crashed")
    )
    await setting.create()
    await setting.finish()
    await setting.check_all_is_well()
    assert setting.world.calls.count("sandboxes.acquire") == 1


async def test_an_answer_that_was_lost_is_asked_for_again_and_taken_back(setting: Setting) -> None:
    setting.world.after["accounts.acquire"].extend(away())
    await setting.create()
    await setting.finish()
    await setting.check_all_is_well()
    assert setting.world.calls.count("accounts.acquire") == 2
    assert setting.world.accounts.releases == ["lease_1"]


ENDINGS = [
    (Unachievable(substep="2", reason="I see no way"), "agent_failure", None),
    (BudgetExhausted(substep="2", reason="40 steps"), "agent_failure", None),
    (ActionFailures(substep="2", reason="3 in a row"), "agent_failure", None),
    (EnvironmentFailed(substep="2", cause=EnvCause.MODEL, error=ERROR), "env_failure", "model"),
    (EnvironmentFailed(substep="2", cause=EnvCause.QUOTA, error=ERROR), "env_failure", "quota"),
]


@pytest.mark.parametrize(
    ("ending", "outcome", "cause"), ENDINGS, ids=[type(ending).__name__ for ending, _, _ in ENDINGS]
)
async def test_how_a_walk_ends_decides_what_it_shows(
    setting: Setting, ending: Ending, outcome: str, cause: str | None
) -> None:
    setting.world.walker.script = ends_with(ending)
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.outcome.cause) == (outcome, cause)
    assert all(step.status == "not_verified" and step.reason for step in judgement.substeps)


@pytest.mark.parametrize(
    ("decision", "outcome", "cause"),
    [
        ("denied", "agent_failure", None),
        ("audit_late", "env_failure", "audit_late"),
        ("no_audit_log", "unproven", None),
    ],
)
async def test_the_log_has_the_last_word(
    setting: Setting, decision: str, outcome: str, cause: str | None
) -> None:
    setting.world.rewards.decision = decision
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.outcome.cause) == (outcome, cause)
    assert judgement.evidence == "none"


def judged(decision: str, *verdicts: str) -> Reward:
    answers = [
        JudgeAnswer(
            judge=f"{family}-vl",
            family=family,
            model="m",
            verdict=verdict,
            reason="because",
            evidence=(Citation(source="page", quote="web-1 is stopped"),),
        )
        for family, verdict in zip(("qwen", "gemini"), verdicts, strict=True)
    ]
    return Reward(decision=Decision(decision), reason=f"the judges say {decision}", judges=answers)


JUDGED = [
    (judged("judged_success", "success", "success"), "verified", "judges", None),
    (judged("judged_failure", "failure", "failure"), "agent_failure", "none", None),
    (judged("judge_split", "success", "failure"), "judge_split", "none", None),
    (judged("judge_away", "failure", "away"), "env_failure", "none", "model"),
]


@pytest.mark.parametrize(
    ("said", "outcome", "evidence", "cause"), JUDGED, ids=[said.decision for said, *_ in JUDGED]
)
async def test_without_a_rule_the_judges_decide_where_they_are_set(
    setting: Setting, said: Reward, outcome: str, evidence: str, cause: str | None
) -> None:
    setting.world.rewards.by_models = said
    await setting.create(rule="")
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.evidence, judgement.outcome.cause) == (
        outcome,
        evidence,
        cause,
    )
    assert said.reason in judgement.outcome.reason
    assert [(one.judge, one.verdict) for one in judgement.judges] == [
        (one.judge, one.verdict) for one in said.judges
    ]
    (told,) = [event.data for event in await setting.events() if event.type == "episode_judged"]
    assert list_of(told["judges"])[0] == f"qwen-vl (qwen): {said.judges[0].verdict}"
    assert "rewards.judge" not in setting.world.calls
    (walk,) = setting.world.rewards.walks
    assert [one.number for one in walk.substeps] == ["1", "2", "3"]
    assert (walk.title, walk.binds) == ("Stop an instance: Procedure", {"instance": "web-1"})


async def test_where_a_rule_exists_no_judge_is_asked(setting: Setting) -> None:
    setting.world.rewards.decision = "denied"
    setting.world.rewards.by_models = judged("judged_success", "success", "success")
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.judges) == ("agent_failure", ())
    assert "rewards.judge_by_models" not in setting.world.calls


async def test_a_walk_that_did_not_come_to_its_end_is_nothing_to_judge(setting: Setting) -> None:
    setting.world.walker.script = ends_with(BudgetExhausted(substep="2", reason="40 steps"))
    setting.world.rewards.by_models = judged("judged_success", "success", "success")
    await setting.create(rule="")
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert judgement.outcome.kind == "agent_failure"
    assert setting.world.rewards.walks == []


@pytest.mark.parametrize(
    ("code", "cause"), [("judges.budget_spent", EnvCause.MODEL), ("judges.moved", None)]
)
async def test_a_failure_has_the_cause_that_its_error_names_else_its_phases(
    setting: Setting, code: str, cause: EnvCause | None
) -> None:
    setting.world.before["rewards.judge_by_models"].append(exhausted(code, "no more", cause=cause))
    await setting.create(rule="")
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.outcome.cause, judgement.outcome.code) == (
        "env_failure",
        cause or EnvCause.AUDIT_LATE,
        code,
    )


@pytest.mark.parametrize("error", [ValueError("a bug"), KeyError("x")], ids=repr)
async def test_a_bug_is_an_environment_failure_and_ends_nothing_else(
    setting: Setting, error: Exception
) -> None:
    setting.world.walker.script = explodes(error)
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.outcome.code) == ("env_failure", "internal")
    assert type(error).__name__ in judgement.outcome.reason
    assert "a bug" not in judgement.outcome.reason


async def test_a_decision_nobody_knows_is_no_verdict(setting: Setting) -> None:
    setting.world.rewards.decision = "perhaps"
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert judgement.outcome.kind == "env_failure"


async def test_a_document_that_cannot_be_read_any_more_still_gets_its_verdict(
    setting: Setting,
) -> None:
    await setting.create(document_digest="a" * 64)
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert judgement.outcome.kind == "env_failure"
    assert judgement.outcome.code.startswith("blob")


async def test_the_episodes_of_a_verification_share_the_budget_for_asking_a_model(
    setting: Setting,
) -> None:
    setting.world.walker.script = ends_with(ActionFailures(substep="2", reason="three in a row"))
    await setting.create(attempts=3)
    await setting.finish()
    await setting.check_all_is_well()
    assert [order.spent.calls for order in setting.world.walker.orders] == [0, 3, 6]
    assert setting.world.walker.orders[-1].spent.seconds == 3.0


@pytest.mark.parametrize(
    "call", ["sandboxes.release", "accounts.inspect", "provisioner.sweep", "accounts.release"]
)
async def test_a_peer_that_is_away_is_waited_for_when_things_are_taken_back(
    setting: Setting, call: str
) -> None:
    setting.world.walker.script = explodes(ValueError("stop here"))
    setting.world.before[call].extend(away(2))
    await setting.create()
    await setting.finish()
    await setting.check_all_is_well()
    assert setting.world.calls.count(call) == 3
    assert "cleanup_failed" not in [event.type for event in await setting.events()]


async def test_what_cannot_be_swept_is_left_to_the_pool_and_said_so(setting: Setting) -> None:
    setting.world.accounts.leftovers = [
        LeftBehind(product="ecs", type="instance", id="i-9", region="r", name="")
    ]
    setting.world.before["provisioner.sweep"].append(
        conflict("provision.destroy_failed", "it is protected")
    )
    await setting.create(meta="")
    await setting.finish()
    await setting.check_all_is_well()
    events = {event.type: event for event in await setting.events()}
    assert events["cleanup_failed"].data["code"] == "provision.destroy_failed"
    assert events["account_released"].data["clean"] is False
    assert events["account_released"].data["leftovers"] == ["ecs/instance i-9"]


async def test_cleaning_up_has_an_end_even_when_a_peer_never_comes_back(setting: Setting) -> None:
    setting.settings = settings(undo_s=0.5)
    setting.world.before["accounts.release"].extend(away(1000))
    await setting.create()
    row = await setting.finish()
    assert row.verdict is not None
    assert row.verdict.judgement.outcome.kind == "verified"
    assert "cleanup_failed" in [event.type for event in await setting.events()]
    assert [intent.key for intent in await setting.intents() if intent.state != "undone"] == [
        "account",
        "provision",
    ]


async def test_an_account_that_the_pool_took_back_is_not_touched_again(setting: Setting) -> None:
    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        setting.world.accounts.take_away()
        raise ERROR

    setting.world.walker.script = script
    await setting.create()
    await setting.finish()
    await setting.check_all_is_well()
    assert setting.world.accounts.releases == []


@pytest.mark.parametrize(("lost", "cause"), [("accounts", "account"), ("sandboxes", "sandbox")])
async def test_a_hold_that_is_lost_stops_the_walk(setting: Setting, lost: str, cause: str) -> None:
    setting.settings = settings(hold_ttl_s=0.2)
    waiting = setting.world.gates["walker.walk"] = Gate()
    setting.world.before[f"{lost}.renew"].append(
        ProofwalkError("sandbox.crashed", "it is gone", status=Status.UNAVAILABLE)
    )
    await setting.create()
    await setting.finish()
    assert not waiting.opened.is_set()
    judgement = (await setting.verdict()).judgement
    assert (judgement.outcome.kind, judgement.outcome.cause) == ("env_failure", cause)


def expired() -> ProofwalkError:
    return ProofwalkError(
        "provision.expired",
        "its time has passed",
        status=Status.FAILED_PRECONDITION,
        cause=EnvCause.PROVISION,
    )


async def test_resources_that_are_taken_back_in_their_time_stop_the_walk(setting: Setting) -> None:
    setting.settings = settings(hold_ttl_s=0.2)
    waiting = setting.world.gates["walker.walk"] = Gate()
    setting.world.provisioner.expires_at = setting.clock.now()
    setting.world.provisioner.ended = expired()
    await setting.create()
    await setting.finish()
    assert not waiting.opened.is_set()
    outcome = (await setting.verdict()).judgement.outcome
    assert (outcome.kind, outcome.cause, outcome.code) == (
        "env_failure",
        "provision",
        "provision.expired",
    )
    await setting.check_all_is_well()


async def test_a_walk_that_failed_without_its_resources_is_not_the_agents(setting: Setting) -> None:
    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        setting.world.provisioner.ended = expired()
        return Unachievable(substep="1", reason="the instance is not there")

    setting.world.walker.script = script
    await setting.create()
    await setting.finish()
    outcome = (await setting.verdict()).judgement.outcome
    assert (outcome.kind, outcome.code) == ("env_failure", "provision.expired")


async def test_who_cannot_be_asked_for_resources_does_not_cost_the_walk(setting: Setting) -> None:
    setting.world.provisioner.ended = unavailable("rpc.unavailable", "it restarts")
    await setting.create()
    await setting.finish()
    assert (await setting.verdict()).judgement.outcome.kind == "verified"


async def test_a_peer_that_is_away_for_a_moment_does_not_cost_the_hold(setting: Setting) -> None:
    setting.settings = settings(hold_ttl_s=1.2)
    setting.world.before["accounts.renew"].extend(away(2))
    setting.world.before["sandboxes.renew"].extend(away(2))

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        await until(lambda: setting.world.calls.count("sandboxes.renew") >= 4)
        return Unachievable(substep="1", reason="enough seen")

    setting.world.walker.script = script
    await setting.create()
    await setting.finish()
    judgement = (await setting.verdict()).judgement
    assert judgement.outcome.kind == "agent_failure"
