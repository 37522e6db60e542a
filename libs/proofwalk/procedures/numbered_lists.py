"""Numbered lists of an outline that are procedures, and what stands under the headings
of prerequisites.

A list that an unindented table or note interrupts, and that goes on with the next
number, is one list; so is one that begins anew behind words that lead on (`Once on the
page:`), with nothing but pictures between.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from proofwalk.procedures import sentences as splitting
from proofwalk.procedures import unnumbered
from proofwalk.procedures.model import (
    Sentence,
)
from proofwalk.procedures.outline import (
    Heading,
    Item,
    Listing,
    Node,
    Note,
    Paragraph,
    paragraphs,
    plain,
)

_PREREQUISITES = re.compile(
    r"prerequisites?\b|before (?:you|we)"
    r" (?:begin|start|proceed)|requirements\b|preparations?\b|前提条件|准备工作",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?!.*\byou (?:can|may|could)\b)(?:"
    r"(?:once|after|when|then|next|now|from there|at this point|finally)\b[^.;]*[:：]"
    r"|(?:fill in|fill out|complete|populate|provide|specify|enter|set)\b[^.;]*"
    r"\b(?:fields?|form|details|parameters|values|information|following)\b[^.;]*[:：])$",
    re.IGNORECASE,
)
"""Words that lead from one list to the next: `Once on the page:`, `Fill in the required
fields:`."""
_SAYS_MORE = re.compile(r"[.!?:：。]\s*$")
INTRODUCTION = 40
"""Most sentences of a list's introduction, and of what each heading adds to it."""


@dataclass(kw_only=True)
class NumberedList:
    """An ordered list with the headings above it. It grows while the list goes on."""

    headings: tuple[str, ...]
    start: int
    items: list[Item]
    lead: tuple[Sentence, ...] = ()
    """What stands under the headings, before the list: of each heading the last
    `INTRODUCTION` sentences."""
    between: list[Node] = field(default_factory=list)
    is_numbered: bool = True
    """False for steps that `unnumbered` found."""

    def adopt(self, listing: Listing) -> bool:
        """Append `listing` if its number continues this list, or the words between
        them do. Return True if it goes on."""
        if listing.start == 1:
            between = _led_on(self.between)
        else:
            between = self.between if listing.start == self.start + len(self.items) else None
        if between is None:
            return False
        last = self.items[-1]
        self.items[-1] = Item(nodes=(*last.nodes, *between), line=last.line)
        self.between = []
        self.items.extend(listing.items)
        return True


def _led_on(between: Sequence[Node]) -> list[Node] | None:
    """Return what stands between a list and one that goes on with it, the words that
    say so as a note: `Once the form is open:`. None where nothing says so."""
    said = [
        node
        for node in between
        if isinstance(node, Paragraph) and plain(node.fragments).strip(" \ufffc")
    ]
    texts = [" ".join(plain(node.fragments).split()) for node in said]
    if not texts or not _GOES_ON.match(texts[-1]) or any(map(_SAYS_MORE.search, texts[:-1])):
        return None
    words = said[-1]
    note = Note(nodes=(words,), line=words.fragments[0].line)
    return [note if node is words else node for node in between]


class NumberedLists:
    """Goes over the top-level nodes, and remembers the headings above."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._trail: list[tuple[int, str]] = []
        self._leads: dict[int, deque[Sentence]] = {}
        """What stands under each heading of the trail, by the heading's level; 0 is
        what stands above all headings."""
        self._current: NumberedList | None = None
        self._section: list[Node] = []
        """The nodes since the last heading; emptied by an ordered list."""
        self._has_list = False
        """True if the section has an ordered list."""
        self.lists: list[NumberedList] = []
        self.unnumbered: list[NumberedList] = []
        self.prerequisites: list[Sentence] = []

    def run(self, nodes: Iterable[Node]) -> None:
        """Collect procedures and prerequisites."""
        for node in nodes:
            if isinstance(node, Heading):
                self._close_section()
                while self._trail and self._trail[-1][0] >= node.level:
                    self._leads.pop(self._trail.pop()[0], None)
                self._trail.append((node.level, plain(node.fragments)))
                self._current = None
            elif any(_PREREQUISITES.match(text) for _, text in self._trail[1:] or self._trail):
                self.prerequisites.extend(self._sentences(node))
            elif isinstance(node, Listing) and node.ordered and node.items:
                self._has_list = True
                self._ordered(node)
            else:
                self._section.append(node)
                level = self._trail[-1][0] if self._trail else 0
                lead = self._leads.setdefault(level, deque(maxlen=INTRODUCTION))
                lead.extend(self._sentences(node))
                if self._current:
                    self._current.between.append(node)
                if isinstance(node, Listing):
                    self._inside_bullets(node)
        self._close_section()

    def _close_section(self) -> None:
        """Look for other steps in a section that has no ordered list."""
        nodes, has_list = self._section, self._has_list
        self._section, self._has_list = [], False
        if has_list or not nodes:
            return
        headings = tuple(text for _, text in self._trail)
        own = self._trail[-1][0] if self._trail else 0
        outer = [one for level, lead in sorted(self._leads.items()) if level != own for one in lead]
        before = deque(outer, maxlen=INTRODUCTION)
        read = 0
        for found in unnumbered.find(nodes, headings, file=self._name):
            for node in nodes[read : found.begin]:
                before.extend(self._sentences(node))
            read = max(read, found.begin)
            shared = [one for node in found.before for one in self._sentences(node)]
            self.unnumbered.append(
                NumberedList(
                    headings=headings,
                    start=1,
                    items=found.items,
                    lead=(*before, *shared),
                    is_numbered=False,
                )
            )

    def _ordered(self, listing: Listing) -> None:
        if self._current and self._current.adopt(listing):
            return
        headings = tuple(text for _, text in self._trail)
        self._current = NumberedList(
            headings=headings,
            start=listing.start,
            items=list(listing.items),
            lead=tuple(one for _, lead in sorted(self._leads.items()) for one in lead),
        )
        self.lists.append(self._current)

    def _sentences(self, node: Node) -> Iterator[Sentence]:
        """Yield what a node says, lists and notes included."""
        for pieces in paragraphs([node]):
            yield from splitting.split(pieces, file=self._name)

    def _inside_bullets(self, listing: Listing) -> None:
        """Collect lists of steps below bullets, which are alternatives ("Method 1",
        "Method 2")."""
        for item in listing.items:
            head = next(
                (
                    plain(node.fragments)
                    for node in item.nodes
                    if isinstance(node, Paragraph | Heading)
                ),
                "",
            )
            for node in item.nodes:
                if isinstance(node, Listing) and node.ordered and len(node.items) > 1:
                    self._has_list = True
                    headings = (*(text for _, text in self._trail), *((head[:80],) if head else ()))
                    self.lists.append(
                        NumberedList(headings=headings, start=node.start, items=list(node.items))
                    )
