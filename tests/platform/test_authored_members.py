"""Records that are written for documents about parts of things, made by real Terraform
in the embedded cloud: the parts are there, in the things that they lie in, and the
document's phrases stand for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofwalk.authoring.records import Draft, draft, needs_of
from proofwalk.authoring.resources import World
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.experiments.meta_authoring import AuthoredMeta, MetaAuthor
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.orders.order import DocumentSource, VerificationRequest
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.laboratory import TARGET
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from tests.resource_provisioner.test_role import Site
from tests.terraform.world import World as Cloud
from tests.terraform.world import world as one_cloud

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(200)]

VARIABLES = (
    'variable "name_prefix" {\n  default = "pwt7"\n}\n'
    'variable "region" {\n  default = "cn-hangzhou"\n}\n'
)
TAKE_OUT = """# Take the worn server out

## Prerequisites

- A running ECS instance exists.
- A running ECS instance exists.
- A vServer group to which an ECS instance is added exists.

## Procedure

1. Open the **Elastic Compute Service** console and choose **Instances & Images** > **Instances**.
2. Find the instance that keeps the archive and click **Stop**.
3. Open the **Server Load Balancer** console and choose **vServer Groups**.
4. Click the ID of the vServer group of the shop.
5. On the **Backend Servers** tab, find the backend server that is worn and click **Remove**.
6. Click **OK**.
"""
NARROW = """# Let fewer people in

## Procedure

1. Open the **Server Load Balancer** console and choose **Access Control**.
2. Click the ID of the network ACL of the shop.
3. On the **IP Entries** tab, find the IP entry of the old office and click **Delete**.
4. Click **OK**.
"""
FORGET = """# Forget a site

## Procedure

1. Open the **Object Storage Service** console and choose **Buckets**.
2. Click the name of the bucket of the shop.
3. On the **CORS Rules** tab, find the CORS rule of the old site and click **Delete**.
4. Click **OK**.
"""
DRAIN_DEFAULT = """# Drain the default server

## Procedure

1. Open the **Server Load Balancer** console and choose **Instances**.
2. Click the ID of the CLB instance of the shop.
3. On the **Default Server Group** tab, find the default server that is worn and click
   **Change Weight**.
4. Enter `0` for **Weight** and click **OK**.
"""
LOCK_OUT = """# Take the key away

## Prerequisites

- A running ECS instance to which a key pair is bound exists.

## Procedure

1. Open the **Elastic Compute Service** console and choose **Instances & Images** > **Instances**.
2. Find the instance that nobody may enter and click **Unbind Key Pair**.
3. Click **OK**.
"""


@pytest.fixture(scope="module")
def known() -> World:
    return devcloud_world(indexing.load(PRODUCTS))


@pytest.fixture
async def site(process_settings: ProcessSettings, tmp_path: Path) -> AsyncIterator[Site]:
    async with one_cloud(tmp_path) as cloud:
        made = Site(process_settings, cloud, tmp_path)
        async with made.process:
            yield made


def drafted(text: str, known: World) -> Draft:
    document = load("parts.md", text.encode(), None)
    things = needs_of(document, select(document, None), known.catalogue)
    return draft(things, known, meta_id="parts")


async def applied(text: str, known: World, cloud: Cloud, folder: Path) -> dict[str, Any]:
    """What Terraform says of the resources once they are made; a second look at the
    cloud finds what the record says."""
    template = yaml.safe_load(drafted(text, known).yaml)["create"]
    work = await cloud.attach(cloud.work(folder, VARIABLES + template))
    await work.must("init", "-no-color")
    await work.apply()
    assert not await work.has_changes()
    return work.resources()


@pytest.mark.parametrize("text", [TAKE_OUT, NARROW, FORGET, DRAIN_DEFAULT, LOCK_OUT])
async def test_a_record_with_parts_is_accepted_made_and_taken_back(
    text: str, known: World, site: Site
) -> None:
    author = MetaAuthor(
        known,
        MetaProver(site.process, target=TARGET, ids=RandomIds(SystemClock())),
        judge=MetaJudge(site.process, target=TARGET),
    )
    source = DocumentSource(text=text, name="parts.md")
    made: AuthoredMeta = await author.record_for(
        VerificationRequest(document=source, target=TARGET), meta_id="parts"
    )
    assert made.rounds == 1
    assert list(await site.cloud.inventory()) == []


async def test_parts_lie_in_their_things_and_phrases_stand_for_them(
    known: World, tmp_path: Path
) -> None:
    async with one_cloud(tmp_path) as cloud:
        made = await applied(TAKE_OUT, known, cloud, tmp_path / "group")
        (server,) = made["alicloud_slb_server_group.vserver_group"]["servers"]
        # The first instance is the one that the document names for something else.
        assert server["server_ids"] == [made["alicloud_instance.instance_2"]["id"]]
        made = await applied(NARROW, known, cloud, tmp_path / "acl")
        (entry,) = made["alicloud_slb_acl.acl"]["entry_list"]
        assert entry["entry"] == "192.168.1.0/24"
        made = await applied(FORGET, known, cloud, tmp_path / "bucket")
        (rule,) = made["alicloud_oss_bucket.bucket"]["cors_rule"]
        assert rule["allowed_origins"] == ["https://www.example.com"]
        made = await applied(LOCK_OUT, known, cloud, tmp_path / "key")
        key = made["alicloud_ecs_key_pair.key_pair"]["key_pair_name"]
        assert made["alicloud_instance.instance"]["key_name"] == key


@pytest.mark.parametrize(
    ("text", "phrase", "value"),
    [
        (TAKE_OUT, "the backend server that is worn", "alicloud_instance.instance_2.instance_name"),
        (NARROW, "the IP entry of the old office", '"192.168.1.0/24"'),
        (FORGET, "the CORS rule of the old site", '"https://www.example.com"'),
        (
            DRAIN_DEFAULT,
            "the default server that is worn",
            "alicloud_instance.instance.instance_name",
        ),
    ],
)
def test_a_phrase_stands_for_what_the_console_shows_of_a_part(
    text: str, phrase: str, value: str, known: World
) -> None:
    written = drafted(text, known)
    bound = yaml.safe_load(written.yaml)["binds"][phrase]
    assert written.outputs[bound.removeprefix("${output.").removesuffix("}")] == value
