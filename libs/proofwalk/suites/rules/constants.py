"""Whether a rule demands only what a walker can know: constants that nothing says are
found.

A constant is known when it stands in the document in one of its forms (as it is, as the
label that the console shows for it, its parts where it is put together, a switch's
value by the switch's label), when META names it or has prepared the opposite of a
switch, or when the console sends it without being asked: a field's default, or what an
action always sends. Constants of `all` and `any` are looked at, and `ne` of `none`,
which demands its value; what else `none` names is forbidden, and nobody needs to know
it. Pure; `Sent` tells of the console.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Protocol

from proofwalk.kernel.errors import invalid
from proofwalk.suites.model import Task
from proofwalk.suites.rules.documents import (
    Clause,
    RuleDocument,
    groups_of,
    operations_of,
    rule_of,
    triple_of,
)

_SWITCHED = {"true": True, "on": True, "enabled": True, "enable": True, "1": True,
             "false": False, "off": False, "disabled": False, "disable": False, "0": False}  # fmt: skip
_BARE = ("true", "false", "on", "off")
"""Words that stand somewhere in every second text: of a switch its label tells."""
_DEMANDING = {
    "all": ("eq", "in", "contains", "matches", "ge", "le", "cidr_in"),
    "any": ("eq", "in", "contains", "matches", "ge", "le", "cidr_in"),
    "none": ("ne",),
}
_PARTS = re.compile(r"[/:,;|\s()^$\[\]\"]+")
"""What stands between the parts of a value, of a pattern and of a list."""
_CONSOLE_TIME = timezone(timedelta(hours=8))
_NUMBER = re.compile(r"(?<=\d),(?=\d{3})")


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What the console can send as one parameter of one operation."""

    names: Set[str] = frozenset()
    """Labels of the fields and actions that set it."""
    fields: Set[str] = frozenset()
    """Ids of these fields, by which META's template has them too."""
    labels: Mapping[str, Set[str]] = field(default_factory=dict)
    """Value -> what the console shows for it."""
    unasked: Set[str] = frozenset()
    """Values that it sends when the walker enters nothing there."""
    acts: Set[str] = frozenset()
    """Those of them that say which act it was, and that no field holds."""


class Console(Protocol):
    """What a console sends, by the names of the audit log."""

    def sent(self, service: str, event: str, parameter: str) -> Sent:
        """`parameter` as a rule's path without `request.`."""
        ...


@dataclass(frozen=True, kw_only=True)
class Unfounded:
    """A constant that nothing says."""

    task: str
    event: str
    path: str
    value: str

    def __str__(self) -> str:
        wants = f"{self.task}: {self.event} wants {self.path} = {self.value!r}"
        return f"{wants}, which neither document nor META says and no default gives"


def unfounded(task: Task, console: Console) -> list[Unfounded]:
    """Every constant of the task's rule that nothing says."""
    document, meta = comparable(task.document), comparable(task.meta_yaml)
    found = []
    for clause, path, value in _constants(rule_of(task)):
        events = operations_of(clause)
        sent = [
            console.sent(str(clause.get("service", "")), event, path.removeprefix("request."))
            for event in events
        ]
        unasked = any(value.lower() in one.unasked for one in sent)
        if not (
            unasked
            or says(document, value, sent)
            or _stands(meta, value)
            or undoes(task.meta_yaml, value, sent)
        ):
            found.append(
                Unfounded(task=task.id, event=str(clause["event"]), path=path, value=value)
            )
    return found


def _constants(rule: RuleDocument) -> Iterator[tuple[Clause, str, str]]:
    for group, clauses in groups_of(rule).items():
        demanding = _DEMANDING[group]
        for clause in clauses:
            for path, op, value in map(triple_of, clause.get("where") or ()):
                if op in demanding and path.startswith("request."):
                    for one in value if isinstance(value, list) else [value]:
                        constant = str(one).lower() if isinstance(one, bool) else str(one)
                        if not constant.startswith("$"):
                            yield clause, path, constant


def says(document: str, value: str, sent: Sequence[Sent]) -> bool:
    """Whether the document (as `comparable` has it) says the value in one of its
    forms."""
    if _stands(document, value):
        return True
    labels = {label for one in sent for label in one.labels.get(value.lower(), ())}
    if any(_stands(document, label) for label in labels):
        return True
    if value.lower() in _SWITCHED and any(
        _stands(document, name) for one in sent for name in one.names
    ):
        return True
    if any(all(_stands(document, part) for part in moment) for moment in _moments(value)):
        return True
    parts = [part for part in _PARTS.split(value) if part]
    return (
        bool(parts) and parts != [value] and all(_part_said(document, part, sent) for part in parts)
    )


def undoes(meta: str, value: str, sent: Sequence[Sent]) -> bool:
    """Whether META has prepared the switch the other way, so that there is nothing else
    to set."""
    wanted = _SWITCHED.get(value.lower())
    for name in {name for one in sent for name in one.fields}:
        for prepared in re.findall(rf'^\s*{re.escape(name)}\s*=\s*"?(\w+)"?\s*$', meta, re.M):
            if wanted is not None and _SWITCHED.get(prepared.lower()) is (not wanted):
                return True
    return False


def _part_said(document: str, part: str, sent: Sequence[Sent]) -> bool:
    labels = {label for one in sent for label in one.labels.get(part.lower(), ())}
    return any(_stands(document, form) for form in (part, *labels))


def _moments(value: str) -> Iterator[tuple[str, str]]:
    """Date and time of day of a moment as documents tell it: in the console's time or
    in UTC."""
    try:
        milliseconds = re.fullmatch(r"\d{13}", value)
        told = (
            datetime.fromtimestamp(int(value) / 1000, tz=UTC)
            if milliseconds
            else datetime.fromisoformat(value)
        )
    except ValueError:
        return
    for zone in (UTC, _CONSOLE_TIME):
        shown = told.astimezone(zone)
        yield shown.strftime("%Y-%m-%d"), shown.strftime("%H:%M")
        if told.hour == told.minute == 0:
            yield shown.strftime("%Y-%m-%d"), shown.strftime("%Y-%m-%d")


def _stands(text: str, value: str) -> bool:
    """Whether the text has the value, not as a part of a longer word or number."""
    told = comparable(value)
    return (
        bool(told)
        and told not in _BARE
        and re.search(rf"(?<![a-z0-9]){re.escape(told)}(?![a-z0-9])", text) is not None
    )


def comparable(text: str) -> str:
    """As it is compared: lower case, single spaces, no marks, no separators of
    thousands."""
    plain = re.sub(r"&amp;", "&", re.sub(r"\\(?=\W)", "", text))
    return " ".join(_NUMBER.sub("", plain).lower().split())


def refuse_unfounded(tasks: Iterable[Task], console: Console) -> None:
    """Raises `suite.unfounded`, naming every constant of the tasks' rules that nothing
    says."""
    found = [one for task in tasks for one in unfounded(task, console)]
    if found:
        raise invalid(
            "suite.unfounded",
            "; ".join(map(str, found[:20]))
            + (f"; and {len(found) - 20} more" if len(found) > 20 else ""),
            hint=(
                "say the value in a step, or make it a parameter, which is not asked for where its"
                " unit is not written"
            ),
        )
