"""Turns Markdown into an outline: CommonMark with tables, front matter, definition
lists, admonitions and containers.

Lines come from the parser itself: a block token has its line range, and
`_PositionedState` notes each inline token's offset. So a token's line is its block's
first line plus the line breaks before that offset. HTML in between goes through the
HTML reader with its line offset. An element that is opened in one HTML block and closed
in another (a hidden or a note `<div>` around Markdown) is followed across the blocks
between. Around Markdown, the components of MDX are no HTML (`mdx`). See `outline`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.attrs import attrs_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from proofwalk.procedures import bold_notes, html, html_tags, kramdown, lettered_lists, mdx
from proofwalk.procedures.markdown_inline import read_inline
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import (
    MAX_DEPTH,
    Code,
    Fragment,
    Heading,
    Item,
    Listing,
    Node,
    Note,
    Paragraph,
    Row,
    Table,
    paragraph,
    plain,
    too_deep,
)

_ALERT = re.compile(r"^\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*", re.IGNORECASE)
_COMMENT = re.compile(r"^[ \t]*\[(?://|comment)\]:[ \t]*(?:#|<>).*$", re.MULTILINE)
"""`[//]: # "unseen"`: renderers drop it, and CommonMark takes it for text under a
paragraph."""
_CONTAINER = re.compile(r"^\s*\{?[A-Za-z][\w-]*")
_SHORT_OPENING = re.compile(r"^(?P<edge>[ \t]*)::(?=[a-z][\w-]*(?:\{.*\})?[ \t]*$)", re.MULTILINE)
_SHORT_CLOSING = re.compile(r"^(?P<edge>[ \t]*)::(?=[ \t]*$)", re.MULTILINE)
_TITLE = re.compile(r"^title:\s*(?P<title>.+?)\s*$", re.MULTILINE)


class _PositionedState(StateInline):
    def push(self, ttype: str, tag: str, nesting: Any) -> Token:
        token = super().push(ttype, tag, nesting)
        token.meta["at"] = self.pos
        return token

    def pushPending(self) -> Token:
        token = super().pushPending()
        token.meta["at"] = self.pos
        return token


class _PositionedInline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        state = _PositionedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _parser(*, indented_code: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_DEPTH})
    parser.inline = _PositionedInline()
    parser.enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(deflist_plugin).use(admon_plugin).use(attrs_plugin)
    parser.use(
        container_plugin, "box", validate=lambda params, _markup: bool(_CONTAINER.match(params))
    )
    return parser if indented_code else parser.disable("code")


def read(text: str) -> tuple[str, tuple[Node, ...]]:
    """Return the front matter's title (or an empty text) and the outline of a Markdown
    text whose lines end in LF."""
    text, has_components = mdx.without_components(_COMMENT.sub("", text))
    tokens = _parser(indented_code=not has_components).parse(_with_containers(text))
    # the parser drops without a word what lies deeper
    if any(token.level >= MAX_DEPTH - 1 for token in tokens):
        raise too_deep()
    title = ""
    if tokens and tokens[0].type == "front_matter":
        found = _TITLE.search(tokens[0].content)
        title = found["title"].strip("\"'") if found else ""
    return title, _Blocks(tokens).read(0, len(tokens))


def _with_containers(text: str) -> str:
    """Write `::callout{…}` … `::` with the three colons that containers have. Lines
    stay where they are."""
    if not _SHORT_OPENING.search(text):
        return text
    return _SHORT_CLOSING.sub(r"\g<edge>:::", _SHORT_OPENING.sub(r"\g<edge>:::", text))


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1


@dataclass
class _Element:
    """An HTML element that one HTML block left open, until another block closes it."""

    name: str
    hidden: bool
    note: bool
    line: int
    nodes: list[Node] = field(default_factory=list)


class _Blocks:
    """Reads a flat run of block tokens. The partner of each opening token is found
    once, in advance."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._partner: dict[int, int] = {}
        stack: list[int] = []
        for index, token in enumerate(tokens):
            if token.nesting == 1:
                stack.append(index)
            elif token.nesting == -1 and stack:
                self._partner[stack.pop()] = index

    def read(self, begin: int, end: int) -> tuple[Node, ...]:
        """Return the nodes of tokens[begin:end]."""
        root = _Element(name="", hidden=False, note=False, line=1)
        stack = [root]
        index = begin
        while index < end:
            token = self._tokens[index]
            close = self._partner.get(index, index)
            if token.type == "html_block":
                self._html(token, stack)
            elif not any(element.hidden for element in stack):
                stack[-1].nodes.extend(self._nodes(token, index, close))
            index = close + 1
        while len(stack) > 1:
            _close(stack)
        return tuple(root.nodes)

    def _html(self, token: Token, stack: list[_Element]) -> None:
        line = _line(token)
        opened = html_tags.unclosed(token.content)
        ended = html_tags.unopened(token.content)
        for name in ended:
            if any(element.name == name for element in stack[1:]):
                while stack[-1].name != name:
                    _close(stack)
                _close(stack)
        if not any(element.hidden for element in stack):
            stack[-1].nodes.extend(html.read_fragment(token.content, line))
        for tag in opened:
            if len(stack) > MAX_DEPTH:
                raise too_deep()
            stack.append(_Element(name=tag.name, hidden=tag.hidden, note=tag.note, line=line))

    def _nodes(self, token: Token, index: int, close: int) -> tuple[Node, ...]:
        match token.type:
            case "heading_open":
                pieces, _ = kramdown.without_list(read_inline(self._tokens[index + 1]))
                return (
                    (Heading(level=int(token.tag[1]), fragments=pieces, line=_line(token)),)
                    if plain(pieces)
                    else ()
                )
            case "paragraph_open" | "dt_open":
                return self._paragraph(token, index) if close > index + 1 else ()
            case "bullet_list_open" | "ordered_list_open":
                start = int(token.attrs.get("start", 1))
                ordered = token.type == "ordered_list_open"
                return (
                    Listing(
                        ordered=ordered,
                        items=self._items(index, close),
                        line=_line(token),
                        start=start,
                    ),
                )
            case "dl_open":
                return (
                    Listing(
                        ordered=False, items=self._definitions(index, close), line=_line(token)
                    ),
                )
            case "table_open":
                return (self._table(token, index, close),)
            case "blockquote_open":
                return self._quote(token, index, close)
            case "admonition_open":
                return (Note(nodes=self.read(index + 1, close), line=_line(token)),)
            case "container_box_open":
                inner = self.read(index + 1, close)
                word = _CONTAINER.match(token.info)
                return (
                    (Note(nodes=inner, line=_line(token)),)
                    if word and html_tags.is_note(word.group().strip(" {"))
                    else inner
                )
            case "fence" | "code_block":
                if not token.content.strip() or not token.map:
                    return ()
                first = _line(token) + (1 if token.type == "fence" else 0)
                return (
                    Code(
                        text=token.content.rstrip("\n"),
                        line=first,
                        end_line=max(first, token.map[1]),
                    ),
                )
            case _:
                return self.read(index + 1, close) if close > index else ()

    def _paragraph(self, token: Token, index: int) -> tuple[Node, ...]:
        pieces, is_note = kramdown.without_list(read_inline(self._tokens[index + 1]))
        pieces, noted = bold_notes.apart(pieces)
        nodes = lettered_lists.read(pieces) if pieces else ()
        if noted:
            return (*nodes, Note(nodes=lettered_lists.read(noted), line=noted[0].line))
        return (Note(nodes=nodes, line=_line(token)),) if is_note and nodes else nodes

    def _items(self, index: int, close: int) -> tuple[Item, ...]:
        items = []
        at = index + 1
        while at < close:
            end = self._partner[at]
            items.append(Item(nodes=self.read(at + 1, end), line=_line(self._tokens[at])))
            at = end + 1
        return tuple(items)

    def _definitions(self, index: int, close: int) -> tuple[Item, ...]:
        """Return each term with its definitions as one item: `term: definition`."""
        items: list[Item] = []
        term: tuple[Fragment, ...] = ()
        line = _line(self._tokens[index])
        at = index + 1
        while at < close:
            end = self._partner[at]
            token = self._tokens[at]
            if token.type == "dt_open":
                term, line = read_inline(self._tokens[at + 1]), _line(token)
            else:
                nodes = self.read(at + 1, end)
                colon = Fragment(role=InlineRole.TEXT, text=": ", line=line)
                if nodes and isinstance(nodes[0], Paragraph):
                    nodes = (Paragraph(fragments=(*term, colon, *nodes[0].fragments)), *nodes[1:])
                else:
                    nodes = (Paragraph(fragments=term), *nodes)
                items.append(Item(nodes=nodes, line=line))
            at = end + 1
        return tuple(items)

    def _table(self, token: Token, index: int, close: int) -> Table:
        rows: list[Row] = []
        cells: list[tuple[Fragment, ...]] = []
        line = _line(token)
        for inner in self._tokens[index:close]:
            if inner.type == "tr_open":
                cells, line = [], _line(inner)
            elif inner.type == "inline":
                cells.append(read_inline(inner))
            elif inner.type == "tr_close" and kramdown.is_list("".join(map(plain, cells))):
                continue
            elif inner.type == "tr_close":
                blocks = (paragraph(pieces) for pieces in cells)
                rows.append(
                    Row(
                        cells=tuple(plain(pieces) for pieces in cells),
                        line=line,
                        contents=tuple((one,) if one else () for one in blocks),
                    )
                )
        return Table(rows=tuple(rows), line=_line(token))

    def _quote(self, token: Token, index: int, close: int) -> tuple[Node, ...]:
        nodes = self.read(index + 1, close)
        first = nodes[0] if nodes else None
        if isinstance(first, Paragraph):
            alert = _ALERT.match(plain(first.fragments))
            if alert:
                rest = [piece for piece in first.fragments if piece.line > first.fragments[0].line]
                body = paragraph(rest)
                nodes = (*((body,) if body else ()), *nodes[1:])
        return (Note(nodes=nodes, line=_line(token)),) if nodes else ()


def _close(stack: list[_Element]) -> None:
    element = stack.pop()
    if element.note and element.nodes:
        stack[-1].nodes.append(Note(nodes=tuple(element.nodes), line=element.line))
    else:
        stack[-1].nodes.extend(element.nodes)
