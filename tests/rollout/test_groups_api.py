"""Groups over real gRPC: what the messages say, and what users' listing leaves out."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from tests.rollout.api import OPERATOR, Api, code_of
from tests.rollout.fakes import away
from tests.rollout.setting import DOCUMENT

TRAINER = pb.Caller(principal="trainer:run")


def wanted(episodes: int, **more: object) -> pb.RunGroupRequest:
    task = pb.CreateVerificationRequest(
        principal=TRAINER.principal,
        target="devcloud",
        document=pb.DocumentSource(content=DOCUMENT, name="stop.md"),
        rule_yaml="rule: 1",
    )
    return pb.RunGroupRequest(group_id="run.1.stop", task=task, episodes=episodes, **more)  # type: ignore[arg-type]


async def watch(api: Api, after: int = 0) -> list[pb.GroupMember]:
    request = pb.WatchGroupRequest(caller=TRAINER, group_id="run.1.stop", after=after)
    return [member async for member in api.stub.WatchGroup(request, timeout=20)]


async def test_a_group_is_run_watched_and_told_of(api: Api) -> None:
    group = (await api.stub.RunGroup(wanted(2, temperature=0.5), timeout=5)).group
    assert (group.group_id, group.episodes, group.finished) == ("run.1.stop", 2, 0)
    assert api.rung == ["run.1.stop.0", "run.1.stop.1"]
    watching = asyncio.ensure_future(watch(api))
    api.setting.world.before["sandboxes.acquire"].extend(away())
    for name in list(api.rung):
        await api.setting.finish(name)
    failed, fine = await asyncio.wait_for(watching, 20)
    assert (failed.sequence, failed.verification_id, failed.number) == (1, "run.1.stop.0", 0)
    assert (failed.outcome, failed.cause, failed.evidence, failed.HasField("finding")) == (
        common.OUTCOME_ENV_FAILURE,
        common.ENVIRONMENT_CAUSE_SANDBOX,
        common.EVIDENCE_NONE,
        False,
    )
    assert (fine.outcome, fine.evidence, fine.episode) == (
        common.OUTCOME_VERIFIED,
        common.EVIDENCE_AUDIT,
        1,
    )
    assert [member.number for member in await watch(api, after=1)] == [1]
    named = pb.ListVerificationsRequest(caller=TRAINER, group_id="run.1.stop")
    listed = (await api.stub.ListVerifications(named, timeout=5)).verifications
    traces = {episode.trace_id for one in listed for episode in one.episodes}
    assert len(traces) == sum(len(one.episodes) for one in listed), "each episode has its own"
    assert all(len(one) == 32 for one in traces)
    chunks = api.stub.GetArtefact(
        pb.GetArtefactRequest(
            caller=TRAINER,
            verification_id=fine.verification_id,
            kind="trajectory",
            episode=fine.episode,
        ),
        timeout=10,
    )
    assert b"".join([chunk.data async for chunk in chunks]).startswith(b"PAR1")


async def test_members_are_listed_where_their_group_is_named(api: Api) -> None:
    await api.stub.RunGroup(wanted(2), timeout=5)
    await api.create()
    plain = await api.stub.ListVerifications(
        pb.ListVerificationsRequest(caller=OPERATOR), timeout=5
    )
    assert [(one.verification_id, one.group_id) for one in plain.verifications] == [("ver_1", "")]
    named = await api.stub.ListVerifications(
        pb.ListVerificationsRequest(caller=TRAINER, group_id="run.1.stop"), timeout=5
    )
    assert sorted((one.verification_id, one.group_id) for one in named.verifications) == [
        ("run.1.stop.0", "run.1.stop"),
        ("run.1.stop.1", "run.1.stop"),
    ]
    every = await api.stub.ListVerifications(
        pb.ListVerificationsRequest(caller=OPERATOR, with_members=True), timeout=5
    )
    assert {one.group_id for one in every.verifications} == {"", "run.1.stop"}
    own = pb.ListVerificationsRequest(
        caller=OPERATOR, with_members=True, principal=TRAINER.principal, state="queued"
    )
    members = await api.stub.ListVerifications(own, timeout=5)
    assert {one.group_id for one in members.verifications} == {"run.1.stop"}
    request = pb.GetVerificationRequest(caller=TRAINER, verification_id="run.1.stop.1")
    assert (await api.stub.GetVerification(request, timeout=5)).verification.state == "queued"


async def test_no_person_can_make_what_looks_like_a_member(api: Api) -> None:
    assert await code_of(api.create("run.1.stop.0")) == "verification.bad_id"


async def test_errors_have_their_codes_over_the_wire(api: Api) -> None:
    await api.stub.RunGroup(wanted(1), timeout=5)
    assert await code_of(api.stub.RunGroup(wanted(1, temperature=1.0), timeout=5)) == "group.exists"
    assert await code_of(api.stub.RunGroup(wanted(0), timeout=5)) == "group.bad_size"
    assert (
        await code_of(
            api.stub.CancelGroup(pb.CancelGroupRequest(caller=TRAINER, group_id="no"), timeout=5)
        )
        == "group.not_found"
    )
    with pytest.raises(Exception, match="no group"):
        [
            member
            async for member in api.stub.WatchGroup(
                pb.WatchGroupRequest(caller=TRAINER, group_id="no"), timeout=5
            )
        ]
    cancelled = (
        await api.stub.CancelGroup(
            pb.CancelGroupRequest(caller=TRAINER, group_id="run.1.stop"), timeout=5
        )
    ).group
    assert (cancelled.episodes, cancelled.finished) == (1, 0)
