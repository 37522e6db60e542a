"""What makes two findings one.

A finding is about words of a procedure of a document, in the console of a target. Its
fingerprint is a digest of exactly these: the target, the document, the procedure's id,
the kind, and the words that were asked for. Of a missing step, the words are those of
what the console demands. Where no words are known, the sentence stands for them. Two
findings with one fingerprint are the same finding, seen twice.

What does **not** count: the line, the message, the candidates and what is offered
instead, the policy and the release of Proofwalk. So a finding stays the same when lines
are put in above it, when its sentence is rewritten around the same words, and when the
console offers something else by now. Upper and lower case, markup, quotes, punctuation
and white space of the words do not count either.

What does count: the same words wrong in two ways are two findings; so are they in two
procedures, two documents or two consoles. The same words, wrong in the same way at two
places of one procedure, are one: whoever mends the document mends both.

A document is known by its URL without what changes between two fetches of one page
(scheme, fragment, parameters of tracking, a default port, the file name of an index),
or by its path. Of an absolute path, only the file's name counts: the folders above
belong to the machine on which it was checked out.

Pure. `finding_life` says what becomes of a finding.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from proofwalk.kernel.outcomes import Finding, FindingKind, LaterKind

SCHEME = "f1"
"""Stands before each digest. Another way to make fingerprints gets another name, so
that digests of both can be told apart."""
_DIGEST_LENGTH = 32
_URL = re.compile(r"https?://", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_WORDS = re.compile(r"\w+")
_INDEX = re.compile(r"/(?:index|default)\.html?$", re.IGNORECASE)
_TRACKING = re.compile(
    r"utm_\w+|spm|scm|gclid|fbclid|msclkid|mc_[ce]id|_gl|ref|ref_src|source|from|share",
    re.IGNORECASE,
)
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a finding is about, as the walk names it."""

    target: str
    document: str
    """Path or URL."""
    procedure_id: str
    kind: FindingKind | LaterKind
    asked: str
    """The words that the document asks for, or, of a missing step, the console; empty
    where the walk knows none."""
    sentence: str

    @classmethod
    def of(cls, finding: Finding, *, target: str, document: str, procedure_id: str) -> Subject:
        """What a finding of a verification is about."""
        missing = finding.kind is FindingKind.MISSING_STEP
        return cls(
            target=target,
            document=document,
            procedure_id=procedure_id,
            kind=finding.kind,
            asked=finding.asked or (finding.offered if missing else ""),
            sentence=finding.sentence,
        )

    @property
    def fingerprint(self) -> str:
        """`f1:` and 32 hexadecimal digits."""
        words = normal_words(self.asked) or normal_words(self.sentence)
        parts = [
            self.target,
            document_key(self.document),
            self.procedure_id,
            self.kind.value,
            words,
        ]
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        return f"{SCHEME}:{hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]}"


def normal_words(text: str) -> str:
    """The words of `text` alone, in one case and with one space between them. Text
    that has no letters and digits (a button `+`) stays what it is, without spaces."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = [word.strip("_") for word in _WORDS.findall(folded)]
    return " ".join(word for word in words if word) or "".join(folded.split())


def document_key(name: str) -> str:
    """Return by what a document is known, whatever of its name changes."""
    name = unicodedata.normalize("NFC", name.strip())
    if _URL.match(name):
        return _url_key(name)
    absolute = name.startswith(("/", "\\")) or _DRIVE.match(name) is not None
    parts = [part for part in re.split(r"[\\/]+", name) if part not in ("", ".")]
    if absolute:
        return parts[-1] if parts else ""
    folders: list[str] = []
    for part in parts:
        if part != "..":
            folders.append(part)
        elif folders:
            folders.pop()
    return "/".join(folders)


def _url_key(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = _host(parts)
    except ValueError:
        return url
    path = _INDEX.sub("/", quote(unquote(parts.path), safe="/")).rstrip("/")
    query = sorted(
        (name, text)
        for name, text in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name)
    )
    return f"{host}{path}{'?' + urlencode(query) if query else ''}"


def _host(parts: SplitResult) -> str:
    """Raises `ValueError` for a port that is no number."""
    host = (parts.hostname or "").removesuffix(".")
    standard = _DEFAULT_PORTS[parts.scheme.lower()]
    return host if parts.port in (None, standard) else f"{host}:{parts.port}"
