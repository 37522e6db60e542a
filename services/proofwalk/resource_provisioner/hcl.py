"""HCL's structure without its semantics: tokens, then blocks, attributes and the tokens of each expression.

It reads what Terraform's native syntax allows and knows where each thing stands; it evaluates nothing. Templates inside strings
and heredocs are read as deep as they nest, so that no call hides in a text. Whoever judges a template (`guard`) or adds to
it (`workspace`) works on this tree. Input is bounded in bytes, tokens and depth; everything else is a `HclError` with a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

MAX_TOKENS = 20_000
MAX_DEPTH = 40
_IDENT = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_HEREDOC = re.compile(r"<<(-?)([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\n")
_OPERATORS = ("...", "::", "=>", "==", "!=", "<=", ">=", "&&", "||", *"{}[]()=.,:?+-*/%!<>")
_OPEN = {"{": "}", "[": "]", "(": ")"}


class HclError(Exception):
    """It is not HCL, or more of it than anybody writes."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


@dataclass(frozen=True)
class Token:
    """One token. `kind`: ident, number, string, op, newline."""

    kind: str
    text: str
    line: int
    start: int
    end: int
    parts: tuple[tuple[Token, ...], ...] = ()
    """Of a string: the tokens of each template in it."""

    @property
    def literal(self) -> str | None:
        """A string's own text when there is no template in it."""
        return None if self.kind != "string" or self.parts else self.text


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """`name = expression`."""

    name: str
    line: int
    tokens: tuple[Token, ...]
    source: str
    """The expression as it was written."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """`type "label" … { … }`."""

    type: str
    labels: tuple[str, ...]
    line: int
    body: Body


@dataclass(frozen=True, kw_only=True)
class Body:
    """What stands between braces, or in a file."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)


