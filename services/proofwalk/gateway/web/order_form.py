"""The form of a verification, derived from `proofwalk.orders.order`.

Each field of `Order` is a control by its type: a choice, a number with its bounds, a
switch, a line of text, or, where the command line reads a file, a text of several
lines. An option that is added to an order is on the form. `body_of` makes of what was
sent the body that REST takes, which the same type reads; `faults_of` says for each
field what is wrong with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.body import rows_of
from proofwalk.orders.order import DocumentSource, Flag, Order

DOCUMENT = "document"
_BOUNDS = {"ge": "min", "le": "max", "max_length": "maxlength"}
"""A bound of a field, and the attribute of a control that says it."""
_ABOUT: Mapping[str, str] = {
    "target.unknown": "target",
    "target.no_scenarios": "scenario",
    "verification.bad_scenario": "scenario",
    "policy.unknown": "policy",
    "document.unknown_procedure": "procedure_id",
    "meta.invalid": "meta",
    "meta.two_sources": "meta_id",
    "rule.invalid": "rule",
    "script.invalid": "script",
    "account.no_role": "role",
    "account.no_site": "site",
    "document.not_text": f"{DOCUMENT}.file",
    "document.two_sources": f"{DOCUMENT}.file",
}
"""Codes of refusals that are about one field."""


@dataclass(frozen=True, kw_only=True)
class Control:
    """A field of the form."""

    name: str
    kind: Literal["choice", "number", "switch", "line", "lines"]
    label: str
    """The field's name in words, for languages that have no message for it."""
    help: str
    start: str
    choices: Sequence[str] = ()
    attributes: Mapping[str, str]


def controls() -> Sequence[Control]:
    """A control for each option of an order."""
    return [_control(name, option) for name, option in Order.model_fields.items()]


def body_of(sent: Mapping[str, str]) -> dict[str, object]:
    """The body of a request, from the texts of a form. What is empty was not asked
    for."""
    body: dict[str, object] = {name: sent[name] for name in Order.model_fields if sent.get(name)}
    body[DOCUMENT] = {
        name: text
        for name in DocumentSource.model_fields
        if (text := sent.get(f"{DOCUMENT}.{name}"))
    }
    return body


def faults_of(error: ValidationError) -> Mapping[str, Sequence[str]]:
    """What is wrong, by the name of the field."""
    faults: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows_of(error):
        faults[".".join(str(part) for part in row["loc"])].append(row["msg"])
    return faults


def field_of(error: ProofwalkError) -> str:
    """The field that a refusal is about; empty where it is about none."""
    return _ABOUT.get(error.code, "")


def _control(name: str, option: FieldInfo) -> Control:
    flag = next((one for one in option.metadata if isinstance(one, Flag)), Flag())
    choices = get_args(option.annotation) if get_origin(option.annotation) is Literal else ()
    kind = _kind(option, flag, choices)
    bounds = {
        attribute: f"{bound:g}" if isinstance(bound, float) else str(bound)
        for one in option.metadata
        for side, attribute in _BOUNDS.items()
        if (bound := getattr(one, side, None)) is not None
    }
    if option.annotation is float:
        bounds["step"] = "any"
    return Control(
        name=name,
        kind=kind,
        label=name.replace("_", " ").capitalize(),
        help=option.description or flag.help,
        start="" if option.is_required() or not option.default else str(option.default),
        choices=[str(choice) for choice in choices],
        attributes=bounds,
    )


def _kind(
    option: FieldInfo, flag: Flag, choices: Sequence[object]
) -> Literal["choice", "number", "switch", "line", "lines"]:
    if choices:
        return "choice"
    if option.annotation is bool:
        return "switch"
    if option.annotation in (int, float):
        return "number"
    return "lines" if flag.reads_file else "line"
