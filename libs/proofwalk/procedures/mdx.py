"""Components of MDX around Markdown: `<Frame>`, `<Steps>`, `<Tab title="Linux">`.

A component has a capital letter, and what stands in it is Markdown, however far it is
indented. CommonMark takes such a tag for HTML and what follows it for its text, with
all asterisks and brackets in it. So the lines of these tags are emptied; notes become
`:::` containers. Only components are touched whose tags stand on lines of their own,
as often opened as closed, outside of code. What a page hides stays HTML. Lines stay
where they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from proofwalk.procedures import html_tags

_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
_TAG = re.compile(r"^(?P<edge>\s*)<(?P<end>/?)(?P<name>[A-Z][a-z]\w*)(?P<more>(?:\s[^<>]*)?)>\s*$")
_ON_ONE_LINE = re.compile(
    r"^(?P<edge>\s*)<(?P<name>[A-Z][a-z]\w*)(?P<more>(?:\s[^<>]*)?)>(?P<inner>.*)</(?P=name)>\s*$"
)


def without_components(text: str) -> tuple[str, bool]:
    """Return the text without the tags of its components, and whether it had any."""
    opened: Counter[str] = Counter()
    closed: Counter[str] = Counter()
    lines = text.split("\n")
    for at in _outside_code(lines):
        tag, whole = _TAG.match(lines[at]), _ON_ONE_LINE.match(lines[at])
        if whole is not None:
            opened[whole["name"]] += 0 if _hides(whole) else 1
            closed[whole["name"]] += 1
        elif tag is not None and tag["end"]:
            closed[tag["name"]] += 1
        elif tag is not None and not tag["more"].endswith("/"):
            opened[tag["name"]] += 0 if _hides(tag) else 1
    names = {name for name, count in opened.items() if count == closed[name]}
    if not names:
        return text, False
    return "\n".join(_unwrapped(lines, names)), True


def _unwrapped(lines: list[str], names: set[str]) -> Iterator[str]:
    """Yield the lines without the tags of these components, and what stands in one as
    far to the left as its tag."""
    outside = set(_outside_code(lines))
    inside: list[_Component] = []
    for at, line in enumerate(lines):
        tag = _TAG.match(line) if at in outside else None
        if tag is None or tag["name"] not in names or tag["more"].endswith("/"):
            whole = _ON_ONE_LINE.match(line) if at in outside else None
            if whole and whole["name"] in names and not html_tags.is_note(whole["name"]):
                line = f"{whole['edge']}{whole['inner']}"
            yield inside[-1].moved(line) if inside else line
            continue
        if tag["end"]:
            while inside and inside.pop().name != tag["name"]:
                pass
        moved = inside[-1].moved(line) if inside else line
        if not tag["end"]:
            before = len(line) - len(moved)
            inside.append(_Component(name=tag["name"], edge=len(tag["edge"]), before=before))
        note = html_tags.is_note(tag["name"])
        edge = moved[: len(moved) - len(moved.lstrip())]
        yield (f"{edge}:::" + ("" if tag["end"] else " note")) if note else ""


@dataclass(kw_only=True)
class _Component:
    """A component that is open."""

    name: str
    edge: int
    """Where its tag begins."""
    before: int
    """How far its tag was moved to the left."""
    own: int | None = None
    """Where its first line begins."""

    def moved(self, line: str) -> str:
        """Return a line in it, moved to the left."""
        indent = len(line) - len(line.lstrip())
        if self.own is None and line.strip():
            self.own = indent
        own = self.edge if self.own is None else self.own
        return line[min(indent, self.before + max(0, own - self.edge)) :]


def _hides(tag: re.Match[str]) -> bool:
    found = html_tags.tag(f"<{tag['name']}{tag['more']}>")
    return found is not None and found.hidden


def _outside_code(lines: list[str]) -> Iterator[int]:
    """Yield the places of the lines that are no code between fences."""
    fence = ""
    for at, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            if found and found["fence"].startswith(fence) and not found["info"].strip():
                fence = ""
        elif found:
            fence = found["fence"]
        else:
            yield at
