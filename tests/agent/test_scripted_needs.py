"""A script that asks for what the console lacks, and goes on with what it was told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.walk_budget import Budget
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.scripted.needs import reported
from proofwalk.agent.policies.scripted.policy import ScriptedPolicy
from proofwalk.agent.policies.scripted.script import Reported, parse_script
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.needs import MadeResource, Need, Report, report_of
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow

SERVER = MadeResource(product="ecs", type="instance", id="i-9", name="made-1", state="Running")
NETWORK = MadeResource(product="vpc", type="vpc", id="vpc-1", state="Available")
REPORT = report_of([SERVER, NETWORK], "One running ECS instance")
NEED = (
    "{need: a running ECS instance, product: ecs, resource: instance, states: [Running],"
    " names: {server: {product: ecs, type: instance, take: name}}}"
)
OPEN = "{open: {product: Elastic Compute Service, menu: [Instances & Images, Instances]}}"


class Provisioner:
    """Makes an instance, or refuses."""

    def __init__(self, console: FakeConsole, *, report: Report | None = REPORT) -> None:
        self.console = console
        self.report = report
        self.needs: list[str] = []
        self.steps: list[StepEvent] = []

    def __call__(self, need: str) -> Report:
        self.needs.append(need)
        if self.report is None:
            raise conflict("provision.no_template", "no template meets the need")
        self.console.rows.append(FakeRow(id="i-9", name="made-1"))
        return self.report


async def play(console: FakeConsole, provisioner: Provisioner, *entries: str) -> Walk:
    plan = parse_script("".join(f"- {entry}\n" for entry in entries), outputs={})
    return await run(
        console,
        *[f"Do number {number}." for number in range(len(entries))],
        policy=ScriptedPolicy(plan),
        budget=Budget(steps_per_substep=200, consecutive_failures=8),
        provision=provisioner,
        events=provisioner.steps,
    )


async def test_what_was_made_on_request_stands_for_the_placeholder() -> None:
    console = FakeConsole()
    provisioner = Provisioner(console)
    walked = await play(
        console, provisioner, f"[{NEED}, {OPEN}]", '[{row: "{{meta.server}}", press: Release}]'
    )
    assert isinstance(walked.ending, Completed)
    assert provisioner.needs == ["a running ECS instance"]
    (asked,) = [
        step.decision.need for step in provisioner.steps if step.decision and step.decision.need
    ]
    assert asked == Need(
        text="a running ECS instance", product="ecs", resource="instance", states=("Running",)
    )
    assert console.log == ["enter Instances", "Release made-1"]


async def test_what_a_report_tells_already_is_not_asked_for_again() -> None:
    console = FakeConsole()
    provisioner = Provisioner(console)
    network = "{need: a VPC, names: {network: {product: vpc, type: vpc, take: id}}}"
    walked = await play(console, provisioner, f"[{NEED}, {network}, {OPEN}]")
    assert isinstance(walked.ending, Completed)
    assert provisioner.needs == ["a running ECS instance"]


async def test_what_cannot_be_had_ends_the_walk_as_the_policys_own_failure() -> None:
    console = FakeConsole()
    walked = await play(console, Provisioner(console, report=None), f"[{NEED}, {OPEN}]")
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert "no template meets the need" in walked.ending.reason


async def test_a_report_without_the_kind_ends_it_too() -> None:
    console = FakeConsole()
    disk = "{need: a disk, names: {disk: {product: ecs, type: disk, take: id}}}"
    walked = await play(console, Provisioner(console), f"[{disk}, {OPEN}]")
    assert isinstance(walked.ending, Unachievable)
    assert "tells no disk" in walked.ending.reason


def test_the_newest_report_counts_and_the_id_stands_for_a_name_that_is_not_there() -> None:
    wants = {
        "server": Reported(product="ecs", type="instance", take="name"),
        "network": Reported(product="vpc", type="vpc", take="name"),
        "disk": Reported(product="ecs", type="disk", take="id"),
    }
    older = report_of([replace(SERVER, name="made-0"), NETWORK], "")
    assert reported([older, REPORT], wants) == {"server": "made-1", "network": "vpc-1"}


def test_a_name_is_asked_for_before_it_is_used() -> None:
    with pytest.raises(ProofwalkError) as caught:
        parse_script(f'- [{{row: "{{{{meta.server}}}}", press: Stop}}, {NEED}]', outputs={})
    assert caught.value.details["path"] == "entry 1, move 1"
