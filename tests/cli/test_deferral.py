"""A process of a role starts without what only other commands need, and a command that
misses a package says which."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from proofwalk.cli.main import app

_HEAVY = (
    "pyarrow",
    "numpy",
    "playwright",
    "torch",
    "PIL",
    "openai",
    "sqlalchemy",
    "grpc",
    "jinja2",
)
_WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
from proofwalk.cli.main import app
app()
"""


def without(absent: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process in which these packages cannot be imported."""
    code = _WITHOUT.format(absent=absent)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"COLUMNS": "120"},
    )


def test_the_command_line_starts_without_heavy_packages() -> None:
    done = without(_HEAVY, "--help")
    assert done.returncode == 0, done.stderr
    for command in ("verify", "serve", "data", "bench"):
        assert f" {command} " in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [("data", "collect", "console-278", "--out", "x"), ("data", "--help")],
    ids=" ".join,
)
def test_a_command_that_misses_a_package_says_which(arguments: tuple[str, ...]) -> None:
    done = without(("pyarrow",), *arguments)
    assert done.returncode == 3
    assert "command.not_installed: these commands need the package pyarrow" in done.stderr
    assert "Traceback" not in done.stderr


def test_deferred_commands_are_there() -> None:
    done = CliRunner().invoke(app, ["data", "--help"])
    assert done.exit_code == 0
    for command in ("collect", "explore", "judge", "samples", "stats", "single-step"):
        assert f" {command} " in done.stdout
    assert CliRunner().invoke(app, ["data", "nothing"]).exit_code == 2
