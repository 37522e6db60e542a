"""`proofwalk suites`: what people are told, and that nothing is written by halves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from proofwalk.cli.suites import app
from proofwalk.suites.storage import load_suite
from tests.suites.conftest import SOURCES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(SOURCES, tmp_path / "suites")
    return tmp_path / "suites"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_without_the_planned_numbers_nothing_is_written(folder: Path) -> None:
    result = run("generate", "--folder", str(folder))
    assert result.exit_code == 1
    assert "ecs: 2 standard tasks, not 10" in result.output
    assert "Nothing is written" in result.output
    assert sorted(path.name for path in folder.iterdir()) == ["families", "units"]


def test_what_can_be_made_is_written_on_demand_and_the_rest_is_said(folder: Path) -> None:
    path = folder / "families" / "vpc.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace(
            "chain: [vpc.delete_vpc]", "chain: [vpc.drop_vpc]"
        ),
        encoding="utf-8",
    )
    result = run("generate", "--folder", str(folder), "--partial", "--only-console")
    assert result.exit_code == 1
    assert "suite.source_invalid" in result.output
    assert "there is no unit 'vpc.drop_vpc'" in result.output
    assert "console-278: 10 tasks" in result.output
    assert len(load_suite(folder / "console-278").tasks) == 10


def test_near_duplicates_are_named(folder: Path) -> None:
    path = folder / "families" / "vpc.yaml"
    twin = "  - {id: vpc-again, difficulty: standard, chain: [vpc.delete_vpc]}\n"
    path.write_text(path.read_text(encoding="utf-8") + twin, encoding="utf-8")
    result = run("generate", "--folder", str(folder), "--only-console")
    assert result.exit_code == 1
    assert "suite.contaminated" in result.output
    assert "vpc-again" in result.output
    assert "vpc-delete" in result.output


def test_only_the_training_suite_is_made_on_demand(folder: Path) -> None:
    result = run("write", "console-278", "--folder", str(folder))
    assert result.exit_code == 2
    assert "suite.not_on_demand" in result.output


@pytest.mark.parametrize("content", ["", "[]", '{"failures": 3}', '{"failures": [{}]}'])
def test_what_is_no_proof_is_refused_before_anything_is_made(tmp_path: Path, content: str) -> None:
    proof = tmp_path / "proof.json"
    if content:
        proof.write_text(content, encoding="utf-8")
    result = run("synthesise", "--without", str(proof), "--out", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert "suite.no_proof" in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_a_proof_has_shown_to_fail_is_not_written_again(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    failed = "ecs-disk-modify-owner"
    proof.write_text(json.dumps({"failures": [{"task": failed}]}), encoding="utf-8")
    result = run(
        "synthesise", "--form", "steps", "--without", str(proof), "--out", str(tmp_path / "out")
    )
    assert result.exit_code == 0, result.output
    written = load_suite(tmp_path / "out")
    assert written.task("ecs-disk-modify-operator") is not None
    assert written.task(failed) is None
    assert "left out: it comes near a task that is held back" in result.output
