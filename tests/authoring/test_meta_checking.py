"""Kept records are planned, a share of them is made, and stale ones are written
anew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.experiments.meta_authoring import MetaAuthor
from proofwalk.experiments.meta_checking import Check, End, MetaChecks, to_prove
from proofwalk.experiments.meta_proof import MetaProof
from proofwalk.kernel.errors import ProofwalkError, conflict, exhausted, unavailable
from tests.authoring.test_meta_authoring import DRAIN, NO_STOCK, MayRun, Runs
from tests.authoring.waterworks import WORLD

NOW = datetime(2026, 12, 20, tzinfo=UTC)
RETIRED = conflict("provision.create_failed", "alicloud_x.y line 3: it is retired")
THROTTLED = unavailable("provision.interrupted", "Throttling.User")
HOLDS = MetaProof(run="prov_9", provider_version="1.246.0")


class Kept:
    """Records in memory, marked as the role marks them."""

    def __init__(self) -> None:
        self.marks: list[str] = []
        self.confirmed: list[str] = []
        self.stored: list[pb.Meta] = []
        self.stores_as = "proven"

    async def put(self, record: pb.Meta) -> pb.Meta:
        self.stored.append(record)
        kept = pb.Meta(id="tanks", version=2)
        kept.MergeFrom(record)
        kept.state = self.stores_as
        return kept

    async def confirm(self, record: pb.Meta) -> pb.Meta:
        self.confirmed.append(record.id)
        return record

    async def mark_proven(
        self, record: pb.Meta, *, target: str, run: str, provider_version: str
    ) -> pb.Meta:
        return self._marked(record, "proven", target, run)

    async def mark_stale(self, record: pb.Meta, *, target: str, run: str, reason: str) -> pb.Meta:
        marked = self._marked(record, "stale", target, run)
        marked.state_reason = reason
        return marked

    def _marked(self, record: pb.Meta, state: str, target: str, run: str) -> pb.Meta:
        assert target == "water"
        self.marks.append(f"{record.id} {state} {run}".strip())
        marked = pb.Meta()
        marked.CopyFrom(record)
        marked.state = state
        return marked


class Plans:
    """Fails with what was prepared, else plans two resources."""

    def __init__(self, error: ProofwalkError | None = None) -> None:
        self.error = error

    async def plan(self, record: pb.Meta) -> pb.PlanMetaResponse:
        if self.error is not None:
            raise self.error
        return pb.PlanMetaResponse(run="plan_1", makes=2)


def a_record(name: str = "tanks", *, days: float = 1, **members: str) -> pb.Meta:
    plain = {"state": "proven", "target_kind": "water", "document_digest": "d1", **members}
    shown = moment_to_pb(NOW - timedelta(days=days))
    return pb.Meta(id=name, version=1, yaml="id: tanks", state_at=shown, **plain)  # type: ignore[arg-type]


def checks_of(kept: Kept, plans: Plans | None = None, *proofs: MetaProof) -> MetaChecks:
    return MetaChecks(kept, plans or Plans(), Runs(*proofs or (HOLDS,)), target="water")


async def test_a_record_that_plans_keeps_its_state_and_was_looked_at() -> None:
    kept = Kept()
    check = await checks_of(kept).plan(a_record())
    assert (check.end, check.makes, check.record.state) == (End.PLANNED, 2, "proven")
    assert (kept.confirmed, kept.marks) == (["tanks"], [])


@pytest.mark.parametrize(
    ("error", "kind", "end", "marks"),
    [
        (RETIRED, "water", End.STALE, ["tanks stale"]),
        (conflict("meta.invalid", "no such type"), "water", End.STALE, ["tanks stale"]),
        (RETIRED, "", End.REFUSED, []),
        (conflict("meta.other_kind", "it is for another one"), "fire", End.OTHER, []),
        (THROTTLED, "water", End.UNCHECKED, []),
        (exhausted("provision.quota", "ten are enough"), "water", End.UNCHECKED, []),
        (exhausted("account.none_free", "all are leased"), "water", End.UNCHECKED, []),
        (unavailable("rpc.unavailable", "nobody answers"), "water", End.UNCHECKED, []),
    ],
)
async def test_a_refusal_alone_marks_a_record_and_only_for_its_kind(
    error: ProofwalkError, kind: str, end: End, marks: list[str]
) -> None:
    kept = Kept()
    check = await checks_of(kept, Plans(error)).plan(a_record(target_kind=kind))
    assert (check.end, kept.marks) == (end, marks)
    if end is End.STALE:
        assert check.record.state_reason == f"{error.code}: {error.message}"


async def test_what_is_made_is_proven_anew_or_stale_with_the_run_that_showed_it() -> None:
    kept = Kept()
    no_stock = MetaProof(error=exhausted("provision.no_stock", "none in h"), run="prov_8")
    checks = checks_of(kept, Plans(), HOLDS, no_stock)
    planned = Check(record=a_record(), end=End.PLANNED, makes=2)
    assert (await checks.prove(planned)).end is End.PROVEN
    stale = await checks.prove(planned)
    assert (stale.end, stale.makes) == (End.STALE, 2)
    assert kept.marks == ["tanks proven prov_9", "tanks stale prov_8"]


async def test_a_making_that_the_environment_breaks_says_nothing() -> None:
    class Away:
        async def prove(self, meta_yaml: str) -> MetaProof:
            raise THROTTLED

    kept = Kept()
    checks = MetaChecks(kept, Plans(), Away(), target="water")
    end = await checks.prove(Check(record=a_record(), end=End.PLANNED))
    assert (end.end, end.error, kept.marks) == (End.UNCHECKED, THROTTLED, [])


async def test_a_stale_record_is_written_anew_and_kept_as_its_next_version() -> None:
    kept = Kept()
    author = MetaAuthor(WORLD, Runs(NO_STOCK, HOLDS), judge=MayRun())
    stale = Check(record=a_record(state="stale", intent="Procedure p"), end=End.STALE)
    check = await checks_of(kept).mend(stale, author, DRAIN, writer="catalogue")
    assert (check.end, check.record.version) == (End.MENDED, 2)
    (stored,) = kept.stored
    assert stored.yaml.startswith("id: tanks\n")
    assert '"${var.region}-i"' in stored.yaml
    assert (stored.state, stored.document_digest, stored.intent, stored.target_kind) == (
        "proven",
        "d1",
        "Procedure p",
        "water",
    )
    assert (stored.lineage.writer, stored.lineage.run) == ("catalogue", "prov_9")
    assert kept.marks == []


async def test_what_was_refused_and_is_made_now_is_proven_again() -> None:
    kept = Kept()
    kept.stores_as = "stale"
    author = MetaAuthor(WORLD, Runs(HOLDS), judge=MayRun())
    stale = Check(record=a_record(state="stale"), end=End.STALE)
    check = await checks_of(kept).mend(stale, author, DRAIN, writer="catalogue")
    assert (check.end, check.record.state) == (End.MENDED, "proven")


async def test_what_cannot_be_mended_stays_stale_and_says_why() -> None:
    kept = Kept()
    author = MetaAuthor(WORLD, Runs(NO_STOCK), judge=MayRun())
    stale = Check(record=a_record(state="stale"), end=End.STALE)
    check = await checks_of(kept).mend(stale, author, DRAIN, writer="catalogue")
    assert (check.end, kept.stored) == (End.STALE, [])
    assert check.error is not None
    assert check.error.code == "author.cannot_make"


def test_the_longest_unseen_and_the_cheapest_are_made_first() -> None:
    rows = [("old-dear", 6, 3), ("old-cheap", 5, 1), ("new-cheap", 1, 1), ("new-dear", 1, 4)]
    checks = [
        Check(record=a_record(name, days=days), end=End.PLANNED, makes=makes)
        for name, days, makes in rows
    ]
    checks.append(Check(record=a_record("broken", days=90), end=End.STALE))
    chosen = [one.record.id for one in to_prove(checks, 0.75, now=NOW)]
    assert chosen == ["old-cheap", "old-dear", "new-cheap"]


@given(st.integers(0, 40), st.floats(0, 1))
def test_a_share_is_never_more_than_all_nor_nothing_of_some(planned: int, share: float) -> None:
    numbers = count()
    checks = [
        Check(record=a_record(f"r{next(numbers)}"), end=End.PLANNED, makes=1)
        for _ in range(planned)
    ]
    chosen = to_prove(checks, share, now=NOW)
    assert len(chosen) <= planned
    assert bool(chosen) is bool(planned and share)
