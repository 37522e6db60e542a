"""One contract for both runners, on real Terraform; no provider is needed for it."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import psutil
import pytest

from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.json_values import JsonObject, list_of
from proofwalk.resource_provisioner.runner import (
    PLAN,
    STATE,
    Diagnostic,
    Runner,
    TerraformFailed,
    find_terraform,
    mend_state,
    read_state,
)
from proofwalk.resource_provisioner.runner_json import JsonRunner, read_diagnostics
from proofwalk.resource_provisioner.runner_python_terraform import PythonTerraformRunner, read_words
from proofwalk.resource_provisioner.terraform_process import TerraformProcess
from tests.resource_provisioner.fakes import passed

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]
TEMPLATE = """
resource "terraform_data" "first" {
  input = "a"
}
resource "terraform_data" "many" {
  count = 2
  input = terraform_data.first.output
}
output "plain" {
  value = terraform_data.first.output
}
output "listed" {
  value = [1, 2]
}
output "hidden" {
  value     = "s3cret"
  sensitive = true
}
"""
FAILING = """
resource "terraform_data" "good" {
  input = "a"
}
resource "terraform_data" "bad" {
  input = terraform_data.good.id
  lifecycle {
    postcondition {
      condition     = self.output == "never"
      error_message = "It is not what it should be."
    }
  }
}
"""


@pytest.fixture(params=[JsonRunner, PythonTerraformRunner], ids=["json", "python-terraform"])
def runner(request: pytest.FixtureRequest) -> Runner:
    made: Runner = request.param(TerraformProcess(find_terraform(None), timeout_s=60))
    return made


def slow_terraform(folder: Path) -> str:
    """A program in the place of Terraform that says that it began and then takes its
    time."""
    (folder / "slow.py").write_text(
        "import pathlib, time\npathlib.Path('began').touch()\ntime.sleep(600)\n"
    )
    program = folder / "terraform"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} slow.py\n")
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


async def test_apply_converges_and_destroy_is_repeatable(runner: Runner, folder: Path) -> None:
    (folder / "main.tf").write_text(TEMPLATE)
    applied = await runner.apply(folder, {}, passed)
    assert applied.outputs == {"plain": "a", "listed": "[1, 2]"}
    assert applied.sensitive == {"hidden"}
    assert applied.addresses == [
        "terraform_data.first",
        "terraform_data.many[0]",
        "terraform_data.many[1]",
    ]
    assert await runner.apply(folder, {}, passed) == applied
    await runner.destroy(folder, {})
    assert read_state(folder).addresses == []
    await runner.destroy(folder, {})


async def test_a_plan_is_reviewed_before_anything_is_made_and_only_it_is_applied(
    runner: Runner, folder: Path
) -> None:
    (folder / "main.tf").write_text(TEMPLATE)
    seen: list[JsonObject] = []

    async def refuse(plan: JsonObject) -> None:
        seen.append(plan)
        raise conflict("provision.too_dear", "it costs too much")

    with pytest.raises(ProofwalkError, match="costs too much"):
        await runner.apply(folder, {}, refuse)
    assert len(list_of(seen[0]["resource_changes"])) == 3
    assert not (folder / STATE).exists()

    async def swap(plan: JsonObject) -> None:
        (folder / PLAN).write_bytes(b"another plan")

    with pytest.raises(TerraformFailed, match="not the one that was looked at"):
        await runner.apply(folder, {}, swap)
    assert read_state(folder).addresses == []


async def test_a_failure_says_what_where_and_keeps_what_was_made(
    runner: Runner, folder: Path
) -> None:
    (folder / "main.tf").write_text(FAILING)
    with pytest.raises(TerraformFailed) as caught:
        await runner.apply(folder, {}, passed)
    (problem,) = caught.value.diagnostics
    assert problem.summary == "Resource postcondition failed"
    assert "It is not what it should be." in problem.detail
    assert problem.address in ("", "terraform_data.bad")
    assert problem.line in (9, 10)
    assert "terraform_data.good" in read_state(folder).addresses
    await runner.destroy(folder, {})
    assert read_state(folder).addresses == []


async def test_a_syntax_error_is_a_failure_with_its_line(runner: Runner, folder: Path) -> None:
    (folder / "main.tf").write_text('resource "terraform_data" "x" {\n  input = = 1\n}\n')
    with pytest.raises(TerraformFailed) as caught:
        await runner.apply(folder, {}, passed)
    assert any(problem.line == 2 for problem in caught.value.diagnostics)


async def test_the_environment_cannot_change_what_is_run(
    runner: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CLI_ARGS_apply", "-destroy")
    monkeypatch.setenv("TF_VAR_x", "from outside")
    monkeypatch.setenv("TF_WORKSPACE", "elsewhere")
    (folder / "main.tf").write_text(
        'variable "x" {\n  default = "mine"\n}\noutput "x" {\n  value = var.x\n}\n'
    )
    assert (await runner.apply(folder, {}, passed)).outputs == {"x": "mine"}


async def test_a_cancelled_run_leaves_no_program_behind(runner: Runner, folder: Path) -> None:
    (folder / "main.tf").write_text(TEMPLATE)
    made = type(runner)(TerraformProcess([slow_terraform(folder)], timeout_s=60))  # type: ignore[call-arg]
    work = asyncio.create_task(made.apply(folder, {}, passed))
    async with asyncio.timeout(20):
        while not (folder / "began").is_file():
            await asyncio.sleep(0.02)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not [
        process
        for process in psutil.Process().children(recursive=True)
        if "slow.py" in process.cmdline()
    ]


async def test_a_run_that_takes_too_long_is_a_failure(runner: Runner, folder: Path) -> None:
    with pytest.raises(TerraformFailed) as caught:
        await type(runner)(TerraformProcess([slow_terraform(folder)], timeout_s=0.5)).apply(  # type: ignore[call-arg]
            folder, {}, passed
        )
    assert "did not end within 0.5 s" in str(caught.value)


async def test_a_state_that_was_written_in_part_is_replaced_by_its_backup(
    runner: Runner, folder: Path
) -> None:
    (folder / "main.tf").write_text(TEMPLATE)
    await runner.apply(folder, {}, passed)
    shutil.copyfile(folder / STATE, folder / f"{STATE}.backup")
    whole = (folder / STATE).read_text()
    (folder / STATE).write_text(whole[: len(whole) // 2])
    assert (await runner.apply(folder, {}, passed)).outputs["plain"] == "a"
    await runner.destroy(folder, {})


def test_a_state_that_is_whole_is_left_alone(tmp_path: Path) -> None:
    assert not mend_state(tmp_path)
    (tmp_path / STATE).write_text("{}")
    assert not mend_state(tmp_path)
    (tmp_path / STATE).write_text("{")
    assert mend_state(tmp_path)
    assert not (tmp_path / STATE).exists()


def test_events_are_read_and_other_lines_are_passed_over() -> None:
    stream = (
        b'{"type":"version"}\nnot json\n'
        b'{"type":"diagnostic","diagnostic":{"severity":"warning","summary":"w"}}\n'
        b'{"type":"diagnostic","diagnostic":{"severity":"error","summary":"s","address":"a.b","range":{"start":{"line":7}}}}\n'
    )
    assert read_diagnostics(stream) == [Diagnostic(summary="s", address="a.b", line=7)]
    assert read_diagnostics(b"plain words\n") == [Diagnostic(summary="plain words")]


def test_words_for_people_are_read_as_well_as_they_can_be() -> None:
    text = (
        "╷\n│ Error: CreateVSwitch failed: InvalidCidrBlock\n│ \n│   with alicloud_vswitch.main,\n│"
        '   on main.tf line 6, in resource "alicloud_vswitch" "main":\n│    6: resource {\n│ \n│ It'
        " is not in the range.\n╵\n"
    )
    assert read_words(text) == [
        Diagnostic(
            summary="CreateVSwitch failed: InvalidCidrBlock",
            detail="It is not in the range.",
            address="alicloud_vswitch.main",
            line=6,
            file="main.tf",
        )
    ]


def test_quota_is_told_from_other_refusals() -> None:
    assert TerraformFailed(
        "apply", [Diagnostic(summary="CreateVpc failed: QuotaExceeded.Vpc")]
    ).is_quota
    assert not TerraformFailed(
        "apply", [Diagnostic(summary="CreateVpc failed: InvalidCidrBlock")]
    ).is_quota
