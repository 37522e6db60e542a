"""The whole construction on the embedded cloud's real API, in the real confined
process: a first implementation that fails its test, and the repair that passes."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import SecretStr

from proofwalk.apis.asking import Author
from proofwalk.apis.construction import Construction
from proofwalk.apis.model import Interface, Parameter
from proofwalk.apis.running import Ended, Order, Runner
from proofwalk.apis.storage import CatalogueFolder
from proofwalk.apis.surfaces import FORBIDDEN, CloudSurface
from proofwalk.apis.testing import Examiner
from proofwalk.chassis.logs import Redaction
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.cloud.target import TargetCatalog
from proofwalk.devcloud.main import run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import SeededIds
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from tests.apis.written import code, named, trials
from tests.models.fake_endpoint import FakeEndpoint, serving

TOKEN = "admin-token-of-the-tests"
TASKS = (
    "Create a VPC called office with the CIDR block 10.0.0.0/8.",
    "Create a VPC with the description 'for the test environment'.",
)
CREATE = Interface(
    name="create_vpc",
    description="Create a VPC.",
    parameters=(
        Parameter(name="name", type="string"),
        Parameter(name="cidr_block", type="string", required=False),
    ),
    returns="vpc_id: the VPC's id; status: its state",
)
RIGHT = """\
import time

def create_vpc(api, name, cidr_block="172.16.0.0/12"):
    made = api.call("vpc", "CreateVpc", VpcName=name, CidrBlock=cidr_block)
    for _ in range(60):
        (vpc,) = api.call("vpc", "DescribeVpcs", VpcId=made["VpcId"])["Vpcs"]["Vpc"]
        if vpc["Status"] == "Available":
            return {"vpc_id": made["VpcId"], "status": vpc["Status"]}
        time.sleep(0.1)
    raise ValueError(f"{made['VpcId']} does not become available")
"""
WRONG = RIGHT.replace("CidrBlock=cidr_block", 'CidrBlock="192.168.0.0/16"')
TESTS = """\
- name: a VPC with a CIDR block
  arguments: {name: "vpc-${unique}", cidr_block: 10.0.0.0/8}
  returns: {status: Available}
  after:
  - request: {product: vpc, action: DescribeVpcs, parameters: {VpcId: "${result.vpc_id}"}}
    has: {Vpcs.Vpc.0.VpcName: "vpc-${unique}", Vpcs.Vpc.0.CidrBlock: 10.0.0.0/8}
- name: a block that is none
  arguments: {name: "vpc-${unique}", cidr_block: 300.0.0.0/8}
  raises: true
"""


@dataclass(frozen=True, kw_only=True)
class Place:
    """The embedded cloud and an account of it."""

    cloud: Cloud
    account: CloudAccount

    @property
    def secret(self) -> str:
        assert self.account.access_key is not None
        return self.account.access_key.secret.get_secret_value()

    def surface(self) -> CloudSurface:
        assert self.cloud.actions is not None
        return CloudSurface(self.cloud.actions.caller(self.account, region="cn-hangzhou"))


@asynccontextmanager
async def place_of(folder: Path) -> AsyncIterator[Place]:
    chosen = DevcloudSettings(admin_token=SecretStr(TOKEN), accounts=1, speed=100)
    clock = SystemClock()
    async with run(chosen, clock=clock, ids=SeededIds(7), state_dir=folder) as running:
        environment = {"DEVCLOUD_URL": running.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN}
        target = TargetCatalog(None, environment).get("devcloud")
        async with open_cloud(target, clock=clock) as cloud:
            (account,) = await cloud.accounts.accounts()
            yield Place(cloud=cloud, account=await cloud.accounts.rotate(account.external_id))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with place_of(tmp_path / "cloud") as found:
        yield found


async def test_a_first_implementation_fails_on_the_cloud_and_its_repair_passes(
    place: Place, tmp_path: Path
) -> None:
    script = named(CREATE), trials(TESTS), code(WRONG), code(RIGHT)
    names = (f"t{number}" for number in itertools.count())
    async with serving(FakeEndpoint(*script)) as endpoint:
        settings = ModelSettings(endpoint=endpoint.url, name="fake", retries=0)
        async with connect(settings, clock=SystemClock()) as model:
            assert model is not None
            redaction = Redaction([place.secret])
            author = Author(model, code=lambda: "c0de1234", mask=redaction.text)
            examiner = Examiner(Runner(place.surface()), unique=lambda: next(names))
            folder = CatalogueFolder(tmp_path / "catalogue")
            (built,) = await Construction(author, examiner, folder).build(TASKS)
        told = endpoint.text_of(3)
        asked = str(endpoint.asked)
    assert built.function is not None
    assert built.function.code == RIGHT
    assert "Vpcs.Vpc.0.CidrBlock is" in told
    assert "192.168.0.0/16" in told
    assert place.secret not in asked
    assert place.cloud.inventory is not None
    left = await place.cloud.inventory.list(place.account)
    made = {one.name for one in left if one.name.startswith("vpc-t")}
    assert made == {"vpc-t0", "vpc-t1", "vpc-t2"}
    read = CatalogueFolder(tmp_path / "catalogue").read().functions["create_vpc"]
    again = await examiner.test(read.interface, read.code, read.tests)
    assert all(one.passed for one in again), again


HOSTILE = """\
import os

def look(api, what):
    if what == "key":
        return api.call("ram", "CreateAccessKey", UserName="agent")
    if what == "secret":
        return api.call("kms", "GetSecretValue", SecretName="a")
    if what == "reference":
        return api.call("vpc", "DescribeVpcs", VpcId="${output.secret}")
    if what == "object":
        return repr(vars(api)) + repr(dict(os.environ))
    return open("/proc/%d/environ" % os.getppid()).read()
"""


async def test_no_credential_is_in_the_reach_of_code(place: Place) -> None:
    runner = Runner(place.surface())
    for what, ended, said in (
        ("key", Ended.RAISED, FORBIDDEN),
        ("secret", Ended.RAISED, FORBIDDEN),
        ("reference", Ended.RAISED, "holds ${"),
        ("object", Ended.RETURNED, ""),
        ("parent", Ended.CONFINED, "it may not have that"),
    ):
        run = await runner.run(Order(code=HOSTILE, name="look", arguments={"what": what}))
        assert run.ended is ended, run
        assert said in run.message
        assert place.secret not in f"{run.content}{run.message}{run.log}"
