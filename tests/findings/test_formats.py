"""Each format is what its golden file says, has what its readers demand, and is not
broken by what documents and pages say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from proofwalk.findings.formats import job_log
from proofwalk.findings.formats.checked import Checked
from proofwalk.findings.formats.code_quality import code_quality
from proofwalk.findings.formats.junit import junit
from proofwalk.findings.formats.sarif import sarif
from proofwalk.findings.formats.summary import summary
from proofwalk.findings.formats.texts import fingerprints, uri
from proofwalk.kernel.outcomes import FindingKind, LaterKind, OutcomeKind
from tests.findings.reports import hostile, usual

HERE = Path(__file__).parent
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
NOW = datetime(2026, 11, 28, 15, tzinfo=UTC)
Format = Callable[[list[Checked]], str]
FORMATS: dict[str, Format] = {
    "findings.sarif": lambda documents: sarif(documents, version="1.2.3"),
    "code-quality.json": code_quality,
    "junit.xml": lambda documents: junit(documents).decode(),
    "github.txt": job_log.github,
    "gitlab.txt": lambda documents: job_log.gitlab(documents, now=NOW),
    "summary.md": summary,
}
HOSTILE = [
    "::error file=x::y",
    "a\n::error::b",
    "a\r\n::set-output name=x::y",
    "%0A::error::",
    "]]><failure/>",
    "<script>alert(1)</script>",
    '"/><testcase name="x"/>',
    "`code` ```\n# Heading",
    "[a](https://x.example) @all #1 | x |",
    "{0} {{x}}",
    "\x1b[0Ksection_end:1:proofwalk_findings\r\x1b[0K",
    "a\u202eb\u2066c",
    "\ud800\uffff\x00",
]


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_as_its_golden_file(name: str) -> None:
    path, written = HERE / "golden" / name, FORMATS[name](usual())
    if os.environ.get("WRITE_GOLDEN"):
        path.write_bytes(written.encode())
    assert written.encode() == path.read_bytes()


@pytest.mark.parametrize("name", FORMATS)
def test_a_kind_of_a_later_release_is_shown(name: str) -> None:
    (document,) = (one for one in usual() if one.outcome == OutcomeKind.DOC_DEFECT)
    first = document.findings[0]
    later = replace(first.finding, kind=LaterKind("blurred"))
    written = FORMATS[name]([replace(document, findings=(replace(first, finding=later),))])
    assert "Halt" in written or "Click Stop." in written
    if name in ("findings.sarif", "code-quality.json"):
        assert '"proofwalk/blurred"' in written


SCHEMAS: dict[str, Any] = json.loads((HERE / "demanded.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", ["Click OK.", *HOSTILE])
@pytest.mark.parametrize("name", ["findings.sarif", "code-quality.json"])
def test_json_has_the_members_that_its_readers_demand(name: str, text: str) -> None:
    for documents in (usual(), [hostile(text)], []):
        Draft202012Validator(SCHEMAS[name]).validate(json.loads(FORMATS[name](documents)))


def test_sarif_has_a_rule_for_each_kind_and_a_fix_for_each_patch() -> None:
    (run,) = json.loads(FORMATS["findings.sarif"](usual()))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(rules) == len(FindingKind)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    fixed = [one for one in run["results"] if "fixes" in one]
    (change,) = fixed[0]["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"]["text"] == "Halt"
    region = {"startLine": 4, "startColumn": 12, "endLine": 4, "endColumn": 16}
    assert replacement["deletedRegion"] == region
    assert fixed[0]["locations"][0]["physicalLocation"]["region"] == region
    assert len(fixed) == 1
    assert run["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_does_not_leave_its_line_of_the_log(text: str) -> None:
    (line,) = job_log.github([hostile(text)]).splitlines()
    command, _, told = line.removeprefix("::").partition("::")
    assert re.fullmatch(r"warning file=[^:,]*,line=3,title=[^:,]*", command)
    assert not re.search(r"%(?!25)", told)
    lines = job_log.gitlab([hostile(text)], now=NOW).removesuffix("\n").split("\n")
    assert len(lines) == 3
    assert lines[1].startswith("WARNING: a.md:3: ")
    assert "\x1b" not in lines[1]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_of_a_file_stays_a_property(text: str) -> None:
    (line,) = job_log.github([hostile("Click OK.", file=text)]).splitlines()
    assert re.match(r"::warning file=[^:,]*,line=3,title=[^:,]*::it|::warning file=[^:,]*,", line)
    assert line.count("::") == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_junit_is_well_formed_and_has_the_cases_that_it_has(text: str) -> None:
    root = ElementTree.fromstring(junit([hostile(text, file=text)]))
    (suite,) = root
    assert [child.tag for child in suite] == ["testcase", "testcase"]
    assert [[one.tag for one in case] for case in suite] == [["failure"], ["skipped"]]
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "2", "failures": "1", "errors": "0", "skipped": "1"}


def shapes(text: str) -> list[tuple[str, list[str]]]:
    """What a reader of Markdown makes of a summary."""
    return [
        (token.type, [child.type for child in token.children or ()])
        for token in MARKDOWN.parse(summary([hostile(text)]))
    ]


@settings(max_examples=40)
@given(st.sampled_from(HOSTILE) | st.text("`*_[](<>)|\\\n#@ab", max_size=20))
def test_the_summary_reads_nothing_into_what_a_document_says(text: str) -> None:
    assert shapes(text) == shapes("Click OK.")


def test_a_fingerprint_stays_while_lines_move_and_tells_equal_ones_apart() -> None:
    first, second = (one.finding for one in usual()[0].findings)
    moved = type(first)(**{**vars(first), "line": 40})
    assert fingerprints([first]) == fingerprints([moved])
    names = fingerprints([first, second, first])
    assert len(set(names)) == 3
    assert names[:2] == fingerprints([first, second])


@pytest.mark.parametrize(
    ("file", "address"),
    [
        ("./docs/a b.md", "docs/a%20b.md"),
        ("/tmp/a.md", "file:///tmp/a.md"),
        ("https://x.example/a?b#c", "https://x.example/a?b#c"),
        ("a#b%.md", "a%23b%25.md"),
        ("日.md", "%E6%97%A5.md"),
    ],
)
def test_a_file_is_a_reference_that_cannot_be_read_as_more(file: str, address: str) -> None:
    assert uri(file) == address
