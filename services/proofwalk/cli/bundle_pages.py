"""Pages of a static bundle: reports in parts that a host of files can serve, and the
index over them. Pure.

The page of a verification is the report that rollout makes: one home for what a walk
looks like without a server, redacted where it is made. A report is one file, with its
style, script and pictures inside. `parted` takes these out, so that pictures that
several reports have are there once, and so that a bundle's policy allows nothing that
stands in a page. What a document or a console says is escaped in a report, so an
unescaped tag is one of its template's own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from proofwalk.charts.pages import rendered
from proofwalk.cli.output import WORDS, clean
from proofwalk.cli.report_index import FIRST
from proofwalk.orders.verification import VerificationBody

POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; base-uri 'none';"
    " form-action 'none'"
)
PICTURES, ASSETS, PAGES = "pictures", "assets", "verifications"
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*">')
_PICTURE = re.compile(r'src="data:image/(jpeg|png|webp);base64,([A-Za-z0-9+/=]+)"')
_SUFFIXES = {"jpeg": "jpg", "png": "png", "webp": "webp"}
_DIGITS = 32


class Row(BaseModel):
    """What the index says of a verification."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    verification_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    document: str
    title: str
    target: str
    outcome: str
    reason: str
    findings: int
    created_at: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Parted:
    """A report's page, and the files that it names, by their paths in the bundle."""

    page: str
    files: Mapping[str, bytes]


def parted(report: str) -> Parted:
    """A report without anything in it that is style, script or a picture."""
    files: dict[str, bytes] = {}

    def kept(folder: str, suffix: str, content: bytes) -> str:
        name = f"{folder}/{hashlib.sha256(content).hexdigest()[:_DIGITS]}.{suffix}"
        files[name] = content
        return f"../{name}"

    def picture(match: re.Match[str]) -> str:
        try:
            content = base64.b64decode(match[2], validate=True)
        except binascii.Error:
            return 'src=""'
        return f'src="{kept(PICTURES, _SUFFIXES[match[1]], content)}"'

    def style(match: re.Match[str]) -> str:
        return f'<link rel="stylesheet" href="{kept(ASSETS, "css", match[1].encode())}">'

    def script(match: re.Match[str]) -> str:
        return f'<script src="{kept(ASSETS, "js", match[1].encode())}"></script>'

    page = _POLICY.sub(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">', report)
    page = _SCRIPT.sub(script, _STYLE.sub(style, _PICTURE.sub(picture, page)))
    back = '<body>\n<p><a href="../index.html">All verifications</a></p>'
    return Parted(page=page.replace("<body>", back, 1), files=files)


def row_of(body: VerificationBody) -> Row:
    """The row of a finished verification."""
    verdict = body["verdict"]
    findings = len(verdict.get("noted") or ()) + bool(verdict.get("finding"))
    return Row(
        verification_id=body["verification_id"],
        document=clean(body.get("document", "")),
        title=clean(body.get("title", "")),
        target=clean(body.get("target", "")),
        outcome=verdict["outcome"],
        reason=clean(verdict.get("reason", "")),
        findings=findings,
        created_at=body.get("created_at", ""),
        seconds=verdict.get("seconds", 0.0),
    )


def page_of(row: Row) -> str:
    """The path of a verification's page in the bundle."""
    return f"{PAGES}/{row.verification_id}.html"


def index_page(rows: Sequence[Row], *, made_at: str) -> str:
    """The index: what is wrong first, then what nobody could tell, newest first."""
    counts = Counter(row.outcome for row in rows)
    newest = sorted(rows, key=lambda row: row.created_at, reverse=True)
    return rendered(
        Path(__file__).with_name("bundle_index.html.j2"),
        rows=sorted(newest, key=_rank),
        counts=[(one, counts[one]) for one in sorted(counts, key=_place)],
        targets=sorted({row.target for row in rows}),
        words=WORDS,
        page_of=page_of,
        policy=POLICY,
        made_at=made_at,
    )


def _rank(row: Row) -> int:
    return _place(row.outcome)


def _place(outcome: str) -> int:
    return FIRST.index(outcome) if outcome in FIRST else len(FIRST)
