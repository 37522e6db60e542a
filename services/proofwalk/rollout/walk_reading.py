"""What a reader is shown of a walk while it goes on and afterwards: its steps, their
pictures, the document, and what the judgement rests on.

One function is one transaction, and finds the verification for its caller first: what
belongs to another is `verification.not_found`. A picture is in the blob store under its
content's address, which many verifications may share; it is read only if a step of
this verification names it, so that who knows an address learns nothing by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError, not_found
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.kernel.json_values import JsonValue, int_of, list_of, object_of
from proofwalk.rollout import episode_repository, repository, walk_repository
from proofwalk.rollout.conclusion import decisive
from proofwalk.rollout.episode_repository import EpisodeRow, StepRow
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.repository import EventRow, VerificationRow

STEPS_AT_ONCE = 200
DOCUMENT_BYTES = 256 * 1024
"""How much of a document is shown."""
_PROCEDURE_READ = "procedure_read"
_PROVISIONED = ("resources_provisioned", "on_demand_provisioned")
_MOST_EVENTS = 200


@dataclass(frozen=True, kw_only=True)
class WalkedSteps:
    """Steps of one episode."""

    episode: int
    """Its number; 0 where none was begun."""
    steps: Sequence[StepRow] = ()
    has_more: bool = False
    is_open: bool = False
    """The episode is not over."""


@dataclass(frozen=True, kw_only=True)
class ReadSubStep:
    """A sub-step of the procedure that is walked, where the document has it."""

    number: str
    text: str
    line: int


@dataclass(frozen=True, kw_only=True)
class ReadDocument:
    """A document's beginning, its size in bytes, and the procedure's sub-steps."""

    name: str
    media_type: str
    text: str
    size: int
    substeps: Sequence[ReadSubStep]


@dataclass(frozen=True, kw_only=True)
class Provision:
    """What META made for an episode, before its walk or at the walk's request."""

    meta: str
    text: str
    resources: Sequence[str]
    on_demand: bool


@dataclass(frozen=True, kw_only=True)
class EpisodeEvidence:
    """What an episode's judgement rests on."""

    episode: int
    judgement: Judgement | None
    """None until the episode is judged."""
    provisions: Sequence[Provision]


async def read_walked_steps(
    db: Database, verification_id: str, *, caller: Caller, episode: int, after: int
) -> WalkedSteps:
    """At most `STEPS_AT_ONCE` steps behind `after`. Raises `verification.not_found`,
    `episode.not_found`."""
    async with db.read() as tx:
        row = await repository.get_verification(tx, verification_id, caller=caller)
        walked = await _episode(tx, row, episode)
        if walked is None:
            return WalkedSteps(episode=0, is_open=row.state is not JobState.FINISHED)
        steps = await walk_repository.list_steps_behind(
            tx, walked.id, after=after, limit=STEPS_AT_ONCE + 1
        )
    return WalkedSteps(
        episode=walked.number,
        steps=steps[:STEPS_AT_ONCE],
        has_more=len(steps) > STEPS_AT_ONCE,
        is_open=walked.phase is not EpisodePhase.DONE,
    )


async def read_picture(
    db: Database, blobs: Blobs, verification_id: str, *, caller: Caller, address: str
) -> bytes:
    """The bytes of a picture that the verification's steps name. Raises
    `verification.not_found`, `picture.not_found`, `picture.collected`."""
    async with db.read() as tx:
        await repository.get_verification(tx, verification_id, caller=caller)
        if not address or not await walk_repository.names_picture(tx, verification_id, address):
            raise not_found(
                "picture.not_found",
                f"no step of verification {verification_id} names the picture {address[:64]!r}",
                hint="its steps say which pictures there are",
            )
    try:
        return await blobs.get(address)
    except ProofwalkError as error:
        raise not_found(
            "picture.collected",
            f"a picture of verification {verification_id} was deleted: {error.message}",
            hint="what its step says is still there",
        ) from error


async def read_verified_document(
    db: Database, blobs: Blobs, verification_id: str, *, caller: Caller
) -> ReadDocument:
    """The document of a verification. Raises `verification.not_found`,
    `blob.not_found`."""
    async with db.read() as tx:
        row = await repository.get_verification(tx, verification_id, caller=caller)
        substeps = _of_verdict(row) or await _as_read(tx, row)
    content = await blobs.get(row.document_digest)
    return ReadDocument(
        name=row.document_name,
        media_type=row.media_type,
        text=content[:DOCUMENT_BYTES].decode("utf-8", errors="replace"),
        size=len(content),
        substeps=substeps,
    )


async def read_evidence(
    db: Database, verification_id: str, *, caller: Caller, episode: int
) -> EpisodeEvidence:
    """What an episode's judgement rests on. Raises `verification.not_found`,
    `episode.not_found`."""
    async with db.read() as tx:
        row = await repository.get_verification(tx, verification_id, caller=caller)
        walked = await _episode(tx, row, episode)
        if walked is None:
            return EpisodeEvidence(episode=0, judgement=None, provisions=())
        made = await walk_repository.list_events_of(
            tx, row.id, types=_PROVISIONED, limit=_MOST_EVENTS
        )
    return EpisodeEvidence(
        episode=walked.number,
        judgement=walked.judgement,
        provisions=[_provision(event, row) for event in made if event.episode_id == walked.id],
    )


async def _episode(tx: Transaction, row: VerificationRow, number: int) -> EpisodeRow | None:
    """The episode with a number; with 0 the one that the verdict rests on, and before
    there is a verdict the one that was begun last. None where none was begun."""
    rows = await episode_repository.list_episodes(tx, row.id)
    if number:
        numbered = next((one for one in rows if one.number == number), None)
        if numbered is None:
            raise not_found(
                "episode.not_found",
                f"verification {row.id} has {len(rows)} episodes, and no episode {number}",
            )
        return numbered
    decides = decisive(rows) if row.state is JobState.FINISHED else None
    return decides or next(reversed(rows), None)


def _of_verdict(row: VerificationRow) -> Sequence[ReadSubStep]:
    results = () if row.verdict is None else row.verdict.judgement.substeps
    return [ReadSubStep(number=one.number, text=one.text, line=one.line) for one in results]


async def _as_read(tx: Transaction, row: VerificationRow) -> Sequence[ReadSubStep]:
    """The sub-steps that the history says were read; each episode reads the same."""
    read = await walk_repository.list_events_of(tx, row.id, types=(_PROCEDURE_READ,), limit=1)
    listed = list_of(read[0].data.get("substeps")) if read else ()
    return [
        ReadSubStep(
            number=str(one.get("number", "")),
            text=str(one.get("text", "")),
            line=int_of(one.get("line")),
        )
        for one in map(object_of, listed)
    ]


def _provision(event: EventRow, row: VerificationRow) -> Provision:
    on_demand = event.type == "on_demand_provisioned"
    # An earlier release's events may lack a member.
    record = event.data.get("record", "") if on_demand else row.kept_meta or row.order.meta_id
    text = event.data.get("need" if on_demand else "description", "")
    return Provision(
        meta=str(record),
        text=str(text),
        resources=[_in_words(one) for one in list_of(event.data.get("resources"))],
        on_demand=on_demand,
    )


def _in_words(resource: JsonValue) -> str:
    if isinstance(resource, str):
        return resource
    members = object_of(resource)
    named = [str(members.get(name) or "") for name in ("product", "type", "id", "name", "state")]
    return " ".join(filter(None, named))
