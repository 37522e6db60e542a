"""Terraform with a role's short-lived key, by the adapter `alicloud`."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alibabacloud_ram20150501.client import Client as RamClient
from alibabacloud_ram20150501.models import CreateRoleRequest
from alibabacloud_tea_openapi.models import Config

from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.alicloud.adapter import alicloud
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import SystemClock
from tests.terraform.world import NETWORK, REGION, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]


def make_role(world: World) -> None:
    key = world.account.access_key
    assert key is not None
    trusted = {"RAM": [f"acs:ram::{world.account.external_id}:root"]}
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": trusted}
    config = Config(
        access_key_id=key.key_id,
        access_key_secret=key.secret.get_secret_value(),
        endpoint=world.url.removeprefix("http://"),
        protocol="HTTP",
    )
    RamClient(config).create_role(
        CreateRoleRequest(
            role_name="builder",
            assume_role_policy_document=json.dumps({"Version": "1", "Statement": [statement]}),
        )
    )


async def secrets(world: World) -> dict[str, str]:
    """What Terraform gets of a target whose runs work as a role."""
    target = Target.model_validate(
        {
            "id": "vendor",
            "title": "The vendor's cloud",
            "console": {"url": world.url},
            "adapter": "alicloud",
            "regions": [REGION],
            "options": {
                "accounts": "kept-by-hand.yaml",
                "endpoint": world.url,
                "provisioning": {"role": "builder"},
            },
        }
    )
    adapters = {"alicloud": alicloud}
    async with open_cloud(target, clock=SystemClock(), adapters=adapters) as cloud:
        assert cloud.provisioning is not None
        secret = await cloud.provisioning.environment(world.account, region=REGION)
    return {name: value.get_secret_value() for name, value in secret.items()}


async def test_a_run_makes_and_takes_back_as_the_role(
    devcloud_world: World, tmp_path: Path
) -> None:
    await asyncio.to_thread(make_role, devcloud_world)
    given = await secrets(devcloud_world)
    work = devcloud_world.work(tmp_path / "w", NETWORK, **given)
    await devcloud_world.attach(work)
    await work.must("init", "-no-color")
    await work.apply()
    ours = {item["id"] for item in work.resources().values()}
    assert ours & {one.id for one in await devcloud_world.inventory()}
    audit = devcloud_world.cloud.audit
    assert audit is not None
    now = datetime.now(UTC)
    async with asyncio.timeout(30):
        while not (
            made := [
                event
                for event in await audit.events(
                    devcloud_world.account, start=now - timedelta(minutes=5), end=now
                )
                if event.name == "CreateVpc"
            ]
        ):
            await asyncio.sleep(0.1)
    assert {event.actor for event in made} == {"builder:proofwalk"}
    kept = "".join(path.read_text() for path in work.folder.glob("*.tfstate*"))
    assert given["ALICLOUD_SECRET_KEY"] not in kept
    assert given["ALICLOUD_SECURITY_TOKEN"] not in kept
    await work.must("destroy", "-auto-approve", "-no-color", "-input=false")
    assert not ours & {one.id for one in await devcloud_world.inventory()}


async def test_a_key_without_its_token_makes_nothing(devcloud_world: World, tmp_path: Path) -> None:
    await asyncio.to_thread(make_role, devcloud_world)
    given = {**await secrets(devcloud_world), "ALICLOUD_SECURITY_TOKEN": "of another"}
    before = await devcloud_world.inventory()
    work = devcloud_world.work(tmp_path / "w", NETWORK, **given)
    await devcloud_world.attach(work)
    await work.must("init", "-no-color")
    done = await work.run("apply", "-auto-approve", "-no-color", "-input=false")
    assert done.code != 0
    assert b"InvalidSecurityToken" in done.stdout + done.stderr
    assert await devcloud_world.inventory() == before