def walk(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The token sequence itself, and those of every template in its strings."""
    yield tokens
    for token in tokens:
        for part in token.parts:
            yield from walk(part)


def parse(source: str) -> Body:
    """The tree of a file. Raises `HclError`."""
    scanner = _Scanner(source)
    tokens = scanner.scan(closing="", depth=0)
    parser = _Parser(source, tokens)
    return parser.body(end=None, depth=0)


class _Scanner:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._line = 1
        self._count = 0

    def fail(self, message: str) -> HclError:
        return HclError(self._line, message)

    def _move(self, end: int) -> None:
        self._line += self._source.count("\n", self._at, end)
        self._at = end

    def scan(self, *, closing: str, depth: int) -> tuple[Token, ...]:
        """Tokens up to the end, or up to the brace that closes a template."""
        if depth > MAX_DEPTH:
            raise self.fail("templates nest too deeply")
        tokens: list[Token] = []
        open_: list[str] = []
        while True:
            self._skip()
            if self._at >= len(self._source):
                if closing:
                    raise self.fail("a template is not closed")
                if open_:
                    raise self.fail(f"{open_[-1]!r} is missing")
                return tuple(tokens)
            token = self._token(depth)
            self._count += 1
            if self._count > MAX_TOKENS:
                raise self.fail(f"there are more than {MAX_TOKENS} tokens")
            if token.kind == "op" and token.text in _OPEN:
                open_.append(_OPEN[token.text])
                if len(open_) > MAX_DEPTH:
                    raise self.fail("brackets nest too deeply")
            elif token.kind == "op" and token.text in "}])":
                if not open_ and token.text == closing:
                    return tuple(tokens)
                if not open_ or open_.pop() != token.text:
                    raise HclError(token.line, f"{token.text!r} closes nothing")
            tokens.append(token)

    def _skip(self) -> None:
        source = self._source
        while self._at < len(source):
            character = source[self._at]
            if character in " \t\r":
                self._at += 1
            elif character == "#" or source.startswith("//", self._at):
                end = source.find("\n", self._at)
                self._at = len(source) if end < 0 else end
            elif source.startswith("/*", self._at):
                end = source.find("*/", self._at + 2)
                if end < 0:
                    raise self.fail("a comment is not closed")
                self._move(end + 2)
            else:
                return

    def _token(self, depth: int) -> Token:
        source, start, line = self._source, self._at, self._line
        character = source[start]
        if character == "\n":
            self._move(start + 1)
            return Token("newline", "\n", line, start, start + 1)
        if character == '"':
            return self._string(depth)
        heredoc = _HEREDOC.match(source, start)
        if heredoc:
            return self._heredoc(heredoc, depth)
        for kind, pattern in (("ident", _IDENT), ("number", _NUMBER)):
            found = pattern.match(source, start)
            if found:
                self._at = found.end()
                return Token(kind, found.group(), line, start, found.end())
        for operator in _OPERATORS:
            if source.startswith(operator, start):
                self._at = start + len(operator)
                return Token("op", operator, line, start, self._at)
        raise self.fail(f"unexpected character {character!r}")

    def _string(self, depth: int) -> Token:
        start, line = self._at, self._line
        self._at += 1
        text: list[str] = []
        parts: list[tuple[Token, ...]] = []
        source = self._source
        while True:
            if self._at >= len(source) or source[self._at] == "\n":
                raise HclError(line, "a string is not closed")
            character = source[self._at]
            if character == '"':
                self._at += 1
                return Token("string", "".join(text), line, start, self._at, tuple(parts))
            if character == "\\":
                escaped = source[self._at + 1 : self._at + 2]
                if escaped in ("u", "U"):
                    width = 4 if escaped == "u" else 8
                    digits = source[self._at + 2 : self._at + 2 + width]
                    try:
                        text.append(chr(int(digits, 16)))
                    except (ValueError, OverflowError):
                        raise self.fail("an escape is malformed") from None
                    self._at += 2 + width
                    continue
                if escaped not in ("n", "r", "t", '"', "\\"):
                    raise self.fail("a string holds an unknown escape")
                text.append({"n": "\n", "r": "\r", "t": "\t"}.get(escaped, escaped))
                self._at += 2
            elif source.startswith(("${", "%{"), self._at) and not source.startswith(("$${", "%%{"), self._at - 1):
                self._at += 2
                parts.append(self.scan(closing="}", depth=depth + 1))
            else:
                text.append(character)
                self._at += 1

    def _heredoc(self, opening: re.Match[str], depth: int) -> Token:
        start, line = self._at, self._line
        self._move(opening.end())
        closing = re.compile(rf"^[ \t]*{re.escape(opening.group(2))}[ \t]*$", re.M)
        parts: list[tuple[Token, ...]] = []
        source = self._source
        body = self._at
        while True:
            end = closing.search(source, self._at)
            if end is None:
                raise HclError(line, f"the heredoc {opening.group(2)} is not closed")
            template = self._next_template(end.start())
            if template is None:
                text = source[body : end.start()]
                self._move(end.end())
                return Token("string", text, line, start, self._at, tuple(parts))
            self._move(template + 2)
            parts.append(self.scan(closing="}", depth=depth + 1))

    def _next_template(self, before: int) -> int | None:
        for found in re.compile(r"\$\$\{|%%\{|\$\{|%\{").finditer(self._source, self._at, before):
            if len(found.group()) == 2:
                return found.start()
        return None


class _Parser:
    def __init__(self, source: str, tokens: Sequence[Token]) -> None:
        self._source = source
        self._tokens = tokens
        self._at = 0

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _line(self) -> int:
        token = self._peek() or (self._tokens[-1] if self._tokens else None)
        return token.line if token else 1

    def body(self, *, end: str | None, depth: int) -> Body:
        if depth > MAX_DEPTH:
            raise HclError(self._line(), "blocks nest too deeply")
        body = Body()
        while True:
            while (token := self._peek()) is not None and token.kind == "newline":
                self._at += 1
            if token is None:
                if end is not None:
                    raise HclError(self._line(), "a block is not closed")
                return body
            if end is not None and token.kind == "op" and token.text == end:
                self._at += 1
                return body
            if token.kind != "ident":
                raise HclError(token.line, f"expected an argument or a block, found {token.text[:40]!r}")
            self._item(body, token, depth)

    def _item(self, body: Body, name: Token, depth: int) -> None:
        self._at += 1
        following = self._peek()
        if following is not None and following.kind == "op" and following.text == "=":
            self._at += 1
            attribute = self._attribute(name)
            if attribute.name in body.attributes:
                raise HclError(name.line, f"{attribute.name!r} is set twice")
            body.attributes[attribute.name] = attribute
            return
        labels: list[str] = []
        while (token := self._peek()) is not None:
            if token.kind == "ident" or token.literal is not None:
                labels.append(token.text)
                self._at += 1
            elif token.kind == "op" and token.text == "{":
                self._at += 1
                inner = self.body(end="}", depth=depth + 1)
                body.blocks.append(Block(type=name.text, labels=tuple(labels), line=name.line, body=inner))
                return
            else:
                break
        raise HclError(name.line, f"{name.text!r} is neither an argument nor a block")

    def _attribute(self, name: Token) -> Attribute:
        tokens: list[Token] = []
        depth = 0
        while (token := self._peek()) is not None:
            if token.kind == "op" and token.text in _OPEN:
                depth += 1
            elif token.kind == "op" and token.text in "}])":
                if depth == 0:
                    break
                depth -= 1
            elif token.kind == "newline" and depth == 0:
                break
            self._at += 1
            if token.kind != "newline":
                tokens.append(token)
        if not tokens:
            raise HclError(name.line, f"{name.text!r} has no value")
        source = self._source[tokens[0].start : tokens[-1].end]
        return Attribute(name=name.text, line=name.line, tokens=tuple(tokens), source=source)
