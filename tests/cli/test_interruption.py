"""A command that is asked to end takes down what it has built, and says so by its exit
code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

_PROGRAM = """
import asyncio, signal, sys
import typer
from proofwalk.cli.running import run as _run

# Whoever runs the tests in the background has a shell that ignores it, and so would this program.
signal.signal(signal.SIGINT, signal.default_int_handler)

async def work():
    print("begun", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        print("taken down", flush=True)

try:
    _run(work())
except typer.Exit as ended:
    sys.exit(ended.exit_code)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_command_that_is_asked_to_end_takes_down_what_it_has_built(
    number: signal.Signals, code: int
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert out == "taken down\n"
    assert process.returncode == code
