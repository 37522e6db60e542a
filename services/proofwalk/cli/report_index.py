"""The index of a folder of reports: one page that opens offline and says what to look
at first.

What is wrong comes first, then what nobody could tell, then the rest, each in the order
in which it was asked for. A picture beside a document is the last one that its report
has: the page on which the walk ended, which for a finding is where the sentence fails.
"""

from __future__ import annotations

import base64
import binascii
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from proofwalk.charts.pages import rendered
from proofwalk.cli.output import WORDS, as_data, clean
from proofwalk.cli.verification import Result
from proofwalk.orders.verification import FindingBody

THUMBNAIL_PX = 360
FIRST = (
    "doc_defect",
    "suspected",
    "refused",
    "env_failure",
    "agent_failure",
    "judge_split",
    "unproven",
    "cancelled",
)
"""Outcomes that somebody should look at, the most urgent first. `verified` needs no
look."""
_QUALITY = 70
_DATA = "data:image/jpeg;base64,"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One document on the page."""

    document: str
    outcome: str
    words: str
    told: str
    noted: Sequence[FindingBody]
    report: str
    seconds: float | None
    picture: str
    """A data URI, or empty."""

    @property
    def needs_a_look(self) -> bool:
        return self.outcome in FIRST or bool(self.noted)

    @property
    def rank(self) -> int:
        return FIRST.index(self.outcome) if self.outcome in FIRST else len(FIRST)


def write_index(results: Sequence[Result], folder: Path) -> Path:
    """Write the index beside the reports that the results name; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {
        result.report: _picture(folder / result.report) for result in results if result.report
    }
    page = folder / "index.html"
    page.write_text(index_page(results, pictures), encoding="utf-8")
    return page


def index_page(results: Sequence[Result], pictures: Mapping[str, str]) -> str:
    """The page; `pictures` are data URIs by the report's name."""
    entries = sorted(
        (_entry(result, pictures) for result in results),
        key=lambda entry: (entry.rank, not entry.noted),
    )
    counts = Counter(entry.outcome for entry in entries)
    return rendered(
        Path(__file__).with_name("report_index.html.j2"),
        entries=entries,
        first=[entry for entry in entries if entry.needs_a_look],
        counts=[
            (outcome, counts[outcome], WORDS.get(outcome, outcome))
            for outcome in (*FIRST, "verified")
            if counts[outcome]
        ],
    )


def _entry(result: Result, pictures: Mapping[str, str]) -> Entry:
    data = as_data(result)
    finding = data["finding"]
    if finding:
        told = f"line {finding['line']}: {finding['sentence']} → {finding['message']}"
    else:
        told = str(data.get("reason") or data.get("error", {}).get("message", ""))
    return Entry(
        document=clean(result.document),
        outcome=str(data["verdict"]),
        words=WORDS.get(str(data["verdict"]), str(data["verdict"])),
        told=clean(told),
        noted=[{**one, "message": clean(str(one["message"]))} for one in data.get("noted", ())],
        report=result.report,
        seconds=data.get("seconds"),
        picture=pictures.get(result.report, ""),
    )


def _picture(report: Path) -> str:
    """The last picture of a report, small, as a data URI; empty where it has none."""
    frames = LexborHTMLParser(report.read_bytes()).css("article.frame img")
    source = (frames[-1].attributes.get("src") or "") if frames else ""
    try:
        return (
            _small(base64.b64decode(source.removeprefix(_DATA), validate=True))
            if source.startswith(_DATA)
            else ""
        )
    except binascii.Error:
        return ""


def _small(picture: bytes) -> str:
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError:
        # A role's image that has no use for pictures lacks Pillow; its index has none,
        # then.
        return ""
    try:
        with Image.open(io.BytesIO(picture)) as whole:
            whole.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
            out = io.BytesIO()
            whole.convert("RGB").save(out, "JPEG", quality=_QUALITY)
    except (UnidentifiedImageError, OSError):
        return ""
    return _DATA + base64.b64encode(out.getvalue()).decode()
