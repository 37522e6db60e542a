"""Compiled walks: which one a verification replays, and which one a verified episode
leaves behind.

A script is kept for each principal, target, procedure, document and policy: nobody's
walk is played for another principal. A verification that asks for `replay` gets the one
of its own document, else the newest of an earlier state of it: sub-steps whose text has
changed since are not replayed (`agent.policies.replay.script.Alignment`). Walks that
another policy's script or chance decided are not compiled. What cannot be compiled
changes no verdict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from proofwalk.agent.core.policy import Task
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.replay.compilation import compile_walk
from proofwalk.agent.policies.replay.script import ReplayScript, parse_replay, with_events
from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, not_found
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.rollout import repository
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.repository import ScriptRow, VerificationRow
from proofwalk.rollout.usecases import Claim

REPLAY = "replay"
_NOT_COMPILED = frozenset({"scripted", "random", "null"})


def is_compiled(policy: str) -> bool:
    """Whether verified walks of this policy are compiled."""
    return policy not in _NOT_COMPILED


async def script_to_replay(db: Database, row: VerificationRow) -> str:
    """The script for a verification, as JSON; empty when there is none that can be
    played."""
    async with db.read() as tx:
        found = [
            one
            for one in await repository.list_scripts(
                tx, principal=row.principal, target=row.order.target, procedure_id=row.procedure_id
            )
            if await _is_of_same_console(tx, one, row)
        ]
    ranked = sorted(
        found, key=lambda one: (one.document_digest != row.document_digest, one.policy != REPLAY)
    )
    return next((one.script for one in ranked if _is_readable(one)), "")


async def _is_of_same_console(tx: Transaction, script: ScriptRow, row: VerificationRow) -> bool:
    """What was walked with one role or at one site is no script for another, where
    another console is seen."""
    walked = await repository.find_verification(tx, script.verification_id)
    if walked is None:
        return True
    return (_role(walked), walked.order.site) == (_role(row), row.order.site)


def _role(row: VerificationRow) -> str:
    return row.signed_in_as.role if row.signed_in_as is not None else ""


def _is_readable(row: ScriptRow) -> bool:
    """A script of an earlier version is as good as none: the walk is compiled anew."""
    try:
        parse_replay(row.script)
    except ProofwalkError:
        return False
    return True


async def compiled(
    task: Task, walk: Walk, judgement: Judgement, events: Sequence[AuditEvent], *, policy: str
) -> ReplayScript:
    """The script of a verified walk, with the events that the log showed for each
    sub-step. Raises `replay.*`."""
    outcome: OutcomeKind = judgement.outcome.kind
    script = await asyncio.to_thread(
        compile_walk, task, walk, looks=walk.looks, outcome=outcome, policy=policy
    )
    known = {event.id: (event.service, event.name) for event in events}
    by_substep = {
        one.number: [known[event] for event in one.audit_events if event in known]
        for one in judgement.substeps
    }
    return with_events(script, by_substep)


async def keep(
    db: Database,
    held: Claim,
    row: VerificationRow,
    episode_id: str,
    script: ReplayScript,
    *,
    clock: Clock,
) -> None:
    """Store a script and say so. Raises `lease.stale_epoch`."""
    stored = ScriptRow(
        principal=row.principal,
        target=row.order.target,
        procedure_id=row.procedure_id,
        document_digest=row.document_digest,
        policy=row.order.policy,
        script=script.to_json(),
        verification_id=row.id,
        episode_id=episode_id,
        created_at=clock.now(),
    )
    data: JsonObject = {
        "steps": sum(len(one.steps) for one in script.substeps),
        "open": {one.number: one.open for one in script.substeps if one.open},
        "bytes": len(stored.script.encode()),
    }

    async def work(tx: Transaction) -> None:
        await repository.holding(tx, held.verification_id, epoch=held.epoch)
        await repository.put_script(tx, stored)
        await repository.append_event(
            tx, row.id, type="walk_compiled", time=clock.now(), episode_id=episode_id, data=data
        )

    await db.run(work)


async def read_script(db: Database, verification_id: str, *, caller: Caller) -> ScriptRow:
    """The walk compiled from a verification that the caller sees. Raises
    `verification.not_found`, `replay.no_script`."""
    async with db.read() as tx:
        await repository.get_verification(tx, verification_id, caller=caller)
        found = await repository.script_of(tx, verification_id)
    if found is None:
        raise not_found(
            "replay.no_script",
            f"no compiled walk of verification {verification_id} is kept",
            hint=(
                "only verified walks are compiled, and a later one of the same document takes the"
                " place of the one before"
            ),
        )
    return found
