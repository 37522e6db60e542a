"""The patch of a stored finding: proposed from what its newest walk read, and proven by
a walk of exactly that text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.chassis.database import Database
from proofwalk.inspection.finding_domain import Certainty, Witnessed
from proofwalk.inspection.finding_patches import NO_DOCUMENT, Patches
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import ProofwalkError
from tests.fixtures.reading import InPlace
from tests.fixtures.templates import copy_migrated
from tests.inspection.findings import CI, WEB, Ledger, finding

TEXT = "# Stop an instance\n\n1. Click **Instances**.\n2. Click **Stop**.\n"
PATCHED = TEXT.replace("Stop**", "Halt**")


class Bench:
    """Findings, and the texts that walks read, by verification."""

    def __init__(self, db: Database) -> None:
        self.ledger = Ledger(db)
        self.texts: dict[str, str] = {}
        self.patches = Patches(findings=self.ledger.findings, document=self.text, reading=InPlace())

    async def text(self, verification_id: str, caller: Caller) -> str | None:
        return self.texts.get(verification_id)

    async def found(self) -> str:
        wrong = replace(finding("Stop", line=4), sentence="Click Stop.", file="stop.md")
        witnessed = (Witnessed(finding=wrong, certainty=Certainty.PROVEN),)
        report = replace(self.ledger.walk("ver_1"), witnessed=witnessed)
        (stored,) = await self.ledger.findings.record(report)
        return stored.finding_id


@pytest.fixture
async def bench(sqlite_db: Database, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    await copy_migrated("proofwalk.inspection", sqlite_db, tmp_path_factory)
    return Bench(sqlite_db)


async def test_the_edit_is_of_the_text_that_the_newest_walk_read(bench: Bench) -> None:
    bench.texts["ver_1"] = TEXT
    patch = await bench.patches.propose(await bench.found(), caller=WEB)
    changed = [line for line in patch.diff.splitlines() if line.startswith(("-2", "+2"))]
    assert changed == ["-2. Click **Stop**.", "+2. Click **Halt**."]
    assert (patch.verification_id, patch.proven_by) == ("ver_1", "")


@pytest.mark.parametrize(
    ("walked", "proof"), [(PATCHED, "ver_2"), (PATCHED + "\nMore.\n", ""), (None, "")]
)
async def test_a_walk_of_the_patched_text_alone_proves_it(
    bench: Bench, walked: str | None, proof: str
) -> None:
    bench.texts["ver_1"] = TEXT
    if walked is not None:
        bench.texts["ver_2"] = walked
    finding_id = await bench.found()
    bench.ledger.later()
    await bench.ledger.findings.record(bench.ledger.walk("ver_2", proves=True))
    patch = await bench.patches.propose(finding_id, caller=WEB)
    assert patch.diff
    assert patch.proven_by == proof


async def test_where_no_edit_follows_it_says_why(bench: Bench) -> None:
    finding_id = await bench.found()
    assert (await bench.patches.propose(finding_id, caller=WEB)).code == NO_DOCUMENT
    bench.texts["ver_1"] = "# Start\n\n1. Click **Start**.\n"
    patch = await bench.patches.propose(finding_id, caller=WEB)
    assert (patch.diff, patch.code) == ("", "patch.no_sentence")
    with pytest.raises(ProofwalkError, match="no finding"):
        await bench.patches.propose(finding_id, caller=CI)
