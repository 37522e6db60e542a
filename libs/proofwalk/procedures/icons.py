"""Names the pictures that a document draws with a font or a short code, not with an
image.

`<span class="material-icons">add</span>`, `<i class="fa fa-plus"></i>`,
`:icon{name="edit"}` and `{{< icon name="edit" >}}` all show a sign to a reader. A title
that the author wrote names it best, then what the font calls it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LIGATURE = re.compile(r"(?:^|\s)material-(?:icons|symbols)[\w-]*(?:\s|$)")
_CLASS = re.compile(
    r"(?:^|\s)(?:fa|fas|far|fab|mdi|glyphicon|bi|icon|ti|ri|octicon|pficon|oi|feather)-"
    r"(?!(?:lg|[1-9]x|fw|spin|pulse|border|inverse|rotate-\d+|solid|regular|brands)(?:\s|$))"
    r"(?P<name>[a-z][a-z0-9-]*)"
)
_SHORT_CODE = re.compile(
    r"\{\{[<%]\s*(?P<hugo>.*?)\s*[%>]\}\}|\{%-?\s*(?P<liquid>.*?)\s*-?%\}|:icon\{(?P<mdc>[^{}]*)\}"
)
"""Hugo's, Liquid's, and Nuxt's. What is no icon is layout, and shows no words."""
_ICON = re.compile(r"^(?:icon|octicon|fa|fontawesome|svg-?icon)\b")
_VALUE = re.compile(r"""(?:(?P<key>[\w-]+)=)?["'](?P<value>[^"']*)["']""")
_ICON_WORDS = frozenset({"icon", "ico", "btn", "button"})
_TITLES = ("title", "aria-label", "label", "alt")
_SHAPE = re.compile(r"[-_](?:outline|outlined|rounded|round|sharp|filled|fill|solid)(?=[-_]|$)")


def has_ligature(name: str, attributes: Mapping[str, str]) -> bool:
    """Return True if the text of this element is the name of a sign."""
    if name not in ("i", "span"):
        return False
    return "mi" in attributes or LIGATURE.search(attributes.get("class", "")) is not None


def of_element(name: str, attributes: Mapping[str, str]) -> str:
    """Return the name of the sign that an element without text shows; empty for
    another."""
    if name not in ("i", "span", "em"):
        return ""
    found = _CLASS.search(attributes.get("class", ""))
    if found is None:
        return ""
    return _titled(attributes) or found["name"].replace("-", " ")


def of_file(address: str) -> str:
    """Return the name of the sign that an image without words shows, by its file:
    `img/dash_icon_gear.png` → `gear`. Empty for a file that is called no icon."""
    stem = address.split("?")[0].rsplit("/", 1)[-1].rsplit(".", 1)[0]
    parts = [part for part in re.split(r"[-_ ]+", stem.lower()) if part]
    at = next((place for place, part in enumerate(parts) if part in _ICON_WORDS), None)
    if at is None:
        return ""
    named = parts[at + 1 :] or parts[max(0, at - 1) : at]
    return " ".join(part for part in named if part.isalpha() and part not in _ICON_WORDS)


def split(text: str) -> list[tuple[str, bool]]:
    """Split a text at its short codes: runs of text, and names of signs (True). Layout
    is left out."""
    runs: list[tuple[str, bool]] = []
    at = 0
    for found in _SHORT_CODE.finditer(text):
        runs.append((text[at : found.start()], False))
        at = found.end()
        runs.append((_of_code(found), True))
    runs.append((text[at:], False))
    return [(run, sign) for run, sign in runs if run]


def _of_code(found: re.Match[str]) -> str:
    body = found["hugo"] or found["liquid"] or ""
    if found["mdc"] is None and not _ICON.match(body):
        return ""
    values = [(one["key"] or "name", one["value"]) for one in _VALUE.finditer(found["mdc"] or body)]
    attributes = dict(reversed(values))
    return _titled(attributes) or _plain(attributes.get("name", ""))


def _titled(attributes: Mapping[str, str]) -> str:
    return next((attributes[key] for key in _TITLES if attributes.get(key)), "")


def _plain(name: str) -> str:
    """`material-symbols:edit-outline-rounded` → `edit`."""
    bare = name.rsplit(":", 1)[-1]
    while (shorter := _SHAPE.sub("", bare, count=1)) != bare:
        bare = shorter
    return bare.replace("-", " ").replace("_", " ").strip()
