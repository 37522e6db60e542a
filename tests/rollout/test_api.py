"""The rollout contract over real gRPC, with the intake and fakes behind it: what is
refused, listed, watched and reported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.agent.core.walk import Ending, Unachievable
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2_grpc
from proofwalk.chassis.database import Transaction
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.rpc.vocabulary import finding_from_pb
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable
from proofwalk.kernel.evidence import Citation
from proofwalk.kernel.outcomes import Decision, Finding, FindingKind, Outcome, OutcomeKind
from proofwalk.kernel.readings import ReadAct, Span, SubStepReading
from proofwalk.rollout import repository, usecases
from proofwalk.rollout.groups import GroupMetrics, Groups
from proofwalk.rollout.grpc_api import RolloutApi
from proofwalk.rollout.intake import Fetched, Intake
from proofwalk.rollout.judgement import JudgeAnswer, Judgement
from proofwalk.rollout.judgement_codec import encode_verdict
from proofwalk.rollout.ports import Reward, WalkListeners, WalkOrder
from proofwalk.rollout.report.page import Report, document_lines
from proofwalk.rollout.targets import TargetInfo
from tests.rollout.fakes import STOPPED
from tests.rollout.setting import DOCUMENT, Setting

TARGET = TargetInfo(
    id="devcloud",
    title="Devcloud",
    console_url="http://127.0.0.1:1",
    adapter="devcloud",
    has_audit_log=True,
    has_provisioning=True,
    has_scenarios=True,
)
OPERATOR = pb.Caller(principal="local", operator=True)
PLAIN = replace(TARGET, id="plain", has_scenarios=False)


@dataclass
class Api:
    """A stub, and what is behind it."""

    setting: Setting
    stub: rollout_pb2_grpc.RolloutStub
    fetched: list[str] = field(default_factory=list)
    rung: list[str] = field(default_factory=list)
    fetch_error: ProofwalkError | None = None

    async def create(self, verification_id: str = "ver_1", **values: Any) -> pb.Verification:
        fields = {
            "target": "devcloud",
            "principal": "local",
            "document": pb.DocumentSource(content=DOCUMENT, name="stop.md"),
            **values,
        }
        request = pb.CreateVerificationRequest(verification_id=verification_id, **fields)
        reply: pb.CreateVerificationResponse = await self.stub.CreateVerification(
            request, timeout=10
        )
        return reply.verification

    async def watch(
        self, verification_id: str, *, after: int = 0, stored_only: bool = True
    ) -> list[pb.Event]:
        request = pb.WatchEventsRequest(
            caller=OPERATOR, verification_id=verification_id, after=after, stored_only=stored_only
        )
        return [event async for event in self.stub.WatchEvents(request, timeout=20)]

    async def report(self, verification_id: str) -> str:
        chunks = self.stub.GetReport(
            pb.GetReportRequest(caller=OPERATOR, verification_id=verification_id), timeout=10
        )
        return b"".join([chunk.data async for chunk in chunks]).decode()


@pytest.fixture
async def api(setting: Setting, home: Path, tracing: Tracing) -> AsyncIterator[Api]:
    metrics = RpcMetrics(CollectorRegistry())
    address = f"unix:{home}/rollout.sock"
    channel = RpcChannel(address, tracing=tracing, metrics=metrics)
    api = Api(setting, rollout_pb2_grpc.RolloutStub(channel.grpc))

    async def fetch(url: str) -> Fetched:
        api.fetched.append(url)
        if api.fetch_error is not None:
            raise api.fetch_error
        return Fetched(name=url, content=DOCUMENT, media_type="text/markdown")

    async def ring(verification_id: str) -> None:
        api.rung.append(verification_id)

    intake = Intake(
        db=setting.db,
        blobs=setting.blobs,
        clock=setting.clock,
        fetch=fetch,
        provisioner=setting.world.provisioner,
        rewards=setting.world.rewards,
        targets=lambda: {"devcloud": TARGET, "plain": PLAIN},
        policies=["literal", "scripted", "llm", "cascade"],
        documents=setting.documents,
        max_document_bytes=10_000,
        rung=ring,
    )
    servicer = RolloutApi(
        db=setting.db,
        clock=setting.clock,
        intake=intake,
        groups=Groups(
            db=setting.db,
            clock=setting.clock,
            intake=intake,
            rung=ring,
            metrics=GroupMetrics(CollectorRegistry()),
        ),
        report=Report(db=setting.db, blobs=setting.blobs),
        blobs=setting.blobs,
        targets=lambda: [TARGET],
        sign_in=lambda target: (),
        rung=ring,
    )
    service = RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Rollout"],
        register=rollout_pb2_grpc.add_RolloutServicer_to_server,
        servicer=servicer,
    )
    server = RpcServer(address, [service], tracing=tracing, metrics=metrics)
    await server.start()
    await server.ready(True)
    yield api
    await channel.close()
    await server.stop(0)


async def code_of(call: object) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call  # type: ignore[misc]
    return caught.value.code


@pytest.mark.parametrize("policy", ["llm", "cascade"])
async def test_a_policy_that_asks_a_model_is_refused_where_none_is_set(
    api: Api, policy: str
) -> None:
    assert await code_of(api.create(policy=policy)) == "policy.no_model"
    assert api.rung == []


async def test_what_is_created_is_queued_rung_for_and_readable(api: Api) -> None:
    made = await api.create(attempts=2, principal="ci", region="cn-hangzhou")
    assert (made.state, made.document, made.title, made.attempts, made.policy) == (
        "queued",
        "stop.md",
        "Stop an instance",
        2,
        "literal",
    )
    assert (made.progress.total, made.principal) == (3, "ci")
    assert api.rung == ["ver_1"]
    read = (
        await api.stub.GetVerification(
            pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_1"), timeout=5
        )
    ).verification
    assert read == made
    assert not read.HasField("verdict")


async def test_a_repeated_request_asks_nobody_again(api: Api) -> None:
    document = pb.DocumentSource(url="https://docs.example/stop")
    first = await api.create(document=document, rule_yaml="r", meta_yaml="m")
    api.fetch_error = unavailable("fetch.unreachable", "the site is down")
    api.setting.world.before["rewards.validate"].append(invalid("rule.invalid", "not any more"))
    assert await api.create(document=document, rule_yaml="r", meta_yaml="m") == first
    assert api.fetched == ["https://docs.example/stop"]
    assert (
        await code_of(api.create(document=document, rule_yaml="other", meta_yaml="m"))
        == "verification.exists"
    )


REFUSALS = [
    ({"verification_id": ""}, "verification.bad_id"),
    ({"verification_id": "a/b"}, "verification.bad_id"),
    ({"verification_id": "v" * 65}, "verification.bad_id"),
    ({"document": pb.DocumentSource()}, "document.no_source"),
    ({"target": "moon"}, "target.unknown"),
    ({"policy": "dreamer"}, "policy.unknown"),
    ({"attempts": 11}, "verification.bad_attempts"),
    ({"attempts": -1}, "verification.bad_attempts"),
    ({"accept": "EVIDENCE_NONE"}, "verification.bad_accept"),
    ({"accept": 99}, "rpc.unknown_word"),
    ({"meta_yaml": "m", "meta_id": "i"}, "meta.two_sources"),
    ({"region": "r" * 65}, "verification.bad_region"),
    ({"principal": "a\0b"}, "verification.bad_text"),
]


@pytest.mark.parametrize(("values", "code"), REFUSALS, ids=[code for _, code in REFUSALS])
async def test_a_refused_request_leaves_nothing_behind(
    api: Api, values: dict[str, Any], code: str
) -> None:
    assert await code_of(api.create(**values)) == code
    assert (
        await api.stub.ListVerifications(pb.ListVerificationsRequest(caller=OPERATOR), timeout=5)
    ).verifications == []
    assert api.rung == []


@pytest.mark.parametrize(
    "document",
    [
        pb.DocumentSource(content=b"just prose, no list", name="a.md"),
        pb.DocumentSource(content=DOCUMENT + b"x" * 10_000, name="a.md"),
    ],
    ids=["no procedure", "too large"],
)
async def test_a_document_that_cannot_be_walked_is_refused(
    api: Api, document: pb.DocumentSource
) -> None:
    code = await code_of(api.create(document=document))
    assert code.partition(".")[0] in ("document", "procedure")


@pytest.mark.parametrize(
    ("call", "field_name"),
    [("rewards.validate", "rule_yaml"), ("provisioner.validate", "meta_yaml")],
)
async def test_rule_and_meta_are_checked_by_who_will_use_them(
    api: Api, call: str, field_name: str
) -> None:
    api.setting.world.before[call].append(invalid("x.invalid", "line 1"))
    assert await code_of(api.create(**{field_name: "nonsense"})) == "x.invalid"


async def test_pages_end_and_forged_tokens_are_refused(api: Api) -> None:
    for number in range(5):
        await api.create(f"ver_{number}", principal="ci" if number % 2 else "local")
        api.setting.clock.advance(1)
    seen, token, pages = [], "", 0
    while pages == 0 or token:
        page = await api.stub.ListVerifications(
            pb.ListVerificationsRequest(caller=OPERATOR, limit=2, page_token=token), timeout=5
        )
        seen += [one.verification_id for one in page.verifications]
        token, pages = page.next_page_token, pages + 1
    assert (seen, pages) == (["ver_4", "ver_3", "ver_2", "ver_1", "ver_0"], 3)
    mine = await api.stub.ListVerifications(
        pb.ListVerificationsRequest(caller=OPERATOR, principal="ci"), timeout=5
    )
    assert [one.verification_id for one in mine.verifications] == ["ver_3", "ver_1"]
    everything = await api.stub.ListVerifications(
        pb.ListVerificationsRequest(caller=OPERATOR, limit=-7), timeout=5
    )
    assert len(everything.verifications) == 5
    for forged in ("nonsense", "AAAA", "2026", "é", "fHw="):
        request = pb.ListVerificationsRequest(caller=OPERATOR, page_token=forged)
        assert await code_of(api.stub.ListVerifications(request, timeout=5)) == "page.bad_token"


async def test_events_are_watched_from_the_middle_and_live_until_the_end(api: Api) -> None:
    await api.create(rule_yaml="r")
    assert [event.type for event in await api.watch("ver_1")] == ["verification_queued"]
    live = asyncio.ensure_future(api.watch("ver_1", after=1, stored_only=False))
    await api.setting.finish()
    events = await asyncio.wait_for(live, 20)
    assert [event.sequence for event in events] == list(range(2, len(events) + 2))
    assert events[-1].type == "verification_finished"
    assert '"outcome": "verified"' in events[-1].data_json
    assert await code_of(api.watch("ver_none")) == "verification.not_found"


async def test_cancelling_over_the_wire_rings_and_is_repeatable(api: Api) -> None:
    await api.create()
    request = pb.CancelVerificationRequest(caller=OPERATOR, verification_id="ver_1")
    for _ in range(2):
        assert (
            await api.stub.CancelVerification(request, timeout=5)
        ).verification.state == "cancelling"
    assert api.rung == ["ver_1"] * 3
    await api.setting.finish()
    read = (
        await api.stub.GetVerification(
            pb.GetVerificationRequest(caller=OPERATOR, verification_id="ver_1"), timeout=5
        )
    ).verification
    assert (read.state, read.verdict.outcome, read.verdict.blame) == (
        "finished",
        common.OUTCOME_CANCELLED,
        common.BLAME_NOBODY,
    )
    assert read.finished_at.seconds > 0


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


async def test_targets_say_what_they_have(api: Api) -> None:
    (target,) = (await api.stub.ListTargets(pb.ListTargetsRequest(), timeout=5)).targets
    assert (target.id, target.has_audit_log) == ("devcloud", True)


def test_lines_are_counted_as_the_readers_count_them() -> None:
    finding = Finding(file="a.md", line=3, sentence="c", kind=FindingKind.MISSING, message="no c")
    judgement = Judgement(
        outcome=Outcome(kind=OutcomeKind.SUSPECTED, reason="no c"), finding=finding
    )
    lines = document_lines("a\r\nb\x0cstill b\nc", judgement)
    assert [(line.number, line.text, line.wrong) for line in lines] == [
        (1, "a", False),
        (2, "b\x0cstill b", False),
        (3, "c", True),
    ]


SCRIPT = "- [{press: Stop}]\n- []\n- [{confirm: OK}]\n"


async def test_a_script_and_a_scenario_are_kept_with_the_verification(api: Api) -> None:
    made = await api.create(policy="scripted", script_yaml=SCRIPT, scenario="storm-1")
    assert (made.policy, made.scenario) == ("scripted", "storm-1")
    row, _ = await usecases.read_verification(api.setting.db, "ver_1", caller=ITSELF)
    assert (row.order.script, row.order.scenario) == (SCRIPT, "storm-1")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"policy": "scripted"}, "script.invalid"),
        ({"script_yaml": SCRIPT}, "script.invalid"),
        ({"policy": "scripted", "script_yaml": "- [{press: Stop}]\n"}, "script.invalid"),
        ({"policy": "scripted", "script_yaml": SCRIPT.replace("press", "jump")}, "script.invalid"),
        ({"scenario": "storm-1", "target": "plain"}, "target.no_scenarios"),
        ({"scenario": "no such/name"}, "verification.bad_scenario"),
    ],
)
async def test_scripts_and_scenarios_that_do_not_fit_are_refused(
    api: Api, values: dict[str, Any], code: str
) -> None:
    assert await code_of(api.create(**values)) == code
    assert api.rung == []
