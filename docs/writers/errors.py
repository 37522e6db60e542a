"""The reference of error codes, collected from the places that raise them.

A code is the first argument of a constructor of `kernel.errors`, of a class whose first
argument is a `code`, of a function that hands its own on to one of these, or the
keyword `code=` of a call. It is a text, a constant of a module, a choice between two,
or a local variable `code` that was given one of these; a text with something put in is
listed with an ellipsis, and as each code of that form that a docstring or the contract
names. Codes that another process has made travel on and are no sources.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from docs.writers.markdown import plain
from docs.writers.sources import ROOT, Module, called, calls, modules, template
from proofwalk.kernel.errors import HTTP_STATUS, Status

T = TypeVar("T")
_CODE = re.compile(r"([a-z][a-z0-9_]*|…)(\.([a-z0-9_]|…)+)+")
_NAMED = re.compile(r"\b[a-z][a-z0-9_]*\.[a-z0-9_]+\b")
_RAISES = re.compile(r"Raises\s+((?:`[^`]*`[,\s]*(?:and\s)?)+)")
_STATUS = {
    "invalid": Status.INVALID_ARGUMENT,
    "not_found": Status.NOT_FOUND,
    "conflict": Status.FAILED_PRECONDITION,
    "unavailable": Status.UNAVAILABLE,
    "exhausted": Status.RESOURCE_EXHAUSTED,
    "unimplemented": Status.UNIMPLEMENTED,
}
_CONSTRUCTORS = dict.fromkeys((*_STATUS, "ProofwalkError"), 0)


@dataclass(frozen=True, kw_only=True, order=True)
class Source:
    """A place that raises a code."""

    code: str
    path: str
    status: str
    message: str
    hint: str


@cache
def sources() -> tuple[Source, ...]:
    """Every place that raises a code, ordered by code and file."""
    constants = {module.name: _constants(module.tree) for module in modules()}
    found: set[Source] = set()
    for module in modules():
        known = {**constants[module.name], **dict(_imported(module, constants))}
        makers = _makers()[module.name]
        for call, chosen in _calls_with_choices(module.tree):
            for written in _codes(call, makers, known, chosen):
                for code in _expanded(written):
                    found.add(_source(code, call, module))
    return tuple(sorted(found))


def _expanded(written: str) -> Sequence[str]:
    """The codes that a text with something put in is known to become; the text where
    none is known."""
    if "…" not in written:
        return [written]
    form = re.compile(re.escape(written).replace("…", "[a-z0-9_]+"))
    return sorted(code for code in named() if form.fullmatch(code)) or [written]


@cache
def named() -> frozenset[str]:
    """What docstrings and the contract's comments name in the form of a code, and the
    subjects of `chassis.readers`."""
    texts = [file.read_text(encoding="utf-8") for file in sorted((ROOT / "proto").rglob("*.proto"))]
    found = {
        code
        for text in texts
        for line in re.findall(r"//(.*)", text)
        for code in _NAMED.findall(line)
    }
    subjects = set()
    for module in modules():
        for node in ast.walk(module.tree):
            match node:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    found |= {
                        code for raises in _RAISES.findall(text) for code in _NAMED.findall(raises)
                    }
                case ast.keyword(arg="subject", value=ast.Constant(value=str(subject))):
                    subjects.add(subject)
    return frozenset(
        found
        | {
            f"{subject}.{reason}"
            for subject in subjects
            for reason in ("busy", "too_costly", "unread")
        }
    )


@cache
def codes() -> frozenset[str]:
    """Every code."""
    return frozenset(source.code for source in sources())


def page() -> str:
    """The reference."""
    by_area: dict[str, dict[str, list[Source]]] = defaultdict(lambda: defaultdict(list))
    for source in sources():
        by_area[source.code.partition(".")[0]][source.code].append(source)
    parts = [_HEAD]
    for area, by_code in sorted(by_area.items()):
        parts.append(f"\n## {area}\n")
        parts += [_entry(code, places) for code, places in sorted(by_code.items())]
    return "".join(parts)


_HEAD = """# Error codes

