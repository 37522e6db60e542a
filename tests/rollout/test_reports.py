"""What a finished verification tells: its verdict and its report."""

from __future__ import annotations

from proofwalk.agent.core.endings import Ending, Unachievable
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.database import Transaction
from proofwalk.chassis.rpc.vocabulary import finding_from_pb
from proofwalk.kernel.evidence import Citation
from proofwalk.kernel.outcomes import Decision, Finding, FindingKind
from proofwalk.kernel.readings import ReadAct, Span, SubStepReading
from proofwalk.rollout import repository
from proofwalk.rollout.judgement import JudgeAnswer
from proofwalk.rollout.judgement_codec import encode_verdict
from proofwalk.rollout.ports import Reward, WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from tests.rollout.api import OPERATOR, Api, code_of
from tests.rollout.fakes import STOPPED


async def test_a_finished_verification_has_its_verdict_and_a_report_that_needs_nothing_else(
    api: Api,
) -> None:
    finding = Finding(
        file="stop.md",
        line=6,
        sentence="click **Stop**",
        kind=FindingKind.RENAMED,
        message="<script>alert(1)</script>",
        candidates=("Halt",),
        asked="Stop",
        offered="<b>Halt</b>",
        place="Pumps",
    )

    async def script(order: WalkOrder, listeners: WalkListeners) -> Ending:
        return Unachievable(substep="2", reason="no Stop", finding=finding)

    api.setting.world.walker.script = script
    api.setting.world.rewards.decision = "denied"
    await api.create(rule_yaml="r")
    assert await code_of(api.report("ver_1")) == "verification.not_finished"
    await api.setting.finish()
    read = (
        await api.stub.GetVerification(
            pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_1"), timeout=5
        )
    ).verification
    assert read.verdict.outcome == common.OUTCOME_DOC_DEFECT
    assert finding_from_pb(read.verdict.finding) == finding
    assert [step.status for step in read.verdict.substeps] == [
        common.SUB_STEP_STATUS_VERIFIED,
        common.SUB_STEP_STATUS_DEFECT,
        common.SUB_STEP_STATUS_NOT_VERIFIED,
    ]
    assert [(one.number, one.outcome, one.phase, one.steps) for one in read.episodes] == [
        (1, common.OUTCOME_SUSPECTED, "done", 3),
        (2, common.OUTCOME_SUSPECTED, "done", 3),
    ]
    assert (read.verdict.goal, [one.finding.line for one in read.verdict.sightings]) == (
        common.GOAL_NO,
        [6, 6],
    )
    page = await api.report("ver_1")
    assert "The document is wrong here" in page
    assert "stop.md, line 6" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "data:image/jpeg;base64," in page
    assert "<dt>The document asks for</dt><dd><q>Stop</q></dd>" in page
    assert "<dt>The console has</dt><dd><b>&lt;b&gt;Halt&lt;/b&gt;</b></dd>" in page
    assert "<dt>Looked for on</dt><dd>Pumps</dd>" in page
    assert page.count('<figure class="moment">') == 1
    assert "http://" not in page.replace("https://console.example", "")
    assert await code_of(api.report("ver_none")) == "verification.not_found"


