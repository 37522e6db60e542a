"""Drops the address of a console that a sentence names: `Open the mill console at
https://mill.example.com/`.

Where the console is, the target says. An address that is no console's stays: `go to
https://mill.example.com/pumps` asks for a page.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.marks import LABEL, Folded

_AT_AN_ADDRESS = re.compile(
    r"(?P<console>\b(?:console|portal|dashboard|web(?: ?site| app| UI)|home ?page|UI))"
    rf"(?:,? at|,? via|,? \(|:) ?(?P<address>{LABEL}|https?://[^\s()]+?)\)?(?=\s*[.,;)]?(?:\s|$))",
    re.I,
)
_LOGGED_ON_AT = re.compile(
    r"(?P<on>\b(?:(?:log|sign)(?:ged)?[ -]?(?:in|on)(?: ?to)?|(?:log|sign) into)\b"
    rf"[^,;.:{LABEL[1:-1]}]*?),? \(?(?:at |using (?:the|your|this) [a-z ]+ \(?)?"
    r"https?:(?:[^\s,;()]|\s(?=[a-z*_>-]+\.[a-z]))*\)?",
    re.I,
)
"""`Sign in to Pump Works at https://<your name>.pumps.example/home`"""
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.I)


def without_address(piece: str, folded: Folded) -> str:
    """Return the sentence without the address of the console that it names; unchanged
    without one."""
    piece = _LOGGED_ON_AT.sub(r"\g<on>", piece, count=1)
    found = _AT_AN_ADDRESS.search(piece)
    if found is None:
        return piece
    address = found["address"]
    told = folded.label(address).text if re.fullmatch(LABEL, address) else address
    if _ADDRESS.fullmatch(told) is None:
        return piece
    return f"{piece[: found.start()]}{found['console']}{piece[found.end() :]}"
