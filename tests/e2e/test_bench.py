"""`proofwalk bench` as a command: a suite of one task is proven, gone on with from its
journal, run, and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proofwalk.suites.model import Difficulty, Suite, Task
from proofwalk.suites.storage import load_suite, write_suite
from tests.e2e.installation import DOCS, HANGS_S, command

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(HANGS_S),
]

NAME = "01-vpc-create-vpc"
RULE = """
id: bench-e2e
version: 1
delta_s: 0
all:
  - {service: Vpc, event: CreateVpc, where: [[request.VpcName, eq, bench-e2e], [request.CidrBlock, eq, 192.168.0.0/16]], max: 1}
none:
  - {service: Vpc, event: DeleteVpc}
"""
SCRIPT = """
- - {open: {product: Virtual Private Cloud, menu: [VPC]}}
- - {press: Create VPC}
- - {fill: {Name: bench-e2e, IPv4 CIDR Block: 192.168.0.0/16}}
  - {submit: OK}
"""
DOCUMENT = """# Create a VPC

## Procedure

1. Log on to the VPC console. In the left-side navigation pane, click **VPC**.
2. Click **Create VPC**.
3. Set **Name** to `bench-e2e` and **IPv4 CIDR Block** to `192.168.0.0/16`, and click **OK**.
"""


def _suite(folder: Path) -> Suite:
    task = Task(
        id="vpc-create",
        suite="bench-e2e",
        family="vpc-create",
        product="vpc",
        difficulty=Difficulty.STANDARD,
        document_name="vpc-create.md",
        media_type="text/markdown",
        document=DOCUMENT,
        meta_yaml=(DOCS / f"{NAME}.meta.yaml").read_text("utf-8"),
        rule_yaml=RULE,
        script_yaml=SCRIPT,
    )
    suite = Suite(id="bench-e2e", version=1, seed=1, tasks=(task,))
    write_suite(suite, folder)
    return suite


@pytest.mark.long
async def test_a_suite_is_proven_run_and_compared(tmp_path: Path) -> None:
    suite, out = tmp_path / "suite", tmp_path / "out"
    _suite(suite)
    proven = await command(
        "bench",
        "prove",
        str(suite),
        "--record",
        "--parallel",
        "3",
        "--out",
        str(out),
    )
    assert proven.code == 0, proven.err[-3000:]
    proof = json.loads((out / "bench-e2e.proof.json").read_text("utf-8"))
    figures = proof["figures"]
    assert (figures["oracle"], figures["null"], figures["random"]) == (1, 0, 0)
    assert figures["near_misses_rejected"] == figures["near_misses"] >= 8
    assert proof["failures"] == []
    recording = load_suite(suite).tasks[0].recording
    assert recording is not None
    assert "CreateVpc" in {event.name for event in recording.events}

    again = await command("bench", "prove", str(suite), "--resume", "--out", str(out))
    assert again.code == 0, again.err[-3000:]
    assert json.loads((out / "bench-e2e.proof.json").read_text("utf-8"))["figures"] == figures

    ran = await command(
        "bench",
        "run",
        str(suite),
        "--policy",
        "literal",
        "--runs",
        "1",
        "--level",
        "calm",
        "--out",
        str(out),
    )
    assert ran.code == 0, ran.err[-3000:]
    result = out / "bench-e2e.literal.json"
    assert json.loads(result.read_text("utf-8"))["figures"]["pass1_mean"] == 1.0
    assert result.with_suffix(".html").is_file()

    compared = await command("bench", "compare", str(result), str(result))
    assert compared.code == 0, compared.err
    told = json.loads(compared.out)
    assert (told["tasks"], told["difference"]["value"]) == (1, 0.0)


async def test_what_is_no_suite_or_no_result_is_said(tmp_path: Path) -> None:
    _suite(tmp_path / "suite")
    for arguments, code in (
        (("prove", "nowhere"), "suite.unknown"),
        (("prove", str(tmp_path / "suite"), "--only", "rds-*"), "bench.no_task"),
        (("compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")), "bench.bad_result"),
    ):
        said = await command("bench", *arguments)
        assert said.code == 2
        assert code in said.err
