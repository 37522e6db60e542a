"""Records an episode while it runs: each step goes into the journal, its pictures into
the blob store; at the end both become one file.

    recorder = await Recorder.begin(folder / "ep_1.journal", episode, blobs=blobs, secrets=secrets)
    ... walk(..., on_event=recorder.step) ...
    published = await publish(folder / "ep_1.journal", EndingRecord(outcome="verified", evidence="audit"), blobs=blobs)

`publish` needs nothing but the journal, so that whoever takes over from a process that
died publishes what it left. The file is a blob: there whole or not at all. Every text
passes `Secrets.mask` before it is written. Failures of the disk are `OSError`; the
caller decides whether an episode goes on without its recording.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from proofwalk.agent.core.environment import StepEvent
from proofwalk.chassis.blobs import Blobs
from proofwalk.console.safety.redaction import Secrets
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import Exchange, Message
from proofwalk.trajectories import journal, schema
from proofwalk.trajectories.journal import Journal
from proofwalk.trajectories.records import (
    EndingRecord,
    EpisodeRecord,
    ExchangeRecord,
    MessageRecord,
    StepRecord,
    Timing,
)

_COMPLETION = frozenset(field.name for field in fields(ExchangeRecord)) - {
    "messages",
    "form",
    "error",
}


@dataclass(frozen=True, kw_only=True)
class Published:
    """A trajectory that can be read."""

    address: str
    """Content address of the Parquet file."""
    steps: int
    size: int
    """Bytes of the file, without pictures."""


class Recorder:
    """Writes one episode's journal. Calls must not overlap."""

    def __init__(self, journal: Journal, *, blobs: Blobs, secrets: Secrets) -> None:
        self._journal = journal
        self._blobs = blobs
        self._secrets = secrets
        self._addresses: dict[bytes, str] = {}

    @classmethod
    async def begin(
        cls, path: Path, episode: EpisodeRecord, *, blobs: Blobs, secrets: Secrets
    ) -> Recorder:
        """Open the journal of an episode; one that is there already is begun anew."""
        plain = _masked(schema.plain_of(episode), secrets)
        return cls(await asyncio.to_thread(Journal, path, plain), blobs=blobs, secrets=secrets)

    async def step(self, event: StepEvent) -> StepRecord:
        """Keep one step; once this returns, a crash does not lose it."""
        record = await self._record(event)
        await asyncio.to_thread(self._append, record)
        return record

    def _append(self, record: StepRecord) -> None:
        plain = schema.plain_of(record)
        text = journal.text_of(plain)
        # Observations come masked, so that one look over the whole text nearly always
        # finds nothing.
        if self._secrets.shows(text):
            self._journal.append(_masked(plain, self._secrets))
        else:
            self._journal.append_text(text)

    async def _record(self, event: StepEvent) -> StepRecord:
        decision = event.decision
        decision_fields: dict[str, Any] = {
            "exchanges": tuple([await self._exchange(one) for one in event.all_exchanges])
        }
        if decision is not None:
            decision_fields |= {
                "currency": decision.currency,
                "by": decision.by,
                "notes": decision.notes,
                "model": decision.model,
                "malformed": decision.malformed,
                "tokens_in": decision.tokens_in,
                "tokens_out": decision.tokens_out,
                "tokens_cached": decision.tokens_cached,
            }
        return StepRecord(
            step=event.step,
            substep=event.substep,
            substep_index=event.substep_index,
            thought=event.thought,
            action=event.action,
            result=event.result,
            ok=event.ok,
            url=event.url,
            title=event.title,
            started_at=event.started_at,
            ended_at=event.ended_at,
            timing=Timing(
                observe_ms=round(event.observe_ms, 3),
                settle_ms=None if event.settle_ms is None else round(event.settle_ms, 3),
                decide_ms=round(event.decide_ms, 3),
                perform_ms=round(event.perform_ms, 3),
            ),
            observation=event.observation,
            screenshot=await self._image(event.screenshot),
            raw_screenshot=await self._image(event.raw_screenshot),
            confidence=event.confidence,
            cost=event.cost,
            **decision_fields,
        )

    async def _exchange(self, exchange: Exchange) -> ExchangeRecord:
        answer = {name: getattr(exchange.completion, name) for name in _COMPLETION}
        messages = tuple([await self._message(message) for message in exchange.messages])
        return ExchangeRecord(
            messages=messages, form=exchange.form.value, error=exchange.error, **answer
        )

    async def _message(self, message: Message) -> MessageRecord:
        images = tuple([await self._image(image.jpeg) for image in message.images])
        return MessageRecord(role=message.role, text=message.text, images=images)

    async def _image(self, jpeg: bytes) -> str:
        """Content address of a picture. A model is shown the same picture in several
        turns: it is put once."""
        if not jpeg:
            return ""
        digest = hashlib.sha256(jpeg).digest()
        if digest not in self._addresses:
            self._addresses[digest] = await self._blobs.put(jpeg)
        return self._addresses[digest]


async def publish(path: Path, ending: EndingRecord, *, blobs: Blobs) -> Published | None:
    """Turn a journal into a Parquet file in the blob store; None when there is no
    journal. The journal stays (`discard`)."""
    found = await asyncio.to_thread(journal.read, path)
    if found is None:
        return None
    episode, steps = found
    data = await asyncio.to_thread(schema.write, episode, steps, ending)
    return Published(address=await blobs.put(data), steps=len(steps), size=len(data))


async def discard(path: Path) -> None:
    """Forget a journal: what it held is published, and that is known in SQL."""
    await asyncio.to_thread(path.unlink, missing_ok=True)


def _masked(plain: JsonObject, secrets: Secrets) -> dict[str, Any]:
    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return secrets.mask(value)
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return (
                [walk(item) for item in value]
                if value and not isinstance(value[0], (int, float))
                else value
            )
        return value

    return {key: walk(item) for key, item in plain.items()}
