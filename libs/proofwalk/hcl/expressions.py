"""Reads the expressions of a template, with Terraform's precedence and its rules for
newlines.

Newlines end an argument and an object's item, and are passed over inside parentheses,
square brackets, `for` and interpolations. Left out, and refused with a line: legacy
indexes (`a.0`), provider functions, bare references as keys of objects.
"""

from __future__ import annotations

from proofwalk.hcl.cursor import Cursor
from proofwalk.hcl.tokens import MAX_DEPTH, HclError, Token
from proofwalk.hcl.tree import (
    Binary,
    Call,
    Chain,
    Conditional,
    Constant,
    Expression,
    For,
    Index,
    Member,
    Name,
    Number,
    Object,
    Splat,
    Step,
    Text,
    Tuple,
    Unary,
)

MAX_OPERATORS = 100
"""In one expression: trees of operators are as deep as they are long."""
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))
_CONSTANTS = ("true", "false", "null")


class Expressions:
    """One expression after the other; made anew for each argument."""

    def __init__(self, cursor: Cursor, *, depth: int = 0) -> None:
        self._cursor = cursor
        self._depth = depth
        self._operators = 0

    def expression(self) -> Expression:
        if self._depth > MAX_DEPTH:
            raise HclError(self._cursor.line, "expressions nest too deeply")
        self._depth += 1
        try:
            return self._conditional()
        finally:
            self._depth -= 1

    def _inside(self, *, significant: bool = False) -> bool:
        """Turn newlines on or off; returns what to turn back to."""
        before, self._cursor.significant = self._cursor.significant, significant
        return before

    def _counted(self) -> None:
        self._operators += 1
        if self._operators > MAX_OPERATORS:
            raise HclError(
                self._cursor.line, f"an expression holds more than {MAX_OPERATORS} operators"
            )

    def _conditional(self) -> Expression:
        condition = self._binary(0)
        if not self._cursor.passed("?"):
            return condition
        self._counted()
        yes = self.expression()
        self._cursor.expect(":")
        return Conditional(condition, yes, self.expression())

    def _binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._cursor.is_op(*_LEVELS[level]):
            self._counted()
            operator = self._cursor.take().text
            left = Binary(operator, left, self._binary(level + 1))
        return left

    def _unary(self) -> Expression:
        if not self._cursor.is_op("-", "!"):
            return self._steps()
        self._counted()
        operator = self._cursor.take().text
        return Unary(operator, self._unary())

    def _steps(self) -> Expression:
        cursor = self._cursor
        root = self._term()
        steps: list[Step] = []
        while True:
            if cursor.passed("."):
                if cursor.passed("*"):
                    steps.append(Splat(".*"))
                    continue
                token = cursor.peek()
                if token is None or token.kind != "ident":
                    raise cursor.unexpected("expected a name after '.'; an index is written [0]")
                steps.append(Member(cursor.take().text))
            elif cursor.passed("["):
                before = self._inside()
                if cursor.is_op("*"):
                    self._splat()
                    steps.append(Splat("[*]"))
                else:
                    steps.append(Index(self.expression()))
                if not cursor.is_op("]"):
                    raise cursor.unexpected("expected ']'")
                cursor.significant = before
                self._closed("]")
            else:
                return Chain(root, tuple(steps)) if steps else root
            if len(steps) > MAX_DEPTH:
                raise HclError(cursor.line, "a reference is too long")

    def _splat(self) -> None:
        """Take the star of `[*]`, around which Terraform allows no new line."""
        self._cursor.significant = True
        self._cursor.expect("*")
        if not self._cursor.is_op("]"):
            raise self._cursor.unexpected("expected ']' directly after '*'")

    def _closed(self, text: str) -> None:
        """Take the closing bracket; newlines before it were passed over inside."""
        before, self._cursor.significant = self._cursor.significant, False
        try:
            self._cursor.expect(text)
        finally:
            self._cursor.significant = before

    def _term(self) -> Expression:
        cursor = self._cursor
        token = cursor.peek()
        if token is None or token.kind == "newline":
            raise cursor.unexpected("expected a value")
        match token.kind, token.text:
            case "number", _:
                return Number(cursor.take().text)
            case "string", _:
                return self._text(cursor.take())
            case "ident", _:
                return self._word()
            case "op", "(":
                cursor.take()
                before = self._inside()
                inner = self.expression()
                cursor.significant = before
                self._closed(")")
                return inner
            case "op", "[":
                return self._tuple()
            case "op", "{":
                return self._object()
        raise cursor.unexpected("expected a value")

    def _text(self, token: Token) -> Text:
        parts: list[str | Expression] = []
        for part in token.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            cursor = Cursor(part, line=token.line)
            cursor.significant = False
            inner = Expressions(cursor, depth=self._depth + 1)
            inner._operators = self._operators
            parts.append(inner.expression())
            self._operators = inner._operators
            if cursor.peek() is not None:
                raise cursor.unexpected("expected the end of the interpolation")
        return Text(tuple(parts))

    def _word(self) -> Expression:
        cursor = self._cursor
        word = cursor.take()
        if cursor.is_op("::"):
            raise HclError(word.line, "functions of providers are not allowed")
        if cursor.is_op("("):
            return self._call(word)
        return Constant(word.text) if word.text in _CONSTANTS else Name(word.text, word.line)

    def _call(self, word: Token) -> Call:
        cursor = self._cursor
        cursor.take()
        before = self._inside()
        arguments: list[Expression] = []
        expand = False
        while not cursor.is_op(")"):
            arguments.append(self.expression())
            expand = cursor.passed("...")
            if expand or not cursor.passed(","):
                break
        cursor.significant = before
        self._closed(")")
        return Call(word.text, tuple(arguments), expand, word.line)

    def _tuple(self) -> Expression:
        cursor = self._cursor
        line = cursor.take().line
        before = self._inside()
        if cursor.is_word("for"):
            loop = self._for(line, keyed=False)
            cursor.significant = before
            self._closed("]")
            return loop
        items: list[Expression] = []
        while not cursor.is_op("]"):
            items.append(self.expression())
            if not cursor.passed(","):
                break
        cursor.significant = before
        self._closed("]")
        return Tuple(tuple(items))

    def _object(self) -> Expression:
        cursor = self._cursor
        line = cursor.take().line
        before = self._inside()
        if cursor.is_word("for"):
            loop = self._for(line, keyed=True)
            cursor.significant = before
            self._closed("}")
            return loop
        cursor.significant = True
        items: list[tuple[Expression, Expression]] = []
        while True:
            cursor.skip_newlines()
            if cursor.is_op("}"):
                break
            key = self._key()
            if not cursor.passed("=") and not cursor.passed(":"):
                raise cursor.unexpected("expected '=' after the key of an object")
            items.append((key, self.expression()))
            following = cursor.peek()
            if following is None or (following.kind != "newline" and not cursor.is_op(",", "}")):
                raise cursor.unexpected("expected a comma or a new line after an item of an object")
            cursor.passed(",")
        cursor.significant = before
        self._closed("}")
        return Object(tuple(items))

    def _key(self) -> Expression:
        cursor = self._cursor
        token = cursor.peek()
        match token.kind if token else "":
            case "ident" if token is not None and token.text not in _CONSTANTS:
                return Text((cursor.take().text,))
            case "string":
                return self._text(cursor.take())
            case "number":
                return Number(cursor.take().text)
        if cursor.is_op("("):
            return self._term()
        raise cursor.unexpected(
            "the key of an object is a name, a string, a number, or an expression in parentheses"
        )

    def _for(self, line: int, *, keyed: bool) -> For:
        cursor = self._cursor
        cursor.take()
        names = [self._name()]
        if cursor.passed(","):
            names.append(self._name())
        if not cursor.is_word("in"):
            raise cursor.unexpected("expected 'in'")
        cursor.take()
        collection = self.expression()
        cursor.expect(":")
        value = self.expression()
        key: Expression | None = None
        group = False
        if keyed:
            cursor.expect("=>")
            key, value = value, self.expression()
            group = cursor.passed("...")
        condition: Expression | None = None
        if cursor.is_word("if"):
            cursor.take()
            condition = self.expression()
        return For(tuple(names), collection, key, value, group, condition, line)

    def _name(self) -> str:
        token = self._cursor.peek()
        if token is None or token.kind != "ident":
            raise self._cursor.unexpected("expected a name")
        return self._cursor.take().text
