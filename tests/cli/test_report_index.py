"""The index of a folder of reports: what to look at first, counts, pictures, and text
that stays text."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from proofwalk.cli.report_index import THUMBNAIL_PX, index_page, write_index
from proofwalk.cli.verification import Result
from proofwalk.kernel.errors import invalid


def result(
    document: str, outcome: str, *, report: str = "", reason: str = "so it ended", **verdict: Any
) -> Result:
    if outcome == "refused":
        return Result(
            document=document, verification=None, error=invalid("document.empty", "it is empty")
        )
    finding = {
        "file": document,
        "line": 3,
        "sentence": "Click <Stop>.",
        "kind": "renamed",
        "message": "it is called Halt",
    }
    told: Any = {
        "outcome": outcome,
        "cause": "",
        "reason": reason,
        "blame": "nobody",
        "evidence": "none",
        "finding": finding if outcome in ("doc_defect", "suspected") else None,
        "audit_events": [],
        "substeps": [],
        "seconds": 12.34,
        "cost": 0.0,
        **verdict,
    }
    return Result(
        document=document, verification={"verification_id": "ver_1", "verdict": told}, report=report
    )


def documents(page: str, within: str) -> list[str]:
    found = LexborHTMLParser(page).css(
        f"{within} a, {within} p:nth-child(2), {within} td:nth-child(2)"
    )
    return list(dict.fromkeys(node.text(strip=True) for node in found if node.text(strip=True)))


def jpeg(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (1440, 900), colour).save(out, "JPEG")
    return out.getvalue()


def report(*colours: str) -> str:
    frames = "".join(
        f'<article class="frame"><img src="data:image/jpeg;base64,{data}"></article>'
        for data in (base64.b64encode(jpeg(colour)).decode() for colour in colours)
    )
    return f"<!doctype html><main>{frames}</main>"


def test_what_is_wrong_is_first_and_what_is_verified_needs_no_look() -> None:
    page = index_page(
        [
            result("fine.md", "verified"),
            result("unproven.md", "unproven"),
            result("lost.md", "env_failure"),
            result("wrong-b.md", "doc_defect"),
            result("empty.md", "refused"),
            result("wrong-a.md", "doc_defect"),
        ],
        {},
    )
    order = ["wrong-b.md", "wrong-a.md", "empty.md", "lost.md", "unproven.md"]
    assert documents(page, ".card") == order
    assert documents(page, "tbody tr") == [*order, "fine.md"]
    counts = LexborHTMLParser(page).css_first("ul.counts")
    assert counts is not None
    assert (
        " ".join(counts.text(separator=" ").split())
        == "6 documents 2 document is wrong 1 refused 1 could not tell (environment)"
        " 1 walked, not proven 1 verified"
    )


def test_what_was_noted_beside_a_verified_walk_is_looked_at_too() -> None:
    noted = [{"file": "a.md", "line": 9, "message": "the menu is called Fleet"}]
    page = index_page(
        [result("fine.md", "verified"), result("noted.md", "verified", noted=noted)], {}
    )
    assert documents(page, ".card") == ["noted.md"]
    assert "beside, line 9: the menu is called Fleet" in page


def test_where_all_is_well_there_is_nothing_to_look_at() -> None:
    page = index_page([result("fine.md", "verified")], {})
    assert "Nothing: every document is verified." in page
    assert not documents(page, ".card")


def test_text_of_documents_stays_text() -> None:
    page = index_page(
        [result("<b>a</b>.md", "env_failure", reason="<script>alert(1)</script>\x1b[31m")], {}
    )
    assert "<script>" not in page
    assert "&lt;b&gt;a" in page
    assert "\x1b" not in page
    assert "default-src 'none'" in page


def test_the_last_picture_of_a_report_stands_beside_it_small(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(report("red", "blue"))
    (tmp_path / "b.html").write_text(report())
    page = write_index(
        [
            result("a.md", "doc_defect", report="a.html"),
            result("b.md", "verified", report="b.html"),
        ],
        tmp_path,
    ).read_text(encoding="utf-8")
    pictures = [node.attributes["src"] or "" for node in LexborHTMLParser(page).css("img")]
    assert len(pictures) == 2, "in its card and in the table"
    with Image.open(io.BytesIO(base64.b64decode(pictures[0].partition(",")[2]))) as small:
        assert max(small.size) == THUMBNAIL_PX
        red, _, blue = small.convert("RGB").getpixel((5, 5))  # type: ignore[misc]
        assert blue > 200 > 50 > red


@pytest.mark.parametrize(
    "source",
    ["data:image/jpeg;base64,AAAA", "data:image/jpeg;base64,=", "https://example.com/a.jpg", ""],
)
def test_a_report_without_a_readable_picture_has_none(source: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f'<article class="frame"><img src="{source}"></article>')
    page = write_index([result("a.md", "verified", report="a.html")], tmp_path).read_text(
        encoding="utf-8"
    )
    assert "<img" not in page
