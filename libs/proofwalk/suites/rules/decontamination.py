"""Whether a task is known from another one: by meaning, by configuration, by rule.

Three views of a task are compared. *Meaning*: Jaccard similarity of the character
5-grams of the document's text without labels, values, markup and addresses, so that
another product's button or another name makes no other text. *Rule*: the clauses with
their constants, where references lose their names and what merely names a resource
counts as one constant. *Configuration*: META's resources with their attributes and
states, without names, and the session's patches. docs/adr/0005 says why a match is what
`leaks` and `duplicates` take for one. Pure; similarities are exact, a sketch only rules
out pairs that are far apart.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from proofwalk.hcl.reading import HclError, parse
from proofwalk.hcl.tree import (
    Body,
    Call,
    Chain,
    Expression,
    Member,
    Name,
    Object,
    Text,
    Tuple,
    children,
    print_expression,
)
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.suites.model import Task
from proofwalk.suites.rules.documents import Clause, groups_of, operations_of, rule_of

SAME_MEANING = 0.6
"""Similarity from which two documents tell the same. See docs/adr/0005 for the
measurement."""

_GRAM = 5
_SKETCH = 128
_MARKED = {
    "text/markdown": (
        re.compile(r"^---\n.*?\n---\n", re.S),
        re.compile(r"\*\*(?:\\.|[^*])+\*\*"),
        re.compile(r"`[^`]*`"),
        re.compile(r"\]\([^)]*\)"),
    ),
    "text/x-rst": (re.compile(r":\w+:`[^`]*`"), re.compile(r"``[^`]*``"), re.compile(r"\*\*(?:\\.|[^*])+\*\*"), re.compile(r"<[^<>]*>`__?")),
    "text/html": (
        re.compile(r"<head>.*?</head>", re.S),
        re.compile(r"<(b|strong|code)>.*?</\1>", re.S),
        re.compile(r"<[^>]*>"),
        re.compile(r"&\w+;"),
    ),
}  # fmt: skip
_NAMING = re.compile(
    r"(?:Name|Names|Description|Remark|Comment|Alias|Title|DomainPrefix|Bucket|Project|RR)(?:\.\d+)?$"
)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, kw_only=True)
class Match:
    """Two tasks that are too near to each other, and in which way."""

    first: str
    second: str
    how: str

    def __str__(self) -> str:
        return f"{self.first} and {self.second}: {self.how}"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What a task is compared by."""

    id: str
    language: str
    grams: frozenset[int]
    sketch: frozenset[int]
    rule: str
    operations: str
    configuration: str


def profile(task: Task) -> Profile:
    """The task's profile."""
    grams = _grams(meaning(task))
    groups = groups_of(rule_of(task))
    return Profile(
        id=task.id,
        language=task.language,
        grams=grams,
        sketch=frozenset(sorted(grams)[:_SKETCH]),
        rule=_canonical(
            {group: [_clause(clause) for clause in clauses] for group, clauses in groups.items()}
        ),
        operations=_canonical(
            sorted(_operation(clause) for clause in (*groups["all"], *groups["any"]))
        ),
        configuration=_configuration(task),
    )


def meaning(task: Task) -> str:
    """The document's words: lower case, without labels, values, markup and
    addresses."""
    text = task.document
    for pattern in _MARKED[task.media_type]:
        text = pattern.sub(" ", text)
    return " ".join(re.findall(r"[^\W\d_]+", text.lower()))


def _grams(text: str) -> frozenset[int]:
    return frozenset(
        zlib.crc32(text[at : at + _GRAM].encode()) for at in range(max(1, len(text) - _GRAM + 1))
    )


def similarity(one: Profile, other: Profile) -> float:
    """Jaccard similarity of the texts, from 0 to 1."""
    if not one.grams or not other.grams:
        return 0.0
    shared = len(one.grams & other.grams)
    return shared / (len(one.grams) + len(other.grams) - shared)


def _near(one: Profile, other: Profile, least: float) -> float:
    """The similarity, or 0 where the sketches already show that it is below `least`."""
    short, long = sorted((len(one.grams), len(other.grams)))
    if short < least * long or len(one.sketch & other.sketch) < (least - 0.25) * min(
        len(one.sketch), len(other.sketch)
    ):
        return 0.0
    return similarity(one, other)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _operation(clause: Clause) -> str:
    return f"{clause.get('service', '')}:{'|'.join(sorted(operations_of(clause)))}"


def _clause(clause: Clause) -> list[Any]:
    conditions = []
    for path, op, *value in clause.get("where") or ():
        given = value[0] if value else True
        reference = isinstance(given, str) and given.startswith("$")
        named = _NAMING.search(str(path)) and not reference and op in ("eq", "in")
        conditions.append([str(path), str(op), "a name" if named else _constant(given)])
    return [
        _operation(clause),
        clause.get("ok", True),
        clause.get("min", 1),
        clause.get("max"),
        sorted(conditions, key=_canonical),
    ]


def _constant(value: Any) -> Any:
    if isinstance(value, list):
        return [_constant(entry) for entry in value]
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = re.sub(r"\$meta\.\w+_(id|name)\b", r"$meta.\1", text)
    return re.sub(r"\$event\.\w+", "$event", text)


