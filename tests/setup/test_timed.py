"""`setup/timed.sh`: what a command is at is said while it runs, in plain lines, and its
end is the command's."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

TIMED = Path(__file__).parents[2] / "setup" / "timed.sh"


def timed(script: str, *, every: str = "0.2") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(TIMED), "Parcels", "sh", "-c", script],
        env={"PATH": "/usr/bin:/bin", "SETUP_EVERY": every},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_begin_and_end_are_said_with_seconds() -> None:
    done = timed("true")
    assert done.returncode == 0
    assert [re.sub(r"^ *\d+ s", "N s", line) for line in done.stdout.splitlines()] == [
        "N s  Parcels: begun",
        "N s  Parcels: done",
    ]


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (
            "Get:7 http://x y/main amd64 chromium amd64 156.0-1 [81.2 MB]",
            "downloading chromium (81.2 MB)",
        ),
        ("Unpacking libllvm15:amd64 (1:15.0.6-4+b1) ...", "unpacking libllvm15:amd64"),
        (
            "  Downloading pyarrow-26.0.1-cp311.whl (47.4 MB)",
            "downloading pyarrow-26.0.1-cp311.whl (47.4 MB)",
        ),
        (
            "  Downloading https://user:word@host/a/pyarrow-26.whl (47.4 MB)",
            "downloading pyarrow-26.whl (47.4 MB)",
        ),
        ("Downloading playwright (46.1MiB)", "downloading playwright (46.1MiB)"),
        ("Looking in indexes: https://user:word@host/simple", "at work"),
    ],
)
def test_what_it_is_at_is_said_while_it_runs_without_addresses(
    printed: str, said: str, tmp_path: Path
) -> None:
    enough = tmp_path / "enough"
    script = f"echo '{printed}'; while [ ! -e {enough} ]; do sleep 0.05; done"
    command = ["sh", str(TIMED), "Parcels", "sh", "-c", script]
    environment = {"PATH": "/usr/bin:/bin", "SETUP_EVERY": "0.1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines = []
        for line in child.stdout:
            lines.append(line)
            if f"Parcels: {said}" in line:
                enough.touch()
    assert lines[-1].endswith("Parcels: done\n")
    assert "word" not in "".join(lines)


def test_a_failure_is_the_commands_and_its_last_words_are_shown() -> None:
    done = timed(
        "echo one; echo 'Looking in indexes: https://user:word@host'; echo two >&2; exit 7"
    )
    assert done.returncode == 7
    assert "failed" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["        one", "        two"]


def test_a_reader_of_its_output_does_not_wait_for_the_next_line() -> None:
    # `subprocess` reads until nobody holds the pipe: a `sleep` left behind would hold
    # it for a minute.
    assert timed("true", every="60").returncode == 0
