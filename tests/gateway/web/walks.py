"""A walk that a page can show, as rollout tells of it."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

from PIL import Image

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from tests.gateway.conftest import FakeRollout, FakeWalk, Gateway

DOCUMENT = "# Stop an instance\n\n1. Click **Instances**.\n2. Click **Stop**, then **OK**.\n"
SUBSTEPS = (("1", "Click **Instances**.", 3), ("2", "Click **Stop**, then **OK**.", 4))


def jpeg(shade: int = 200) -> bytes:
    """A picture of one shade."""
    file = io.BytesIO()
    Image.new("RGB", (160, 100), (shade, shade, shade)).save(file, "JPEG")
    return file.getvalue()


def step(number: int, substep: str, answer: str, **values: Any) -> pb.Step:
    """A step that began `number` seconds into the day and took half of one."""
    action = values.pop("action", {"type": "click", "id": number})
    made = pb.Step(
        number=number,
        substep=substep,
        action_json=json.dumps(action),
        result=answer,
        **{"ok": True, "thought": f"thought {number}", "url": "https://c.example/i", **values},
    )
    made.started_at.FromJsonString(f"2026-01-01T00:00:{number:02}Z")
    made.ended_at.FromJsonString(f"2026-01-01T00:00:{number:02}.500Z")
    return made


def steps() -> list[pb.Step]:
    """Three steps: one for the first sub-step, two for the second."""
    return [
        step(1, "1", "clicked Instances"),
        step(2, "2", "clicked Stop; 1 dialog opened"),
        step(3, "2", "there is no OK", ok=False),
    ]


def finding() -> common.Finding:
    return common.Finding(
        file="stop.md",
        line=4,
        sentence="Click **Stop**, then **OK**.",
        kind=common.FINDING_KIND_RENAMED,
        message="The button is called Confirm.",
        asked="OK",
        offered="Confirm",
        place="Stop the instance",
        candidates=["Confirm", "Cancel"],
    )


def verdict() -> pb.Verdict:
    """A document that is wrong, seen twice."""
    return pb.Verdict(
        outcome=common.OUTCOME_DOC_DEFECT,
        reason="the console has Confirm",
        evidence=common.EVIDENCE_PAGE,
        goal=common.GOAL_NO,
        finding=finding(),
        seconds=12.5,
        cost=0.25,
        substeps=[
            pb.SubStepResult(
                number="1", text=SUBSTEPS[0][1], line=3, status=common.SUB_STEP_STATUS_VERIFIED
            ),
            pb.SubStepResult(
                number="2",
                text=SUBSTEPS[1][1],
                line=4,
                status=common.SUB_STEP_STATUS_DEFECT,
                reason="no OK",
                audit_events=["ev_1"],
                reading=pb.SubStepReading(
                    acts=[
                        pb.ReadAct(asked="click “Stop”", executed="clicked “Stop”"),
                        pb.ReadAct(asked="click “OK”"),
                    ],
                    not_understood=[pb.Span(file="stop.md", line=4, text="or so")],
                ),
                sightings=[
                    pb.Sighting(
                        expectation=pb.Expectation(kind="state", text="Stopped", subject="web-1"),
                        seen="web-1 Stopped",
                        step=3,
                    )
                ],
            ),
        ],
        judges=[
            pb.Judge(
                judge="qwen3",
                family="qwen",
                model="qwen3-vl",
                verdict="cannot_tell",
                reason="no event",
                evidence=[common.Citation(source="page", quote="web-1 runs")],
                tokens_in=900,
                tokens_out=20,
            )
        ],
        sightings=[
            pb.FindingSighting(
                episode=number,
                outcome=common.OUTCOME_SUSPECTED,
                code="finding.seen_once",
                finding=finding(),
                seconds=6,
            )
            for number in (1, 2)
        ],
    )


def evidence() -> pb.GetEvidenceResponse:
    event = common.AuditEvent(
        id="ev_1", service="ecs", name="StopInstance", ok=True, request_json='{"InstanceId": "i"}'
    )
    event.time.FromJsonString("2026-01-01T00:00:02Z")
    return pb.GetEvidenceResponse(
        episode=2,
        events=[pb.WindowEvent(event=event, forbidden=True)],
        missing=["a second event"],
        provisions=[
            pb.Provision(meta="vm@3", text="one instance", resources=["ecs instance i-1"]),
            pb.Provision(text="a disk", on_demand=True),
        ],
        phases=[pb.PhaseTime(phase="walk", seconds=3), pb.PhaseTime(phase="judge", seconds=1.5)],
    )


def put_walk(
    rollout: FakeRollout, verification_id: str, walked: list[pb.Step], **values: Any
) -> FakeWalk:
    """Have the fake rollout tell of this walk, each step with a picture of its own."""
    pictures = {}
    for one in walked:
        picture = jpeg(40 * one.number % 250)
        one.picture = hashlib.sha256(picture).hexdigest()
        pictures[one.picture] = picture
    walk = FakeWalk(
        steps=walked,
        pictures=pictures,
        document=pb.GetDocumentResponse(
            name="stop.md",
            media_type="text/markdown",
            text=DOCUMENT,
            size=len(DOCUMENT),
            substeps=[
                pb.DocumentSubStep(number=number, text=text, line=line)
                for number, text, line in SUBSTEPS
            ],
        ),
        **values,
    )
    rollout.walks[verification_id] = walk
    return walk


def has_defect(gateway: Gateway, verification_id: str = "ver_1") -> FakeWalk:
    """A finished verification whose document is wrong, with its walk."""
    gateway.has(
        verification_id,
        state="finished",
        document="stop.md",
        title="Stop an instance",
        target="devcloud",
        verdict=verdict(),
        episodes=[
            pb.Episode(number=number, outcome=common.OUTCOME_SUSPECTED, steps=3, phase="done")
            for number in (1, 2)
        ],
    )
    return put_walk(gateway.rollout, verification_id, steps(), episode=2, evidence=evidence())
