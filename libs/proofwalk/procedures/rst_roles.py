"""Roles that Sphinx defines (`:guilabel:`, `:menuselection:`, …), answered without
registering anything in docutils' process-wide tables."""

from __future__ import annotations

import re

from docutils import nodes as dn
from docutils.parsers.rst.states import Inliner
from docutils.utils import unescape

_LABEL_ROLES = frozenset(["guilabel", "menuselection", "strong", "b", "button", "ui", "gui"])
_CODE_ROLES = frozenset(
    [
        "kbd",
        "file",
        "command",
        "option",
        "program",
        "samp",
        "envvar",
        "code",
        "literal",
        "regexp",
        "term",
    ]
)
_REFERENCE_ROLES = frozenset(["ref", "doc", "numref", "any", "download"])
_EXPLICIT_TITLE = re.compile(r"(?s)^(?P<title>.+?)\s*<[^<>]*>$")
_MENU_ARROW = re.compile(r"\s*-->\s*")
_ACCELERATOR = re.compile(r"&(?=\w)")


def _interpreted(
    rawsource: str, text: str, role: str, lineno: int
) -> tuple[list[dn.Node], list[dn.system_message]]:
    """Answer the roles of user-interface documentation; an unknown role is its text."""
    words = unescape(text)
    name = role.lower().rpartition(":")[2]
    if name in _LABEL_ROLES:
        label = _ACCELERATOR.sub("", words)
        return [
            dn.strong(
                rawsource, _MENU_ARROW.sub(" > ", label) if name == "menuselection" else label
            )
        ], []
    if name in _CODE_ROLES:
        return [dn.literal(rawsource, words)], []
    if name in _REFERENCE_ROLES:
        titled = _EXPLICIT_TITLE.match(words)
        return [dn.reference(rawsource, titled["title"] if titled else words)], []
    if name in ("raw", "math"):
        return [], []
    if name in (
        "emphasis",
        "sub",
        "subscript",
        "sup",
        "superscript",
        "title-reference",
        "title",
        "t",
        "abbreviation",
        "ac",
    ):
        return [dn.emphasis(rawsource, words)], []
    return [dn.inline(rawsource, words)], []


def inliner_of_roles() -> Inliner:
    """Return docutils' inliner with its look-up of roles replaced. The instance is
    changed, since docutils reads the patterns from the exact class."""
    inliner = Inliner()
    vars(inliner)["interpreted"] = _interpreted
    return inliner
