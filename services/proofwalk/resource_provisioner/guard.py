"""Refuses Terraform code that could do more than declare cloud resources, before any process is started.

Terraform code is a program: providers run at `init`, `plan` and even `validate`, functions read files, provisioners run commands. So
nothing is looked for that is bad; only what is known to be good passes: top-level blocks of five kinds, resource types of the
cloud's own provider, functions from a list, references to `var`, `local`, `each`, `count`, `self`-free resources and data. The check works on
tokens, so that comments, strings and heredocs cannot hide code from it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proofwalk.kernel.errors import ProofwalkError, invalid

MAX_TEXT = 64_000
MAX_BLOCKS = 60
MAX_DEPTH = 40
RESOURCE_PREFIXES = ("alicloud_",)
BUILT_IN = frozenset({"terraform_data"})
BLOCKS = frozenset({"resource", "data", "output", "locals", "variable"})
FORBIDDEN_WORDS = frozenset(
    {"provisioner", "connection", "provider", "providers", "backend", "cloud", "required_providers", "path", "self", "terraform"}
)
FUNCTIONS = frozenset(
    [
        "abs",
        "ceil",
        "floor",
        "max",
        "min",
        "parseint",
        "pow",
        "signum",
        "chomp",
        "format",
        "formatlist",
        "join",
        "lower",
        "regex",
        "regexall",
        "replace",
        "split",
        "strrev",
        "substr",
        "title",
        "trim",
        "trimprefix",
        "trimsuffix",
        "trimspace",
        "upper",
        "coalesce",
        "coalescelist",
        "compact",
        "concat",
        "contains",
        "distinct",
        "element",
        "flatten",
        "index",
        "keys",
        "length",
        "lookup",
        "merge",
        "one",
        "range",
        "reverse",
        "setintersection",
        "setproduct",
        "setsubtract",
        "setunion",
        "slice",
        "sort",
        "sum",
        "transpose",
        "values",
        "zipmap",
        "base64encode",
        "jsonencode",
        "cidrhost",
        "cidrnetmask",
        "cidrsubnet",
        "cidrsubnets",
        "can",
        "nonsensitive",
        "sensitive",
        "tobool",
        "tolist",
        "tomap",
        "tonumber",
        "toset",
        "tostring",
        "try",
    ]
)
_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<comment>\#[^\n]*|//[^\n]*|/\*.*?\*/)|(?P<heredoc><<-?)|(?P<quote>")|(?P<word>[A-Za-z_][A-Za-z0-9_-]*)|(?P<number>[0-9][0-9.eE+-]*)|(?P<mark>[^\sA-Za-z0-9_"])""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Token:
    """A word, a literal string (text only), or a mark. Expressions inside of strings come as tokens of their own."""

    kind: str
    text: str
    line: int


def refused(line: int, what: str, hint: str = "") -> ProofwalkError:
    """The error of refused code."""
    return invalid(
        "meta.invalid",
        f"create, line {line}: {what}",
        hint=hint or "declare alicloud_ resources, data sources, locals, variables and outputs only",
        details={"path": "create", "line": str(line)},
    )


def tokens(text: str) -> list[Token]:
    """The tokens of a piece of HCL; raises for what cannot be read."""
    return list(_tokens(text, 1, 0))


def _tokens(text: str, line: int, depth: int) -> Iterator[Token]:
    if depth > MAX_DEPTH:
        raise refused(line, "expressions are nested too deeply")
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise refused(line, f"unreadable: {text[at : at + 20]!r}")
        kind = str(match.lastgroup)
        if kind == "heredoc":
            raise refused(line, "heredocs are not allowed", "use a quoted string")
        if kind == "quote":
            literal, inner, at_next, lines = _string(text, at + 1, line)
            yield Token(kind="string", text=literal, line=line)
            for expression, where in inner:
                yield Token(kind="mark", text="${", line=where)
                yield from _tokens(expression, where, depth + 1)
                yield Token(kind="mark", text="}$", line=where)
            at, line = at_next, lines
            continue
        if kind not in ("space", "comment"):
            yield Token(kind=kind, text=match.group(), line=line)
        line += match.group().count("\n")
        at = match.end()


def _string(text: str, at: int, line: int) -> tuple[str, list[tuple[str, int]], int, int]:
    """A quoted string from behind its quote: literal text, expressions with their lines, where it ends."""
    literal: list[str] = []
    inner: list[tuple[str, int]] = []
    while at < len(text):
        char = text[at]
        if char == "\\":
            literal.append(text[at : at + 2])
            at += 2
        elif char == '"':
            return "".join(literal), inner, at + 1, line
        elif char == "\n":
            raise refused(line, "a string is not closed on its line")
        elif text.startswith(("$${", "%%{"), at):
            literal.append(text[at : at + 3])
            at += 3
        elif text.startswith("%{", at):
            raise refused(line, "template directives are not allowed", "use an interpolation")
        elif text.startswith("${", at):
            end = _closing(text, at + 2, line)
            inner.append((text[at + 2 : end], line))
            line += text.count("\n", at, end)
            at = end + 1
        else:
            literal.append(char)
            at += 1
    raise refused(line, "a string is not closed")


def _closing(text: str, at: int, line: int) -> int:
    """The brace that closes an interpolation, with strings inside of it skipped."""
    depth = 1
    while at < len(text):
        if text[at] == '"':
            _, _, at, line = _string(text, at + 1, line)
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
        line += text[at] == "\n"
        at += 1
    raise refused(line, "an interpolation is not closed")


def check(text: str) -> None:
    """Raise `meta.invalid` unless the code is harmless."""
    if len(text) > MAX_TEXT:
        raise refused(1, f"the code is longer than {MAX_TEXT} characters")
    if "\x00" in text:
        raise refused(1, "the code holds a NUL character")
    found = tokens(text)
    _check_words(found)
    _check_blocks(found)


def _check_words(found: Sequence[Token]) -> None:
    for index, token in enumerate(found):
        if token.kind != "word":
            continue
        following = found[index + 1] if index + 1 < len(found) else None
        before = found[index - 1] if index else None
        is_member = before is not None and before.text == "."
        if (
            following is not None
            and following.text == "("
            and following.kind == "mark"
            and not is_member
            and token.text not in FUNCTIONS
        ) and token.text not in ("in", "if", "for"):
            raise refused(token.line, f"the function {token.text!r} is not allowed")
        is_argument = following is not None and following.text == "=" and not is_member
        if token.text in FORBIDDEN_WORDS and not is_member and not is_argument:
            raise refused(token.line, f"{token.text!r} is not allowed")
        if token.text in ("provider", "provisioner", "connection", "source", "backend") and is_argument:
            raise refused(token.line, f"the argument {token.text!r} is not allowed")


def _check_blocks(found: Sequence[Token]) -> None:
    at = blocks = 0
    while at < len(found):
        token = found[at]
        if token.kind != "word" or token.text not in BLOCKS:
            raise refused(token.line, f"{token.text!r} is not allowed here")
        blocks += 1
        if blocks > MAX_BLOCKS:
            raise refused(token.line, f"there are more than {MAX_BLOCKS} blocks")
        labels = []
        at += 1
        while at < len(found) and found[at].text != "{":
            if found[at].kind not in ("string", "word"):
                raise refused(found[at].line, f"{found[at].text!r} is not allowed in a block's head")
            labels.append(found[at].text)
            at += 1
        _check_head(token, labels)
        at = _behind(found, at, token)


def _check_head(token: Token, labels: Sequence[str]) -> None:
    wanted = {"resource": 2, "data": 2, "output": 1, "variable": 1, "locals": 0}[token.text]
    if len(labels) != wanted:
        raise refused(token.line, f"a {token.text} block has {wanted} labels, not {len(labels)}")
    if token.text in ("resource", "data"):
        kind = labels[0]
        known = kind.startswith(RESOURCE_PREFIXES) or (token.text == "resource" and kind in BUILT_IN)
        if not known:
            raise refused(token.line, f"{token.text} {kind!r} is not one of the cloud's own types")
    if any(not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", label) for label in labels):
        raise refused(token.line, "a label holds more than letters, digits, _ and -")


def _behind(found: Sequence[Token], at: int, opening: Token) -> int:
    """The index behind the block whose brace is at `at`."""
    depth = 0
    while at < len(found):
        token = found[at]
        if token.kind == "mark" and token.text in ("{", "[", "("):
            depth += 1
        elif token.kind == "mark" and token.text in ("}", "]", ")"):
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
        if depth > MAX_DEPTH:
            raise refused(token.line, "blocks are nested too deeply")
    raise refused(opening.line, "a block is not closed")


def outputs(text: str) -> list[str]:
    """Names of the outputs that the code declares; empty when it cannot be read (`check` says why)."""
    try:
        found = tokens(text)
    except ProofwalkError:
        return []
    return [after.text for token, after in itertools.pairwise(found) if token.kind == "word" and token.text == "output"]


def resources(text: str) -> list[tuple[str, str, bool]]:
    """The resources that checked code declares: type, name, and whether it sets `tags` itself."""
    found = tokens(text)
    declared: list[tuple[str, str, bool]] = []
    at = 0
    while at < len(found):
        opening = at
        while at < len(found) and found[at].text != "{":
            at += 1
        end = _behind(found, at, found[opening])
        head = [token.text for token in found[opening:at]]
        if head[0] == "resource" and len(head) == 3:
            declared.append((head[1], head[2], _sets(found[at:end], "tags")))
        at = end
    return declared


def _sets(body: Sequence[Token], argument: str) -> bool:
    """Whether a block's own level has this argument."""
    depth = 0
    for token, after in itertools.pairwise(body):
        if token.kind == "mark":
            depth += {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(token.text, 0)
        elif depth == 1 and token.text == argument and after.text == "=":
            return True
    return False
