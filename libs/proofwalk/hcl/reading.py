"""Reads a template into its tree: HCL's native syntax as far as templates may use it.

Here are files, blocks and arguments; `expressions` reads expressions and `tokens` reads
tokens. Nothing is evaluated. Heredocs, template directives and whatever else has two
readings are refused with a line. Depth, tokens and operators are bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.hcl.cursor import Cursor
from proofwalk.hcl.expressions import Expressions
from proofwalk.hcl.tokens import MAX_DEPTH, HclError, Token, tokenize
from proofwalk.hcl.tree import Attribute, Block, Body

__all__ = ["HclError", "parse"]


def parse(source: str) -> Body:
    """The tree of a file. Raises `HclError`."""
    return _Blocks(tokenize(source)).body(end=None, depth=0)


class _Blocks:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._cursor = Cursor(tokens, line=1)

    def body(self, *, end: str | None, depth: int) -> Body:
        cursor = self._cursor
        if depth > MAX_DEPTH:
            raise HclError(cursor.line, "blocks nest too deeply")
        body = Body()
        while True:
            cursor.skip_newlines()
            token = cursor.peek()
            if token is None:
                if end is not None:
                    raise HclError(cursor.line, "a block is not closed")
                return body
            if end is not None and cursor.passed(end):
                return body
            if token.kind != "ident":
                raise cursor.unexpected("expected an argument or a block")
            self._item(body, depth)
            following = cursor.peek()
            if following is not None and following.kind != "newline":
                raise cursor.unexpected("expected a new line")

    def _item(self, body: Body, depth: int) -> None:
        cursor = self._cursor
        name = cursor.take()
        if cursor.is_op("="):
            self._argument(body, name)
            return
        labels: list[str] = []
        while (token := cursor.peek()) is not None and not token.is_op("{"):
            label = token.text if token.kind == "ident" else token.plain
            if label is None:
                break
            labels.append(label)
            cursor.take()
        if not cursor.is_op("{"):
            raise HclError(name.line, f"{name.text!r} is neither an argument nor a block")
        cursor.take()
        body.blocks.append(
            Block(type=name.text, labels=tuple(labels), line=name.line, body=self._braced(depth))
        )

    def _braced(self, depth: int) -> Body:
        cursor = self._cursor
        first = cursor.peek()
        if first is not None and first.kind == "newline":
            return self.body(end="}", depth=depth + 1)
        body = Body()
        if not cursor.is_op("}"):
            # Terraform's own rule: a block on one line holds one argument and no block.
            following = cursor.peek(1)
            if (
                first is None
                or first.kind != "ident"
                or following is None
                or not following.is_op("=")
            ):
                raise cursor.unexpected(
                    "expected one argument in a block that is written on one line"
                )
            self._argument(body, cursor.take())
        cursor.expect("}")
        return body

    def _argument(self, body: Body, name: Token) -> None:
        self._cursor.expect("=")
        if name.text in body.attributes:
            raise HclError(name.line, f"{name.text!r} is set twice")
        value = Expressions(self._cursor).expression()
        body.attributes[name.text] = Attribute(name=name.text, line=name.line, value=value)
