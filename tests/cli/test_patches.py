"""`verify` with `--patches`: what is proposed, what a walk proves, what is written."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
import typer
from typer.testing import CliRunner

from proofwalk.cli.integration import checked, write_reports
from proofwalk.cli.main import app
from proofwalk.cli.order_options import Given
from proofwalk.cli.patches import Proposals, patch_files, propose
from proofwalk.cli.report_options import Reports, takes_reports
from proofwalk.cli.verification import Result, verify
from proofwalk.findings.attempts import Refusal
from proofwalk.findings.patching import Patch, Refused
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.orders.order import Order, VerificationRequest
from proofwalk.orders.verification import FindingBody, VerdictBody, VerificationBody
from proofwalk.platform.client import Client
from tests.fixtures.reading import InPlace

NOW = datetime(2026, 11, 28, tzinfo=UTC)
PLAIN = Given(order=Order(target="devcloud"))
TEXT = "# Stop\r\n\r\n1. Open it.\r\n2. Click **Stop**.\r\n3. Click **OK**.\r\n"
IDS = RandomIds(SystemClock())


@dataclass
class Console:
    """Walks at once, in a console that has other labels than the documents: `renamed`
    ends a walk, `beside` is noted, and `gone` ends one as well."""

    renamed: dict[str, str] = field(default_factory=lambda: {"Stop": "Halt"})
    beside: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    evidence: str = "audit"
    walked: list[VerificationRequest] = field(default_factory=list)

    async def create(self, request: VerificationRequest, *, key: str) -> VerificationBody:
        self.walked.append(request)
        lines = request.document.text.split("\n")

        def findings(labels: dict[str, str]) -> list[FindingBody]:
            return [
                {
                    "kind": "renamed",
                    "file": request.document.name,
                    "line": number,
                    "sentence": f"Click {label}.",
                    "message": f"it is “{offered}”",
                    "asked": label,
                    "offered": offered,
                }
                for number, line in enumerate(lines, 1)
                for label, offered in labels.items()
                if f"Click **{label}**." in line
            ]

        missing = findings(dict.fromkeys(self.gone, ""))
        wrong = findings(self.renamed) + [{**one, "kind": "missing"} for one in missing]
        verdict: VerdictBody = {
            "outcome": "doc_defect" if wrong else "verified",
            "evidence": self.evidence,
            "reason": "so it ended",
            "finding": wrong[0] if wrong else None,
            "noted": findings(self.beside),
            "substeps": [],
        }
        return {"verification_id": "ver_1", "state": "finished", "verdict": verdict}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_bytes(TEXT.encode())
    return tmp_path


async def proposed(
    console: Console, *documents: str, prove: bool = False
) -> tuple[list[Result], Proposals]:
    client = cast(Client, console)
    results = await verify(client, list(documents), PLAIN, ids=IDS, progress=lambda *_: None)
    reports = Reports(patches=Path("patches"), prove=prove)
    return results, await propose(
        client, results, reports, InPlace(), ids=IDS, progress=lambda *_: None
    )


def only(results: Sequence[Result], proposals: Proposals) -> Patch | Refused | None:
    """What is proposed for the one finding."""
    (document,) = checked(results, proposals)
    (one,) = document.findings
    return one.patch


async def test_a_patch_is_proposed_in_the_file_and_applies(here: Path) -> None:
    results, proposals = await proposed(Console(), "a.md")
    reports = Reports(patches=here / "patches")
    write_reports(results, proposals, reports, now=NOW)
    diff = here / "patches" / "a.patch"
    command = ["git", "apply", "--whitespace=nowarn", str(diff)]
    subprocess.run(command, cwd=here, check=True, timeout=30)  # noqa: ASYNC221  # seconds at most
    assert (here / "a.md").read_bytes() == TEXT.replace("**Stop**", "**Halt**").encode()


async def test_a_patch_after_which_the_document_is_verified_is_proven(here: Path) -> None:
    console = Console()
    results, proposals = await proposed(console, "a.md", prove=True)
    assert isinstance(only(results, proposals), Patch)
    first, second = console.walked
    assert second.document.text == first.document.text.replace("**Stop**", "**Halt**")
    assert second.order == first.order
    assert list(patch_files(proposals)) == ["a.patch"]


async def test_a_patch_after_which_it_is_not_is_told_and_not_written(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    console = Console(renamed={"Stop": "Halt", "Halt": "{% end %}"}, evidence="page")
    results, proposals = await proposed(console, "a.md", prove=True)
    patch = only(results, proposals)
    assert isinstance(patch, Refused)
    assert patch.code is Refusal.NOT_PROVEN
    write_reports(results, proposals, Reports(patches=here / "patches"), now=NOW)
    assert not (here / "patches").exists()
    assert "a.md:4: no patch (patch.not_proven)" in capsys.readouterr().err


async def test_what_the_walk_of_the_patched_document_finds_is_patched_as_well(here: Path) -> None:
    console = Console(renamed={"Stop": "Halt", "OK": "Done"})
    results, proposals = await proposed(console, "a.md", prove=True)
    assert isinstance(only(results, proposals), Patch)
    (proposal,) = proposals.by_document
    (file,) = proposal.files
    assert file.after.decode() == TEXT.replace("**Stop**", "**Halt**").replace("OK", "Done")
    lines = proposal.diff.decode().splitlines()
    assert lines[:2] == [
        "# a.md:4 | “Halt” in the place of “Stop” | it is “Halt”",
        "# a.md:5 | “Done” in the place of “OK” | it is “Done” | found by walk 2",
    ]
    write_reports(results, proposals, Reports(patches=here / "patches"), now=NOW)
    command = ["git", "apply", "--whitespace=nowarn", str(here / "patches" / "a.patch")]
    subprocess.run(command, cwd=here, check=True, timeout=30)  # noqa: ASYNC221  # seconds at most
    assert (here / "a.md").read_bytes() == file.after


async def test_a_patch_after_which_the_walk_notes_something_else_is_not_proven(
    here: Path,
) -> None:
    console = Console(renamed={}, beside={"Stop": "Halt", "Halt": "{% end %}"})
    results, proposals = await proposed(console, "a.md", prove=True)
    patch = only(results, proposals)
    assert isinstance(patch, Refused)
    assert patch.code is Refusal.NOT_PROVEN
    assert "it is “{% end %}”" in patch.reason


@pytest.mark.parametrize("prove", [False, True])
async def test_an_edit_that_only_a_walk_speaks_for_is_shown_if_one_did(
    here: Path, prove: bool
) -> None:
    console = Console(renamed={}, gone={"Stop"})
    results, proposals = await proposed(console, "a.md", prove=prove)
    patch = only(results, proposals)
    if prove:
        (proposal,) = proposals.by_document
        assert proposal.files[0].after == b"# Stop\r\n\r\n1. Open it.\r\n2. Click **OK**.\r\n"
        assert "proven by a walk alone" in proposal.diff.decode()
        assert isinstance(patch, Patch)
    else:
        assert isinstance(patch, Refused)
        assert patch.code is Refusal.NEEDS_PROOF
        assert len(console.walked) == 1


async def test_without_the_audit_log_it_is_not_shown(here: Path) -> None:
    console = Console(renamed={}, gone={"Stop"}, evidence="page")
    results, proposals = await proposed(console, "a.md", prove=True)
    patch = only(results, proposals)
    assert isinstance(patch, Refused)
    assert patch.code is Refusal.NOT_PROVEN
    assert not proposals.by_document


async def test_a_document_has_one_patch_with_the_edits_of_all_its_findings(here: Path) -> None:
    console = Console(beside={"OK": "Done"})
    _, proposals = await proposed(console, "a.md", prove=True)
    (proposal,) = proposals.by_document
    (file,) = proposal.files
    assert file.after.decode() == TEXT.replace("**Stop**", "**Halt**").replace("OK", "Done")


async def test_in_a_folder_the_patch_is_made_in_the_file_that_has_the_sentence(
    here: Path,
) -> None:
    (here / "docs").mkdir()
    (here / "docs" / "page.md").write_text("# Page\n\n{!steps.md!}\n\nEnd.\n")
    (here / "docs" / "steps.md").write_text("Intro.\n\n1. Open it.\n2. Click **Stop**.\n")
    _, proposals = await proposed(Console(), "docs", prove=True)
    assert [
        [one.file for one in proposal.files]
        for proposal in proposals.by_document
        if proposal.result.document == "docs/page.md"
    ] == [["docs/steps.md"]]


async def test_a_document_that_was_fetched_has_no_patch(here: Path) -> None:
    results, proposals = await proposed(Console(), "a.md")
    (here / "a.md").unlink()
    results, proposals = await proposed_again(results)
    patch = only(results, proposals)
    assert isinstance(patch, Refused)
    assert patch.code is Refusal.NO_FILE


async def proposed_again(results: list[Result]) -> tuple[list[Result], Proposals]:
    reports = Reports(patches=Path("patches"))
    client = cast(Client, Console())
    return results, await propose(
        client, results, reports, InPlace(), ids=IDS, progress=lambda *_: None
    )


async def test_without_an_option_that_shows_them_nothing_is_proposed(here: Path) -> None:
    client = cast(Client, Console())
    results = await verify(client, ["a.md"], PLAIN, ids=IDS, progress=lambda *_: None)
    given = Reports(junit=here / "x.xml")
    proposals = await propose(client, results, given, InPlace(), ids=IDS, progress=lambda *_: None)
    assert only(results, proposals) is None


async def test_every_file_that_is_asked_for_is_written(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, proposals = await proposed(Console(), "a.md")
    reports = Reports(
        sarif=here / "r/a.sarif",
        junit=here / "r/a.xml",
        code_quality=here / "r/a.json",
        summary=here / "r/a.md",
        annotations="github",
    )
    write_reports(results, proposals, reports, now=NOW)
    assert sorted(path.name for path in (here / "r").iterdir()) == [
        "a.json",
        "a.md",
        "a.sarif",
        "a.xml",
    ]
    (run,) = json.loads((here / "r/a.sarif").read_text())["runs"]
    assert run["results"][0]["fixes"]
    assert re.search(r"^::error file=a.md,line=4,", capsys.readouterr().err, re.MULTILINE)


async def test_a_file_that_cannot_be_written_is_an_error_with_a_code(here: Path) -> None:
    (here / "r").write_text("a file")
    with pytest.raises(ProofwalkError) as raised:
        write_reports([], Proposals(), Reports(junit=here / "r/a.xml"), now=NOW)
    assert raised.value.code == "report.not_written"


def test_flags_are_told_apart_and_proof_needs_patches() -> None:
    seen: list[Reports] = []
    made = typer.Typer()

    @made.command()
    @takes_reports
    def command(reports: Reports) -> None:
        seen.append(reports)

    runner = CliRunner()
    assert runner.invoke(made, ["--patches", "p", "--prove", "--sarif", "s"]).exit_code == 0
    assert seen == [Reports(patches=Path("p"), prove=True, sarif=Path("s"))]
    refused = runner.invoke(app, ["verify", "a.md", "--prove"], env={"NO_COLOR": "1"})
    assert refused.exit_code == 2
    assert "--patches" in refused.output
