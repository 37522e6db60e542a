"""Templates: how a product file turns resources into answers and derived values.

A template is any YAML value. A string that starts with `$` is an expression,
`$root.member|filter|filter`; roots are `id status region created account` and the
fields of the resource in hand, `input` (decoded fields of the request), `item` (the row
being expanded) and `param` (raw request parameters). A member after a root follows an
id to that resource, so `$vswitch_id.vpc_id` is the VPC of a vSwitch. A mapping with one
of these keys is a form of its own:

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
from functools import lru_cache, partial
from typing import Any

from proofwalk.devcloud.engine.state.world import Resource, World

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


@lru_cache(maxsize=1 << 14)
def _parsed(expression: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Root, members and filters."""
    path, *filters = expression[1:].split("|")
    root, *members = path.split(".")
    return root, tuple(members), tuple(filters)


def evaluate(expression: str, scope: Scope) -> Any:
    """The value of one `$…` expression."""
    root, members, filters = _parsed(expression)
    value = _root(root, scope)
    holder = (scope.resource.kind, root) if scope.resource is not None else None
    for member in members:
        if isinstance(value, Mapping):
            value, holder = value.get(member), None
        elif isinstance(value, list):
            value = value[int(member)] if member.isdigit() and int(member) < len(value) else None
        else:
            target = scope.world.find(
                scope.account, value, scope.references.get(holder) if holder else None
            )
            value = target.value(member) if target is not None else None
            holder = (target.kind, member) if target is not None else None
    for name in filters:
        value = _or(name[3:], value) if name.startswith("or:") else FILTERS[name](value)
    return value


_ROOTS = frozenset({"now", "account", "input", "item", "param"})
"""What an expression may begin with beside the names of fields."""


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
    """The template with every expression replaced by its value. Parts that hold none
    are shared, so answers are not changed in place."""
    if isinstance(template, str):
        return evaluate(template, scope) if template.startswith("$") else template
    if isinstance(template, dict | list):
        return _plan(template)(scope)
    return template


Plan = Callable[[Scope], Any]
MAX_PLANS = 1 << 16
_plans: dict[int, tuple[Any, Plan]] = {}
"""How to render a template that has been seen, by its identity; holding the template
keeps that identity its own."""


def _plan(template: Any) -> Plan:
    known = _plans.get(id(template))
    if known is not None:
        return known[1]
    made = _compiled(template)
    if len(_plans) >= MAX_PLANS:
        _plans.clear()
    _plans[id(template)] = (template, made)
    return made


def _compiled(template: Any) -> Plan:
    if isinstance(template, str) and template.startswith("$"):
        return _compiled_expression(template)
    if isinstance(template, list):
        if not any(map(_varies, template)):
            return lambda scope: list(template)
        entries = [_compiled(entry) for entry in template]
        return lambda scope: [entry(scope) for entry in entries]
    if not isinstance(template, dict):
        return lambda scope: template
    form = next((key for key in template if key in _FORMS), None)
    if form == "$call":
        return _compiled_call(template)
    if form is not None:
        return partial(_FORMS[form], template)
    if not any(map(_varies, template.values())):
        return lambda scope: dict(template)
    # members that hold no expression are in place from the start
    frame = {key: None if _varies(entry) else entry for key, entry in template.items()}
    plans = [(key, _compiled(entry)) for key, entry in template.items() if _varies(entry)]

    def filled(scope: Scope) -> dict[Any, Any]:
        made = dict(frame)
        for key, plan in plans:
            made[key] = plan(scope)
        return made

    return filled


def _compiled_expression(expression: str) -> Plan:
    root, members, filters = _parsed(expression)
    if members or root in _ROOTS:
        return partial(evaluate, expression)
    steps = [
        partial(_or, name[3:]) if name.startswith("or:") else FILTERS[name] for name in filters
    ]

    def of_resource(scope: Scope) -> Any:
        value = scope.resource.value(root) if scope.resource is not None else None
        for step in steps:
            value = step(value)
        return value

    return of_resource


def _or(otherwise: str, value: Any) -> Any:
    return otherwise if value in (None, "") else value


def _compiled_call(template: Mapping[str, Any]) -> Plan:
    name = template["$call"]
    arguments = [(key, _compiled(value)) for key, value in template.items() if key != "$call"]
    return lambda scope: scope.derivations[name](
        scope, {key: plan(scope) for key, plan in arguments}
    )


def _varies(template: Any) -> bool:
    """Whether there is an expression in it."""
    if isinstance(template, str):
        return template.startswith("$")
    if isinstance(template, list):
        return any(map(_varies, template))
    return isinstance(template, dict) and any(
        key in _FORMS or _varies(entry) for key, entry in template.items()
    )


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
        return [
            render(template["$as"], replace(scope, item=item))
            for item in evaluate(over, scope) or []
        ]
    for param, accepted in over.get("if_param", {}).items():
        if scope.params.get(param, "") not in accepted:
            return []
    return [
        render(template["$as"], scope.at(r))
        for r in matching(over.get("where", {}), over["resource"], scope)
    ]


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
    return _compiled_call(template)(scope)


_FORMS: dict[str, Callable[[Mapping[str, Any], Scope], Any]] = {
    "$each": _each,
    "$count": _count,
    "$tags": _tags,
    "$choose": _choose,
    "$concat": _concat,
    "$format": _format,
    "$call": _call,
}
TEMPLATE_KEYS = frozenset({*_FORMS, "$as"})
"""Keys with a `$` that a mapping may have."""
