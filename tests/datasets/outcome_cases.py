"""Cases made by hand, for tests of labelled outcomes: a group is created, then a disk
released."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from proofwalk.datasets.outcomes.answers import DONE
from proofwalk.datasets.outcomes.cases import Act, Case, Instruction, Kind
from proofwalk.datasets.outcomes.labelling import rule_says
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.platform.judging import judging
from proofwalk.suites.recording import Recording
from tests.datasets.kit import MOMENT

RULE = """\
id: two
version: 1
delta_s: 5
all:
- service: Cms
  event: PutGroup
  as: put
  where:
  - [request.Name, eq, storage-25]
  - [request.Retention, eq, 30]
- service: Ecs
  event: DeleteDisk
  where: [[request.DiskId, eq, $meta.disk_id]]
none:
- {service: Cms, event: DeleteGroup, where: [[request.Name, ne, storage-25]]}
order: true
"""
DISK = "pw0a1b2c-queue"
PROCEDURE = (
    Instruction("1", "Create a group."),
    Instruction("1.1", "Enter `storage-25` for **Name** and `30` for **Retention**."),
    Instruction("2", "Release a disk."),
    Instruction("2.1", "In the **Actions** column of the old disk, click **Release**."),
)
ACTS = (
    Act("1.1", "type textbox “Name” text=storage-25", ""),
    Act("1.1", "type textbox “Retention” text=30", ""),
    Act("1.1", "click button “OK”", 'message: "Create: request submitted"'),
    Act("2.1", f"click button “Release” in row {DISK}", 'message: "Release: request submitted"'),
)


def event(name: str, seconds: float, **request: Any) -> AuditEvent:
    service = "Ecs" if name.endswith("Disk") else "Cms"
    return AuditEvent(
        id=f"{name}-{seconds}",
        time=MOMENT + timedelta(seconds=seconds),
        service=service,
        name=name,
        kind="ConsoleOperation",
        write=True,
        ok=True,
        request=request,
    )


def case(**more: Any) -> Case:
    """A verified walk."""
    recording = Recording(
        start=MOMENT,
        end=MOMENT + timedelta(seconds=60),
        outputs={"disk_id": "d-1", "disk_name": DISK},
        events=(
            event("PutGroup", 20, Name="storage-25", Retention="30"),
            event("DeleteDisk", 40, DiskId="d-1"),
        ),
    )
    made = Case(
        kind=Kind.SUCCESS,
        procedure=PROCEDURE,
        prepared={"the old disk": DISK},
        acts=ACTS,
        page=f"Page: Disks\nMessage: Release: request submitted\n“{DISK}”",
        ending=DONE,
        rule_yaml=RULE,
        recording=recording,
    )
    return replace(made, **more)


def other_case() -> Case:
    """Another walk: other values, another name, and a snapshot of a disk."""
    rule = RULE.replace("storage-25", "ledger-7").replace(", 30]", ", 90]")
    rule = rule.replace("DeleteDisk", "SnapshotDisk").replace("disk_id", "source_id")
    return case(
        procedure=(
            *PROCEDURE[:2],
            Instruction("2", "Take a snapshot."),
            Instruction("2.1", "Find the source and choose **Snapshot**."),
            Instruction("2.2", "Click **OK**."),
        ),
        prepared={"the source": "pwffffff-maple"},
        rule_yaml=rule,
        recording=replace(
            case().recording, outputs={"source_id": "d-9", "source_name": "pwffffff-maple"}
        ),
    )


def says(one: Case) -> bool | None:
    """What the rule says of a case."""
    return rule_says(one.rule_yaml, one.recording, judging)
