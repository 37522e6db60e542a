"""Templates: how a product file turns resources into answers and derived values.

A template is any YAML value. A string that starts with `$` is an expression, `$root.member|filter|filter`; roots are
`id status region created account` and the fields of the resource in hand, `input` (decoded fields of the request),
`item` (the row being expanded) and `param` (raw request parameters). A member after a root follows an id to that
resource, so `$vswitch_id.vpc_id` is the VPC of a vSwitch. A mapping with one of these keys is a form of its own:

    {$each: {resource, where, if_param}, $as: template}   a list over other resources
    {$count: {resource, where}}                           how many
    {$tags: [KeyName, ValueName]}                         the resource's tags
    {$choose: expression, cases: {value: template}, else: template}
    {$concat: [template, …]}                              lists joined
    {$format: "text {} text", args: [template, …]}        texts joined
    {$call: name, …}                                      a function of `derivations`
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proofwalk.devcloud.world import Resource, World

Derivation = Callable[["Scope", Mapping[str, Any]], Any]


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What expressions can see."""

    world: World
    account: str
    now: str
    """The moment of the call as the API writes it."""
    resource: Resource | None = None
    input: Mapping[str, Any] = field(default_factory=dict)
    item: Any = None
    params: Mapping[str, str] = field(default_factory=dict)
    derivations: Mapping[str, Derivation] = field(default_factory=dict)
    references: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Type and field -> type of the resource that the field's value names."""

    def at(self, resource: Resource) -> Scope:
        """The same scope with another resource in hand."""
        return replace(self, resource=resource)


def _to_int(value: Any) -> Any:
    return int(value) if value not in (None, "") else 0


FILTERS: dict[str, Callable[[Any], Any]] = {
    "int": _to_int,
    "str": lambda v: "" if v is None else str(v),
    "bool": lambda v: v in (True, "true", "True", "1", "on"),
    "yesno": lambda v: "true" if v in (True, "true", "True") else "false",
    "list": lambda v: v if isinstance(v, list) else ([] if v in (None, "") else [v]),
    "csv": lambda v: ",".join(map(str, v)) if isinstance(v, list) else (v or ""),
    "json": json.dumps,
    "amount": lambda v: f"{float(v or 0):.2f}",
    "lower": lambda v: str(v).lower(),
    "upper": lambda v: str(v).upper(),
    "title": lambda v: str(v)[:1].upper() + str(v)[1:],
    "minute": lambda v: f"{v[:16]}Z" if v else "",
    "size": lambda v: len(v or []),
    "utc": lambda v: f"{str(v).replace(' ', 'T')}Z" if v else "",
}


def evaluate(expression: str, scope: Scope) -> Any:
    """The value of one `$…` expression."""
    path, *filters = expression[1:].split("|")
    root, *members = path.split(".")
    value = _root(root, scope)
    holder = (scope.resource.kind, root) if scope.resource is not None else None
    for member in members:
        if isinstance(value, Mapping):
            value, holder = value.get(member), None
        elif isinstance(value, list):
            value = value[int(member)] if member.isdigit() and int(member) < len(value) else None
        else:
            target = scope.world.find(scope.account, value, scope.references.get(holder) if holder else None)
            value = target.value(member) if target is not None else None
            holder = (target.kind, member) if target is not None else None
    for name in filters:
        if not name.startswith("or:"):
            value = FILTERS[name](value)
        elif value in (None, ""):
            value = name[3:]
    return value


def _root(name: str, scope: Scope) -> Any:
    if name == "now":
        return scope.now
    if name == "account":
        return scope.account
    if name == "input":
        return scope.input
    if name == "item":
        return scope.item
    if name == "param":
        return scope.params
    return scope.resource.value(name) if scope.resource is not None else None


def render(template: Any, scope: Scope) -> Any:
    """The template with every expression replaced by its value."""
    if isinstance(template, str):
        return evaluate(template, scope) if template.startswith("$") else template
    if isinstance(template, list):
        return [render(entry, scope) for entry in template]
    if isinstance(template, Mapping):
        form = next((key for key in template if isinstance(key, str) and key.startswith("$")), None)
        if form is not None:
            return _FORMS[form](template, scope)
        return {key: render(entry, scope) for key, entry in template.items()}
    return template


def matching(where: Mapping[str, Any], kind: str, scope: Scope) -> list[Resource]:
    """Resources of a type whose fields equal (or are among) the rendered values."""
    wanted = {name: render(value, scope) for name, value in where.items()}

    def accept(resource: Resource) -> bool:
        for name, value in wanted.items():
            have = resource.value(name)
            if isinstance(value, list):
                if have not in value:
                    return False
            elif isinstance(have, list):
                if value not in have:
                    return False
            elif have != value:
                return False
        return True

    return scope.world.select(scope.account, kind, accept)


def _each(template: Mapping[str, Any], scope: Scope) -> Any:
    over = template["$each"]
    if isinstance(over, str):
        return [render(template["$as"], replace(scope, item=item)) for item in evaluate(over, scope) or []]
    for param, accepted in over.get("if_param", {}).items():
        if scope.params.get(param, "") not in accepted:
            return []
    return [render(template["$as"], scope.at(r)) for r in matching(over.get("where", {}), over["resource"], scope)]


def _count(template: Mapping[str, Any], scope: Scope) -> Any:
    return len(matching(template["$count"].get("where", {}), template["$count"]["resource"], scope))


def _tags(template: Mapping[str, Any], scope: Scope) -> Any:
    key_name, value_name = template["$tags"]
    tags = scope.resource.tags if scope.resource is not None else {}
    return [{key_name: key, value_name: value} for key, value in tags.items()]


def _choose(template: Mapping[str, Any], scope: Scope) -> Any:
    value = evaluate(template["$choose"], scope)
    cases = template["cases"]
    return render(cases[value] if value in cases else template.get("else"), scope)


def _concat(template: Mapping[str, Any], scope: Scope) -> Any:
    return [entry for part in template["$concat"] for entry in render(part, scope)]


def _format(template: Mapping[str, Any], scope: Scope) -> Any:
    text = str(template["$format"])
    for part in template.get("args", []):
        value = render(part, scope)
        text = text.replace("{}", "" if value is None else str(value), 1)
    return text


def _call(template: Mapping[str, Any], scope: Scope) -> Any:
    arguments = {key: render(value, scope) for key, value in template.items() if key != "$call"}
    return scope.derivations[template["$call"]](scope, arguments)


_FORMS: dict[str, Callable[[Mapping[str, Any], Scope], Any]] = {
    "$each": _each,
    "$count": _count,
    "$tags": _tags,
    "$choose": _choose,
    "$concat": _concat,
    "$format": _format,
    "$call": _call,
}