async def test_verdict_and_report_show_what_was_asked_executed_and_seen(api: Api) -> None:
    asked = ReadAct(asked="click “Stop”", executed="clicked “Stop”")
    undone = ReadAct(asked="tick <b>I agree</b>")
    span = Span(file="stop.md", line=7, text="Clik OK")
    api.setting.world.walker.seen = STOPPED
    api.setting.world.walker.reading = SubStepReading(acts=(asked, undone), not_understood=(span,))
    await api.create(rule_yaml="r")
    await api.setting.finish()
    request = pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_1")
    read = (await api.stub.GetVerification(request, timeout=5)).verification
    assert (read.accept, read.verdict.outcome, read.verdict.code) == (
        common.EVIDENCE_PAGE,
        common.OUTCOME_UNPROVEN,
        "walk.not_understood",
    )
    last = read.verdict.substeps[-1]
    assert [(act.asked, act.executed) for act in last.reading.acts] == [
        (asked.asked, asked.executed),
        (undone.asked, ""),
    ]
    assert [(one.line, one.text) for one in last.reading.not_understood] == [(7, "Clik OK")]
    (sighting,) = last.sightings
    assert (sighting.expectation.kind, sighting.expectation.line, sighting.seen) == (
        "state",
        6,
        "web-1 Stopped",
    )
    assert not read.verdict.substeps[0].HasField("reading")
    page = await api.report("ver_1")
    assert "Walked to its end, not proven" in page
    assert "executed: clicked “Stop”" in page
    assert "tick &lt;b&gt;I agree&lt;/b&gt;</td><td>not executed" in page
    assert "<q>Clik OK</q></td><td>not understood" in page
    assert "seen in step 2: <q>web-1 Stopped</q>" in page


async def test_what_is_accepted_as_proof_is_the_requests_else_the_targets(api: Api) -> None:
    for number, accept in enumerate((None, "EVIDENCE_JUDGES")):
        await api.create(verification_id=f"ver_{number}", accept=accept)
    assert [(await api.setting.row(f"ver_{number}")).order.accept for number in range(2)] == [
        "page",
        "judges",
    ]


async def test_a_report_of_an_old_verdict_has_no_readings(api: Api) -> None:
    await api.create(rule_yaml="r")
    verdict = (await api.setting.finish()).verdict
    assert verdict is not None
    row = encode_verdict(verdict)
    old = [
        {k: v for k, v in one.items() if k not in ("reading", "sightings")}
        for one in row["substeps"]
    ]

    async def as_written_before(tx: Transaction) -> None:
        await repository.update_verification(tx, "ver_1", verdict={**row, "substeps": old})

    await api.setting.db.run(as_written_before)
    assert "asked:" not in await api.report("ver_1")


async def test_verdict_and_report_show_who_judged_and_what_they_cited(api: Api) -> None:
    order = "<b>You are the judge</b>"
    api.setting.world.rewards.by_models = Reward(
        decision=Decision.JUDGE_SPLIT,
        reason="the judges do not agree",
        judges=[
            JudgeAnswer(
                judge="qwen3",
                family="qwen",
                model="qwen3-vl",
                verdict="success",
                reason=order,
                evidence=(Citation(source="page", quote="web-1 is stopped"),),
                tokens_in=1000,
                tokens_out=20,
                cost=0.5,
                currency="CNY",
            ),
            JudgeAnswer(
                judge="gemini", family="gemini", model="g", verdict="cannot_tell", reason="no event"
            ),
        ],
    )
    await api.create()
    await api.setting.finish()
    verdict = (
        await api.stub.GetVerification(
            pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_1"), timeout=5
        )
    ).verification.verdict
    assert (verdict.outcome, verdict.code) == (common.OUTCOME_JUDGE_SPLIT, "judges.split")
    assert [(one.family, one.verdict) for one in verdict.judges] == [
        ("qwen", "success"),
        ("gemini", "cannot_tell"),
    ]
    assert [(one.source, one.quote) for one in verdict.judges[0].evidence] == [
        ("page", "web-1 is stopped")
    ]
    assert (verdict.judges[0].tokens_in, verdict.judges[0].cost, verdict.judges[0].currency) == (
        1000,
        0.5,
        "CNY",
    )
    page = await api.report("ver_1")
    for told in (
        "judging came to no decision",
        "What the judges say",
        "qwen3 (qwen)",
        "cannot tell",
        "page: <q>web-1 is stopped</q>",
        "1020, 0.5000 CNY",
    ):
        assert told in page
    assert order not in page
    assert "&lt;b&gt;You are the judge" in page
