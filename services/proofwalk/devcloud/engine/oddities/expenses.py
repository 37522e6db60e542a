"""Expenses and Costs: the balance, payment of orders, and the renewal of what any
product has sold as a subscription."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from proofwalk.devcloud.engine import writes
from proofwalk.devcloud.engine.billing import Purchase, ReplayedIds, balance
from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.geography import DEFAULT_REGION, GLOBAL
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.templates import Derivation, Scope, render
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.products.schema.operations import Charge

_STATES = ("AutoRenewal", "ManualRenewal", "NotRenewal")
_MONTHS = {"M": 1, "Y": 12}
_PERIODS = (1, 2, 3, 6, 12, 24, 36)


def query_balance(call: Call) -> Outcome:
    """QueryAccountBalance."""
    purse = balance(call.world, call.catalogue, call.account)
    return Outcome(answer=render(call.operation.spec.response, call.at(purse)), resources=[purse])


def pay_order(call: Call) -> Outcome:
    """PayOrder: carry out the operation that the order keeps, and deduct what it costs
    now."""
    order_id = call.params.get("OrderId")
    if not order_id:
        raise missing_parameter("OrderId")
    spec = call.operation.typed().api
    order = call.world.find(call.account, order_id, call.operation.resource_kind)
    if order is None:
        raise refusal(spec.not_found, id=order_id)
    if order.status != "Unpaid":
        raise refusal(spec.wrong_state, id=order_id)
    version, action = json.loads(order.fields["operation"])
    operation = call.catalogue.operations[(version, action)]
    params = json.loads(order.fields["parameters"])
    inner = replace(
        call,
        operation=operation,
        params=params,
        region=(params.get("RegionId") or DEFAULT_REGION) if operation.regional else GLOBAL,
        regional=operation.regional and "RegionId" in params,
        scope=replace(call.scope, params=params),
        ids=ReplayedIds(json.loads(order.fields["drawn"]), call.ids),
        order=order,
    )
    done = (
        writes.create_resource(inner)
        if operation.kind == "create"
        else writes.update_resource(inner)
    )
    return Outcome(
        answer=render(call.operation.spec.response, call.at(order)),
        resources=[order, *done.resources],
    )


def _subscription(call: Call, instance_id: str) -> Resource:
    product_code = call.params.get("ProductCode")
    held = call.world.of_kind(call.account, call.catalogue.records["subscription"])
    for record in held:
        if record.fields["instance_id"] == instance_id and product_code in (
            None,
            "",
            record.fields["product_code"],
        ):
            return record
    raise refusal(call.operation.typed().api.not_found, id=instance_id)


def _instance(call: Call, record: Resource) -> Resource:
    found = call.world.find(
        call.account, record.fields["instance_id"], record.fields["instance_kind"]
    )
    if found is None:
        raise refusal(call.operation.typed().api.not_found, id=record.fields["instance_id"])
    return found


def _number(call: Call, name: str) -> int:
    raw = call.params.get(name)
    if not raw:
        raise missing_parameter(name)
    if not raw.isdigit() or int(raw) not in _PERIODS:
        raise CloudError(
            "InvalidParameter",
            f"The specified parameter {name} is not valid.",
            field="renewal_period",
        )
    return int(raw)


def set_renewal(call: Call) -> Outcome:
    """SetRenewal: whether subscriptions are renewed by themselves, by hand, or not at
    all."""
    ids = [part.strip() for part in call.params.get("InstanceIDs", "").split(",") if part.strip()]
    if not ids:
        raise missing_parameter("InstanceIDs")
    status = call.params.get("RenewalStatus")
    if not status:
        raise missing_parameter("RenewalStatus")
    if status not in _STATES:
        raise CloudError(
            "InvalidParameter",
            "The specified parameter RenewalStatus is not valid.",
            field="renewal",
        )
    touched: list[Resource] = []
    for one in ids:
        record = _subscription(call, one)
        instance = _instance(call, record)
        if status == "AutoRenewal":
            if not record.fields["auto_renew_field"]:
                raise CloudError(
                    "NotSupport", "The product does not support auto-renewal.", field="renewal"
                )
            unit = call.params.get("RenewalPeriodUnit") or "M"
            if unit not in _MONTHS:
                raise CloudError(
                    "InvalidParameter", "The specified parameter RenewalPeriodUnit is not valid."
                )
            months = _number(call, "RenewalPeriod") * _MONTHS[unit]
            call.world.touch(instance)
            instance.fields[record.fields["auto_renew_field"]] = True
            if record.fields["period_field"]:
                instance.fields[record.fields["period_field"]] = months
        elif record.fields["auto_renew_field"]:
            call.world.touch(instance)
            instance.fields[record.fields["auto_renew_field"]] = False
        call.world.touch(record)
        record.fields["lapses"] = status == "NotRenewal"
        touched += [record, instance]
    return Outcome(answer=render(call.operation.spec.response, call.scope), resources=touched)


def renew_instance(call: Call) -> Outcome:
    """RenewInstance: months more of a subscription, for an order that is paid at
    once."""
    instance_id = call.params.get("InstanceId")
    if not instance_id:
        raise missing_parameter("InstanceId")
    months = _number(call, "RenewPeriod")
    record = _subscription(call, instance_id)
    instance = _instance(call, record)
    product = call.catalogue.products[instance.kind.split(".", 1)[0]]
    declared = call.catalogue.charges[instance.kind]
    operation = replace(
        call.operation,
        product=product,
        resource_kind=instance.kind,
        resource=call.catalogue.resources[instance.kind],
        spec=call.operation.spec.model_copy(update={"charge": Charge(type="Renewal")}),
    )
    purchase = Purchase(replace(call, operation=operation))
    call.world.touch(instance)
    asked = {
        **instance.fields,
        declared.period: months,
        **({declared.unit: "Month"} if declared.unit else {}),
    }
    purchase.take(instance, dict(instance.fields), asked)
    receipt = purchase.receipt()
    purchase.settle([instance])
    answer = render(call.operation.spec.response, call.at(record, item=receipt))
    return Outcome(answer=answer, resources=[record, instance])


def _subscribed(scope: Scope, arguments: Mapping[str, Any]) -> Any:
    """`member` (expires, renewal, months, state) of what the subscription record in
    hand is about."""
    record = scope.resource
    if record is None or "instance_kind" not in record.fields:
        return ""
    found = scope.world.find(
        scope.account, record.fields["instance_id"], record.fields["instance_kind"]
    )
    if found is None:
        return ""
    renewed = found.fields.get(record.fields["auto_renew_field"]) is True
    if arguments["member"] == "expires":
        return found.fields.get(record.fields["expires_field"]) or ""
    if arguments["member"] == "renewal":
        return (
            "AutoRenewal"
            if renewed
            else "NotRenewal"
            if record.fields.get("lapses")
            else "ManualRenewal"
        )
    if arguments["member"] == "months":
        return (found.fields.get(record.fields["period_field"]) or 1) if renewed else ""
    return found.status


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "query_balance": query_balance,
    "pay_order": pay_order,
    "set_renewal": set_renewal,
    "renew_instance": renew_instance,
}
DERIVATIONS: Mapping[str, Derivation] = {"subscribed": _subscribed}
