"""Texts of documents and pages, made fit to be carried."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from proofwalk.kernel.outcomes import Finding

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def printable(text: str) -> str:
    """Return a text without control characters but tab and line feed, without what
    turns the direction of writing, and without what XML 1.0 does not allow."""
    return _UNPRINTABLE.sub("", text)


def one_line(text: str) -> str:
    """Return a printable text with single spaces and no line break."""
    return " ".join(printable(text).split())


def uri(file: str) -> str:
    """Return a file's name as a URI reference, or a URL as it is."""
    if _URL.match(file):
        return quote(printable(file), safe="/:?#[]@!$&'()*+,;=%~")
    path = file.replace("\\", "/").removeprefix("./")
    quoted = quote(
        path.encode("utf-8", "surrogateescape") if _is_name(path) else printable(path), safe="/"
    )
    return f"file://{quoted}" if path.startswith("/") else quoted


def _is_name(path: str) -> bool:
    """True if a file may be named so: a byte that is no UTF-8 is a lone surrogate."""
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return a name for each finding that stays while lines move: of its file, kind and
    sentence, and of which of several equal ones it is."""
    times: Counter[tuple[str, str, str]] = Counter()
    names = []
    for one in findings:
        key = (one.file, one.kind.value, one.sentence)
        times[key] += 1
        text = "\0".join((*key, str(times[key])))
        names.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return names
