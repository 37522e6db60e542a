"""The references are what `make reference` writes, and they have everything that the
code has.

The second half looks for settings, metrics, codes, commands and calls by other ways
than the writers do, so that a writer that misses some is seen.
"""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest
from google.protobuf.descriptor import FileDescriptor
from pydantic import BaseModel
from typer.testing import CliRunner

from benchmarks.record import ROOT
from docs.writers import errors
from docs.writers.pages import GENERATED, text_of
from docs.writers.sources import modules
from proofwalk.chassis.settings import describe
from proofwalk.cli.main import app
from proofwalk.kernel import outcomes
from proofwalk.platform.settings import Settings

REFERENCE = ROOT / "docs" / "reference"
_CONTRACT = sorted((ROOT / "proto").rglob("*.proto"))


def page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_a_generated_file_is_what_the_code_gives(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == text_of(path), "run: make reference"


def test_no_file_is_left_of_what_is_not_generated_any_more() -> None:
    assert {path for path in REFERENCE.iterdir() if path.suffix == ".md"} <= set(GENERATED)


def test_every_variable_is_in_the_reference() -> None:
    told = page("settings")
    assert [row.variable for row in describe(Settings()) if f"`{row.variable}`" not in told] == []


def test_every_settings_class_is_in_the_reference() -> None:
    told, seen = page("settings"), 0
    for module in modules():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
                found = getattr(importlib.import_module(module.name), node.name)
                if (
                    isinstance(found, type)
                    and issubclass(found, BaseModel)
                    and not node.name.startswith("_")
                ):
                    seen += 1
                    for name in set(found.model_fields) - {"lora"}:
                        section = re.search(rf"(?:__|\.|PROOFWALK_){name}\b", told, re.IGNORECASE)
                        assert section, f"{module.name}.{node.name}.{name}"
    assert seen >= 20


def test_every_metric_is_in_the_reference() -> None:
    told = page("metrics")
    names = {
        node.value
        for module in modules()
        if "prometheus_client" in ast.dump(module.tree)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"proofwalk_[a-z_]+[a-z]", node.value)
    }
    assert len(names) > 20
    assert [
        name for name in sorted(names) if f"`{name}`" not in told and f"`{name}_total`" not in told
    ] == []


def test_every_code_that_the_contract_names_is_in_the_reference() -> None:
    named = set()
    for file in _CONTRACT:
        comments = " ".join(re.findall(r"//(.*)", file.read_text(encoding="utf-8")))
        for errors_of_a_call in re.findall(r"Errors: (.*?)(?:\. |\.$|$)(?![a-z])", comments):
            named |= set(re.findall(r"\b[a-z_]+\.[a-z_]+\b", errors_of_a_call))
    assert len(named) > 40
    assert sorted(named - errors.codes()) == []


def test_every_code_of_a_test_is_in_the_reference() -> None:
    """Tests compare codes in full: what they expect is raised somewhere."""
    expected = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        expected |= set(
            re.findall(r"\.code == \"([a-z_]+\.[a-z_]+)\"", file.read_text(encoding="utf-8"))
        )
    assert len(expected) > 100
    known, forms = errors.codes(), [code for code in errors.codes() if "…" in code]
    strange = {
        one
        for one in expected - known
        if not any(re.fullmatch(re.escape(form).replace("…", ".*"), one) for form in forms)
    }
    assert sorted(strange - OF_TESTS) == []


OF_TESTS = {
    "a.b",
    "field.invalid",
    "field.no_scripts",
    "readings.bad_label",
    "thing.busy",
    "thing.too_costly",
    "thing.unread",
}
"""Codes of tests' own fakes, and of benchmarks."""


def test_every_command_is_in_the_reference() -> None:
    told, runner = page("commands"), CliRunner()

    def listed(*typed: str) -> list[str]:
        text = runner.invoke(app, [*typed, "--help"], env={"COLUMNS": "200"}).output
        panel = text.partition("Commands ─")[2]
        return re.findall(r"^│ ([a-z-]+) ", panel, re.MULTILINE)

    commands = [(one, *listed(one)) for one in listed()]
    assert len(commands) > 8
    for one, *below in commands:
        for typed in [f"{one} {inner}" for inner in below] or [one]:
            assert f"## proofwalk {typed}\n" in told


def test_every_call_of_the_contract_is_in_the_reference() -> None:
    told, seen = page("grpc"), 0
    for file in _CONTRACT:
        name = ".".join(file.relative_to(ROOT / "proto").with_suffix("").parts)
        described: FileDescriptor = importlib.import_module(f"{name}_pb2").DESCRIPTOR
        for service in described.services_by_name.values():
            for method in service.methods:
                seen += 1
                assert f"`{method.name}`\n: " in told
        for message in described.message_types_by_name.values():
            assert f"### {message.name}\n" in told
            assert all(f"| `{field.name}` |" in told for field in message.fields)
    assert seen > 30


def test_the_glossary_has_every_word_of_a_result() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    words = [*outcomes.OutcomeKind, *outcomes.Evidence, *outcomes.FindingKind, *outcomes.EnvCause]
    assert [word for word in words if f"\n{word.value}\n  " not in text] == []
