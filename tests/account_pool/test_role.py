"""The account pool and the reward service as roles over gRPC, against the embedded
cloud: from a lease to a reward."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alibabacloud_tea_openapi.models import Config
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import CreateVpcRequest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import SecretStr

from proofwalk.account_pool import main as account_pool
from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool_pb
from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.reward_service.v1 import reward_service_pb2 as reward_pb
from proofwalk.api.reward_service.v1.reward_service_pb2_grpc import RewardServiceStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.devcloud.main import RunningDevcloud, run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import RandomIds
from proofwalk.reward_service import main as reward_service
from proofwalk.reward_service.settings import RewardServiceSettings

TOKEN = "t" * 32
RULE = """
id: vpc-create
version: 1
delta_s: 0
all:
  - {service: Vpc, event: CreateVpc, where: [[request.VpcName, eq, $meta.name], [request.CidrBlock, cidr_in, 172.16.0.0/12]], max: 1}
none:
  - {service: Vpc, event: DeleteVpc}
"""


@dataclass
class World:
    """Two roles and a cloud."""

    cloud: RunningDevcloud
    pool: AccountPoolStub
    rewards: RewardServiceStub

    async def lease(self, request_id: str = "r1") -> pool_pb.Lease:
        """The accounts are rotated into service at start, so the first request may have
        to ask again."""
        request = pool_pb.AcquireLeaseRequest(
            request_id=request_id, target="devcloud", holder="ep_1", ttl=Duration(seconds=60)
        )
        async with asyncio.timeout(20):
            while True:
                try:
                    lease: pool_pb.Lease = (await self.pool.AcquireLease(request, timeout=10)).lease
                    return lease
                except ProofwalkError as error:
                    if error.code != "account.none_free":
                        raise
                    await asyncio.sleep(0.05)

    async def key(self, lease: pool_pb.Lease) -> dict[str, str]:
        request = pool_pb.GetCredentialRequest(
            lease_id=lease.lease_id, epoch=lease.epoch, kind=pool_pb.CREDENTIAL_KIND_ACCESS_KEY
        )
        return dict((await self.pool.GetCredential(request, timeout=10)).fields)

    async def create_vpc(self, lease: pool_pb.Lease, name: str) -> None:
        key = await self.key(lease)
        config = Config(**key, endpoint=self.cloud.url.removeprefix("http://"), protocol="HTTP")
        request = CreateVpcRequest(
            region_id="cn-hangzhou", cidr_block="172.16.0.0/16", vpc_name=name
        )
        await asyncio.to_thread(VpcClient(config).create_vpc, request)

    async def judge(
        self, lease: pool_pb.Lease, start: datetime, request_id: str, **outputs: str
    ) -> reward_pb.JudgeResponse:
        request = reward_pb.JudgeRequest(
            request_id=request_id,
            lease=common.LeaseRef(lease_id=lease.lease_id, epoch=lease.epoch, target="devcloud"),
            rule_yaml=RULE,
            start=stamp(start),
            end=stamp(datetime.now(UTC)),
            outputs=outputs,
        )
        reply: reward_pb.JudgeResponse = await self.rewards.Judge(request, timeout=30)
        return reply


def stamp(moment: datetime) -> Timestamp:
    made = Timestamp()
    made.FromDatetime(moment)
    return made


@pytest.fixture
async def world(process_settings: ProcessSettings, tmp_path: Path) -> AsyncIterator[World]:
    clock = SystemClock()
    targets = tmp_path / "targets"
    targets.mkdir()
    builtin = Path(account_pool.__file__).parents[3] / "libs/proofwalk/cloud/targets/devcloud.yaml"
    (targets / "devcloud.yaml").write_text(
        builtin.read_text().replace("delivery_bound_s: 10", "delivery_bound_s: 2")
    )
    async with AsyncExitStack() as stack:
        settings = DevcloudSettings(accounts=2, audit_lag_s=0.3, admin_token=SecretStr(TOKEN))
        cloud = await stack.enter_async_context(
            run(settings, clock=clock, ids=RandomIds(clock), state_dir=tmp_path / "cloud")
        )
        environment = {"DEVCLOUD_URL": cloud.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN}
        roles = [
            account_pool.role(
                AccountPoolSettings(targets=targets, proof_poll_s=0.05), environment=environment
            ),
            reward_service.role(
                RewardServiceSettings(targets=targets, poll_shortest_s=0.1, poll_longest_s=0.3),
                environment=environment,
            ),
        ]
        process = await stack.enter_async_context(Process(process_settings, roles))
        await process.channel("reward_service").wait_until_ready(10)
        yield World(
            cloud=cloud,
            pool=AccountPoolStub(process.channel("account_pool").grpc),
            rewards=RewardServiceStub(process.channel("reward_service").grpc),
        )


async def refusal(call: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value


async def test_from_a_lease_to_a_reward_and_back_to_a_clean_account(world: World) -> None:
    lease = await world.lease()
    start = datetime.now(UTC)
    await world.create_vpc(lease, "mine")
    confirmed = await world.judge(lease, start, "ep_1", name="mine")
    assert (confirmed.decision, confirmed.rule) == (common.DECISION_CONFIRMED, "vpc-create@1")
    assert [event.name for event in confirmed.matched] == ["CreateVpc"]
    assert '"VpcName": "mine"' in confirmed.matched[0].request_json
    assert [event.name for event in confirmed.observed] == ["CreateVpc"]
    denied = await world.judge(lease, start, "ep_2", name="another")
    assert denied.decision == common.DECISION_DENIED
    assert "'mine', not eq 'another'" in denied.missing[0]
    rescored = await world.rewards.Rescore(
        reward_pb.RescoreRequest(request_id="ep_2", rule_yaml=RULE.replace("$meta.name", "mine"))
    )
    assert rescored.decision == common.DECISION_CONFIRMED

    ref: dict[str, Any] = {"lease_id": lease.lease_id, "epoch": lease.epoch}
    seen = await world.pool.InspectAccount(pool_pb.InspectAccountRequest(**ref))
    assert [
        (item.product, item.type, item.name) for item in seen.leftovers if item.type == "vpc"
    ] == [("vpc", "vpc", "mine")]
    proof = await world.pool.ReleaseLease(pool_pb.ReleaseLeaseRequest(**ref), timeout=30)
    assert not proof.clean
    assert any(item.name == "mine" for item in proof.leftovers)
    restored = await world.pool.RestoreAccount(
        pool_pb.RestoreAccountRequest(account_id=lease.account_id), timeout=30
    )
    assert restored.account.state == "free"

    late = await refusal(world.judge(lease, start, "ep_3", name="mine"))
    assert (late.code, late.status) == ("lease.stale_epoch", Status.ABORTED)
    assert (await refusal(world.key(lease))).code == "lease.stale_epoch"


async def test_errors_reach_the_caller_with_their_codes(world: World) -> None:
    unknown = pool_pb.AcquireLeaseRequest(
        request_id="r", target="moon", holder="h", ttl=Duration(seconds=5)
    )
    assert (await refusal(world.pool.AcquireLease(unknown))).code == "target.unknown"
    assert (
        await refusal(
            world.pool.RenewLease(pool_pb.RenewLeaseRequest(lease_id="x", ttl=Duration(seconds=5)))
        )
    ).code == "lease.not_found"
    lease = await world.lease()
    kindless = pool_pb.GetCredentialRequest(lease_id=lease.lease_id, epoch=lease.epoch)
    assert (await refusal(world.pool.GetCredential(kindless))).code == "account.no_kind"
    assert (
        await refusal(world.rewards.ValidateRule(reward_pb.ValidateRuleRequest(rule_yaml="{}")))
    ).code == "rule.invalid"
    assert (
        await world.rewards.ValidateRule(reward_pb.ValidateRuleRequest(rule_yaml=RULE))
    ).rule == "vpc-create@1"
    models = await refusal(
        world.rewards.JudgeByModels(reward_pb.JudgeByModelsRequest(request_id="x"))
    )
    assert (models.code, models.status) == ("judges.not_set", Status.FAILED_PRECONDITION)


async def test_accounts_are_listed_without_credentials(world: World) -> None:
    lease = await world.lease()
    reply = await world.pool.ListAccounts(pool_pb.ListAccountsRequest(target="devcloud"))
    assert len(reply.accounts) == 2
    held = next(account for account in reply.accounts if account.account_id == lease.account_id)
    assert (held.state, held.holder, held.epoch) == ("leased", "ep_1", lease.epoch)
    assert (await world.key(lease))["access_key_secret"] not in str(reply)
