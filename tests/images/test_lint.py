"""hadolint reads every Dockerfile."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.images.build import DOCKERFILE
from deploy.images.requirements import ROOT

FILES = (DOCKERFILE, "tests/compose/standins/Dockerfile")


def linted(text: str) -> subprocess.CompletedProcess[str]:
    """What hadolint says of a Dockerfile."""
    program = Path(sys.executable).parent / "hadolint"
    return subprocess.run(
        [str(program), "--no-color", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("file", FILES)
def test_hadolint_has_nothing_to_say(file: str) -> None:
    done = linted((ROOT / file).read_text(encoding="utf-8"))
    assert (done.returncode, done.stdout) == (0, "")


def test_an_image_of_no_version_would_be_found() -> None:
    done = linted("FROM debian:latest\nRUN apt-get update && apt-get install curl\n")
    assert done.returncode != 0
    assert {"DL3007", "DL3008", "DL3015"} <= set(re.findall(r"DL[0-9]{4}", done.stdout))


def test_every_dockerfile_is_read() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*Dockerfile*"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(listed.stdout.split()) == set(FILES)
