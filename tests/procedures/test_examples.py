"""The example documents: complete, readable, and wrong exactly where the index says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofwalk.kernel.outcomes import FindingKind, OutcomeKind
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Document
from proofwalk.procedures.selection import select
from proofwalk.reward_service.rules import parse_rule

FOLDER = Path(__file__).parents[2] / "examples" / "docs"
INDEX: list[dict[str, Any]] = yaml.safe_load((FOLDER / "index.yaml").read_text())["documents"]
NAMES = [str(entry["document"]) for entry in INDEX]
FIRST, STEPS = "01-vpc-create-vpc.md", 6


def document(name: str) -> Document:
    return load(name, (FOLDER / name).read_bytes())


def companion(name: str, kind: str) -> str:
    return (FOLDER / f"{Path(name).stem}.{kind}.yaml").read_text()


def test_the_index_lists_every_document_and_the_mix_is_as_promised() -> None:
    present = sorted(
        path.name for path in FOLDER.iterdir() if path.suffix in (".md", ".rst", ".html")
    )
    assert sorted(NAMES) == present
    assert [
        sum(name.endswith(suffix) for name in NAMES) for suffix in (".md", ".rst", ".html")
    ] == [4, 3, 3]
    findings = [entry["finding"]["kind"] for entry in INDEX if entry["finding"]]
    assert sorted(findings) == ["missing", "renamed", "wrong_value"]
    assert sum(entry["needs_on_demand"] for entry in INDEX) == 1


@pytest.mark.parametrize("entry", INDEX, ids=NAMES)
def test_the_finding_is_a_sentence_of_the_walked_procedure_on_that_line(
    entry: dict[str, Any],
) -> None:
    name = str(entry["document"])
    procedure = select(document(name))
    assert (entry["verdict"] == OutcomeKind.DOC_DEFECT) == (entry["finding"] is not None)
    found = [(one.span.line, one.text) for step in procedure.substeps for one in step.sentences]
    found += [
        (block.span.line, "".join(run.text for run in block.inlines))
        for step in procedure.substeps
        for block in step.blocks
        if block.inlines
    ]
    if entry["finding"]:
        finding = entry["finding"]
        assert FindingKind(finding["kind"])
        assert [line for line, text in found if text.startswith(finding["sentence"])] == [
            finding["line"]
        ]


@pytest.mark.parametrize("name", NAMES)
def test_words_stand_where_the_lines_say(name: str) -> None:
    lines = (FOLDER / name).read_text().splitlines()
    for step in select(document(name)).substeps:
        for sentence in step.sentences:
            source = (
                " ".join(lines[sentence.span.line - 1 : sentence.span.end_line])
                .replace("&amp;", "&")
                .replace("&gt;", ">")
            )
            missing = [
                word for word in re.findall(r"[\w./-]*\w", sentence.text) if word not in source
            ]
            assert missing in ([], ["Virtual", "Private", "Cloud", "VPC"]), sentence


@pytest.mark.parametrize("name", NAMES)
def test_each_document_has_meta_and_rule_that_fit_together(name: str) -> None:
    rule = parse_rule(companion(name, "rule"))
    meta = yaml.safe_load(companion(name, "meta"))
    outputs = set(re.findall(r'^\s*output "(\w+)"', meta["create"], re.MULTILINE))
    assert set(meta) == {"id", "description", "attributes", "create", "verify", "destroy", "binds"}
    assert meta["id"] == rule.id
    assert rule.meta_names <= outputs
    assert (
        set(re.findall(r"\$\{output\.(\w+)\}", repr(meta["verify"]) + repr(meta["binds"])))
        <= outputs
    )
    assert "provider" not in re.findall(r"^(\w+)", meta["create"], re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_screenshots_exist(name: str) -> None:
    for image in re.findall(r"images/[\w-]+\.png", (FOLDER / name).read_text()):
        assert (FOLDER / image).read_bytes().startswith(b"\x89PNG")


def test_hidden_text_and_page_furniture_are_no_steps() -> None:
    text = repr(document("04-ecs-release-instance.html"))
    assert "Delete All" not in text
    assert "Do not read this" not in text
    assert "Privacy" not in text
    assert len(select(document(FIRST)).substeps) == STEPS
