"""What a walk left behind: the steps of the changed sub-step, and what the cloud
recorded.

The log is read where the embedded cloud keeps it, and not as the verdict read it: it is
whole (nothing is on its way), and it is read whatever the walk ended with, also where
the rule was taken away. The rule is judged over it by the reward service's own code.
Events count from the walk's first look to its end plus the rule's Δ, and those of the
console alone: API calls are the provisioner's, which makes what the walk needs and
takes it back in the very second in which the walk ends.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.skips.documents import Change
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2 import GetProvisioningRequest
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.cloud.actiontrail import event_of
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.platform.judging import decision_of
from proofwalk.platform.laboratory import Laboratory
from proofwalk.reward_service.rules import parse_rule
from proofwalk.rollout import episode_repository, repository
from proofwalk.rollout.conclusion import decisive
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.suites.recording import Recording

API: Final = "ApiCall"
"""The kind of the provisioner's own events."""
_HISTORY = 500


async def look(
    place: Laboratory, home: Path, change: Change, verification: Mapping[str, Any]
) -> dict[str, Any]:
    """What is kept of a finished walk, for `counting`: JSON, of the episode that the
    verdict rests on. Empty when there was no walk.
    """
    if not verification.get("episodes") or "verification_id" not in verification:
        return {}
    verdict = verification["verdict"]
    async with place.walked.read() as tx:
        episode = decisive(
            await episode_repository.list_episodes(tx, verification["verification_id"])
        )
        if episode is None:
            return {}
        episode_id = episode.id
        steps = await episode_repository.list_steps(tx, episode_id)
        history = await repository.list_events(
            tx, verification["verification_id"], after=0, limit=_HISTORY
        )
    leased = [
        event.data["account"]
        for event in history
        if event.type == "account_leased" and event.episode_id == episode_id
    ]
    if "start" not in episode.facts or not leased:
        return {}
    reached = dict(enumerate(verdict["substeps"])).get(change.instruction.index, {})
    number = str(reached.get("number", ""))
    start, end = (datetime.fromisoformat(str(episode.facts[name])) for name in ("start", "end"))
    events = await asyncio.to_thread(recorded, home, str(leased[-1]), start, end)
    outputs = await _outputs(place, episode_id)
    return {
        "confirmed": confirms(
            change.task.rule_yaml, Recording(start=start, end=end, outputs=outputs, events=events)
        ),
        "substep": number,
        "line": reached.get("line", 0),
        "status": reached.get("status", ""),
        "said": reached.get("reason", "")[:300],
        "reading": reached.get("reading"),
        "steps": [_step(one) for one in steps if one.substep == number],
        "last_substep": steps[-1].substep if steps else "",
        "events": [
            f"{event.name} {json.dumps(dict(event.request))}"[:300]
            for event in events
            if event.write
        ],
    }


def confirms(rule_yaml: str, recording: Recording) -> bool:
    """Whether the whole log of a walk meets the rule. Raises `rule.invalid`."""
    decision = decision_of(parse_rule(rule_yaml), recording)
    return decision is not None and decision.value == "confirmed"


def recorded(home: Path, account: str, start: datetime, end: datetime) -> Sequence[AuditEvent]:
    """The events of an account from `start` on, oldest first; after `end` those of the
    console alone.
    """
    path = home / "state" / "devcloud" / "devcloud.sqlite"
    first, last = start.replace(microsecond=0), end + timedelta(minutes=1)
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        rows = database.execute(
            "SELECT body FROM events WHERE account = ? AND at >= ? AND at <= ? ORDER BY seq",
            (account, int(first.timestamp()), int(last.timestamp())),
        ).fetchall()
    events = [event_of(json.loads(body)) for (body,) in rows]
    return [event for event in events if event.kind != API]


async def _outputs(place: Laboratory, episode_id: str) -> Mapping[str, str]:
    stub = ResourceProvisionerStub(place.process.channel("resource_provisioner").grpc)
    reply = await stub.GetProvisioning(
        GetProvisioningRequest(request_id=f"{episode_id}:provision"), timeout=30
    )
    return dict(reply.provisioning.outputs)


def _step(step: StepRow) -> dict[str, Any]:
    return {
        "action": json.loads(step.action),
        "result": step.result[:400],
        "ok": step.ok,
        "thought": step.thought[:300],
    }
