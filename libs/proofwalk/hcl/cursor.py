"""A place among a template's tokens, from which expressions and blocks are read."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.hcl.tokens import HclError, Token


class Cursor:
    """A place among tokens. Newlines are tokens only where `significant` is on."""

    def __init__(self, tokens: Sequence[Token], *, line: int) -> None:
        self._tokens = tokens
        self._at = 0
        self._line = line
        self.significant = True

    def peek(self, ahead: int = 0) -> Token | None:
        at = self._at
        while True:
            while (
                at < len(self._tokens)
                and not self.significant
                and self._tokens[at].kind == "newline"
            ):
                at += 1
            if at >= len(self._tokens):
                return None
            if not ahead:
                return self._tokens[at]
            at, ahead = at + 1, ahead - 1

    def take(self) -> Token:
        token = self.peek()
        if token is None:
            raise HclError(self.line, "something is missing at the end")
        while self._tokens[self._at] is not token:
            self._at += 1
        self._at += 1
        return token

    @property
    def line(self) -> int:
        token = self.peek() or (self._tokens[-1] if self._tokens else None)
        return token.line if token else self._line

    def is_op(self, *texts: str) -> bool:
        token = self.peek()
        return token is not None and token.kind == "op" and token.text in texts

    def is_word(self, text: str) -> bool:
        token = self.peek()
        return token is not None and token.kind == "ident" and token.text == text

    def passed(self, text: str) -> bool:
        """Take the operator if it is next."""
        if not self.is_op(text):
            return False
        self.take()
        return True

    def expect(self, text: str) -> None:
        if not self.passed(text):
            raise self.unexpected(f"expected {text!r}")

    def skip_newlines(self) -> None:
        while (token := self.peek()) is not None and token.kind == "newline":
            self.take()

    def unexpected(self, wanted: str) -> HclError:
        token = self.peek()
        found = (
            "the end"
            if token is None
            else "a new line"
            if token.kind == "newline"
            else (token.text[:40] or "a string")
        )
        return HclError(self.line, f"{wanted}, found {found}")
