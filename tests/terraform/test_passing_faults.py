"""What the cloud does wrong for a moment costs time and no resource."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proofwalk.resource_provisioner.runner_json import read_diagnostics
from tests.terraform.world import INSTANCE, NETWORK, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120), pytest.mark.slow]


async def set_faults(world: World, **plan: Any) -> None:
    path = f"/admin/accounts/{world.account.external_id}/faults"
    reply = await world.http.post(path, json=plan)
    assert reply.status_code == 200, reply.text


async def test_a_template_is_made_and_destroyed_through_throttling_failures_and_lag(
    devcloud_world: World, tmp_path: Path
) -> None:
    await set_faults(
        devcloud_world,
        seed=11,
        throttled=0.2,
        unavailable=0.1,
        internal=0.05,
        answer_lost=0.2,
        lag_s=1,
        slowed=0.3,
        slow=5,
    )
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", NETWORK + INSTANCE))
    await work.must("init")
    await work.apply()
    made = {item.type for item in await devcloud_world.inventory()}
    assert made >= {"vpc", "vswitch", "security_group", "instance"}
    await work.must("destroy", "-auto-approve", "-input=false")
    assert list(await devcloud_world.inventory()) == []


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ({"retired": ["ecs.g7.large"]}, "InvalidInstanceType.ValueNotSupported"),
        ({"sold_out": [{"zone": "cn-hangzhou-h"}]}, "OperationDenied.NoStock"),
    ],
)
async def test_what_cannot_be_had_is_told_at_once_with_the_clouds_code(
    devcloud_world: World, tmp_path: Path, plan: dict[str, Any], code: str
) -> None:
    await set_faults(devcloud_world, **plan)
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", NETWORK + INSTANCE))
    await work.must("init")
    done = await work.run("apply", "-auto-approve", "-json")
    (problem,) = read_diagnostics(done.stdout)
    assert problem.summary == f"RunInstances failed: {code}"
    assert problem.address == "alicloud_instance.main"
