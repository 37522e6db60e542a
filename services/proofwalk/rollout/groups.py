"""Groups of verifications of one task, for training: begun together, told of as they
finish (AliyunConsoleAgent §5.2).

A member is a verification like any other, `<group_id>.<k>`: the same intake, the same
episode, the same judgement. What differs is that it has one attempt, so that what the
environment failed is told as that and whoever trains decides about another one; that it
does not show among the verifications that people asked for, and lets those go first;
and that no walk of it is compiled for replay.

A group is one row and its members', written in one transaction: asked for again it is
what it is, and asked for larger it gets the difference, made from its first member's
row, so that all of them walk the same document whatever its address gives by then. A
member that finishes gets the group's next number in the transaction that finishes it:
whoever watches goes on from a number and misses none.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter

from proofwalk.chassis.database import Database, Transaction
from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.rollout import episode_repository, group_repository, repository, usecases
from proofwalk.rollout.conclusion import decisive
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.group_repository import GroupRow
from proofwalk.rollout.intake import Intake, Submission
from proofwalk.rollout.judgement import Judgement
from proofwalk.rollout.pulses import POLL_S, Beat, Pulses
from proofwalk.rollout.repository import VerificationRow

MAX_SIZE = 256
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}")
"""A member's id, four characters longer, has a column of 64."""
_HOTTEST = 2.0
_PAGE = 64


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member that is finished."""

    sequence: int
    verification_id: str
    number: int
    judgement: Judgement
    """Its verdict's."""
    policy_versions: tuple[str, ...]
    episode: int
    """Number of the episode that the verdict rests on; 0 when there was none."""
    completed: bool = False
    """In that episode the policy said that it was done, within its steps."""

    @property
    def met(self) -> int:
        """Expectations of the rule that the log shows, at least in part; 0 where it was
        not held against one. So are the next two."""
        return len({one.expectation for one in self.judgement.events if one.matched})

    @property
    def missing(self) -> int:
        """Expectations of the rule that the log does not show."""
        return len(self.judgement.missing)

    @property
    def forbidden(self) -> int:
        """Events that the rule forbids."""
        return sum(one.forbidden for one in self.judgement.events)


class GroupMetrics:
    """What groups come to. Labels are the kinds of outcome."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.groups = Counter(
            "proofwalk_rollout_groups", "Groups that were begun.", registry=registry
        )
        self.started = Counter(
            "proofwalk_rollout_group_episodes",
            "Members of groups that were begun.",
            registry=registry,
        )
        self._finished = Counter(
            "proofwalk_rollout_group_episodes_finished",
            "Members of groups that are finished.",
            ("outcome",),
            registry=registry,
        )

    def finished(self, row: VerificationRow, outcome: OutcomeKind) -> None:
        """A verification is finished; counted when it is a member of a group."""
        if row.group_id:
            self._finished.labels(outcome.value).inc()


class Groups:
    """Begins, watches and cancels groups."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        intake: Intake,
        rung: Callable[[str], Awaitable[None]],
        metrics: GroupMetrics,
    ) -> None:
        self._db = db
        self._clock = clock
        self._intake = intake
        self._rung = rung
        self._metrics = metrics
        self._pulses = Pulses(read=self._beat, now=time.monotonic)

    async def run(
        self, group_id: str, task: Submission, *, size: int, temperature: float | None = None
    ) -> GroupRow:
        """The group with at least `size` members. Raises `group.bad_…`, `group.exists`,
        and what the intake has against the task."""
        _check(group_id, task, size, temperature)
        digest = hashlib.sha256(json.dumps([task.digest, temperature]).encode()).hexdigest()
        async with self._db.read() as tx:
            known = _same(await group_repository.find_group(tx, group_id), digest)
        first: VerificationRow | None = None
        if known is None:
            prepared = await self._intake.prepare(replace(task, verification_id=f"{group_id}.0"))
            first = replace(
                prepared, request_digest=digest, group_id=group_id, temperature=temperature
            )

        async def work(tx: Transaction) -> tuple[GroupRow, list[str]]:
            now = self._clock.now()
            group = _same(await group_repository.find_group(tx, group_id), digest)
            there = group.size if group is not None else 0
            if group is None:
                assert first is not None, "groups are never deleted"
                group, template = _group(first, size, now=now), first
            elif there < size:
                group, template = (
                    replace(group, size=size),
                    await repository.get_verification(tx, f"{group_id}.0", caller=ITSELF),
                )
            else:
                return group, []
            members = [_member(template, number, now=now) for number in range(there, size)]
            await group_repository.put_group(tx, group)
            data = {
                "document": template.document_name,
                "target": template.order.target,
                "policy": template.order.policy,
                "group": group_id,
            }
            await group_repository.insert_members(
                tx, members, type="verification_queued", data=data
            )
            return group, [member.id for member in members]

        group, made = await self._db.run(work)
        if made:
            self._metrics.groups.inc(known is None)
            self._metrics.started.inc(len(made))
        for verification_id in made:
            await self._rung(verification_id)
        return group

    async def watch(
        self, group_id: str, *, caller: Caller, after: int = 0
    ) -> AsyncIterator[Member]:
        """Finished members behind `after`, then each as it finishes; ends when all are.
        Raises `group.not_found`."""
        with self._pulses.of(group_id) as pulse:
            while True:
                group, found = await self._behind(group_id, caller, after)
                for member in found:
                    yield member
                    after = member.sequence
                if not found and group.finished == group.size:
                    return
                if not found:
                    # The shared answer may be of before the group grew: a moment later
                    # it is not.
                    await asyncio.sleep(POLL_S)
                    await pulse.passed(after)

    async def _behind(
        self, group_id: str, caller: Caller, after: int
    ) -> tuple[GroupRow, Sequence[Member]]:
        """A group and its finished members behind `after`, a page of them, from one
        snapshot. Raises `group.not_found`."""
        async with self._db.read() as tx:
            group = await group_repository.get_group(tx, group_id, caller=caller)
            rows = await group_repository.finished_members(tx, group_id, after=after, limit=_PAGE)
            episodes = await episode_repository.list_episodes_of(tx, [row.id for row in rows])
        return group, [_finished(row, episodes[row.id]) for row in rows]

    async def _beat(self, group_id: str) -> Beat:
        async with self._db.read() as tx:
            group = await group_repository.get_group(tx, group_id, caller=ITSELF)
        return Beat(newest=group.finished, is_finished=group.finished == group.size)

    async def cancel(self, group_id: str, *, caller: Caller) -> GroupRow:
        """Ask for the end of every member that is not finished. Raises
        `group.not_found`."""

        async def work(tx: Transaction) -> tuple[GroupRow, list[str]]:
            group = await group_repository.get_group(tx, group_id, caller=caller)
            rows = await group_repository.unfinished_members(tx, group_id)
            return group, [
                row.id for row in rows if await usecases.cancel_in(tx, row, now=self._clock.now())
            ]

        group, asked = await self._db.run(work)
        for verification_id in asked:
            await self._rung(verification_id)
        return group


