"""Proving a console's rules by scripted walks: at a small console with an API, in a
real browser."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from benchmarks.field import prove
from proofwalk.chassis.http import HttpServer
from tests.e2e.generic_console import Harbor, describe
from tests.e2e.test_prepared_console import META, RULE

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
WALKS = """
async def sign_in(page, given):
    await page.get_by_label("User name").fill(given.login["user"])
    await page.get_by_label("Passphrase").fill(given.login["password"])
    await page.get_by_role("button", name="Enter").click()
    await page.get_by_role("heading", name="Welcome to Harbor").wait_for()


async def create(page, given):
    await page.get_by_role("link", name="Projects").click()
    await page.get_by_role("link", name="New project").click()
    await page.get_by_label("Project name").fill(given.binds["the name of your project"])
    await page.get_by_label("Environment").select_option("Production")
    await page.get_by_role("button", name="Save project").click()
    await page.get_by_role("cell", name=given.outputs["team"]).wait_for()


async def lost(page, given):
    await page.get_by_role("link", name="Archives").click(timeout=500)


WALKS = {"create": create, "elsewhere": create, "lost": lost}
"""


def _procedures() -> list[dict[str, object]]:
    rule = yaml.safe_load(RULE)
    other = yaml.safe_load(RULE.replace("production", "staging"))
    return [
        {
            "id": name,
            "document": "harbor.md",
            "sha256": "0123",
            "lines": [1, 2],
            "what": "Creates a project.",
            "meta": yaml.safe_load(META),
            "rule": of,
            "expected": "verified",
        }
        for name, of in (("create", rule), ("elsewhere", other), ("lost", rule))
    ]


async def test_a_rule_is_proven_by_a_walk_or_told_why_not_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prove, "HOLDS_S", 1.0)
    suites = tmp_path / "suites"
    suites.mkdir()
    harbor = Harbor(journal=suites / "journal.jsonl")
    harbor.journal.touch()
    async with HttpServer(harbor.app(), "127.0.0.1:0") as server:
        shutil.copytree(describe(tmp_path, server.url), suites / "harbor")
        (suites / "harbor" / "harbor.yaml").rename(suites / "harbor" / "target.yaml")
        (suites / "harbor" / "walks.py").write_text(WALKS, encoding="utf-8")
        (suites / "harbor" / "console.sh").write_text("exit 0\n", encoding="utf-8")
        console = {
            "console": "harbor",
            "version": "1",
            "toolkit": "none",
            "documents": {"source": "example.org", "commit": "1", "licence": "MIT"},
            "procedures": _procedures(),
        }
        (suites / "harbor" / "procedures.yaml").write_text(yaml.safe_dump(console))

        proven, elsewhere, lost = await prove.prove(
            "harbor", folder=suites, into=tmp_path / "proofs"
        )

    assert (proven.procedure, proven.problems, proven.events) == ("create", (), 1)
    assert proven.near_misses >= 6
    assert "does not hold after 1 s; the record has Projects:CreateProject" in elsewhere.problems[0]
    assert lost.problems[0].startswith("TimeoutError: Locator.click")
    assert (tmp_path / "proofs" / "harbor-lost.png").is_file()
    assert (harbor.teams, harbor.projects) == ({}, {})
