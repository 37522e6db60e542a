"""Policies that only say something: none of them gets a verdict, with a rule, without
one, and without a log."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.policy import Decision as Decided
from proofwalk.agent.core.policy import Turn
from proofwalk.console.actions import Action, SubStepComplete, TaskComplete, TaskUnachievable, Wait
from proofwalk.kernel.expectations import Expectation, Seen
from proofwalk.kernel.outcomes import Decision, Evidence, Finding, FindingKind, OutcomeKind
from proofwalk.kernel.readings import ReadAct, SubStepReading
from proofwalk.rollout.domain import judge
from proofwalk.rollout.facts import RewardFacts
from proofwalk.rollout.findings import SEEN_ONCE
from proofwalk.rollout.walk_facts import facts_of
from tests.agent.documents import procedure, run
from tests.agent.fake_console import FakeConsole, FakeRow

STEPS = (
    "In the navigation pane, choose **Instances**.",
    "Find the instance and click **Stop**.",
    "The status of the instance changes to **Running**.",
)
DONE = SubStepReading(acts=(ReadAct(asked="click “Stop”", executed="clicked “Stop”"),))


class Liar:
    """Says `action` in every turn, after `waits` of looking on; names the state that
    the row has anyway, and that all was done."""

    name = "liar"

    def __init__(self, action: Action, *, waits: int = 0) -> None:
        self._action = action
        self._waits = waits

    async def decide(self, turn: Turn) -> Decided:
        sentence = turn.substep.sentences[0]
        finding = Finding(
            file="doc.md",
            line=sentence.span.line,
            sentence=sentence.text,
            kind=FindingKind.MISSING,
            message="there is none",
        )
        expected = Expectation(
            kind=Seen.STATE, text="Running", subject="web-1", line=3, sentence=sentence.text
        )
        if self._waits:
            self._waits -= 1
            return Decided(thought="", action=Wait(seconds=1), expected=(expected,))
        blames = isinstance(self._action, TaskUnachievable)
        found = finding if blames else None
        return Decided(
            thought="", action=self._action, finding=found, expected=(expected,), reading=DONE
        )

    async def close(self) -> None:
        pass


COMPLETES = [
    Liar(TaskComplete()),
    Liar(SubStepComplete()),
    Liar(SubStepComplete(), waits=3),
]


@pytest.mark.parametrize("decision", [Decision.NO_RULE, Decision.NO_AUDIT_LOG, Decision.DENIED])
@pytest.mark.parametrize("accept", [Evidence.AUDIT, Evidence.PAGE])
async def test_who_completes_without_acting_is_never_verified(
    decision: Decision, accept: Evidence
) -> None:
    for liar in COMPLETES:
        console = FakeConsole(rows=[FakeRow(id="i-1", name="web-1")], path="/ecs/instances")
        walk = await run(console, *STEPS, policy=liar, binds={"the instance": "web-1"})
        judgement = judge(
            facts_of(walk, procedure(*STEPS)),
            RewardFacts(decision=decision, reason=""),
            accept=accept,
        )
        assert judgement.outcome.kind in (OutcomeKind.UNPROVEN, OutcomeKind.AGENT_FAILURE)
        assert judgement.evidence is Evidence.NONE


@pytest.mark.parametrize(
    "decision", [Decision.NO_RULE, Decision.NO_AUDIT_LOG, Decision.DENIED, Decision.CONFIRMED]
)
@pytest.mark.parametrize("waits", [0, 2])
async def test_who_blames_the_document_at_once_gets_no_second_witness(
    decision: Decision, waits: int
) -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="web-1")], path="/ecs/instances")
    walk = await run(
        console,
        *STEPS,
        policy=Liar(TaskUnachievable(reason="no"), waits=waits),
        binds={"the instance": "web-1"},
    )
    judgement = judge(facts_of(walk, procedure(*STEPS)), RewardFacts(decision=decision, reason=""))
    assert judgement.outcome.kind is OutcomeKind.SUSPECTED
    assert judgement.outcome.code != SEEN_ONCE
