"""What must hold of a round, checked when it is over, over its history and the rows
that it left. Each check is a function that names what it found broken; none looks at a
running system.

- *no job lost*: what was answered with an id is there, and has ended;
- *one job for one key*: whoever asked twice under a key was given one id;
- *decided once*: one end in a job's events, as the last of them, and no client was ever
  told two verdicts; each episode that began ended once;
- *an unbroken history*: a job's events are numbered from 1 without a gap;
- *one holder*: no account has two leases of one epoch, nor two that overlap;
- *no stale write*: nothing was changed in an account while nobody held it;
- *a right verdict*: of a document whose verdict is known, no other one was told. That
  the environment failed it, or that its client took it back, is said, and no verdict
  (`untold`);
- *something seen*: where a job was verified there are events, leases and changes;
  checks of nothing would break nothing;
- *nothing left*: no lease, sandbox, resource, episode, browser or process more.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.chaos.history import Entry, Said
from benchmarks.chaos.jobs import DOCUMENTS, Job
from benchmarks.chaos.rows import Change, Lease, Rows

NO_VERDICT = ("env_failure", "cancelled", "unproven", "suspected")
"""Outcomes that say nothing about a document."""
_SECOND_S = 1.5
"""The cloud's log keeps whole seconds."""
_FINISHED, _BEGUN, _ENDED = "verification_finished", "episode_started", "episode_finished"


@dataclass(frozen=True, kw_only=True)
class Record:
    """A round, as it is checked. `left`: what was there after the time to settle.
    `skewed`: roles whose wall clock was moved. Leases have the account pool's times,
    changes the cloud's; neither says anything where its clock was."""

    jobs: Sequence[Job]
    entries: Sequence[Entry]
    rows: Rows
    left: Sequence[str] = ()
    skewed: frozenset[str] = frozenset()


def violations(record: Record) -> Sequence[str]:
    """Everything that is broken, each with the name of its check."""
    return [f"{name}: {found}" for name, check in _CHECKS.items() for found in check(record)]


def untold(record: Record) -> Mapping[str, int]:
    """How many jobs ended without a verdict about their document, by outcome."""
    outcomes = (row["outcome"] for row in record.rows.verifications)
    return dict(Counter(outcome for outcome in outcomes if outcome in NO_VERDICT))


def _jobs_lost(record: Record) -> Iterator[str]:
    states = {row["id"]: row["state"] for row in record.rows.verifications}
    for entry in _answers(record, "create"):
        made = str(entry.about["verification_id"])
        if (state := states.get(made, "not there")) != "finished":
            yield f"{entry.who} was promised {made}, which is {state}"


def _keys_doubled(record: Record) -> Iterator[str]:
    ids: dict[str, set[str]] = defaultdict(set)
    for entry in _answers(record, "create"):
        ids[entry.who].add(str(entry.about["verification_id"]))
    yield from (f"{who} was given {sorted(given)}" for who, given in ids.items() if len(given) > 1)
    if (made := len(record.rows.verifications)) > len(record.jobs):
        yield f"{len(record.jobs)} jobs were asked for, and {made} are there"


def _decided_again(record: Record) -> Iterator[str]:
    for verification_id, kinds in _events(record).items():
        ends = kinds.count(_FINISHED)
        if ends > 1 or (ends and kinds[-1] != _FINISHED):
            yield f"{verification_id} ended {ends} times, at last by {kinds[-1]}"
        if kinds.count(_BEGUN) != kinds.count(_ENDED) and ends:
            yield f"{verification_id} began {kinds.count(_BEGUN)} episodes and ended others"
    told: dict[str, set[str]] = defaultdict(set)
    for entry in _answers(record, "get"):
        if entry.about["state"] == "finished":
            told[entry.who].add(str(entry.about["outcome"]))
    yield from (f"{who} was told {sorted(one)}" for who, one in told.items() if len(one) > 1)


def _history_broken(record: Record) -> Iterator[str]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for row in record.rows.events:
        numbers[row["verification_id"]].append(row["sequence"])
    for verification_id, found in numbers.items():
        if found != list(range(1, len(found) + 1)):
            yield f"{verification_id} has the events {found}"


def _held_twice(record: Record) -> Iterator[str]:
    for account, leases in _by_account(record.rows.leases).items():
        epochs = [lease.epoch for lease in leases]
        if len(set(epochs)) < len(epochs):
            yield f"{account} has two leases of one epoch: {epochs}"
        if "account_pool" in record.skewed:
            continue
        for before, after in itertools.pairwise(leases):
            if before.ended is None or before.ended > after.granted:
                yield f"{account} was {before.holder}'s until {before.ended}, {after} before it"


def _stale_writes(record: Record) -> Iterator[str]:
    if record.skewed & {"account_pool", "devcloud"}:
        return
    held = _by_account(record.rows.leases)
    for change in record.rows.changes:
        if not any(_within(change, lease) for lease in held.get(change.account, ())):
            yield f"{change.name} by {change.user} in {change.account}, which nobody held"


def _wrong_verdicts(record: Record) -> Iterator[str]:
    documents = {job.key: job.document for job in record.jobs}
    for entry in _answers(record, "get"):
        outcome = str(entry.about["outcome"])
        document = documents[entry.who]
        if entry.about["state"] != "finished" or outcome in (DOCUMENTS[document], *NO_VERDICT):
            continue
        yield f"{document} is {DOCUMENTS[document]}, and was said to be {outcome}"


def _nothing_seen(record: Record) -> Iterator[str]:
    rows = record.rows
    if any(row["outcome"] == "verified" for row in rows.verifications):
        seen = {"event": rows.events, "lease": rows.leases, "change": rows.changes}
        yield from (f"no {name} was read" for name, found in seen.items() if not found)


def _left(record: Record) -> Iterator[str]:
    yield from record.left


_CHECKS: Mapping[str, Callable[[Record], Iterator[str]]] = {
    "job_lost": _jobs_lost,
    "key_doubled": _keys_doubled,
    "decided_again": _decided_again,
    "history_broken": _history_broken,
    "two_holders": _held_twice,
    "stale_write": _stale_writes,
    "wrong_verdict": _wrong_verdicts,
    "nothing_seen": _nothing_seen,
    "left_behind": _left,
}
CHECKS = tuple(_CHECKS)


def _answers(record: Record, act: str) -> Iterator[Entry]:
    return (one for one in record.entries if one.said is Said.OK and one.act == act)


def _events(record: Record) -> Mapping[str, list[str]]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for row in record.rows.events:
        kinds[row["verification_id"]].append(row["type"])
    return kinds


def _by_account(leases: Sequence[Lease]) -> Mapping[str, list[Lease]]:
    found: dict[str, list[Lease]] = defaultdict(list)
    for lease in sorted(leases, key=lambda one: (one.account, one.epoch)):
        found[lease.account].append(lease)
    return found


def _within(change: Change, lease: Lease) -> bool:
    ended = float("inf") if lease.ended is None else lease.ended
    return lease.granted - _SECOND_S <= change.at <= ended + _SECOND_S