An error has a stable code, a message, a hint, and a status that maps to one gRPC code and one HTTP
status. `…` stands for what is put in at run time. A program compares a code as a whole.
"""


def _entry(code: str, places: list[Source]) -> str:
    lines = [f"\n`{code}`\n"]
    statuses = sorted({place.status for place in places} - {""})
    told = ", ".join(f"{status} ({HTTP_STATUS[Status(status)]})" for status in statuses)
    if told:
        lines.append(f": {told}.\n")
    seen: set[str] = set()
    for place in places:
        text = " ".join(filter(None, (place.message, place.hint and f"→ {place.hint}")))
        if text and text not in seen:
            seen.add(text)
            lines.append(f": {plain(text)}\n")
    lines.append(
        ": Raised in"
        f" {', '.join(f'`{path}`' for path in sorted({place.path for place in places}))}.\n"
    )
    return "".join(lines)


def _constants(tree: ast.Module) -> Mapping[str, str]:
    """Names at module level that stand for a text that looks like a code."""
    found: dict[str, str] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = list(zip(names, values, strict=True))
            case (
                ast.Assign(targets=[name], value=value)
                | ast.AnnAssign(target=name, value=ast.expr() as value)
            ):
                pairs = [(name, value)]
            case _:
                continue
        found |= {name.id: template(value) for name, value in pairs if isinstance(name, ast.Name)}
    return {name: text for name, text in found.items() if _CODE.fullmatch(text)}


def _imported(module: Module, constants: Mapping[str, Mapping[str, T]]) -> Iterator[tuple[str, T]]:
    """What the module imports by name of what others have."""
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            theirs = constants.get(node.module, {})
            yield from (
                (one.asname or one.name, theirs[one.name])
                for one in node.names
                if one.name in theirs
            )


Makers = Mapping[str, int]
"""Functions and classes that take a code, each with its position among the
arguments."""


@cache
def _makers() -> Mapping[str, Makers]:
    """For each module the names in it that make an error, or whatever else carries a
    code."""
    own: dict[str, dict[str, int]] = {module.name: _carriers(module.tree) for module in modules()}
    for _ in range(3):  # a function may hand on to one that hands on
        for module in modules():
            known = {**_CONSTRUCTORS, **dict(_imported(module, own)), **own[module.name]}
            for node in ast.walk(module.tree):
                if (
                    isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                    and node.name != "__init__"
                ):
                    own[module.name] |= _handing_on(node, known)
    return {
        module.name: {**_CONSTRUCTORS, **dict(_imported(module, own)), **own[module.name]}
        for module in modules()
    }


def _carriers(tree: ast.Module) -> dict[str, int]:
    """Classes whose first value is a code: an exception's argument, or a field."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            made = [
                part
                for part in node.body
                if isinstance(part, ast.FunctionDef) and part.name == "__init__"
            ]
            takes = [
                part
                for part in made
                if [argument.arg for argument in part.args.args][1:2] == ["code"]
            ]
            inherits = not made and any(
                isinstance(base, ast.Name) and base.id == "ProofwalkError" for base in node.bases
            )
            if takes or inherits:
                found[node.name] = 0
    return found


def _handing_on(node: ast.FunctionDef | ast.AsyncFunctionDef, known: Makers) -> dict[str, int]:
    names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
    for call in calls(node):
        given = _given(call, known)
        if isinstance(given, ast.Name) and given.id in names:
            return {node.name: names.index(given.id)}
    return {}


def _given(call: ast.Call, makers: Makers) -> ast.expr | None:
    """What a call gives as the code."""
    for keyword in call.keywords:
        if keyword.arg == "code":
            return keyword.value
    # A class of errors may hand a code of its own to the class that it is made from.
    is_own = called(call) == "__init__" and any(
        keyword.arg == "status" for keyword in call.keywords
    )
    at = 0 if is_own else makers.get(called(call))
    return call.args[at] if at is not None and at < len(call.args) else None


def _calls_with_choices(tree: ast.Module) -> Iterator[tuple[ast.Call, Sequence[ast.expr]]]:
    """Every call, with what the function around it may have put into its variable
    `code`."""
    within: dict[ast.Call, list[ast.expr]] = {call: [] for call in calls(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assigned = [
                one.value
                for one in ast.walk(node)
                if isinstance(one, ast.Assign) and _names_code(one)
            ]
            given = [possible for value in assigned for possible in _possible(value, tree)]
            for call in calls(node):
                within[call] += given
    return iter(within.items())


def _possible(value: ast.expr, tree: ast.Module) -> list[ast.expr]:
    """The value; of one that is looked up in a table of the module, the table's texts
    and the default."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=table), attr="get"), args=[_, *otherwise]
        ):
            tables = [
                one
                for one in tree.body
                if isinstance(one, ast.Assign | ast.AnnAssign) and _is_of(one, table)
            ]
            return [
                *otherwise,
                *(
                    part
                    for one in tables
                    for part in ast.walk(one)
                    if isinstance(part, ast.Constant)
                ),
            ]
    return [value]


def _is_of(node: ast.Assign | ast.AnnAssign, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _names_code(node: ast.Assign) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == "code"
        for target in node.targets
        for part in ast.walk(target)
    )


def _codes(
    call: ast.Call, makers: Makers, known: Mapping[str, str], chosen: Sequence[ast.expr]
) -> Iterator[str]:
    pending = [_given(call, makers)]
    while pending:
        match pending.pop():
            case ast.IfExp(body=one, orelse=other):
                pending += [one, other]
            case ast.Tuple(elts=[first, *_]):
                pending.append(first)
            case ast.Name(id="code"):
                pending += [
                    one for one in chosen if not (isinstance(one, ast.Name) and one.id == "code")
                ]
            case ast.Name(id=name) if name in known:
                yield known[name]
            case ast.expr() as node if _CODE.fullmatch(text := template(node)):
                yield text


def _source(code: str, call: ast.Call, module: Module) -> Source:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    match keywords.get("status"):
        case ast.Attribute(value=ast.Name(id="Status"), attr=status):
            pass
        case _:
            status = _STATUS[called(call)].value if called(call) in _STATUS else ""
    message = keywords.get("message") or (call.args[1] if len(call.args) > 1 else None)
    return Source(
        code=code,
        path=str(module.path),
        status=status,
        message=template(message),
        hint=template(keywords.get("hint")),
    )
