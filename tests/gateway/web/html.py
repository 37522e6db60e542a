"""Looking into a page."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode


def the(page: str, selector: str) -> LexborNode:
    """The first node of a page that a selector finds; there is one."""
    node = LexborHTMLParser(page).css_first(selector)
    assert node is not None, selector
    return node


def attribute(page: str, selector: str, name: str) -> str:
    """An attribute of that node."""
    return the(page, selector).attributes[name] or ""
