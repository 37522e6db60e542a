"""Operations that change: `create` and `update` (any action, including a delete).

A create decodes the request, fills what may be derived, validates, and adds the
resource in its initial state with whatever comes into being with it. An update finds
its resource, checks the state and other conditions, validates what is sent, sets fields
and enters a state. Every check precedes every change, and the unit of work undoes the
rest if a later step refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofwalk.devcloud.engine.billing import Purchase
from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.identity import chosen, claim, new_id, rename
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.geography import GLOBAL
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.parameters import (
    decode,
    groups,
    identifying,
    named,
)
from proofwalk.devcloud.engine.values.templates import matching, render
from proofwalk.devcloud.engine.values.validation import hidden, refusal, validate
from proofwalk.devcloud.products.schema.fields import FieldSpec
from proofwalk.devcloud.products.schema.operations import Spawn
from proofwalk.devcloud.products.schema.resources import GONE

MAX_AMOUNT = 100


def create_resource(call: Call) -> Outcome:
    """Create one resource, or several where the request says `Amount` or repeats a
    group."""
    spec = call.operation.spec
    requests = _bulk(call)
    try:
        amount = int(call.params.get("Amount") or 1)
    except ValueError:
        amount = 0
    if not 1 <= amount <= MAX_AMOUNT:
        raise CloudError("InvalidParameter.Amount", "The specified parameter Amount is not valid.")
    purchase = Purchase(call)
    call = purchase.call
    made = [_create_one(call, params) for params in requests for _ in range(amount)]
    if call.params.get("DryRun", "").lower() == "true":
        raise CloudError(
            "DryRunOperation", "Request validation has been passed with DryRun flag set."
        )
    for resource in made:
        purchase.take(resource, {}, resource.fields)
    created = {"created": [resource.id for resource in made], **purchase.receipt()}
    answer = render(spec.response, call.at(made[0], item=created))
    return Outcome(answer=answer, resources=purchase.settle(made))


def _bulk(call: Call) -> list[Mapping[str, str]]:
    prefix = call.operation.spec.bulk
    if prefix is None:
        return [call.params]
    common = {key: value for key, value in call.params.items() if not key.startswith(f"{prefix}.")}
    return [{**common, **group} for group in groups(call.params, prefix)] or [call.params]


def _create_one(call: Call, params: Mapping[str, str]) -> Resource:
    """Create one resource in its initial state, or return the one that is there where
    the operation ignores a second."""
    spec, resource_spec = call.operation.spec, call.operation.typed()
    values = decode(spec.params, resource_spec, params)
    tags: dict[str, str] = next(
        (values.pop(f.id) for f in resource_spec.fields if f.type == "tags" and f.id in values), {}
    )
    draft = _draft(call, values, tags)
    _validate_draft(call, draft)
    call.check_supply(resource_spec, draft, resource_spec.fields)
    twin = _twin(call, draft) if spec.existing == "ignore" else None
    if twin is not None:
        return twin
    if resource_spec.api.id_from:
        draft.id = chosen(resource_spec, draft.fields)
        claim(call, draft.kind, draft.id)
    _check_quota(call, draft)
    for field in resource_spec.fields:
        if field.id in draft.fields and (hidden(field, draft.fields) or not field.stored):
            del draft.fields[field.id]
    for name, template in spec.set.items():
        draft.fields[name] = render(template, call.at(draft, input=values, params=params))
    call.world.add(draft)
    for spawn in spec.spawn:
        _spawn(call, draft, spawn)
    call.lifecycle.enter(draft, resource_spec.lifecycle.initial, call.now, call.scope)
    return draft


def _draft(call: Call, values: dict[str, Any], tags: dict[str, str]) -> Resource:
    """Return a resource with the values of a request, what is derived from them, and
    defaults. It is not in the world yet."""
    spec, resource_spec = call.operation.spec, call.operation.typed()
    kind = str(call.operation.resource_kind)
    draft = Resource(
        account=call.account,
        kind=kind,
        id="" if resource_spec.api.id_from else new_id(call, kind, call.region),
        region=call.region,
        status=resource_spec.lifecycle.initial,
        created=call.scope.now,
        fields=values,
        tags=tags,
    )
    for name, template in spec.derive.items():
        if draft.fields.get(name) in (None, "", []):
            draft.fields[name] = render(template, call.at(draft, input=values))
    for field in resource_spec.fields:
        if (
            field.default is not None
            and not field.api.console_only
            and field.id not in draft.fields
            and not hidden(field, draft.fields)
        ):
            draft.fields[field.id] = field.default
    return draft


def _validate_draft(call: Call, draft: Resource) -> None:
    """Raise the fault of the first field that is wrong. A field that the form would not
    show is not checked, since it is dropped; a password always is."""
    spec, resource_spec = call.operation.spec, call.operation.typed()
    validate(
        [
            f
            for f in resource_spec.fields
            if (f.id in spec.params or f.id in spec.derive)
            and f.type != "tags"
            and (f.widget == "password" or not hidden(f, draft.fields))
        ],
        draft.fields,
        params=spec.params,
        required=lambda f: (
            (f.required or f.id in spec.mandatory)
            and f.id not in spec.optional
            and not _checked(call, f)
        ),
        catalogue=call.catalogue,
        resource=resource_spec,
        draft=draft,
        scope=call.scope,
    )


def _checked(call: Call, field: FieldSpec) -> bool:
    """Return True for a password of an order's payment, which repeats the operation
    without passwords: they were checked when the order was placed."""
    return call.order is not None and field.widget == "password"


def _twin(call: Call, draft: Resource) -> Resource | None:
    names = [name for name in call.operation.spec.params if name != "description"]
    same = {name: draft.fields.get(name) for name in names}
    found = call.world.select(
        call.account, draft.kind, lambda r: all(r.fields.get(n) == v for n, v in same.items())
    )
    return found[0] if found else None


def _check_quota(call: Call, draft: Resource) -> None:
    for quota in call.operation.typed().api.quota:
        group = [draft.value(name) for name in quota.per]
        held = sum(
            [r.value(name) for name in quota.per] == group
            for r in call.world.of_kind(call.account, draft.kind)
        )
        if held >= quota.max:
            raise refusal(quota.fault, value=quota.max)


def _spawn(call: Call, parent: Resource, spawn: Spawn) -> None:
    items: list[Any] = [None]
    if spawn.each is not None and spawn.each.startswith("source:"):
        items = list(call.catalogue.sources[spawn.each.removeprefix("source:")].rows)
    elif spawn.each is not None:
        items = parent.fields.get(spawn.each) or []
    target = call.catalogue.resources[spawn.resource]
    for item in items:
        fields = {
            name: render(value, call.at(parent, item=item)) for name, value in spawn.fields.items()
        }
        if fields.pop("@if", True) in (False, None, ""):
            continue
        region = GLOBAL if spawn.resource in call.catalogue.global_kinds else parent.region
        child = Resource(
            account=call.account,
            kind=spawn.resource,
            id=new_id(call, spawn.resource, region, fields),
            region=region,
            status=spawn.status or target.lifecycle.initial,
            created=call.scope.now,
            fields=fields,
            given=spawn.given,
        )
        call.world.add(child)
        call.lifecycle.enter(child, child.status, call.now, call.scope)


def update_resource(call: Call) -> Outcome:
    """Perform an action on existing resources: check state and conditions, set fields,
    enter the next state."""
    spec, touched = call.operation.spec, []
    purchase = Purchase(call)
    call = purchase.call
    for params in _bulk(call):
        targets = _locate(call, params)
        for target in targets:
            before = dict(target.fields)
            asked = _update_one(call, target, params)
            purchase.take(target, before, asked)
        touched += targets
    first = touched[0] if touched else None
    answer = render(
        spec.response, call.at(first, item=purchase.receipt()) if first is not None else call.scope
    )
    return Outcome(answer=answer, resources=purchase.settle(touched))


def _locate(call: Call, params: Mapping[str, str]) -> list[Resource]:
    spec, resource_spec, kind = (
        call.operation.spec,
        call.operation.typed(),
        str(call.operation.resource_kind),
    )
    ids = named(resource_spec, spec, params)
    if not ids and spec.match:
        mapping = {
            name: param
            for name, param in {**spec.send, **spec.params}.items()
            if name in spec.match
        }
        wanted = decode(mapping, resource_spec, params)
        if not wanted:
            raise missing_parameter(next(iter(mapping.values())).param)
        for field in resource_spec.fields:
            if field.id in spec.match and field.default is not None:
                wanted.setdefault(field.id, field.default)
        found = call.world.select(
            call.account, kind, lambda r: all(r.fields.get(n) == v for n, v in wanted.items())
        )
        if found or spec.missing == "ignore":
            return found
        raise refusal(resource_spec.api.not_found, id=", ".join(map(str, wanted.values())))
    if not ids:
        asked_by = identifying(resource_spec, spec)
        raise missing_parameter(
            next((name for name in asked_by if not params.get(name)), asked_by[-1])
        )
    located = []
    for one in ids:
        found_one = call.world.find(call.account, one, kind)
        if found_one is not None and call.sees(found_one):
            located.append(found_one)
        elif spec.missing != "ignore":
            raise refusal(resource_spec.api.not_found, id=one)
    return located


def _update_one(call: Call, target: Resource, params: Mapping[str, str]) -> dict[str, Any]:
    """Update a resource. Return its fields with the requested values, also those that
    are not stored."""
    spec, resource_spec = call.operation.spec, call.operation.typed()
    values = decode(spec.params, resource_spec, params)
    _check_conditions(call, target, values)
    if spec.delete or spec.to == GONE:
        for block in resource_spec.api.blocks:
            if block.unless is not None and values.get(block.unless) is True:
                continue
            if matching(block.where, block.resource, call.at(target)):
                raise refusal(block.fault, id=target.id)
    draft = target.snapshot()
    draft.fields.update(values)
    specs = [
        f
        for f in resource_spec.fields
        if f.id in spec.params and (f.id in values or f.id in spec.mandatory)
    ]
    scope = call.at(target, input=values)
    validate(
        specs,
        values,
        params=spec.params,
        required=lambda f: f.id in spec.mandatory,
        catalogue=call.catalogue,
        resource=resource_spec,
        draft=draft,
        scope=scope,
    )
    call.check_supply(resource_spec, draft, specs)
    changed: dict[str, Any] = {}
    for name, value in values.items():
        field = resource_spec.field(name)
        if field is not None and field.stored and not (field.immutable and target.fields.get(name)):
            changed[name] = value
    changed.update(
        {
            name: render(template, call.at(draft, input=values))
            for name, template in spec.set.items()
        }
    )
    call.world.touch(target)
    target.fields.update(changed)
    if any(name in changed for name in resource_spec.api.id_from):
        called = chosen(resource_spec, target.fields)
        if called != target.id:
            claim(call, target.kind, called)
            rename(call, target, called)
    for spawn in spec.spawn:
        _spawn(call, target, spawn)
    if spec.to is not None:
        call.lifecycle.enter(
            target, render(spec.to, call.at(target, input=values)), call.now, call.scope
        )
    return {**draft.fields, **target.fields, **values}


def _check_conditions(call: Call, target: Resource, values: Mapping[str, Any]) -> None:
    spec, action = call.operation.spec, call.operation.action
    if action is None:
        return
    for name, allowed in action.when.items():
        held = call.value(target, name)
        if held in allowed:
            continue
        if name == "status" and spec.override is not None and values.get(spec.override) is True:
            continue
        fault = spec.denied.get(name) or call.operation.typed().api.wrong_state
        raise refusal(fault, id=target.id, value=held)
