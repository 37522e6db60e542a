"""The flags of an order: derived from its type, and those that people have always
typed."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from proofwalk.cli.main import app
from proofwalk.cli.order_options import Given, takes_order
from proofwalk.cli.report_options import Reports
from proofwalk.orders.order import Order

FLAGS = {
    "--target": "devcloud",
    "--procedure": "",
    "--policy": "literal",
    "--attempts": 2,
    "--meta": None,
    "--rule": None,
    "--script": None,
    "--scenario": "",
    "--region": "",
    "--role": "",
    "--site": "",
    "--account-purpose": "",
    "--accept": "",
    "--purpose": "",
    "--trace": False,
    "--max-price-per-hour": 0,
    "--max-price-at-once": 0,
    "--resources-ttl-s": 0,
}


def given_by(*flags: str) -> Given:
    seen: list[Given] = []
    made = typer.Typer()

    @made.command()
    @takes_order
    def verify(given: Given) -> None:
        seen.append(given)

    result = CliRunner().invoke(made, list(flags))
    assert result.exit_code == 0, result.output
    return seen[0]


def test_verify_has_the_flags_that_it_had_with_their_defaults() -> None:
    command: Any = typer.main.get_command(app)
    options = {
        one.opts[0]: one
        for one in command.commands["verify"].params
        if one.opts[0].startswith("--")
    }
    assert {name: options[name].default for name in FLAGS} == FLAGS
    own = {"--format", "--report"}
    own |= {f"--{one.name.replace('_', '-')}" for one in fields(Reports)}
    assert set(options) - set(FLAGS) == own
    assert options["--trace"].secondary_opts == ["--no-trace"]
    assert all(option.help for option in options.values())


def test_without_flags_it_is_what_the_command_asks_for() -> None:
    given = given_by()
    assert given.order == Order(target="devcloud", attempts=2)
    assert given.files == {}


def test_every_flag_is_in_the_order_or_names_a_file() -> None:
    given = given_by(
        *(
            "--target",
            "shop",
            "--procedure",
            "p",
            "--policy",
            "replay",
            "--attempts",
            "3",
            "--trace",
        ),
        *("--scenario", "calm-1", "--region", "r", "--accept", "audit"),
        *("--purpose", "follow"),
        *("--site", "intl", "--account-purpose", "training"),
        *("--meta", "m.yaml", "--rule", "r.yaml", "--script", "s.yaml"),
    )
    assert given.order == Order(
        target="shop",
        procedure_id="p",
        policy="replay",
        attempts=3,
        trace=True,
        scenario="calm-1",
        region="r",
        accept="audit",
        purpose="follow",
        site="intl",
        account_purpose="training",
    )
    assert given.files == {"meta": Path("m.yaml"), "rule": Path("r.yaml"), "script": Path("s.yaml")}


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--accept", "none"), "--accept"),
        (("--purpose", "guess"), "--purpose"),
        (("--account-purpose", "play"), "--account-purpose"),
        (("--site", "Intl site"), "--site"),
        (("--attempts", "0"), "--attempts"),
        (("--attempts", "11"), "--attempts"),
        (("--region", "r" * 65), "--region"),
        (("--procedure", "p" * 513), "--procedure"),
        (("--scenario", "no such/name"), "verification.bad_scenario"),
    ],
)
def test_what_no_order_can_say_is_a_usage_error_that_names_the_flag(
    flags: tuple[str, str], told: str
) -> None:
    result = CliRunner().invoke(
        app, ["verify", "a.md", *flags], env={"COLUMNS": "200", "NO_COLOR": "1"}
    )
    assert result.exit_code == 2
    assert told in result.output
