"""`proofwalk author` as a command: where a rule goes, what is refused before anything
is walked, and what people read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.authoring.opposites import NamedOperations
from proofwalk.cli.author import End, exit_code, file_path, id_of, knowledge_of, print_ends, spent
from proofwalk.cli.main import app
from proofwalk.experiments.authoring import Authored
from proofwalk.kernel.errors import invalid
from proofwalk.models.asking import Usage
from proofwalk.platform.devcloud_operations import DevcloudOperations

AUTHORED = Authored(rule_yaml="id: a", changes=("AddTank",), near_misses=12, walks=2, seconds=31.4)


@pytest.mark.parametrize(
    ("document", "out", "path"),
    [
        ("docs/stop.md", None, Path("docs/stop.rule.yaml")),
        ("docs/stop.md", Path("rules"), Path("rules/stop.rule.yaml")),
    ],
)
def test_a_rule_lies_where_verify_looks_for_it(document: str, out: Path | None, path: Path) -> None:
    assert file_path(document, out, "rule") == path


@pytest.mark.parametrize(
    ("name", "rule_id"),
    [("Stop a Pump", "stop-a-pump"), ("停止", "document"), ("_x", "x"), ("a" * 200, "a" * 100)],
)
def test_a_rules_id_is_one_that_a_rule_may_have(name: str, rule_id: str) -> None:
    assert id_of(Path(f"{name}.rule.yaml")) == rule_id


def test_a_rule_cannot_be_given_to_what_writes_it(tmp_path: Path) -> None:
    rule = tmp_path / "stop.rule.yaml"
    rule.write_text("id: a\n", encoding="utf-8")
    told = CliRunner().invoke(app, ["author", "stop.md", "--rule", str(rule)])
    assert told.exit_code == 2
    assert "--rule" in told.output


def test_of_the_embedded_cloud_operations_are_known_and_of_others_names_alone() -> None:
    assert isinstance(knowledge_of("devcloud", 5).operations, DevcloudOperations)
    assert isinstance(knowledge_of("shop", 5).operations, NamedOperations)


def test_each_document_has_its_row_and_a_refusal_its_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = invalid("author.exists", "it is there already", hint="move it")
    ends = [
        End(document="a.md", rule=Path("a.rule.yaml"), authored=AUTHORED),
        End(document="b.md", error=refused),
    ]
    print_ends(ends)
    told = capsys.readouterr()
    for word in ("AddTank", "12", "31", "author.exists"):
        assert word in told.out
    assert "b.md  → move it" in told.err
    assert (exit_code(ends), exit_code(ends[:1])) == (1, 0)


@pytest.mark.parametrize(
    ("more", "status", "told"),
    [
        (["--target", "shop"], 2, "author.unknown_console"),
        ([], 3, "author.no_model"),
    ],
)
def test_a_model_that_cannot_write_is_told_before_anything_is_started(
    more: list[str], status: int, told: str, tmp_path: Path
) -> None:
    document = tmp_path / "stop.md"
    document.write_text("# Stop\n\n1. Click **Stop**.\n", encoding="utf-8")
    ended = CliRunner().invoke(app, ["author", str(document), "--writer", "model", *more])
    assert (ended.exit_code, told in ended.output) == (status, True)


def test_what_a_model_took_is_told_with_its_cost() -> None:
    usage = Usage(calls=2, tokens_in=900, tokens_out=300, cost=0.0125, currency="CNY")
    assert spent(usage) == "2 times: 900 tokens in, 300 out, 0.0125 CNY"
    assert spent(Usage(calls=1)) == "1 times: 0 tokens in, 0 out"
