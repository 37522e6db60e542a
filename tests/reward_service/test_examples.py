"""The rules that ship with the example documents are valid, and no empty log meets one
of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.reward_service.rules import parse_rule
from tests.reward_service.events import evaluated

DOCS = Path(__file__).parents[2] / "examples" / "docs"
FILES = sorted(DOCS.glob("*.rule.yaml"))


def test_there_are_examples() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_example_rule_is_valid_and_asks_for_evidence(file: Path) -> None:
    rule = parse_rule(file.read_text(encoding="utf-8"))
    result = evaluated(rule, [], **dict.fromkeys(rule.meta_names, "x"))
    assert not result.met
    assert result.missing
