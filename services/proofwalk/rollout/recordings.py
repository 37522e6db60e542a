"""What is kept of an episode besides its rows: its trajectory always (`trajectories`),
a Playwright trace and a HAR when asked for.

The journal of an episode under way lies in the role's own folder; at the episode's end
it becomes a Parquet file in the blob store, whose address goes into the episode's facts
together with the judgement. A successor on the same machine publishes what a dead
worker left, and says in the file that it broke off. Nothing here fails an episode: what
could not be recorded is said in the facts, and whoever asks for it is told why.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from enum import StrEnum
from pathlib import Path

import structlog
from playwright.async_api import Error as PlaywrightError

from proofwalk.agent.core.environment import Listener, StepEvent
from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.chassis.tracing import trace_id
from proofwalk.console.actions import parse_action
from proofwalk.console.browser.connection import VIEWPORT
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.session.recorder.har import har_of
from proofwalk.console.session.recorder.trace import Trace
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.rollout import repository
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.stored import EpisodeFacts
from proofwalk.rollout.walk_order import WalkOrder
from proofwalk.trajectories.journal import SUFFIX
from proofwalk.trajectories.recorder import Recorder, discard, publish
from proofwalk.trajectories.records import EndingRecord, EpisodeRecord, SubStepText
from proofwalk.trajectories.trajectory import bundle, images_in

log = structlog.get_logger()


class Artefact(StrEnum):
    """What can be fetched of an episode."""

    TRAJECTORY = "trajectory"
    """Parquet."""
    BUNDLE = "bundle"
    """The same with its pictures, as a zip."""
    TRACE = "trace"
    HAR = "har"


class EpisodeRecording:
    """One worker's recording of one episode, under the episode's own id."""

    def __init__(
        self,
        row: VerificationRow,
        episode: EpisodeRow,
        *,
        folder: Path | None,
        blobs: Blobs,
        clock: Clock,
    ) -> None:
        self._row = row
        self._episode = episode
        self._path = folder / f"{episode.id}{SUFFIX}" if folder is not None else None
        self._blobs = blobs
        self._clock = clock
        self._recorder: Recorder | None = None
        self._kept: dict[str, str] = {}
        self._missing: dict[str, str] = {}

    async def begin(self, order: WalkOrder) -> None:
        """Open the journal."""
        if self._path is None:
            return
        row, procedure = self._row, order.procedure
        about = EpisodeRecord(
            episode_id=self._episode.id,
            verification_id=row.id,
            number=self._episode.number,
            trace_id=trace_id(),
            target=order.asked.target,
            policy=order.asked.policy,
            document=row.document_name,
            document_digest=row.document_digest,
            procedure_id=procedure.id,
            title=procedure.title,
            substeps=tuple(
                SubStepText(
                    number=one.number, text=one.text, line=one.span.line, optional=one.optional
                )
                for one in procedure.substeps
            ),
            scenario=order.asked.scenario,
            region=order.asked.region,
            seed=order.seed,
            resources=order.resources,
            viewport=VIEWPORT if order.task is None else (0, 0),
            started_at=self._clock.now(),
        )
        secrets = Secrets(order.secrets, public=order.public.values())
        try:
            self._recorder = await Recorder.begin(
                self._path, about, blobs=self._blobs, secrets=secrets
            )
        except OSError as error:
            self._give_up(error)

    async def step(self, event: StepEvent) -> None:
        """Keep one step."""
        if self._recorder is None:
            return
        try:
            await self._recorder.step(event)
        except OSError as error:
            self._recorder = None
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        log.warning("trajectory_not_recorded", episode=self._episode.id, error=error)
        self._missing[Artefact.TRAJECTORY] = f"it could not be written: {type(error).__name__}"

    async def keep(self, kind: str, data: bytes) -> None:
        """Keep a trace or a HAR."""
        self._kept[kind] = await self._blobs.put(data)

    async def publish(self, judgement: Judgement, *, lost: bool) -> EpisodeFacts:
        """Facts about everything that was kept, the trajectory with its ending among
        it: `{artefacts, artefacts_missing}`."""
        known = dict(self._episode.facts.get("artefacts", {}))
        if self._path is not None:
            try:
                outcome = judgement.outcome
                ending = EndingRecord(
                    outcome=outcome.kind.value,
                    cause=outcome.cause.value if outcome.cause else "",
                    code=outcome.code,
                    reason=outcome.reason,
                    evidence=judgement.evidence.value,
                    complete=not lost and Artefact.TRAJECTORY not in self._missing,
                )
                published = await publish(self._path, ending, blobs=self._blobs)
            except (
                OSError,
                ValueError,
                TypeError,
            ) as error:  # Arrow's own errors are values' and types'
                self._give_up(error)
            else:
                if published is not None:
                    known[Artefact.TRAJECTORY] = published.address
        return {"artefacts": {**known, **self._kept}, "artefacts_missing": self._missing}

    async def forget(self) -> None:
        """The facts are stored: the journal is of no further use."""
        if self._path is not None and Artefact.TRAJECTORY not in self._missing:
            await discard(self._path)


async def forget_journals(folder: Path, *, older_than_s: float) -> int:
    """Delete journals that nobody has written to for so long: their episodes ended
    elsewhere. Returns how many."""

    def sweep() -> int:
        before, count = time.time() - older_than_s, 0
        for path in folder.glob(f"*{SUFFIX}"):
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)
                count += 1
        return count

    return await asyncio.to_thread(sweep)


async def forget_blobs(db: Database, blobs: Blobs, *, older_than_s: float) -> int:
    """Delete screenshots, trajectories, traces and HARs of that age. Documents stay: a
    verification of today may be compared with them. Returns how many went; whoever asks
    for one later is told that it was collected by age."""
    async with db.read() as tx:
        documents = await repository.document_digests(tx)
    return await blobs.collect(older_than_s=older_than_s, keep=documents)


@asynccontextmanager
async def traced(
    session: ConsoleSession,
    order: WalkOrder,
    folder: Path,
    on_step: Listener,
    keep: Callable[[str, bytes], Awaitable[None]],
) -> AsyncIterator[Listener]:
    """The listener of the walk's steps; with `order.asked.trace`, one that records a
    trace too, kept with its HAR when the walk ends."""
    async with AsyncExitStack() as stack:
        trace: Trace | None = None
        if order.asked.trace:
            try:
                trace = await stack.enter_async_context(Trace.recorded(session, folder))
            except ProofwalkError as error:
                log.warning(
                    "trace_not_kept",
                    episode=order.episode_id,
                    code=error.code,
                    reason=error.message,
                )

        async def listen(event: StepEvent) -> None:
            await on_step(event)
            if trace is not None:
                await trace.step(
                    number=event.step,
                    title=_title(event),
                    action=event.action,
                    result=event.result,
                    ok=event.ok,
                    started_at=event.started_at,
                    ended_at=event.ended_at,
                    picture=event.raw_screenshot,
                )

        try:
            yield listen
        finally:
            if trace is not None:
                await _keep(trace, order.episode_id, keep)


async def _keep(
    trace: Trace, episode_id: str, keep: Callable[[str, bytes], Awaitable[None]]
) -> None:
    try:
        data = await trace.stop()
        await keep(Artefact.TRACE, data)
        await keep(Artefact.HAR, await asyncio.to_thread(har_of, data))
    except (ProofwalkError, PlaywrightError, OSError, ValueError, KeyError) as error:
        log.warning("trace_not_kept", episode=episode_id, error=error)


def _title(event: StepEvent) -> str:
    """`2.1 click "Stop"`: the sub-step, what was done, and to what."""
    try:
        action = parse_action(event.action)
    except ProofwalkError:
        return f"{event.substep} answer that could not be used"
    mark = getattr(action, "id", None)
    element = (
        event.observation.element(mark)
        if event.observation is not None and isinstance(mark, int)
        else None
    )
    name = f" {element.name or element.label or element.role!r}" if element is not None else ""
    return f"{event.substep} {action.type}{name}"


async def artefact(
    kind: str, row: VerificationRow, episode: EpisodeRow | None, *, blobs: Blobs
) -> bytes:
    """The bytes of an artefact. Raises `artefact.unknown_kind`,
    `artefact.not_recorded`, `artefact.collected`."""
    known = ", ".join(one.value for one in Artefact)
    if kind not in known.split(", "):
        raise invalid(
            "artefact.unknown_kind", f"there is no artefact {kind[:40]!r}", hint=f"one of {known}"
        )
    stored = Artefact.TRAJECTORY if kind == Artefact.BUNDLE else Artefact(kind)
    facts = episode.facts if episode is not None else EpisodeFacts()
    address = str(facts.get("artefacts", {}).get(stored, ""))
    if not address:
        raise not_found(
            "artefact.not_recorded",
            f"verification {row.id} has no {stored.value}" + _why_not(stored, row, episode),
            hint=(
                "ask for a trace when the verification is made (`trace`)"
                if stored in (Artefact.TRACE, Artefact.HAR)
                else ""
            ),
        )
    try:
        data = await blobs.get(address)
        if kind != Artefact.BUNDLE:
            return data
        images = [(one, await blobs.get(one)) for one in await asyncio.to_thread(images_in, data)]
    except ProofwalkError as error:
        raise not_found(
            "artefact.collected",
            f"the {stored.value} of verification {row.id} was deleted: {error.message}",
        ) from error
    return await asyncio.to_thread(bundle, data, images)


def _why_not(kind: Artefact, row: VerificationRow, episode: EpisodeRow | None) -> str:
    if episode is None:
        return ": it has no episode that is over"
    if kind in episode.facts.get("artefacts_missing", {}):
        return f": {episode.facts['artefacts_missing'][kind]}"
    if kind in (Artefact.TRACE, Artefact.HAR) and not row.order.trace:
        return ": none was asked for"
    return f": its episode {episode.number} recorded none"
