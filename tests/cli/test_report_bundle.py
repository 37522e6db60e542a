"""The folder of a static bundle: what a further run changes, and what it refuses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from proofwalk.cli.bundle_pages import POLICY, parted
from proofwalk.cli.reports import write_bundle
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.verification import VerificationBody

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PIXEL = "iVBORw0KGgo="
REPORT = (
    '<head><meta http-equiv="Content-Security-Policy" content="img-src data:">'
    "<style>p{color:red}</style></head>\n<body>\n<p>%s</p>"
    f'<img src="data:image/png;base64,{PIXEL}"><script>go()</script></body>'
)


class Installation:
    """Verifications by id, with their outcomes."""

    def __init__(self, **outcomes: str) -> None:
        self.outcomes = outcomes
        self.report_of: Callable[[str], str] = lambda identifier: REPORT % identifier

    async def get(self, verification_id: str) -> VerificationBody:
        outcome = self.outcomes[verification_id]
        body: Any = {
            "verification_id": verification_id,
            "document": f"{verification_id}.md",
            "title": "<b>Stop</b>",
            "target": "devcloud",
            "created_at": f"2026-01-0{len(self.outcomes)}T00:00:00Z",
            "state": "finished" if outcome else "running",
        }
        if outcome:
            body["verdict"] = {"outcome": outcome, "reason": "so", "seconds": 1.0}
        kept: VerificationBody = body
        return kept

    async def report(self, verification_id: str) -> bytes:
        return self.report_of(verification_id).encode()

    async def into(self, out: Path, *ids: str) -> set[str]:
        """Write a bundle of these; the files that it has then."""
        await write_bundle(self, ids, out, now=NOW)
        manifest = json.loads((out / "manifest.json").read_text())
        for name, facts in manifest["files"].items():
            content = (out / name).read_bytes()
            assert facts == {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
        assert names == {*manifest["files"], "manifest.json"}
        return names


def test_style_script_and_pictures_become_files_of_their_own() -> None:
    parts = parted(REPORT % "x")
    assert POLICY in parts.page
    assert "<style" not in parts.page
    assert "go()" not in parts.page
    assert "data:" not in parts.page
    assert sorted(name.partition("/")[0] for name in parts.files) == [
        "assets",
        "assets",
        "pictures",
    ]


async def test_a_further_run_adds_replaces_and_forgets(tmp_path: Path) -> None:
    out = tmp_path / "out"
    here = Installation(a="verified", b="doc_defect", c="")
    first = await here.into(out, "a", "c")
    assert sum(name.startswith("verifications/") for name in first) == 1, "c is not finished"
    await here.into(out, "b")
    index = (out / "index.html").read_text()
    assert index.index("verifications/b.html") < index.index("verifications/a.html")
    assert "<b>Stop" not in index
    here.outcomes["a"] = "suspected"
    here.report_of = lambda identifier: (REPORT % identifier).replace("color:red", "color:blue")
    names = await here.into(out, "a", "b")
    assert len(names) == len(first) + 1, "what nothing names any longer is gone"
    assert 'data-outcome="suspected"' in (out / "index.html").read_text()


async def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    here = Installation(a="verified", c="")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("mine")
    with pytest.raises(ProofwalkError) as caught:
        await here.into(mine, "a")
    assert caught.value.code == "bundle.foreign_folder"
    (mine / "manifest.json").write_text('{"name": "another program"}')
    with pytest.raises(ProofwalkError):
        await here.into(mine, "a")
    assert {path.name for path in mine.iterdir()} == {"thesis.txt", "manifest.json"}
    with pytest.raises(ProofwalkError) as caught:
        await here.into(tmp_path / "none", "c")
    assert caught.value.code == "bundle.empty"
    with pytest.raises(ProofwalkError) as caught:
        await here.into(tmp_path / "none", "../../etc/passwd")
    assert caught.value.code == "verification.bad_id"


async def test_a_run_that_dies_leaves_the_index_and_its_pages(tmp_path: Path) -> None:
    out = tmp_path / "out"
    here = Installation(a="verified", b="verified")
    await here.into(out, "a")
    before = (out / "index.html").read_bytes()
    with pytest.raises(KeyError):
        await here.into(out, "b", "gone")
    assert (out / "index.html").read_bytes() == before
    await here.into(out, "a")
