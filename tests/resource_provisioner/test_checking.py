"""Kept records are planned again: nothing is made, an account is given back, and a
refusal alone makes a record stale."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, conflict, exhausted, unavailable
from proofwalk.kernel.staleness import LONGEST_REASON, reason_of
from proofwalk.resource_provisioner import repository, usecases
from proofwalk.resource_provisioner.checking import PeriodicChecks
from proofwalk.resource_provisioner.lineage import MetaState
from proofwalk.resource_provisioner.planning import Planned
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings
from tests.resource_provisioner.conftest import META, TARGET, Stage
from tests.resource_provisioner.test_meta_rows import a_row
from tests.resource_provisioner.test_provisioning import failure

BROKEN = conflict("provision.create_failed", "alicloud_x.y line 3: it is\nretired")


async def plan(stage: Stage, meta: str = META, **members: Any) -> Any:
    request = pb.PlanMetaRequest(meta=pb.Meta(yaml=meta), target="memory", **members)
    return await stage.call("PlanMeta", request)


async def test_a_plan_makes_nothing_and_gives_its_account_back(stage: Stage) -> None:
    planned = await plan(stage)
    assert (planned.makes, planned.run[:5], planned.provider_version != "") == (2, "plan_", True)
    assert stage.runner.calls == ["plan"]
    assert (await stage.inventory(), stage.pool.released) == ([], 1)
    assert not any(folder.exists() for folder in stage.runner.planned_in)


@pytest.mark.parametrize(
    ("summary", "code"),
    [
        ("Invalid index: there is no such zone", "provision.create_failed"),
        ("DescribeZones failed: Throttling.User", "provision.interrupted"),
    ],
)
async def test_a_plan_that_fails_says_whose_fault_it_is_and_leaves_nothing(
    stage: Stage, summary: str, code: str
) -> None:
    stage.runner.plan_failures.append(failure(summary))
    with pytest.raises(ProofwalkError) as caught:
        await plan(stage)
    assert caught.value.code == code
    assert stage.pool.released == 1
    assert not any(folder.exists() for folder in stage.runner.planned_in)


@pytest.mark.parametrize(
    ("meta", "members", "code"),
    [
        ('id: x\ndescription: x\ncreate: |\n  module "m" {}\n', {}, "meta.invalid"),
        (META, {"region": "a b"}, "provision.bad_region"),
        ("id: x\ndescription: x\nsteps: [{do: {command: a}}]\n", {}, "meta.steps_unsupported"),
    ],
)
async def test_what_may_not_be_run_takes_no_account(
    stage: Stage, meta: str, members: dict[str, Any], code: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await plan(stage, meta, **members)
    assert caught.value.code == code
    assert (stage.pool.reveals, stage.pool.released, stage.runner.calls) == (0, 0, [])


async def test_what_nothing_is_made_for_is_judged_alone(stage: Stage) -> None:
    assert (await plan(stage, "id: x\ndescription: nothing\n")).makes == 0
    assert (stage.pool.reveals, stage.runner.calls) == (0, [])


async def test_a_confirmed_record_keeps_its_state_and_is_looked_at_later(stage: Stage) -> None:
    put = pb.PutMetaRequest(meta=pb.Meta(yaml=META))
    kept = (await stage.call("PutMeta", put)).meta
    confirm = pb.ConfirmMetaRequest(id=kept.id, version=kept.version)
    seen = (await stage.call("ConfirmMeta", confirm)).meta
    assert (seen.state, seen.state_at) == (kept.state, kept.state_at)
    assert seen.checked_at.ToDatetime() > kept.checked_at.ToDatetime()
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("ConfirmMeta", pb.ConfirmMetaRequest(id=kept.id, version=9))
    assert caught.value.code == "meta.not_found"


@pytest.fixture
async def looking(process_settings: ProcessSettings) -> AsyncIterator[Stage]:
    made = Stage(process_settings)
    made.own = made.own.model_copy(update={"check_s": 0.05, "check_after_days": 0.0})
    yield made
    await made.stop()


async def test_the_role_looks_by_itself_where_that_is_set(looking: Stage) -> None:
    looking.runner.plan_failures.append(failure("the type is gone"))
    await looking.start()
    put = pb.PutMetaRequest(meta=pb.Meta(yaml=META, target_kind="memory"))
    await looking.call("PutMeta", put)
    async with asyncio.timeout(20):
        while (seen := await _get(looking)).state != "stale":
            await asyncio.sleep(0.05)
    assert "provision.create_failed" in seen.state_reason
    assert "the type is gone" in seen.state_reason


async def _get(stage: Stage) -> Any:
    return (await stage.call("GetMeta", pb.GetMetaRequest(id="one-vpc", version=1))).meta


class Plans:
    """Answers by a record's text with what was prepared: an error, or that it is
    fine."""

    def __init__(self) -> None:
        self.free_accounts = 2
        self.planned: list[str] = []
        self.errors: dict[str, ProofwalkError] = {}

    async def free(self, target: str) -> int:
        assert target == "memory"
        return self.free_accounts

    async def plan(self, meta_text: str, *, target: str) -> Planned:
        self.planned.append(meta_text)
        if meta_text in self.errors:
            raise self.errors[meta_text]
        return Planned(run="plan_1", makes=1, provider_version="1")


class Looks:
    """Looks at rows of a database."""

    def __init__(self, db: Database, targets: Path) -> None:
        self.db = db
        self.clock = ManualClock(datetime(2026, 12, 20, tzinfo=UTC))
        self.plans = Plans()
        (targets / "memory.yaml").write_text(TARGET)
        self.checks = PeriodicChecks(
            planner=self.plans,  # type: ignore[arg-type]
            leases=self.plans,  # type: ignore[arg-type]
            targets=TargetCatalog(targets, {}),
            db=db,
            clock=self.clock,
            settings=ResourceProvisionerSettings(check_most=3, check_spare=1),
        )

    async def put(self, name: str, *, day: int, kind: str = "memory", **members: Any) -> None:
        at = datetime(2026, 12, day, tzinfo=UTC)
        row = a_row(name, yaml=name, checked_at=at, target_kind=kind, **members)
        await usecases.put_meta(self.db, row)

    async def states(self) -> dict[str, str]:
        async with self.db.read() as tx:
            rows = await repository.due_metas(tx, self.clock.now() + timedelta(days=1), limit=20)
        return {row.digest: row.state.value for row in rows}


@pytest.fixture
async def looks(database: Database, tmp_path: Path) -> Looks:
    await migrations.migrate(database, "proofwalk.resource_provisioner")
    return Looks(database, tmp_path)


async def test_a_look_takes_the_longest_unseen_first_and_so_many_at_most(looks: Looks) -> None:
    for name, day in [("a", 5), ("b", 2), ("c", 3), ("d", 4), ("fresh", 19)]:
        await looks.put(name, day=day)
    await looks.put("nobodys", day=1, kind="")
    await looks.put("stale", day=1, state=MetaState.STALE)
    assert await looks.checks.look() == 3
    assert looks.plans.planned == ["b", "c", "d"]
    assert await looks.checks.look() == 1
    assert looks.plans.planned[3:] == ["a"]
    assert await looks.checks.look() == 0


async def test_a_refusal_makes_a_record_stale_and_trouble_ends_the_look(looks: Looks) -> None:
    for name, day in [("broken", 1), ("throttled", 2), ("after", 3)]:
        await looks.put(name, day=day, state=MetaState.PROVEN)
    looks.plans.errors = {
        "broken": BROKEN,
        "throttled": unavailable("provision.interrupted", "Throttling.User"),
    }
    assert await looks.checks.look() == 1
    row = await usecases.get_meta(looks.db, "one", 1)
    assert (row.state, row.checked_at) == (MetaState.STALE, looks.clock.now())
    assert row.state_reason == "provision.create_failed: alicloud_x.y line 3: it is retired"
    assert await looks.states() == {"throttled": "proven", "after": "proven"}
    assert looks.plans.planned == ["broken", "throttled"]


@pytest.mark.parametrize(
    "error",
    [
        exhausted("account.none_free", "all are leased"),
        exhausted("provision.quota", "ten are enough"),
        conflict("provision.unsupported", "no provisioning"),
    ],
)
async def test_the_environment_marks_nothing(looks: Looks, error: ProofwalkError) -> None:
    await looks.put("a", day=1, state=MetaState.PROVEN)
    looks.plans.errors = {"a": error}
    assert await looks.checks.look() == 0
    assert await looks.states() == {"a": "proven"}


async def test_no_record_is_planned_while_accounts_are_scarce(looks: Looks) -> None:
    await looks.put("a", day=1)
    looks.plans.free_accounts = 1
    assert (await looks.checks.look(), looks.plans.planned) == (0, [])
    looks.plans.free_accounts = 2
    assert (await looks.checks.look(), looks.plans.planned) == (1, ["a"])


async def test_a_record_whose_kind_has_no_target_here_waits(looks: Looks) -> None:
    await looks.put("far", day=1, kind="alicloud")
    await looks.put("near", day=2)
    assert (await looks.checks.look(), looks.plans.planned) == (1, ["near"])


def test_a_reason_is_one_line_that_its_column_holds() -> None:
    told = reason_of(conflict("provision.create_failed", "a\nb\x1b[31m " + "x" * 600))
    assert told.startswith("provision.create_failed: a b[31m x")
    assert len(told) == LONGEST_REASON
    assert told.isprintable()
