"""Texts of documents, walks, reviewers and collections in every place where the pages
of findings and inspections show them: they stay texts."""

from __future__ import annotations

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.inspection.v1 import findings_pb2, inspection_pb2
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from tests.gateway.conftest import Gateway
from tests.gateway.web.test_hostile_texts import ATTACKS, OWN_TAGS, check
from tests.gateway.web.walks import has_defect

TAGS = OWN_TAGS | {"mark", "blockquote", "kbd", "pre", "h3"}
PATHS = (
    "/console/findings",
    "/console/findings/fnd_1",
    "/console/inspections",
    "/console/inspections/col_1",
    "/console/inspections/col_1/runs/insp_1",
)


async def test_a_text_from_outside_stays_a_text(gateway: Gateway, operator: Browser) -> None:
    has_defect(gateway)
    for attack in ATTACKS:
        _put(gateway, attack.replace("\0", ""))
        for path in PATHS:
            page = await operator.ask("GET", path)
            assert page.status_code == 200, path
            check(page.text, path, tags=TAGS)
        for path, names in (
            ("/console/findings", ("state", "kind", "product", "policy", "assignee", "text")),
            ("/console/inspections/col_1/history", ("procedure_id",)),
        ):
            fields = dict.fromkeys(names, attack)
            page = await operator.client.get(path, params=fields)
            check(page.text, path, tags=TAGS)
        written = {"act": "reject", "words": attack, "version": "7", "chosen": f"{attack}:1"}
        for path in PATHS[:2]:
            page = await operator.ask("POST", path, fields=written)
            check(page.text, path, tags=TAGS)


def _put(gateway: Gateway, attack: str) -> None:
    findings, inspections = gateway.findings, gateway.inspections
    wrong = common.Finding(
        file=attack,
        sentence=f"Click {attack}.",
        kind=common.FINDING_KIND_RENAMED,
        message=attack,
        asked=attack,
        offered=attack,
        place=attack,
        way=[attack],
        candidates=[attack],
    )
    names = ("document", "product", "policy", "target", "assignee", "principal", "procedure_id")
    findings.has(finding=wrong, certainty=attack, **dict.fromkeys(names, attack))
    findings.events["fnd_1"].append(
        findings_pb2.FindingEvent(number=2, act=attack, state="open", words=attack, actor=attack)
    )
    findings.patch = findings_pb2.ProposePatchResponse(diff=f"-{attack}\n+{attack}\n")
    findings.precisions = [
        findings_pb2.Precision(accepted=1, share=1, low=0.2, high=1),
        *(findings_pb2.Precision(facet=name, name=attack) for name in ("kind", "policy")),
    ]
    now = moment_to_pb(gateway.clock.now())
    source = {"kind": "folder", "address": attack}
    order = {"target": attack, "policy": attack}
    made = inspections.has(name=attack, source=source, order=order, schedule={"cron": attack})
    made.principal = attack
    run = inspections.ran(reason=attack, code=attack, started_by=attack)
    run.progress.waits_for = attack
    due = inspection_pb2.DueProcedure(
        procedure_id=attack, page=attack, title=attack, due=attack, why=attack
    )
    inspections.coverage = inspection_pb2.GetCoverageResponse(
        listed_at=now,
        folders=[inspection_pb2.FolderCoverage(folder=attack, procedures=1)],
        due=[due],
        due_counts={attack: 1},
    )
    inspections.calendar = inspection_pb2.GetCalendarResponse(
        entries=[inspection_pb2.CalendarEntry(collection_id="col_1", collection=attack, at=now)]
    )
    item = inspection_pb2.Item(
        procedure_id=attack,
        page=attack,
        title=attack,
        due=attack,
        why=attack,
        code=attack,
        reason=attack,
        how=attack,
        verification_id="ver_1",
        outcome=common.OUTCOME_SUSPECTED,
        changed=[attack],
        finished_at=now,
    )
    inspections.items = [item]
