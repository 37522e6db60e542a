"""Whether values may stand: presence, form, choice, reference, uniqueness, and named
checks.

Called for a create with all fields and for an update with those that are sent. Every
refusal carries the field (for the form) and a code in the real service's style; product
files override it where the real one is odd. Reads the world, changes nothing.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.geography import together
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.options import leaves, source_values
from proofwalk.devcloud.engine.values.templates import Scope, evaluate
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.devcloud.products.schema.fields import Check, FieldSpec, OptionSource
from proofwalk.devcloud.products.schema.nodes import Fault
from proofwalk.devcloud.products.schema.operations import ParamMap
from proofwalk.devcloud.products.schema.resources import ResourceSpec


def refusal(fault: Fault, *, field: str | None = None, **values: Any) -> CloudError:
    """The fault as an error, with `{name}` in its message filled in."""
    message = fault.message
    for name, value in values.items():
        message = message.replace("{" + name + "}", str(value))
    return CloudError(fault.code, message, fault.status, field=field)


def hidden(spec: FieldSpec, values: Mapping[str, Any]) -> bool:
    """Whether the form would not show the field for these values."""
    return any(values.get(name) not in accepted for name, accepted in spec.show_if.items())


def validate(
    specs: list[FieldSpec],
    values: Mapping[str, Any],
    *,
    params: ParamMap,
    required: Callable[[FieldSpec], bool],
    catalogue: Catalogue,
    resource: ResourceSpec,
    draft: Resource,
    scope: Scope,
) -> None:
    """Raise for the first field that may not stand. `draft` is the resource as it would
    be."""
    given: list[tuple[FieldSpec, str, Any]] = []
    for spec in specs:
        param = params[spec.id].param if spec.id in params else spec.id
        value = values.get(spec.id)
        if value not in (None, "", []):
            given.append((spec, param, value))
        elif required(spec) and not hidden(spec, draft.fields):
            raise missing_parameter(param, field=spec.id)
    # references first: what other fields may be can hang on what they point at
    for spec, _, value in given:
        _reference(spec, value, catalogue, draft, scope)
    for spec, param, value in given:
        _form(spec, param, value)
        _choice(spec, param, value, catalogue, draft, scope)
        for check in spec.api.checks:
            if any(draft.value(name) in values for name, values in check.unless.items()):
                continue
            if not CHECKS[check.kind](value, check, draft, scope):
                raise refusal(check.fault, field=spec.id, value=value)
        if spec.api.unique is not None and any(
            other.id != draft.id
            and other.region == draft.region
            and other.fields.get(spec.id) == value
            for other in scope.world.of_kind(draft.account, draft.kind)
        ):
            raise refusal(spec.api.unique, field=spec.id, value=value)


def _malformed(spec: FieldSpec, param: str, value: Any) -> CloudError:
    if spec.api.fault is not None:
        return refusal(spec.api.fault, field=spec.id, value=value)
    name = param.replace(".", "")
    return CloudError(
        f"Invalid{name}.Malformed",
        f"The specified parameter {param} is not valid.",
        400,
        field=spec.id,
    )


def _form(spec: FieldSpec, param: str, value: Any) -> None:
    if spec.pattern is not None and isinstance(value, str) and not re.search(spec.pattern, value):
        raise _malformed(spec, param, value)
    if spec.item_pattern is not None and isinstance(value, list):
        for item in value:
            if not re.search(spec.item_pattern, str(item)):
                raise _malformed(spec, param, item)
    below = spec.min is not None and isinstance(value, int) and value < spec.min
    above = spec.max is not None and isinstance(value, int) and value > spec.max
    if below or above:
        raise _malformed(spec, param, value)


def _choice(
    spec: FieldSpec, param: str, value: Any, catalogue: Catalogue, draft: Resource, scope: Scope
) -> None:
    if spec.options is None or spec.api.ref is not None:
        return
    if isinstance(spec.options, OptionSource):
        asked = {**draft.fields, "region": draft.region}
        allowed = source_values(
            catalogue,
            spec.options.source,
            {n: asked.get(n) for n in spec.depends_on} | {"region": draft.region},
            scope,
        )
    else:
        allowed = leaves([option.model_dump() for option in spec.options])
    for one in value if isinstance(value, list) else [value]:
        if str(one) not in {str(entry) for entry in allowed}:
            if spec.api.fault is not None:
                raise refusal(spec.api.fault, field=spec.id, value=one)
            name = param.replace(".", "")
            raise CloudError(
                f"Invalid{name}.ValueNotSupported",
                f"The specified parameter {param} is not supported: {one}.",
                400,
                field=spec.id,
            )


def _reference(
    spec: FieldSpec, value: Any, catalogue: Catalogue, draft: Resource, scope: Scope
) -> None:
    ref = spec.api.ref
    if ref is None:
        return
    for one in value if isinstance(value, list) else [value]:
        target = scope.world.find(draft.account, one, ref.resource)
        target_spec = catalogue.resources[ref.resource]
        if target is None or not together(target.region, draft.region):
            raise refusal(ref.fault or target_spec.api.not_found, field=spec.id, id=one)
        if ref.status and target.status not in ref.status:
            raise refusal(target_spec.api.wrong_state, field=spec.id, id=one)
        for own, other in ref.same.items():
            if draft.fields.get(own) not in (None, "") and draft.fields[own] != target.value(other):
                fault = ref.mismatch or Fault(
                    code="InvalidParameter.Mismatch",
                    message="The specified parameters do not belong together.",
                )
                raise refusal(fault, field=spec.id, id=one)


def _network(value: Any) -> ipaddress.IPv4Network | None:
    try:
        return ipaddress.IPv4Network(value)
    except ValueError:
        return None


def _check_cidr(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    return _network(value) is not None


def _check_private_cidr(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    network = _network(value)
    roots = [
        ipaddress.IPv4Network(root) for root in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
    ]
    return (
        network is not None
        and 8 <= network.prefixlen <= 28
        and any(network.subnet_of(root) for root in roots)
    )


def _check_within(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    network, outer = _network(value), _network(evaluate(f"${check.of}", scope.at(draft)))
    return network is not None and outer is not None and network.subnet_of(outer)


def _check_no_overlap(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    network = _network(value)
    siblings = scope.world.select(
        draft.account,
        draft.kind,
        lambda r: (
            r.id != draft.id and r.fields.get(str(check.of)) == draft.fields.get(str(check.of))
        ),
    )
    field = next((name for name, own in draft.fields.items() if own == value), "")
    others = [_network(r.fields.get(field)) for r in siblings]
    return network is not None and not any(
        other is not None and network.overlaps(other) for other in others
    )


def _check_distinct(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    """No other resource of the type has the same values in all fields that `of`
    lists."""
    names = [name.strip() for name in str(check.of).split(",")]
    wanted = {name: draft.value(name) for name in names}
    others = scope.world.of_kind(draft.account, draft.kind)
    return not any(
        other.id != draft.id and all(other.value(n) == v for n, v in wanted.items())
        for other in others
    )


def _check_greater(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    return int(value) > int(evaluate(f"${check.of}", scope.at(draft)) or 0)


def _check_at_least(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    return int(value) >= int(evaluate(f"${check.of}", scope.at(draft)) or 0)


def _check_pattern_by(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    pattern = check.patterns.get(str(draft.value(str(check.of))))
    return pattern is None or re.search(pattern, str(value)) is not None


def _check_differs(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    return bool(value != evaluate(f"${check.of}", scope.at(draft)))


def _check_future(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    """A moment as the console shows it, later than the call."""
    return f"{str(value).replace(' ', 'T')}Z" > scope.now


def _check_address(value: Any, check: Check, draft: Resource, scope: Scope) -> bool:
    for item in value if isinstance(value, list) else [value]:
        try:
            ipaddress.ip_network(item, strict=False)
        except ValueError:
            return False
    return True


CHECKS: dict[str, Callable[[Any, Check, Resource, Scope], bool]] = {
    "cidr": _check_cidr,
    "private_cidr": _check_private_cidr,
    "within": _check_within,
    "no_overlap": _check_no_overlap,
    "distinct": _check_distinct,
    "greater_than": _check_greater,
    "address": _check_address,
    "at_least": _check_at_least,
    "differs": _check_differs,
    "pattern_by": _check_pattern_by,
    "future": _check_future,
}
"""Rules by name: value, check, draft, scope -> holds."""
