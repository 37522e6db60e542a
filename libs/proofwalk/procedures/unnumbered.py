"""Finds procedures in a section that has no ordered list: in bullets, in paragraphs and
in the cells of a table.

The rule, *steps by asking*. A sentence asks if it begins as an instruction
(`imperatives`). A list of bullets asks if its first item does and two thirds of its
items; a paragraph, if half of its sentences do. From the first such node on, a *run* of
nodes is read together, up to a goal (`To …`), an introduction that ends in a colon, or
three paragraphs or lists in a row that ask nothing. A run is a procedure if

- it asks for a gesture at a console and for another gesture or handling; or its first
  sentence gives a goal and it asks for one of them (`To delete a queue, select …`);
- half of what asks is a gesture or a handling, unless an introduction announces steps;
- half of its sentences ask, and none of them introduces code; and
- nothing before it offers its items as a choice or as features (`you can`, `one of the
  following`), and no heading above it says that it is about something else.

One sentence is a procedure by itself if it *leads*: it asks for a gesture on something
that is marked up and for something more (`go to **Queues** and edit …`), and gives its
goal, or the heading above does (`Add a queue`). Under such a heading it is enough that
it says what will be seen (`Click **Queues** to view a list of them`). What stands
beside it, before and behind, explains it, however much that is. A paragraph that begins
as another way (`Alternatively, you can …`) is a procedure of its own: both are not
walked one after the other.

So a list of features, options or advice is no procedure, nor is work at a command line,
unless the sentence asks to enter the code. In a table with a cell for the console
(`Web UI`) beside cells with code, the others are other ways: only that cell is read,
and it counts if it asks for one gesture. Ordered lists in cells are procedures as
everywhere.

Bullets under a step that leaves a choice (`Select one of the following:`) belong to it.
Bullets that say how to leave a dialog without saving, after a bullet that saves, are
kept as a note: walked one after the other they would undo each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from proofwalk.procedures import sentences as splitting
from proofwalk.procedures.imperatives import (
    Asking,
    asking,
    goes_on,
    has_goal,
    is_task,
    shows,
)
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import (
    Code,
    Fragment,
    Heading,
    Item,
    Listing,
    Node,
    Note,
    Paragraph,
    Table,
    plain,
)
from proofwalk.procedures.runs import COLONS, MAX_GAP, Run

_ELSEWHERE = re.compile(
    r"release notes|change ?log|what['’]?s new|see also|related\b|further reading|resources$|best"
    r" practices|recommendations?\b|contribut|road ?map|known issues|limitations|licen[cs]e|"
    r"features\b|glossary|更新日志|最佳实践|相关",
    re.I,
)
_CHOICE = re.compile(r"\b(?:one|any|either|some|each) of\b|\beither\b|\boptions?\b|之一", re.I)
_CONSOLE = re.compile(
    r"\b(?:web|graphical|management|admin(?:istration)?)[ -]?(?:ui|gui|interface|console|plugin)\b|"
    r"\b(?:ui|gui|console|dashboard|browser|portal)\b|控制台",
    re.I,
)
_COMMANDS = re.compile(r"\b(?:cli|command|shell|http api|rest|curl|script)\b|命令", re.I)
_DO_SO = re.compile(r"to do (?:so|this|that)\b", re.I)
"""The goal is what the sentence before says."""
_OTHER_WAY = re.compile(r"alternatively\b|another way\b|或者[，,]", re.I)
MAX_NAME = 40
"""Most characters of a cell that names a way; a longer one is text."""
_MARKED = (InlineRole.STRONG, InlineRole.EMPHASIS, InlineRole.CODE)
_ENTERS = re.compile(r".{0,160}?\b(?:enter|paste|type|input|输入|粘贴)\b", re.I)
_LEAVES = re.compile(
    r"(?:to\s+[^,]{1,60},\s+)?(?:click|press|select|choose|use|tap)\s+(?:on\s+)?(?:the\s+)?"
    r"[\"“‘'*]?(?:cancel|close|reset|discard|help|info|\?)\b",
    re.I,
)


@dataclass(kw_only=True)
class SectionSteps:
    """Steps that were found in a section. Before them stand the section's first `begin`
    nodes, and `before`, of a paragraph that they share."""

    items: list[Item]
    begin: int
    before: list[Node] = field(default_factory=list)


def find(nodes: Sequence[Node], headings: Sequence[str], *, file: str) -> list[SectionSteps]:
    """Return the procedures of a section without an ordered list."""
    if any(_ELSEWHERE.search(text) for text in headings):
        return []
    in_cells = list(_in_cells(nodes, file))
    if in_cells:
        return in_cells
    return [
        SectionSteps(items=run.items, begin=run.begin, before=run.before)
        for run in _runs(nodes, file, is_task=bool(headings) and is_task(headings[-1]))
        if run.is_procedure
    ]


def _in_cells(nodes: Sequence[Node], file: str) -> Iterator[SectionSteps]:
    for index, node in enumerate(nodes):
        if not isinstance(node, Table):
            continue
        own = _cells_of_console(node)
        cells = own or [cell for row in node.rows for cell in row.contents]
        for cell in cells:
            for items in _steps_of_cell(cell, file, told=bool(own)):
                yield SectionSteps(items=items, begin=index)


def _cells_of_console(table: Table) -> list[tuple[Node, ...]]:
    """Return the cells that a row's or a column's name gives to the console, if cells
    beside them show commands."""
    rows = [row for row in table.rows if row.contents]
    if not any(isinstance(one, Code) for row in rows for cell in row.contents for one in cell):
        return []
    if not rows:
        return []
    names, head = rows[0].cells, rows[0].contents
    columns = [at for at, name in enumerate(names) if _names_console(name)]
    titles = all(isinstance(one, Paragraph | Heading) for cell in head for one in cell)
    if columns and titles and all(len(name) <= MAX_NAME for name in names):
        return [row.contents[at] for row in rows[1:] for at in columns if at < len(row.contents)]
    return [cell for row in rows if _names_console(row.cells[0]) for cell in row.contents[1:]]


def _names_console(text: str) -> bool:
    return len(text) <= MAX_NAME and bool(_CONSOLE.search(text)) and not _COMMANDS.search(text)


def _steps_of_cell(cell: Sequence[Node], file: str, *, told: bool) -> Iterator[list[Item]]:
    ordered = [one for one in cell if isinstance(one, Listing) and one.ordered and one.items]
    for listing in ordered:
        if told or len(listing.items) > 1:
            yield list(listing.items)
    for node in cell:
        if isinstance(node, Table):
            yield from (found.items for found in _in_cells([node], file))
    if told and not ordered:
        runs = _runs(cell, file)
        yield from (run.items for run in runs if run.gestures)


class _Runs:
    """Goes over the nodes of a section, and closes a run where the rule says so."""

    def __init__(self, file: str, *, is_task: bool) -> None:
        self._file = file
        self._is_task = is_task
        self._run: Run | None = None
        self._said = ""
        self.done: list[Run] = []

    def take(self, index: int, node: Node, following: Node | None) -> None:
        """Read one node."""
        if isinstance(node, Listing) and not node.ordered:
            self._bullets(index, node)
        elif isinstance(node, Paragraph):
            self._paragraph(index, node, following)
        else:
            self._other(node)

    def close(self) -> None:
        """End the run; what waits behind its last step is not of it."""
        if self._run is not None and self._run.items:
            self.done.append(self._run)
        self._run = None

    def _opened(self, index: int, *, bullets: bool) -> Run:
        if self._run is None:
            introduces = bullets or self._said[-1:] in COLONS
            self._run = Run(begin=index, introduction=self._said if introduces else "")
        return self._run

    def _other(self, node: Node) -> None:
        run = self._run
        if run is None:
            return
        run.waiting.append(node)
        if run.open_colon and isinstance(node, Listing | Table | Code):
            run.settle()
            run.open_colon = False
        elif run.gap > MAX_GAP:
            self.close()

    def _may_ask(self, node: Node | None) -> bool:
        """Whether the node is a list of steps, as far as one can tell. In a run that
        leads, a list of which no item asks explains."""
        if not isinstance(node, Listing):
            return False
        leads = self._run is not None and self._run.leads
        return not leads or any(asking(_first_sentence(one, self._file)) for one in node.items)

    def _bullets(self, index: int, listing: Listing) -> None:
        heads = [_first_sentence(item, self._file) for item in listing.items]
        asks = [asking(text) for text in heads]
        yes = sum(1 for one in asks if one)
        choice = self._run is not None and self._run.open_colon and _CHOICE.search(self._said)
        if not yes or not asks[0] or yes * 3 < len(asks) * 2 or choice:
            self._other(listing)
            return
        run = self._opened(index, bullets=True)
        saved = False
        for item, how, text in zip(listing.items, asks, heads, strict=True):
            leaves = _LEAVES.match(text) is not None
            if leaves and (saved or not run.items):
                run.aside(Note(nodes=item.nodes, line=item.line))
                continue
            saved = how >= Asking.HANDLING
            run.step(item.nodes, item.line, how, text)
            if not how:
                run.instructions -= 1
                run.statements += 1
        run.open_colon = False
        self._said = ""

    def _leads(self, part: Sequence[Fragment], text: str, how: Asking, *, other_way: bool) -> bool:
        """Whether a sentence is a procedure by itself. `other_way`: its paragraph says
        that it is another way to the goal."""
        marked = any(one.role in _MARKED and one.text.strip() for one in part)
        aims = has_goal(text) or self._is_task or other_way
        more = goes_on(text) or (self._is_task and shows(text))
        return how is Asking.GESTURE and marked and aims and more

    def _paragraph(self, index: int, node: Paragraph, following: Node | None) -> None:
        parts = splitting.divided(node.fragments)
        texts = [plain(part) for part in parts]
        asks = [asking(text) for text in texts]
        leads_on = texts[-1][-1:] in COLONS
        commands = leads_on and _shows_commands(following) and not _ENTERS.match(texts[-1])
        if commands:
            asks[-1] = Asking.NOTHING
        yes = sum(1 for one in asks if one)
        introduces = leads_on and self._may_ask(following) and not asks[-1]
        if introduces or (yes and has_goal(texts[0])):
            self.close()
        other_way = _OTHER_WAY.match(texts[0].strip()) is not None
        leads = any(
            self._leads(part, text, how, other_way=other_way)
            for part, text, how in zip(parts, texts, asks, strict=True)
        )
        goal = self._run is not None and self._run.leads and any(map(has_goal, texts))
        if leads and (other_way or goal):
            self.close()
        if not yes or (self._run is None and not leads and yes * 2 < len(asks)):
            self._said = texts[-1]
            self._other(node)
        else:
            run = self._opened(index, bullets=False)
            first = next(text for text, how in zip(texts, asks, strict=True) if how)
            aims = has_goal(texts[0]) or _DO_SO.match(first.strip()) is not None
            run.goal = run.goal or (not run.items and aims)
            run.leads |= leads
            for part, text, how in zip(parts, texts, asks, strict=True):
                run.sentence(part, text, how)
            run.open_colon = leads_on
            self._said = texts[-1]
        if self._run is not None:
            self._run.has_commands |= commands


def _runs(nodes: Sequence[Node], file: str, *, is_task: bool = False) -> list[Run]:
    runs = _Runs(file, is_task=is_task)
    for index, node in enumerate(nodes):
        runs.take(index, node, nodes[index + 1] if index + 1 < len(nodes) else None)
    runs.close()
    return runs.done


def _first_sentence(item: Item, file: str) -> str:
    first = item.nodes[0] if item.nodes else None
    if not isinstance(first, Paragraph):
        return ""
    parts = splitting.split(first.fragments, file=file)
    return parts[0].text if parts else ""


def _shows_commands(node: Node | None) -> bool:
    """Return True for code, and for a table with code in a cell and no way by the
    console."""
    if isinstance(node, Table):
        cells = [one for row in node.rows for cell in row.contents for one in cell]
        return not _cells_of_console(node) and any(isinstance(one, Code) for one in cells)
    return isinstance(node, Code)
