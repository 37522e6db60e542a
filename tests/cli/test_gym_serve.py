"""`proofwalk gym serve`: what it refuses before it serves."""

from __future__ import annotations

import socket

import pytest
from typer.testing import CliRunner

from proofwalk.cli.main import app


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["--address", "0.0.0.0:5000"], 2, "controller.open_to_all"),
        (["--address", "5000"], 2, "http.bad_address"),
        (["--seeds", "0"], 2, "controller.nothing_served"),
        (["--tokens", "/no/such/file"], 2, "controller.bad_tokens"),
        (["--osworld", "/no/index.json", "--image", "/no/image"], 3, "desktop.no_image"),
    ],
)
def test_what_cannot_be_served_is_said(arguments: list[str], exit_code: int, code: str) -> None:
    ended = CliRunner().invoke(app, ["gym", "serve", *arguments])
    assert (ended.exit_code, code in ended.stderr) == (exit_code, True), ended.stderr


def test_an_address_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = CliRunner().invoke(app, ["gym", "serve", "--address", f"127.0.0.1:{port}"])
    assert (ended.exit_code, "http.address_in_use" in ended.stderr) == (3, True), ended.stderr
