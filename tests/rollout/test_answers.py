"""What an agent answers goes to the judge and into the verdict, and nowhere as a
claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.console.safety.redaction import Secrets
from proofwalk.kernel.answers import MAX_ANSWER, AnsweredField, FieldVerdict
from proofwalk.kernel.outcomes import Decision
from proofwalk.rollout.browser_walker import masked_answer
from proofwalk.rollout.domain import judge
from proofwalk.rollout.facts import RewardFacts, WalkEnding, WalkFacts
from proofwalk.rollout.judgement import Judgement, Verdict
from proofwalk.rollout.judgement_codec import decode, encode
from proofwalk.rollout.messages import verdict_message
from proofwalk.rollout.ports import Reward, WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.setting import Setting

ASKED = WalkFacts(ending=WalkEnding.COMPLETED, reason="", substeps=(), answer="zone: b")


async def answers(order: WalkOrder, listeners: WalkListeners) -> Ending:
    return Completed(note="done", answer="zone: b")


async def test_the_judge_is_given_the_answer(setting: Setting) -> None:
    setting.world.walker.script = answers
    await setting.create()
    await setting.finish()
    assert setting.world.rewards.answers == ["zone: b"]


@pytest.mark.parametrize(
    ("decision", "code", "blame"),
    [
        (Decision.ANSWER_WRONG, "answer.wrong", "agent"),
        (Decision.ANSWER_MISSING, "answer.missing", "agent"),
        (Decision.ANSWER_NOT_JUDGED, "answer.not_judged", "nobody"),
    ],
)
def test_what_is_wrong_with_an_answer_has_its_own_code(
    decision: Decision, code: str, blame: str
) -> None:
    outcome = judge(ASKED, RewardFacts(decision=decision, reason="…")).outcome
    assert (outcome.code, outcome.blame.value) == (code, blame)


@pytest.mark.parametrize("ending", [WalkEnding.ENVIRONMENT, WalkEnding.CANCELLED])
@pytest.mark.parametrize("decision", [Decision.ANSWER_WRONG, Decision.ANSWER_MISSING])
def test_where_the_environment_failed_no_answer_is_the_agents_failure(
    ending: WalkEnding, decision: Decision
) -> None:
    facts = replace(ASKED, ending=ending)
    outcome = judge(facts, RewardFacts(decision=decision, reason="…")).outcome
    assert outcome.kind.value in ("env_failure", "cancelled")


def test_a_verdict_shows_the_answer_field_by_field() -> None:
    field = AnsweredField(name="zone", value="b", verdict=FieldVerdict.RIGHT)
    judged = judge(ASKED, RewardFacts(decision=Decision.CONFIRMED, reason="right"))
    judged = replace(judged, answered=(field,))
    kept: Judgement = decode(encode(judged))
    assert kept == judged
    shown = verdict_message(Verdict(judgement=kept, seconds=1, cost=0, episodes=1))
    assert shown.answer == "zone: b"
    assert [(one.name, one.value, one.verdict) for one in shown.answered] == [
        ("zone", "b", "right")
    ]


def test_no_secret_leaves_in_an_answer_and_none_is_too_long() -> None:
    secrets = Secrets({"console_password": "hunter-2-hunter"})
    said = masked_answer(Completed(answer="the word is hunter-2-hunter"), secrets)
    assert said == Completed(answer="the word is <secret:console_password>")
    long = masked_answer(Completed(answer="hunter-2-hunter" * 250), secrets)
    assert isinstance(long, Completed)
    assert len(long.answer) <= MAX_ANSWER


OPEN = AnsweredField(
    name="zone", value="b", verdict=FieldVerdict.NOT_JUDGED, criterion="names the zone"
)


@pytest.mark.parametrize(
    ("decision", "outcome", "evidence"),
    [
        (Decision.JUDGED_SUCCESS, "verified", "judges"),
        (Decision.ANSWER_WRONG, "agent_failure", "none"),
        (Decision.JUDGE_SPLIT, "judge_split", "none"),
        (None, "unproven", "none"),
    ],
)
async def test_judges_decide_about_free_text_where_they_are_set(
    setting: Setting, decision: Decision | None, outcome: str, evidence: str
) -> None:
    setting.world.walker.script = answers
    rewards = setting.world.rewards
    rewards.decision = "answer_not_judged"
    if decision is not None:
        rewards.of_free_text = Reward(
            decision=decision, reason="both say so", rule="asked@1", answered=[OPEN]
        )
    await setting.create()
    await setting.finish()
    judged = (await setting.episodes())[0].judgement
    assert judged is not None
    assert (judged.outcome.kind.value, judged.evidence.value) == (outcome, evidence)
    assert rewards.walks[0].title
    assert "no rule was given" not in judged.outcome.reason
