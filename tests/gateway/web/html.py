"""Looking into a page."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode


def shows(page: str, text: str) -> bool:
    """Whether a browser would show a text as it is."""
    return text in the(page, "body").text()


def the(page: str, selector: str) -> LexborNode:
    """The first node of a page that a selector finds; there is one."""
    node = LexborHTMLParser(page).css_first(selector)
    assert node is not None, selector
    return node


def attribute(page: str, selector: str, name: str) -> str:
    """An attribute of that node."""
    return the(page, selector).attributes[name] or ""
