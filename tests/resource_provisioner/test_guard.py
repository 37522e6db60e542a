"""Hostile templates are refused with a line and a reason; what people write passes."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from proofwalk.hcl.reading import HclError, parse
from proofwalk.resource_provisioner.guard import Refusal, inspect
from tests.resource_provisioner.hostile import GOOD, HIDDEN, HOSTILE


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_is_refused(name: str) -> None:
    with pytest.raises(Refusal) as caught:
        inspect(HOSTILE[name])
    assert caught.value.reason
    assert 1 <= caught.value.line <= HOSTILE[name].count("\n") + 1


@pytest.mark.parametrize("name", HIDDEN)
def test_nothing_hides_behind_the_end_of_a_heredoc(name: str) -> None:
    with pytest.raises(Refusal) as caught:
        inspect(HIDDEN[name])
    assert (
        "heredocs are not allowed" in caught.value.reason or "shows nothing" in caught.value.reason
    )


@pytest.mark.parametrize("name", GOOD)
def test_what_people_write_passes(name: str) -> None:
    inspect(GOOD[name])


@pytest.mark.parametrize(
    "path", sorted(Path("examples/docs").glob("*.meta.yaml")), ids=lambda path: path.stem
)
def test_the_examples_pass(path: Path) -> None:
    import yaml

    inspect(yaml.safe_load(path.read_text())["create"])


def test_a_refusal_names_the_line() -> None:
    with pytest.raises(Refusal) as caught:
        inspect('resource "alicloud_vpc" "v" {\n\n  vpc_name = "${file("/x")}"\n}\n')
    assert str(caught.value) == "line 3: the function 'file' is not allowed"


def test_declarations_are_told_with_their_tags() -> None:
    template = inspect(
        'resource "alicloud_vpc" "v" {\n  tags = merge({ a = "b" }, {\n    c = "d" })\n}\n'
        'resource "alicloud_security_group_rule" "r" {}\noutput "x" {\n  value = 1\n}\n'
    )
    vpc, rule = template.resources
    assert vpc.tags == 'merge({"a" = "b"}, {"c" = "d"})'
    assert (vpc.address, vpc.taggable, rule.taggable) == ("alicloud_vpc.v", True, False)
    assert template.outputs == {"x"}


def test_damaged_text_is_refused_and_never_crashes_the_reader() -> None:
    source = random.Random(7)
    texts = [*GOOD.values(), *HOSTILE.values(), *HIDDEN.values()]
    pieces = [
        '"',
        "${",
        "}",
        "{",
        "\n",
        "<<E\n",
        "E",
        "\\",
        "/*",
        "*/",
        "%{",
        "=",
        "(",
        ")",
        "\x7f",
        "é",
    ]
    for _ in range(3000):
        text = source.choice(texts)[:400]
        for _ in range(source.randint(1, 6)):
            at = source.randint(0, len(text))
            text = text[:at] + source.choice(pieces) + text[at + source.randint(0, 3) :]
        with contextlib.suppress(HclError):
            parse(text)
        with contextlib.suppress(Refusal):
            inspect(text)
