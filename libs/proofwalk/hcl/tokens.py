"""Tokens of a template: HCL's words, numbers, strings and operators, each with its
line.

What could be read in two ways is no token and is refused: heredocs (Terraform ends one
at any Unicode space around its mark, others do not), template directives, strip
markers, mixed runs of `$` and `%` before a brace, a carriage return by itself, and
every character that shows nothing (controls, format marks, line separators). Outside
strings and comments a template is ASCII. A string is its parts in order: text with all
escapes resolved, and the tokens of each `${…}`, as deep as they nest. Input is bounded
in tokens and depth; everything else is a `HclError` with a line.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

MAX_TOKENS = 20_000
MAX_DEPTH = 40
_IDENT = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?(?![A-Za-z0-9_.])")
_MAX_NUMBER = 40
_MARKS = re.compile(r"[$%]+")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_OPERATORS = ("...", "::", "=>", "==", "!=", "<=", ">=", "&&", "||", *"{}[]()=.,:?+-*/%!<>")
_OPEN = {"{": "}", "[": "]", "(": ")"}
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

Kind = Literal["ident", "number", "string", "op", "newline"]


class HclError(Exception):
    """It is not a template, or more of one than anybody writes."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


@dataclass(frozen=True)
class Token:
    """One token."""

    kind: Kind
    text: str
    """As it was written; of a string nothing."""
    line: int
    parts: tuple[str | tuple[Token, ...], ...] = ()
    """Of a string: its texts, without escapes, and the tokens of each interpolation, in
    order."""

    def is_op(self, text: str) -> bool:
        return self.kind == "op" and self.text == text

    @property
    def plain(self) -> str | None:
        """A string's text when nothing is interpolated in it."""
        if self.kind != "string" or any(not isinstance(part, str) for part in self.parts):
            return None
        return "".join(part for part in self.parts if isinstance(part, str))


def tokenize(source: str) -> tuple[Token, ...]:
    """The tokens of a file. Raises `HclError`."""
    _refuse_unseen(source)
    return _Scanner(source).scan(closing="", depth=0)


def _refuse_unseen(source: str) -> None:
    line = 1
    for at, character in enumerate(source):
        if character == "\n":
            line += 1
        elif character == "\t" or (character == "\r" and source[at + 1 : at + 2] == "\n"):
            continue
        elif unicodedata.category(character) in _UNSEEN:
            raise HclError(
                line,
                "the template holds a control character or one that shows nothing:"
                f" U+{ord(character):04X}",
            )


class _Scanner:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._line = 1
        self._count = 0

    def _fail(self, message: str) -> HclError:
        return HclError(self._line, message)

    def scan(self, *, closing: str, depth: int) -> tuple[Token, ...]:
        """Tokens up to the end, or up to the brace that closes an interpolation."""
        if depth > MAX_DEPTH:
            raise self._fail("interpolations nest too deeply")
        tokens: list[Token] = []
        open_: list[str] = []
        while True:
            self._skip()
            if self._at >= len(self._source):
                if closing:
                    raise self._fail("an interpolation is not closed")
                if open_:
                    raise self._fail(f"{open_[-1]!r} is missing")
                return tuple(tokens)
            token = self._token(depth)
            self._count += 1
            if self._count > MAX_TOKENS:
                raise self._fail(f"there are more than {MAX_TOKENS} tokens")
            if token.kind == "op" and token.text in _OPEN:
                open_.append(_OPEN[token.text])
                if len(open_) > MAX_DEPTH:
                    raise self._fail("brackets nest too deeply")
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
                # A carriage return stands before a line's end only: `_refuse_unseen`
                # has seen to that.
                self._at += 1
            elif character == "#" or source.startswith("//", self._at):
                end = source.find("\n", self._at)
                self._at = len(source) if end < 0 else end
            elif source.startswith("/*", self._at):
                end = source.find("*/", self._at + 2)
                if end < 0:
                    raise self._fail("a comment is not closed")
                self._line += source.count("\n", self._at, end)
                self._at = end + 2
            else:
                return

    def _token(self, depth: int) -> Token:
        source, start, line = self._source, self._at, self._line
        character = source[start]
        if character == "\n":
            self._at += 1
            self._line += 1
            return Token("newline", "\n", line)
        if character == '"':
            return self._string(depth)
        if source.startswith("<<", start):
            raise self._fail(
                "heredocs are not allowed: write the text as a quoted string with \\n, or join"
                ' lines with join("\\n", [...])'
            )
        found = _IDENT.match(source, start)
        if found:
            self._at = found.end()
            return Token("ident", found.group(), line)
        if character in "0123456789":
            found = _NUMBER.match(source, start)
            if found is None or len(found.group()) > _MAX_NUMBER:
                raise self._fail("a number is malformed or too long")
            self._at = found.end()
            return Token("number", found.group(), line)
        for operator in _OPERATORS:
            if source.startswith(operator, start):
                self._at = start + len(operator)
                return Token("op", operator, line)
        raise self._fail(f"unexpected character {character!a}")

    def _string(self, depth: int) -> Token:
        line = self._line
        self._at += 1
        text: list[str] = []
        parts: list[str | tuple[Token, ...]] = []
        source = self._source

        def end_text() -> None:
            if text:
                parts.append("".join(text))
                text.clear()

        while True:
            character = source[self._at : self._at + 1]
            if character in ("", "\n", "\r"):
                raise HclError(line, "a string is not closed")
            if character == '"':
                self._at += 1
                end_text()
                return Token("string", "", line, tuple(parts))
            if character == "\\":
                text.append(self._escape())
                continue
            marks = _MARKS.match(source, self._at)
            if marks is None:
                text.append(character)
                self._at += 1
                continue
            self._at = marks.end()
            run = marks.group()
            if source[self._at : self._at + 1] != "{":
                text.append(run)
            elif run in ("$$", "%%"):
                text.append(f"{run[0]}{{")
                self._at += 1
            elif run == "$":
                self._at += 1
                end_text()
                parts.append(self.scan(closing="}", depth=depth + 1))
            elif run == "%":
                raise self._fail(
                    "template directives (%{ … }) are not allowed: use a conditional or a for"
                    " expression"
                )
            else:
                raise self._fail(
                    f"{run + '{'!r} can be read in more than one way; write $${{ or %%{{ by itself"
                )

    def _escape(self) -> str:
        source = self._source
        escaped = source[self._at + 1 : self._at + 2]
        width = {"u": 4, "U": 8}.get(escaped)
        if width is None:
            known = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}.get(escaped)
            if known is None:
                raise self._fail("a string holds an unknown escape")
            self._at += 2
            return known
        digits = source[self._at + 2 : self._at + 2 + width]
        if len(digits) != width or not _HEX.fullmatch(digits) or int(digits, 16) > 0x10FFFF:
            raise self._fail("an escape is malformed")
        character = chr(int(digits, 16))
        if unicodedata.category(character) in _UNSEEN:
            raise self._fail(
                "an escape makes a control character or one that shows nothing:"
                f" U+{ord(character):04X}"
            )
        self._at += 2 + width
        return character