def _configuration(task: Task) -> str:
    meta = yaml.load(task.meta_yaml, Loader=_LOADER)  # noqa: S506  # safe loaders
    states = sorted(
        _canonical([entry.get("product"), entry.get("type"), entry.get("state", "")])
        for entry in meta.get("verify") or ()
    )
    patches = list(task.scenario.patches) if task.scenario else []
    return _canonical([sorted(_resources(str(meta.get("create") or ""))), states, patches])


def _resources(hcl: str) -> Iterator[str]:
    """Each resource block: its type and its attributes in order of their names, without
    those that name it."""
    try:
        template = parse(hcl)
    except HclError:  # no template of ours, and none that a session would be made from
        yield " ".join(hcl.split())
        return
    for block in template.blocks:
        if block.type == "resource":
            yield f"{block.labels[0]}: {_inside(block.body)}"


def _inside(body: Body) -> str:
    told = [
        f"{one.name}={print_expression(_unnamed(one.value))}"
        for one in body.attributes.values()
        if not _names(one.value)
    ]
    told += [
        f"{' '.join((block.type, *block.labels))} {{{_inside(block.body)}}}"
        for block in body.blocks
    ]
    return "; ".join(sorted(told))


def _names(expression: Expression) -> bool:
    """Whether it holds the prefix of a session's names."""
    return (isinstance(expression, Chain) and Member("name_prefix") in expression.steps) or any(
        map(_names, children(expression))
    )


def _unnamed(expression: Expression) -> Expression:
    """Without the names of the resources that it refers to."""
    match expression:
        case Chain(root=Name(name=name), steps=(Member(), Member(), *_)) if name.startswith(
            "alicloud_"
        ):
            return replace(expression, steps=expression.steps[1:])
        case Text(parts=parts):
            return Text(tuple(part if isinstance(part, str) else _unnamed(part) for part in parts))
        case Tuple(items=items):
            return Tuple(tuple(map(_unnamed, items)))
        case Object(items=pairs):
            return Object(tuple((key, _unnamed(value)) for key, value in pairs))
        case Call(arguments=arguments):
            return replace(expression, arguments=tuple(map(_unnamed, arguments)))
        case _:
            return expression


def leaks(
    training: Iterable[Task | Profile],
    evaluation: Iterable[Task | Profile],
    *,
    least: float = SAME_MEANING,
) -> list[Match]:
    """Every training task that an evaluation task is known from."""
    return list(Guard(evaluation, least=least).matches(training))


class Guard:
    """Evaluation tasks, prepared for asking whether a training task comes near one. Of
    `documents` the text alone counts: training may know their operations from other
    documents."""

    def __init__(
        self,
        evaluation: Iterable[Task | Profile],
        *,
        documents: Iterable[Task | Profile] = (),
        least: float = SAME_MEANING,
    ) -> None:
        self._least = least
        whole = [_profiled(task) for task in evaluation]
        self._known = [*whole, *(_profiled(task) for task in documents)]
        self._rules: dict[str, str] = {}
        self._made: dict[tuple[str, str], str] = {}
        for known in whole:
            self._rules.setdefault(known.rule, known.id)
            self._made.setdefault((known.operations, known.configuration), known.id)

    def matches(self, training: Iterable[Task | Profile]) -> Iterator[Match]:
        """The first match of each training task that has one."""
        for task in training:
            match = self.match(task)
            if match is not None:
                yield match

    def match(self, task: Task | Profile) -> Match | None:
        """The nearest way in which an evaluation task is known from this one."""
        one = _profiled(task)
        if one.rule in self._rules:
            return Match(
                first=one.id,
                second=self._rules[one.rule],
                how="the same rule with the same constants",
            )
        if (one.operations, one.configuration) in self._made:
            how = "the same operations from the same configuration"
            return Match(
                first=one.id, second=self._made[(one.operations, one.configuration)], how=how
            )
        for known in self._known:
            if (
                known.language == one.language
                and (near := _near(one, known, self._least)) >= self._least
            ):
                return Match(
                    first=one.id, second=known.id, how=f"the same text (similarity {near:.2f})"
                )
        return None


def duplicates(tasks: Iterable[Task | Profile]) -> list[Match]:
    """Pairs of one suite that differ in wording, names or language alone: the same rule
    from the same configuration."""
    seen: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task in tasks:
        one = _profiled(task)
        seen[(one.rule, one.configuration)].append(one.id)
    how = "the same rule with the same constants from the same configuration"
    return [
        Match(first=ids[0], second=other, how=how) for ids in seen.values() for other in ids[1:]
    ]


def _profiled(task: Task | Profile) -> Profile:
    return task if isinstance(task, Profile) else profile(task)


def refuse(what: str, found: Sequence[Match]) -> None:
    """Raise `suite.contaminated`, naming every pair, if there is any."""
    if found:
        raise ProofwalkError(
            "suite.contaminated",
            f"{what}:"
            f" {'; '.join(map(str, found[:20]))}{f'; and {len(found) - 20} more' if len(found) > 20 else ''}",
            status=Status.FAILED_PRECONDITION,
            hint="change the procedure or the values, not the wording; see docs/adr/0005",
        )
