"""Making a record, looking, and taking it back: what is asked of the roles, and what is
told when one of them says no."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts_pb
from proofwalk.api.account_pool.v1 import account_pool_pb2_grpc as accounts_rpc
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisioner_pb
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2_grpc as provisioner_rpc
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.tracing import Tracing
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.ids import RandomIds


class Roles(accounts_rpc.AccountPoolServicer, provisioner_rpc.ResourceProvisionerServicer):
    """Both roles; `refuse` is raised by Provision, `left` is found by looking."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.refuse: ProofwalkError | None = None
        self.invalid: ProofwalkError | None = None
        self.left: tuple[str, ...] = ()
        self.unproven = False
        self.region = ""

    async def AcquireLease(self, request: Any, context: Any) -> Any:
        self.calls.append("acquire")
        assert (request.role, request.purpose) == ("plumber", "authoring")
        return accounts_pb.AcquireLeaseResponse(
            lease=accounts_pb.Lease(lease_id="lease_1", epoch=7)
        )

    async def InspectAccount(self, request: Any, context: Any) -> Any:
        assert request.epoch == 7
        self.calls.append("inspect")
        return accounts_pb.InspectAccountResponse(
            unproven=self.unproven,
            leftovers=[
                accounts_pb.Leftover(product="water", type="tank", id=one) for one in self.left
            ],
        )

    async def ReleaseLease(self, request: Any, context: Any) -> Any:
        assert request.epoch == 7
        self.calls.append("release")
        return accounts_pb.ReleaseLeaseResponse(clean=True)

    async def ValidateMeta(self, request: Any, context: Any) -> Any:
        assert request.target == "water"
        self.calls.append("validate")
        if self.invalid is not None:
            raise self.invalid
        return provisioner_pb.ValidateMetaResponse(role="plumber")

    async def Sweep(self, request: Any, context: Any) -> Any:
        self.calls.append("sweep")
        return provisioner_pb.SweepResponse()

    async def Provision(self, request: Any, context: Any) -> Any:
        self.calls.append("provision")
        self.region = request.region
        assert (request.lease.target, request.meta.yaml) == ("water", "id: tanks")
        if self.refuse is not None:
            raise self.refuse
        made = provisioner_pb.Provisioning(
            provisioning_id="prov_1",
            outputs={"tank_id": "t-1"},
            resources=[provisioner_pb.Resource(product="water", type="tank", id="t-1")],
        )
        return provisioner_pb.ProvisionResponse(provisioning=made, provider_version="1.2")

    async def Destroy(self, request: Any, context: Any) -> Any:
        assert request.provisioning_id == "prov_1"
        self.calls.append("destroy")
        return provisioner_pb.DestroyResponse()


class OneAddress:
    """Both roles behind one channel."""

    def __init__(self, channel: RpcChannel) -> None:
        self._channel = channel

    def channel(self, role: str) -> RpcChannel:
        return self._channel


@pytest.fixture
def roles() -> Roles:
    return Roles()


@pytest.fixture
async def channels(roles: Roles, tmp_path: Path) -> AsyncIterator[OneAddress]:
    address = f"unix:{tmp_path}/roles.sock"
    tracing, metrics = Tracing("test"), RpcMetrics(CollectorRegistry())
    services = [
        RpcService(
            descriptor=accounts_pb.DESCRIPTOR.services_by_name["AccountPool"],
            register=accounts_rpc.add_AccountPoolServicer_to_server,
            servicer=roles,
        ),
        RpcService(
            descriptor=provisioner_pb.DESCRIPTOR.services_by_name["ResourceProvisioner"],
            register=provisioner_rpc.add_ResourceProvisionerServicer_to_server,
            servicer=roles,
        ),
    ]
    server = RpcServer(address, services, tracing=tracing, metrics=metrics, max_call_s=60)
    await server.start()
    await server.ready(True)
    channel = RpcChannel(address, tracing=tracing, metrics=metrics)
    try:
        yield OneAddress(channel)
    finally:
        await channel.close()
        await server.stop(0)


@pytest.fixture
def prover(channels: OneAddress) -> MetaProver:
    return MetaProver(channels, target="water", ids=RandomIds(SystemClock()), region="north")


@pytest.fixture
def judge(channels: OneAddress) -> MetaJudge:
    return MetaJudge(channels, target="water")


async def test_a_record_that_holds_is_made_destroyed_and_its_account_released(
    prover: MetaProver, roles: Roles
) -> None:
    proof = await prover.prove("id: tanks")
    assert proof.holds
    assert (proof.run, proof.provider_version) == ("prov_1", "1.2")
    assert (proof.resources, dict(proof.outputs)) == (("water/tank",), {"tank_id": "t-1"})
    assert roles.calls == [
        "validate",
        "acquire",
        "provision",
        "destroy",
        "inspect",
        "sweep",
        "release",
    ]
    assert roles.region == "north"


async def test_a_record_that_is_none_takes_no_account(prover: MetaProver, roles: Roles) -> None:
    roles.invalid = invalid("meta.invalid", "it has no id")
    proof = await prover.prove("id: tanks")
    assert proof.error is not None
    assert (proof.holds, proof.error.code) == (False, "meta.invalid")
    assert roles.calls == ["validate"]


async def test_what_is_left_over_is_named_and_the_record_does_not_hold(
    prover: MetaProver, roles: Roles
) -> None:
    roles.left = ("t-1",)
    proof = await prover.prove("id: tanks")
    assert proof.error is not None
    assert (proof.holds, proof.error.code) == (False, "meta.left_behind")
    assert "water/tank t-1" in proof.error.message
    assert roles.calls[-2:] == ["sweep", "release"]


async def test_where_nobody_can_look_a_record_is_not_proven(
    prover: MetaProver, roles: Roles
) -> None:
    roles.unproven = True
    proof = await prover.prove("id: tanks")
    assert proof.error is not None
    assert (proof.holds, proof.error.code) == (False, "meta.no_inventory")


async def test_a_refusal_is_told_and_the_account_is_given_back(
    prover: MetaProver, roles: Roles
) -> None:
    roles.refuse = ProofwalkError(
        "provision.quota", "ten tanks are enough", status=Status.RESOURCE_EXHAUSTED
    )
    proof = await prover.prove("id: tanks")
    assert proof.error is not None
    assert (proof.error.code, proof.error.message) == ("provision.quota", "ten tanks are enough")
    assert roles.calls == ["validate", "acquire", "provision", "sweep", "release"]


async def test_a_role_that_is_away_is_no_fault_of_the_record(
    prover: MetaProver, roles: Roles
) -> None:
    roles.refuse = ProofwalkError("rpc.failed", "nobody answers", status=Status.INTERNAL)
    with pytest.raises(ProofwalkError, match="nobody answers"):
        await prover.prove("id: tanks")
    assert roles.calls[-1] == "release"


async def test_a_record_is_judged_without_an_account(judge: MetaJudge, roles: Roles) -> None:
    assert await judge.refusal("id: tanks") is None
    roles.invalid = invalid("meta.invalid", "no such type", details={"path": "create, line 3"})
    refusal = await judge.refusal("id: tanks")
    assert refusal is not None
    assert (refusal.code, refusal.details["path"]) == ("meta.invalid", "create, line 3")
    assert roles.calls == ["validate", "validate"]


async def test_a_judge_that_is_away_says_nothing_of_a_record(
    judge: MetaJudge, roles: Roles
) -> None:
    roles.invalid = ProofwalkError("rpc.failed", "nobody answers", status=Status.INTERNAL)
    with pytest.raises(ProofwalkError, match="nobody answers"):
        await judge.refusal("id: tanks")
