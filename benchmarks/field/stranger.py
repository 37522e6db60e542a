"""`make field-stranger`: a stranger's first hour with consoles that nobody here wrote.

For each console with a `stranger.yaml` it is installed and started, `proofwalk target
new` is answered from that file into an empty folder, and `proofwalk verify` walks one
procedure of the console's documentation with the files that were written: both as
commands, in a home of their own. What has to come is the verdict that a person gave the
procedure. A line is printed for each with its seconds; anything else, or a command that
fails, is an exit code of 1 with what it said.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import yaml
from pydantic import BaseModel, ConfigDict, Field

from benchmarks.field.installation import TOLD_TARGETS
from benchmarks.field.process import RESET_S, ConsoleProcess
from benchmarks.field.suite import FOLDER, consoles, load_console
from benchmarks.field.tasks import FieldTask, tasks_of, yaml_of
from benchmarks.record import ROOT
from proofwalk.kernel.errors import ProofwalkError, not_found

STORY = "stranger.yaml"
NEW_S, VERIFY_S, END_S = 300.0, 900.0, 30.0
"""Seconds that a command may take, and one that is ended."""


class Change(BaseModel):
    """A change by the console's API, with the headers of its log."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    json_: Mapping[str, object] = Field(alias="json")


class Story(BaseModel):
    """What the stranger answers and writes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answers: Mapping[str, Any]
    change: Change | None = None
    """What is changed first, where a console that is new has an empty log."""
    procedure: str
    meta: Mapping[str, object]
    rule: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Said:
    """A command that has ended."""

    status: int
    out: str
    err: str


def stories() -> list[str]:
    """Consoles that a stranger comes to."""
    return [name for name in consoles() if (FOLDER / name / STORY).is_file()]


def read_story(name: str) -> Story:
    """A console's story. Raises `pydantic.ValidationError`."""
    return Story.model_validate(yaml.safe_load((FOLDER / name / STORY).read_text("utf-8")))


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field.stranger")
    parser.add_argument("consoles", nargs="*", metavar="console", help=", ".join(stories()))
    given = parser.parse_args(arguments)
    wrong = 0
    for name in given.consoles or stories():
        try:
            told = asyncio.run(_hour(name))
        except ProofwalkError as error:
            told = f"{error.code}: {error.message}"
        wrong += bool(told)
        if told:
            print(f"{name}: {told}", file=sys.stderr)
    return 1 if wrong else 0


async def _hour(name: str) -> str:
    """Live through it. Return what went wrong; empty for the right verdict."""
    story = read_story(name)
    task = _task(name, story.procedure)
    process = ConsoleProcess(name=name, log=ROOT / "build" / "field" / f"{name}.jsonl")
    known = process.target
    async with process.running(known.console.url, reset=False):
        await process.call("reset", deadline_s=RESET_S)
        await _change(known.console.url, story)
        with tempfile.TemporaryDirectory(prefix="pwf-") as folder:
            return await _walked(name, known.console.url, story, task, Path(folder))


async def _change(url: str, story: Story) -> None:
    if story.change is None:
        return
    headers = dict(line.split(": ", 1) for line in story.answers.get("log_headers", ()))
    async with httpx2.AsyncClient(
        base_url=url, headers=headers, timeout=30.0, trust_env=False
    ) as api:
        (await api.post(story.change.path, json=story.change.json_)).raise_for_status()


async def _walked(name: str, url: str, story: Story, task: FieldTask, folder: Path) -> str:
    began = time.monotonic()
    (folder / "answers.yaml").write_text(yaml_of(story.answers), encoding="utf-8")
    made = await _said(
        folder, "target", "new", url, "--id", name, "--into", "targets", "--answers",
        "answers.yaml", deadline_s=NEW_S,
    )  # fmt: skip
    if made.status:
        return f"target new ended with {made.status}: {made.err[-1500:]}"
    answered = time.monotonic()
    document = folder / task.task.document_name
    document.write_text(task.task.document, encoding="utf-8")
    (folder / "meta.yaml").write_text(yaml_of(story.meta), encoding="utf-8")
    (folder / "rule.yaml").write_text(yaml_of(story.rule), encoding="utf-8")
    walked = await _said(
        folder, "verify", document.name, "--target", name, "--procedure", task.task.procedure_id,
        "--meta", "meta.yaml", "--rule", "rule.yaml", "--format", "json", deadline_s=VERIFY_S,
    )  # fmt: skip
    outcome = _outcome(walked.out)
    wanted = task.procedure.expected
    print(
        f"{name}: target new {answered - began:.0f} s, first verdict"
        f" {time.monotonic() - answered:.0f} s: {outcome or 'none'}",
        flush=True,
    )
    if outcome == ("doc_defect" if wanted == "defect" else wanted):
        return ""
    return f"{wanted} was to come; verify said {(walked.out + walked.err)[-1500:]}"


def _task(name: str, procedure: str) -> FieldTask:
    for one in tasks_of(load_console(name), planted=False):
        if one.procedure.id == procedure:
            return one
    raise not_found("field.unknown", f"{name} has no procedure {procedure!r}")


def _outcome(out: str) -> str:
    """The one verdict's outcome in what `verify --format json` printed."""
    try:
        told: Any = json.loads(out)
    except ValueError:
        return ""
    return str(told[0].get("verdict", "")) if told else ""


async def _said(folder: Path, *words: str, deadline_s: float) -> Said:
    """Run a command as the stranger types it, in the stranger's folder."""
    command = Path(sys.executable).with_name("proofwalk")
    process = await asyncio.create_subprocess_exec(
        str(command),
        *words,
        cwd=folder,
        env={
            **{key: value for key, value in os.environ.items() if not key.startswith("PROOFWALK_")},
            **{f"PROOFWALK_{role}__TARGETS": str(folder / "targets") for role in TOLD_TARGETS},
            "PROOFWALK_HOME": str(folder / "home"),
            "COLUMNS": "300",
        },
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(deadline_s):
            out, err = await process.communicate()
    except TimeoutError:
        # It may have roles and browsers to end; what it does not end in time is killed.
        process.terminate()
        killing = asyncio.get_running_loop().call_later(END_S, process.kill)
        out, err = await process.communicate()
        killing.cancel()
        err += f"\nended after {deadline_s:.0f} s".encode()
    return Said(status=process.returncode or 0, out=out.decode(), err=err.decode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
