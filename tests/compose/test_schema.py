"""docker-compose.yml is of the form that the Compose specification's schema says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.compose.project import FILE


def validated(path: Path) -> subprocess.CompletedProcess[str]:
    """What the specification's schema says of a file; it comes with the checker."""
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        str(path),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_the_file_is_of_the_specifications_form() -> None:
    done = validated(FILE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_misspelt_key_would_be_found(tmp_path: Path) -> None:
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text(
        FILE.read_text(encoding="utf-8").replace("mem_limit: 64m", "memory_limit: 64m"),
        encoding="utf-8",
    )
    done = validated(wrong)
    assert done.returncode == 1
    assert "memory_limit" in done.stdout
