"""What goes wrong is told with address and line, and nothing that was made is ever lost
from the state."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from proofwalk.resource_provisioner.runner_json import read_diagnostics
from tests.terraform.world import HEADER, INSTANCE, NETWORK, Work, World

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120), pytest.mark.slow]


async def test_a_refusal_names_the_resource_its_line_and_the_clouds_code(
    devcloud_world: World, tmp_path: Path
) -> None:
    bad = NETWORK.replace("10.0.1.0/24", "192.168.0.0/24")
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", bad))
    await work.must("init")
    done = await work.run("apply", "-auto-approve", "-json")
    assert done.code == 1
    (problem,) = read_diagnostics(done.stdout)
    assert problem.address == "alicloud_vswitch.main"
    assert (
        problem.line
        == (HEADER + bad).splitlines().index('resource "alicloud_vswitch" "main" {') + 1
    )
    assert "CreateVSwitch failed: InvalidCidrBlock" in problem.summary
    assert "Request id" in problem.detail
    assert set(work.resources()) == {"alicloud_vpc.main", "alicloud_security_group.main"}


async def test_a_quota_is_told_as_the_clouds_own_code(
    devcloud_world: World, tmp_path: Path
) -> None:
    many = 'resource "alicloud_vpc" "many" {\n  count = 11\n  cidr_block = "10.0.0.0/8"\n}\n'
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", many))
    await work.must("init")
    done = await work.run("apply", "-auto-approve", "-json")
    problems = read_diagnostics(done.stdout)
    assert [problem.summary for problem in problems] == ["CreateVpc failed: QuotaExceeded.Vpc"]
    assert len(await devcloud_world.inventory()) == 10
    await work.must("destroy", "-auto-approve")
    assert list(await devcloud_world.inventory()) == []


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ('resource "alicloud_vswitch" "v" {\n  vpc_id = "vpc-1"\n}\n', "zone_id"),
        (
            'resource "alicloud_instance" "i" {\n  instance_type = "x"\n  status = "Sleeping"\n}\n',
            "expected status to be one of",
        ),
        ('resource "alicloud_vpc" "v" {\n  cidr = "10.0.0.0/8"\n}\n', "Unsupported argument"),
        ('resource "alicloud_vpc" "v" {\n  name = "a"\n  vpc_name = "b"\n}\n', "deprecated name"),
        ('resource "alicloud_nothing" "v" {}\n', "Invalid resource type"),
    ],
)
async def test_what_cannot_be_right_fails_before_anything_is_made(
    devcloud_world: World, tmp_path: Path, template: str, said: str
) -> None:
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", template))
    await work.must("init")
    done = await work.run("validate", "-json")
    assert said in done.stdout.decode()
    assert done.code == 1


async def _until_there(world: World, kind: str) -> None:
    async with asyncio.timeout(40):
        while not any(item.type == kind for item in await world.inventory()):
            await asyncio.sleep(0.05)


def _provider_pids(work: Work) -> list[int]:
    import psutil

    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        if "proofwalk.resource_provisioner.alicloud_provider" in (
            process.info["cmdline"] or []
        ) and process.info["cwd"] == str(work.folder):
            found.append(process.pid)
    return found


async def test_an_interrupted_apply_keeps_what_it_made_and_goes_on_later(
    devcloud_world: World, tmp_path: Path
) -> None:
    await devcloud_world.tune(speed=0.2)
    work = devcloud_world.work(
        tmp_path / "w", 'resource "alicloud_vpc" "v" {\n  vpc_name = "pw-slow"\n}\n'
    )
    await work.must("init")
    child = await work.start("apply", "-auto-approve", "-no-color")
    await _until_there(devcloud_world, "vpc")
    os.killpg(child.pid, signal.SIGINT)
    async with asyncio.timeout(40):
        await child.wait()
    made = work.resources()["alicloud_vpc.v"]
    assert made["id"] in {item.id for item in await devcloud_world.inventory()}
    await devcloud_world.tune(speed=40)
    await work.apply()
    assert [item.state for item in await devcloud_world.inventory()] == ["Available"]


async def test_a_wait_that_fails_leaves_a_tainted_resource_not_a_lost_one(
    devcloud_world: World, tmp_path: Path
) -> None:
    await devcloud_world.tune(speed=0.01)
    slow = (
        'resource "alicloud_vpc" "v" {\n  vpc_name = "pw-slow"\n  timeouts {\n    create = "1s"\n '
        " }\n}\n"
    )
    work = await devcloud_world.attach(devcloud_world.work(tmp_path / "w", slow))
    await work.must("init")
    done = await work.run("apply", "-auto-approve", "-json")
    (problem,) = read_diagnostics(done.stdout)
    assert problem.summary == "Wait failed: Timeout"
    made = work.resources()["alicloud_vpc.v"]
    assert made["_status"] == "tainted"
    assert made["id"].startswith("vpc-")


async def test_the_provider_ends_with_a_terraform_that_was_killed(
    devcloud_world: World, tmp_path: Path
) -> None:
    await devcloud_world.tune(speed=0.01)
    work = devcloud_world.work(tmp_path / "w", NETWORK + INSTANCE)
    await work.must("init")
    child = await work.start("apply", "-auto-approve", "-no-color")
    await _until_there(devcloud_world, "vpc")
    assert _provider_pids(work)
    await child.kill()
    async with asyncio.timeout(10):
        while _provider_pids(work):
            await asyncio.sleep(0.1)


async def test_a_dependent_that_others_made_stops_the_destruction_soon_and_with_a_reason(
    devcloud_world: World, tmp_path: Path
) -> None:
    mine = await devcloud_world.attach(
        devcloud_world.work(tmp_path / "mine", NETWORK, ALICLOUD_CONFLICT_WAIT_SECONDS="1")
    )
    await mine.must("init")
    await mine.apply()
    vpc = mine.resources()["alicloud_vpc.main"]["id"]
    strange = (
        f'resource "alicloud_security_group" "x" {{\n  vpc_id = "{vpc}"\n  security_group_name ='
        ' "strange"\n}\n'
    )
    theirs = await devcloud_world.attach(devcloud_world.work(tmp_path / "theirs", strange))
    await theirs.must("init")
    await theirs.apply()
    done = await mine.run("destroy", "-auto-approve", "-json")
    (problem,) = read_diagnostics(done.stdout)
    assert "DeleteVpc failed: DependencyViolation" in problem.summary
    await theirs.must("destroy", "-auto-approve")
    await mine.must("destroy", "-auto-approve")
    assert list(await devcloud_world.inventory()) == []
