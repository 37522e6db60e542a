"""Whether HTML is seen: by an element's style, and by the names that a style sheet
hides."""

from __future__ import annotations

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser

_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*(?:\.0+)?%?\s*(?:!|;|$)"
    r"|font(?:-size)?\s*:\s*(?:[^;]*\s)?0+(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:!|/|;|$|\s)"
    r"|(?:left|top|text-indent|margin-left)\s*:\s*-\d{3,}|clip(?:-path)?\s*:\s*(?:rect\(0|inset\(50%|inset\(100%))",
    re.IGNORECASE,
)
_ZERO_BOX = re.compile(
    r"(?:^|;)\s*(?:max-)?(?:width|height)\s*:\s*0+(?:px|em|rem|%)?\s*(?:!|;|$)", re.IGNORECASE
)
_CLIPPED = re.compile(r"(?:^|;)\s*overflow\s*:\s*hidden", re.IGNORECASE)
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_CSS_RULE = re.compile(r"(?:^|[{};])([^{};@]{1,500})\{([^{}]{0,4000})\}")
_SIMPLE_SELECTOR = re.compile(r"[.#][\w-]+")


def is_hidden(attributes: Mapping[str, str]) -> bool:
    """Return True if an element's own attributes hide it."""
    if "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true":
        return True
    style = attributes.get("style", "")[:2000]
    return bool(style) and (
        bool(_HIDING.search(style)) or bool(_ZERO_BOX.search(style) and _CLIPPED.search(style))
    )


def hiding_names(tree: LexborHTMLParser) -> frozenset[str]:
    """Return the `.class` and `#id` selectors that the page's own style sheets hide.
    Rules inside at-blocks, such as those for other media, are ignored."""
    names: set[str] = set()
    for sheet in tree.css("style"):
        for rule in _CSS_RULE.finditer(
            _CSS_COMMENT.sub("", _without_at_blocks(sheet.text() or ""))
        ):
            if _HIDING.search(rule.group(2)):
                names.update(
                    name
                    for part in rule.group(1).split(",")
                    if _SIMPLE_SELECTOR.fullmatch(name := part.strip())
                )
    return frozenset(names)


def _without_at_blocks(sheet: str) -> str:
    plain: list[str] = []
    depth = 0
    skipping = False
    for part in re.split(r"([@{};])", sheet):
        if part == "@" and depth == 0:
            skipping = True
        elif part == "{":
            depth += 1
        elif part == "}":
            depth = max(0, depth - 1)
        if not skipping:
            plain.append(part)
        if skipping and depth == 0 and part in "};" and part:
            skipping = False
    return "".join(plain)