def _finished(row: VerificationRow, episodes: Sequence[EpisodeRow]) -> Member:
    assert row.verdict is not None, "a finished verification has a verdict"
    assert row.group_sequence is not None, "a finished member has its number"
    episode = decisive(episodes)
    return Member(
        sequence=row.group_sequence,
        verification_id=row.id,
        number=row.group_number,
        judgement=row.verdict.judgement,
        policy_versions=() if episode is None else tuple(episode.facts.get("policy_versions", ())),
        episode=0 if episode is None else episode.number,
        completed=episode is not None and episode.facts.get("completed", False),
    )


def _group(first: VerificationRow, size: int, *, now: datetime) -> GroupRow:
    return GroupRow(
        id=first.group_id,
        request_digest=first.request_digest,
        principal=first.principal,
        size=size,
        created_at=now,
    )


def _member(template: VerificationRow, number: int, *, now: datetime) -> VerificationRow:
    """A fresh member that asks for what the template asked for."""
    return replace(
        template,
        id=f"{template.group_id}.{number}",
        state=JobState.QUEUED,
        created_at=now,
        group_number=number,
        group_sequence=None,
        finished_at=None,
        cancel_requested_at=None,
        claim_holder="",
        claim_epoch=0,
        claim_expires_at=None,
        done=0,
        message="queued",
        event_count=0,
        verdict=None,
    )


def _same(known: GroupRow | None, digest: str) -> GroupRow | None:
    if known is not None and known.request_digest != digest:
        raise ProofwalkError(
            "group.exists",
            f"group {known.id!r} exists and was made from another request",
            status=Status.ALREADY_EXISTS,
            hint="use a fresh id for a fresh request",
        )
    return known


def _check(group_id: str, task: Submission, size: int, temperature: float | None) -> None:
    if not _ID.fullmatch(group_id):
        raise invalid(
            "group.bad_id",
            "the group_id is not 1 to 60 letters, digits, '.', '_' and '-', the first of them"
            " no '.'",
        )
    if not 1 <= size <= MAX_SIZE:
        raise invalid("group.bad_size", f"a group has 1 to {MAX_SIZE} episodes, not {size}")
    if task.verification_id or task.request.attempts != 1:
        raise invalid(
            "group.bad_task",
            "a group's task has no verification_id, and one attempt",
            hint="leave both out",
        )
    if temperature is not None and not 0 <= temperature <= _HOTTEST:
        raise invalid(
            "group.bad_temperature",
            f"the temperature is {temperature:g}, and 0 to {_HOTTEST:g} is possible",
        )
