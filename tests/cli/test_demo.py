"""`proofwalk demo`: what it says while it works, what it holds verdicts against, and
what it says when something is missing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from proofwalk.cli import examples
from proofwalk.cli.demo import (
    AUTHORED,
    Telling,
    _alone,
    _documents,
    opened_in_browser,
    unlike,
)
from proofwalk.cli.main import app
from proofwalk.cli.output import ResultBody
from proofwalk.orders.verification import FindingBody, VerificationBody

ROOT = Path(__file__).parents[2]
FINDING: FindingBody = {
    "file": "a.md",
    "line": 7,
    "sentence": "Click Stop.",
    "kind": "renamed",
    "message": "it is called Halt",
}


def verification(
    state: str, *, outcome: str = "verified", finding: FindingBody | None = None
) -> VerificationBody:
    return {"state": state, "verdict": {"outcome": outcome, "finding": finding}}


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def test_each_document_has_a_line_as_it_ends_with_the_seconds_of_its_work() -> None:
    clock, said = Clock(), list[str]()
    telling = Telling(2, say=said.append, now=clock)
    telling.tell("docs/a.md", verification("queued"))
    clock.time += 50
    telling.tell("docs/a.md", verification("running"))
    clock.time += 12.3
    telling.tell("docs/a.md", verification("finished", outcome="doc_defect", finding=FINDING))
    assert said == ["  document is wrong       12.3 s  a.md, line 7"]
    assert telling.seconds == {"docs/a.md": pytest.approx(12.3)}


def test_no_silence_is_long() -> None:
    clock, said = Clock(), list[str]()
    telling = Telling(2, say=said.append, now=clock)
    for _ in range(40):
        clock.time += 1
        telling.remind()
    assert said == ["  … 15 s, 0 of 2 documents done", "  … 30 s, 0 of 2 documents done"]


@pytest.mark.parametrize(
    ("result", "expected", "said"),
    [
        (
            {"verdict": "verified", "finding": None, "audit_events": ["e"]},
            {"verdict": "verified", "finding": None},
            "",
        ),
        (
            {"verdict": "verified", "finding": None, "audit_events": []},
            {"verdict": "verified", "finding": None},
            "without an",
        ),
        (
            {"verdict": "env_failure", "finding": None, "reason": "no browser"},
            {"verdict": "verified", "finding": None},
            "no browser",
        ),
        (
            {"verdict": "doc_defect", "finding": FINDING},
            {"verdict": "doc_defect", "finding": {"line": 8, "kind": "renamed"}},
            "got line 7",
        ),
        (
            {"verdict": "doc_defect", "finding": FINDING},
            {"verdict": "doc_defect", "finding": {"line": 7, "kind": "renamed"}},
            "",
        ),
    ],
)
def test_a_verdict_is_held_against_the_expected_one(
    result: ResultBody, expected: ResultBody, said: str
) -> None:
    told = unlike(result, expected)
    assert (said in told) if said else told == ""


def test_the_documents_are_used_where_they_lie_or_copied_to_where_a_person_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert _documents(tmp_path) == Path("examples/docs")
    monkeypatch.chdir(tmp_path)
    folder = _documents(Path("out"))
    assert folder == Path("out/documents")
    listed = yaml.safe_load((folder / "index.yaml").read_text(encoding="utf-8"))["documents"]
    assert len(listed) == 10
    assert all((folder / item["document"]).is_file() for item in listed)


def test_the_document_that_is_authored_has_nothing_beside_it_however_often(tmp_path: Path) -> None:
    assert (ROOT / "examples/docs" / AUTHORED).with_suffix(".meta.yaml").is_file()
    for _ in range(2):
        copy = _alone(ROOT / "examples/docs" / AUTHORED, tmp_path / "authored")
        assert [one.name for one in (tmp_path / "authored").iterdir()] == [AUTHORED]
        copy.with_suffix(".rule.yaml").write_text("id: old\n")


def test_a_wheel_carries_the_examples_where_the_command_looks() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"][
        "build"
    ]["targets"]["wheel"]
    assert {"examples/docs", "examples/targets"} <= set(wheel["only-include"])
    packaged = examples._PACKAGED.relative_to(ROOT / "services")
    assert wheel["sources"]["examples"] == packaged.as_posix()


@pytest.mark.parametrize(
    ("environment", "at_terminal", "opened"),
    [
        ({"DISPLAY": ":0"}, True, True),
        ({"WAYLAND_DISPLAY": "w"}, True, True),
        ({"DISPLAY": ":0"}, False, False),
        ({"DISPLAY": ":0", "CI": "1"}, True, False),
        ({}, True, False),
    ],
)
def test_the_report_is_opened_for_a_person_in_front_of_a_display(
    environment: dict[str, str],
    at_terminal: bool,
    opened: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    asked: list[str] = []

    def opener(address: str) -> bool:
        asked.append(address)
        return True

    assert (
        opened_in_browser(tmp_path / "index.html", environment, at_terminal, opener=opener)
        is opened
    )
    assert asked == ([f"file://{tmp_path}/index.html"] if opened else [])


def test_what_is_missing_is_said_in_plain_words_before_anything_is_started(tmp_path: Path) -> None:
    missing = {
        "PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM": "/nowhere/chromium",
        "PROOFWALK_RESOURCE_PROVISIONER__TERRAFORM": "/nowhere/terraform",
        "COLUMNS": "200",
    }
    done = CliRunner().invoke(
        app, ["demo", "--no-fetch", "--out", str(tmp_path / "out")], env=missing
    )
    assert done.exit_code == 3
    assert "Chromium is missing" in done.stderr
    assert "Terraform is missing" in done.stderr
    assert "apt-get install chromium-headless-shell" in done.stderr
    assert "prerequisites.missing" in done.stderr
    assert not (tmp_path / "out" / "home").exists()
