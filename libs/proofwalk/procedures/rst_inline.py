"""Text below an element of a docutils tree, as fragments.

Text nodes keep their line breaks, so a fragment's line is its paragraph's line plus the
breaks before it.
"""

from __future__ import annotations

from dataclasses import replace

from docutils import nodes as dn

from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import (
    Fragment,
)
from proofwalk.procedures.rst_names import Names

MAX_SUBSTITUTIONS = 3
"""How deep substitutions may name one another."""
MAX_FRAGMENTS = 2_000
"""Runs of one paragraph after which nothing more is substituted."""
_SILENT = (dn.system_message, dn.target, dn.raw, dn.footnote_reference)


class InlineReader:
    """Reads the text below an element, line by line."""

    def __init__(self, line: int, limit: int, names: Names) -> None:
        self.fragments: list[Fragment] = []
        self._names = names
        self._within: list[dn.Element] = []
        self._line = line
        self._limit = limit

    def take(self, node: dn.Element, role: InlineRole, target: str) -> None:
        """Add the text below `node`."""
        for child in node.children:
            if isinstance(child, dn.Text):
                self._add(str(child), role, target)
            elif isinstance(child, dn.image):
                alt, address = str(child.get("alt", "")), str(child.get("uri", ""))
                self.fragments.append(
                    Fragment(role=InlineRole.IMAGE, text=alt, line=self._line, target=address)
                )
            elif isinstance(child, dn.substitution_reference):
                self._substitute(child, role, target)
            elif isinstance(child, dn.Element) and not isinstance(child, _SILENT):
                before = self._line
                address = (
                    self._names.address(child) or target
                    if isinstance(child, dn.reference)
                    else target
                )
                self.take(child, _role(child, role), address)
                self._line = max(self._line, min(before + child.rawsource.count("\n"), self._limit))

    def _substitute(
        self, reference: dn.substitution_reference, role: InlineRole, target: str
    ) -> None:
        """Add the text that a name stands for, on the line of the name. Substitutions
        without end are left out."""
        found = self._names.substitution(reference)
        if found is None:
            self._add(reference.rawsource or reference.astext(), role, target)
        elif (
            found not in self._within
            and len(self._within) < MAX_SUBSTITUTIONS
            and len(self.fragments) < MAX_FRAGMENTS
        ):
            line, begin = self._line, len(self.fragments)
            self._within.append(found)
            self.take(found, role, target)
            self._within.pop()
            self._line = line
            self.fragments[begin:] = [replace(one, line=line) for one in self.fragments[begin:]]

    def _add(self, text: str, role: InlineRole, target: str) -> None:
        for offset, part in enumerate(text.replace("\x00", "").split("\n")):
            if offset:
                self.fragments.append(Fragment(role=role, text=" ", line=self._line, target=target))
                self._line = min(self._line + 1, self._limit)
            if part:
                self.fragments.append(
                    Fragment(role=role, text=part, line=self._line, target=target)
                )


def _role(node: dn.Element, role: InlineRole) -> InlineRole:
    if role in (InlineRole.CODE, InlineRole.STRONG):
        return role
    match node:
        case dn.strong():
            return InlineRole.STRONG
        case dn.literal() | dn.math():
            return InlineRole.CODE
        case dn.reference():
            return InlineRole.LINK
        case dn.emphasis() | dn.title_reference():
            return InlineRole.EMPHASIS
        case _:
            return role
