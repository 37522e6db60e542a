"""The examples for continuous integration are what their systems read, and every flag
of theirs exists."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib import resources
from typing import Any, get_args, get_type_hints

import pytest
import typer
import yaml
from jsonschema import Draft7Validator

from benchmarks.record import ROOT
from proofwalk.cli.main import app
from proofwalk.cli.report_options import Reports

FOLDER = ROOT / "examples" / "ci"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".yml", ".yaml"))
SCHEMAS = {"github.yml": "github-workflows.json", "gitlab-ci.yml": "gitlab-ci.json"}


def read(name: str) -> Any:
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), Loader=_OnIsAWord)


class _OnIsAWord(yaml.SafeLoader):
    """YAML as GitHub reads it: `on` is a key, no truth value."""


_OnIsAWord.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:bool"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_OnIsAWord.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf")
)


def commands(content: Any) -> Iterator[list[str]]:
    """Every command of Proofwalk in a file, as its words."""
    if isinstance(content, dict):
        for value in content.values():
            yield from commands(value)
    elif isinstance(content, list):
        for value in content:
            yield from commands(value)
    elif isinstance(content, str) and content.startswith("proofwalk "):
        yield shlex.split(content)


@pytest.mark.parametrize("name", FILES)
def test_every_flag_of_an_example_exists(name: str) -> None:
    found = list(commands(read(name)))
    assert found
    main: Any = typer.main.get_command(app)
    for words in found:
        flags = {
            flag
            for one in main.commands[words[1]].params
            for flag in (*one.opts, *one.secondary_opts)
        }
        assert {word for word in words if word.startswith("--")} <= flags
        if "--annotations" in words:
            system = words[words.index("--annotations") + 1]
            assert name.startswith(system)
            assert system in get_args(get_type_hints(Reports)["annotations"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_an_example_is_what_its_system_reads(name: str) -> None:
    vendor = resources.files("check_jsonschema.builtin_schemas.vendor")
    schema = json.loads((vendor / SCHEMAS[name]).read_text(encoding="utf-8"))
    errors = [error.message for error in Draft7Validator(schema).iter_errors(read(name))]
    assert errors == []


def test_the_hook_is_one_that_pre_commit_takes() -> None:
    (repo,) = read("pre-commit-config.yaml")["repos"]
    (hook,) = repo["hooks"]
    assert repo["repo"] == "local"
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert hook["stages"] == ["pre-push"]


def test_what_a_job_uploads_is_what_its_command_writes() -> None:
    job = read("gitlab-ci.yml")["verify-documents"]
    (words,) = commands(job)
    artifacts = job["artifacts"]
    assert {*artifacts["paths"], *artifacts["reports"].values()} <= set(words)
    steps = read("github.yml")["jobs"]["verify"]["steps"]
    (words,) = commands(steps)
    uploads = [step["with"] for step in steps if "upload" in step.get("uses", "")]
    assert {one.get("sarif_file") or one["path"] for one in uploads} <= set(words)
