"""The same seed gives the same world: the same operations leave the same audit log but
for times, and other ids change nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products.indexing import load
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import SeededIds
from tests.devcloud.conftest import Bench, make_bench
from tests.devcloud.random_operations import Author, operations

ACCOUNT = "1000000000000001"
START = datetime(2026, 3, 2, 8, tzinfo=UTC)
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?Z?")
STEPS = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(0, 2**32 - 1), st.integers(0, 3)),
    min_size=1,
    max_size=60,
)
"""Which operation, the randomness of its values, seconds that pass."""


def lived(folder: Path, steps: list[tuple[int, int, int]], *, seed: int, start: datetime) -> Bench:
    """A cloud in which the account settled in and took the steps."""
    bench = make_bench(folder)
    bench.clock = ManualClock(start)
    bench.cloud.clock = bench.clock
    bench.cloud.ids = SeededIds(seed)
    bench.cloud.audit._ids = bench.cloud.ids
    author = Author(bench, ACCOUNT)
    author.settle_in(Random(1), rounds=2)
    known = operations(bench.cloud.catalogue)
    for index, choice, seconds in steps:
        author.call(author.request(known[index % len(known)], Random(choice)))
        bench.clock.advance(seconds)
    return bench


def log(bench: Bench) -> list[str]:
    """All events as they are stored, oldest first."""
    return [
        body for _, _, body in bench.cloud.store.events("account = ?", [ACCOUNT], "seq", 10_000)
    ]


def world(bench: Bench) -> str:
    return json.dumps(
        [vars(r) for r in bench.cloud.world.inventory(ACCOUNT)], sort_keys=True, default=str
    )


def since(start: datetime, text: str) -> str:
    """The text with each moment as the time since the start. What requests name lies
    years ahead, and is left as it is."""

    def told(found: re.Match[str]) -> str:
        try:
            moment = datetime.fromisoformat(found[0]).replace(tzinfo=UTC)
        except ValueError:
            return found[0]
        if not timedelta(0) <= moment - start < timedelta(days=1200):
            return found[0]
        # an end of a subscription is told as a day, whatever hour it was bought at
        return (
            f"+{(moment.date() - start.date()).days}d"
            if found[0].endswith("T16:00Z")
            else f"+{moment - start}"
        )

    return MOMENT.sub(told, text)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.integers(1, 100))
def test_the_same_seed_gives_the_same_log_but_for_times(
    steps: list[tuple[int, int, int]], days: int
) -> None:
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
        tempfile.TemporaryDirectory() as three,
    ):
        first = lived(Path(one), steps, seed=3, start=START)
        again = lived(Path(two), steps, seed=3, start=START)
        later = START + timedelta(days=days)
        moved = lived(Path(three), steps, seed=3, start=later)
        try:
            assert log(first) == log(again)
            assert world(first) == world(again)
            assert [since(START, body) for body in log(first)] == [
                since(later, body) for body in log(moved)
            ]
        finally:
            for bench in (first, again, moved):
                bench.cloud.store.close()


def anonymous(bench: Bench) -> list[Any]:
    """What happened without the ids that were drawn: operation, outcome, and which
    parameters and answer members there were."""
    shown = []
    for body in log(bench):
        event = json.loads(body)
        shown.append(
            (
                event["eventName"],
                event.get("errorCode"),
                event["resourceType"],
                sorted(event["requestParameters"]),
                sorted(event["responseElements"]),
            )
        )
    return shown


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.integers(4, 10_000))
def test_other_ids_change_nothing_else(steps: list[tuple[int, int, int]], seed: int) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first = lived(Path(one), steps, seed=3, start=START)
        other = lived(Path(two), steps, seed=seed, start=START)
        try:
            assert anonymous(first) == anonymous(other)
            assert log(first) != log(other)
        finally:
            first.cloud.store.close()
            other.cloud.store.close()


FIXED = [(n * 37, n * 7919, n % 3) for n in range(150)]


def digest() -> str:
    """Of the log that a fixed sequence leaves in this process."""
    with tempfile.TemporaryDirectory() as folder:
        bench = lived(Path(folder), FIXED, seed=3, start=START)
        made = hashlib.sha256("\n".join(log(bench)).encode()).hexdigest()
        bench.cloud.store.close()
        return made


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_with_another_hash_seed_leaves_the_same_log(hash_seed: str) -> None:
    program = "from tests.devcloud.test_determinism import digest; print(digest())"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
        cwd=Path.cwd(),
    )
    assert done.stdout.strip() == digest()


def test_the_fixed_sequence_does_something_in_every_product() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = lived(Path(folder), FIXED, seed=3, start=START)
        events = [json.loads(body) for body in log(bench)]
        bench.cloud.store.close()
    done = {e["serviceName"] for e in events if "errorCode" not in e}
    assert {p.service for p in load(PRODUCTS).products.values()} <= done
    assert sum("errorCode" not in e for e in events) > 100
