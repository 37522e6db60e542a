"""A person has a record tried: it is made and taken back in an account of the role's
own lease, and the record is marked with what that shows."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts_pb
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, conflict, exhausted
from proofwalk.resource_provisioner import trial_usecases
from proofwalk.resource_provisioner.trials import Trial, TrialEnd, TrialStage, end_of
from tests.resource_provisioner.conftest import META, Stage
from tests.resource_provisioner.test_meta_calls import put, refusal
from tests.resource_provisioner.test_provisioning import failure


async def tried(stage: Stage, **members: Any) -> pb.MetaTrial:
    """Ask for a trial of the record, and wait for its end."""
    request = pb.TryMetaRequest(id="one-vpc", version=1, asked_by="ops", **members)
    asked = (await stage.call("TryMeta", request)).trial
    async with asyncio.timeout(20):
        while True:
            listing = pb.ListTrialsRequest(id="one-vpc")
            trials = (await stage.call("ListTrials", listing)).trials
            trial: pb.MetaTrial = next(one for one in trials if one.trial_id == asked.trial_id)
            if trial.stage == "ended":
                return trial
            await asyncio.sleep(0.05)


async def record(stage: Stage) -> pb.Meta:
    kept: pb.GetMetaResponse = await stage.call(
        "GetMeta", pb.GetMetaRequest(id="one-vpc", version=1)
    )
    return kept.meta


async def test_a_record_that_holds_is_proven_by_what_was_made(stage: Stage) -> None:
    await put(stage, target_kind="memory", lineage=pb.MetaLineage(writer="coder"))
    trial = await tried(stage)
    assert (trial.end, trial.error_code, trial.target) == ("proven", "", "memory")
    assert (trial.asked_by, trial.version) == ("ops", 1)
    assert trial.started_at.ToDatetime() <= trial.ended_at.ToDatetime()
    kept = await record(stage)
    assert (kept.state, kept.state_run) == ("proven", trial.provisioning_id)
    assert kept.lineage.provider_version
    assert (await stage.inventory(), stage.pool.released) == ([], 1)


@pytest.mark.parametrize(
    ("kind", "end", "state"), [("memory", "stale", "stale"), ("", "refused", "proven")]
)
async def test_what_the_cloud_refuses_is_stale_for_its_kind_alone(
    stage: Stage, kind: str, end: str, state: str
) -> None:
    await put(stage, target_kind=kind)
    stage.runner.apply_failures.append(failure("the type is gone"))
    trial = await tried(stage, target="memory")
    assert (trial.end, trial.error_code) == (end, "provision.create_failed")
    assert "the type is gone" in trial.error_message
    kept = await record(stage)
    assert (kept.state, "the type is gone" in kept.state_reason) == (state, state == "stale")
    assert stage.pool.released == 1


async def test_what_is_left_behind_makes_a_record_stale(stage: Stage) -> None:
    await put(stage, target_kind="memory")
    stage.pool.leftovers = [accounts_pb.Leftover(product="vpc", type="vpc", id="vpc-1")]
    trial = await tried(stage)
    assert (trial.end, trial.error_code) == ("stale", "meta.left_behind")
    assert "vpc/vpc vpc-1" in trial.error_message
    assert trial.provisioning_id, "it leads to what was made"


async def test_the_environments_failure_says_nothing_of_the_record(stage: Stage) -> None:
    await put(stage, target_kind="memory")
    stage.pool.failure = exhausted("provision.quota", "ten are enough")
    trial = await tried(stage)
    assert (trial.end, trial.error_code) == ("unchecked", "provision.quota")
    assert (await record(stage)).state == "proven"
    stage.pool.failure = None
    assert (await tried(stage)).end == "proven", "it can be tried again"


async def test_wrong_trials_are_refused_with_a_code(stage: Stage) -> None:
    await put(stage)
    for request, code in [
        (pb.TryMetaRequest(id="none", version=1), "meta.not_found"),
        (pb.TryMetaRequest(id="one-vpc", version=9), "meta.not_found"),
        (pb.TryMetaRequest(id="one-vpc", version=1), "meta.no_target"),
        (pb.TryMetaRequest(id="one-vpc", version=1, target="mars"), "target.unknown"),
        (pb.TryMetaRequest(id="one-vpc", version=1, asked_by="x" * 256), "meta.invalid"),
    ]:
        assert await refusal(stage, "TryMeta", request) == code
    await put(stage, META.replace("A VPC", "Some VPC"), target_kind="alicloud")
    elsewhere = pb.TryMetaRequest(id="one-vpc", version=2, target="memory")
    assert await refusal(stage, "TryMeta", elsewhere) == "meta.other_kind"
    assert await refusal(stage, "ListTrials", pb.ListTrialsRequest(limit=101)) == "meta.bad_limit"
    assert stage.pool.released == 0


@pytest.fixture
async def rows(sqlite_db: Database) -> Database:
    await migrations.migrate(sqlite_db, "proofwalk.resource_provisioner")
    return sqlite_db


CLOCK = ManualClock()


def a_trial(number: int, **members: Any) -> Trial:
    return Trial(
        id=f"trial_{number:02}",
        meta_id=f"meta-{number}",
        version=1,
        target="memory",
        asked_by="ops",
        created_at=CLOCK.now(),
        **members,
    )


async def test_a_version_has_one_trial_at_a_time_and_so_many_wait_at_most(rows: Database) -> None:
    first = await trial_usecases.ask(rows, a_trial(0))
    again = Trial(**{**first.__dict__, "id": "trial_other"})
    assert await trial_usecases.ask(rows, again) == first
    for number in range(1, trial_usecases.MOST_UNENDED):
        await trial_usecases.ask(rows, a_trial(number))
    with pytest.raises(ProofwalkError) as caught:
        await trial_usecases.ask(rows, a_trial(99))
    assert caught.value.code == "meta.too_many_trials"
    assert await trial_usecases.next_queued(rows) == first
    ended = a_trial(0, stage=TrialStage.ENDED, end=TrialEnd.PROVEN)
    assert await trial_usecases.moved(rows, ended, was=TrialStage.QUEUED)
    assert not await trial_usecases.moved(rows, ended, was=TrialStage.QUEUED), "once"
    assert await trial_usecases.next_queued(rows) == a_trial(1)
    assert await trial_usecases.ask(rows, again) == again


async def test_a_trial_that_the_role_did_not_live_to_end_is_ended_at_its_start(
    rows: Database,
) -> None:
    for number, stage in enumerate((TrialStage.QUEUED, TrialStage.CREATING, TrialStage.COMPARING)):
        await trial_usecases.ask(rows, a_trial(number, stage=stage))
    assert await trial_usecases.end_interrupted(rows, clock=CLOCK) == 2
    (ended,) = await trial_usecases.of_record(rows, "meta-1", limit=5)
    assert (ended.end, ended.error_code) == (TrialEnd.UNCHECKED, trial_usecases.INTERRUPTED)
    assert ended.ended_at == CLOCK.now()
    assert await trial_usecases.next_queued(rows) == a_trial(0), "what was not begun still is"
    assert await trial_usecases.end_interrupted(rows, clock=CLOCK) == 0


@pytest.mark.parametrize(
    ("error", "kind", "end"),
    [
        (None, "", TrialEnd.PROVEN),
        (conflict("provision.verify_failed", "it is not there"), "memory", TrialEnd.STALE),
        (conflict("provision.verify_failed", "it is not there"), "", TrialEnd.REFUSED),
        (exhausted("account.none_free", "all are leased"), "memory", TrialEnd.UNCHECKED),
    ],
)
def test_only_what_blames_the_record_says_something_of_it(
    error: ProofwalkError | None, kind: str, end: TrialEnd
) -> None:
    assert end_of(error, target_kind=kind) is end
