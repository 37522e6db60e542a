"""What a configuration would cost, as BssOpenApi tells it before anything is bought.

A product is priced by modules, each with a configuration `CODE:value,CODE:value`. The
codes are the parameters of the operation that makes the thing, so a price and the bill
rest on the same declaration (`billing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proofwalk.devcloud.engine.billing import MONTHS, hourly, monthly
from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.values.templates import render
from proofwalk.devcloud.products.schema.operations import Charge, OperationSpec, Price

_MODULE = re.compile(r"ModuleList\.([1-9]\d?)\.ModuleCode")
_MAX_MODULES = 50
_UNITS = ("Month", "Year")
_ASIDE = frozenset({"ImageOs", "IoOptimized", "Region"})
"""Property codes that the vendor takes and that make no difference here."""
_MAX_QUANTITY = 1000


@dataclass(frozen=True)
class _Module:
    code: str
    charge: Charge
    """With the parts of the price that the module has."""
    fields: Mapping[str, Any]


def pay_as_you_go_price(call: Call) -> Outcome:
    """GetPayAsYouGoPrice: CNY for an hour of each module."""
    details = []
    for number, module in _modules(call, "PayAsYouGo"):
        if call.params.get(f"ModuleList.{number}.PriceType", "Hour") != "Hour":
            raise _bad(f"ModuleList.{number}.PriceType")
        details.append(_detail(module, hourly(module.charge, module.fields)))
    return _answer(call, {"ModuleDetails": {"ModuleDetail": details}})


def subscription_price(call: Call) -> Outcome:
    """GetSubscriptionPrice: CNY for the whole of a period, at once."""
    if call.params.get("OrderType") != "NewOrder":
        raise _bad("OrderType")
    unit = call.params.get("ServicePeriodUnit") or "Month"
    if unit not in _UNITS:
        raise _bad("ServicePeriodUnit")
    months = MONTHS[unit] * _number(call, "ServicePeriodQuantity")
    quantity = _number(call, "Quantity")
    details = [
        _detail(module, round(monthly(module.charge, module.fields) * months * quantity, 2))
        for _, module in _modules(call, "Subscription")
    ]
    total = round(sum(one["CostAfterDiscount"] for one in details), 2)
    return _answer(
        call,
        {
            "ModuleDetails": {"ModuleDetail": details},
            "Quantity": quantity,
            "OriginalPrice": total,
            "DiscountPrice": 0.0,
            "TradePrice": total,
        },
    )


def _modules(call: Call, subscription_type: str) -> Iterator[tuple[int, _Module]]:
    for name in ("ProductCode", "SubscriptionType"):
        if not call.params.get(name):
            raise missing_parameter(name)
    if call.params["SubscriptionType"] != subscription_type:
        raise _bad("SubscriptionType")
    spec = _sold(call)
    numbers = sorted(int(match[1]) for name in call.params if (match := _MODULE.fullmatch(name)))
    if not numbers:
        raise missing_parameter("ModuleList.1.ModuleCode")
    for number in numbers[:_MAX_MODULES]:
        yield number, _module(call, spec, number)


def _sold(call: Call) -> OperationSpec:
    """The operation that makes what the product sells."""
    for operation in call.catalogue.operations.values():
        charge = operation.spec.charge
        if (
            operation.kind == "create"
            and charge is not None
            and (charge.product_code or operation.product.id) == call.params["ProductCode"]
        ):
            return operation.spec
    raise CloudError(
        "InvalidProductCode", "The specified parameter ProductCode is not valid.", status=400
    )


def _module(call: Call, spec: OperationSpec, number: int) -> _Module:
    code = call.params[f"ModuleList.{number}.ModuleCode"]
    config = call.params.get(f"ModuleList.{number}.Config")
    if not config:
        raise missing_parameter(f"ModuleList.{number}.Config")
    pairs = dict(pair.partition(":")[::2] for pair in config.split(","))
    if not any(name == code or name.startswith(f"{code}.") for name in pairs):
        raise CloudError("InvalidModuleCode", "The specified moduleCode is not valid.")
    fields: dict[str, Any] = {}
    for name, value in pairs.items():
        if name not in _ASIDE:
            fields[_field(spec, name)] = value
    charge = spec.charge
    assert charge is not None
    own = charge.model_copy(
        update={
            "month": _parts(charge.month, fields),
            "hour": _parts(charge.hour, fields),
        }
    )
    return _Module(code, own, fields)


def _field(spec: OperationSpec, name: str) -> str:
    """The field that a property code stands for; a code of a repeated group for none
    that has a price."""
    for field, param in spec.params.items():
        if param.param == name:
            return field
        if name in {f"{param.param}.{sub}" for sub in param.rows.values()}:
            return f"{field}.{name}"
    raise CloudError("InvalidConfigCode", "The specified configCode is not valid.")


def _parts(prices: list[Price], fields: Mapping[str, Any]) -> list[Price]:
    parts = [price for price in prices if price.by in fields]
    for price in parts:
        if price.prices and not price.each and str(fields[str(price.by)]) not in price.prices:
            raise CloudError(
                "PRICE.PRICING_PLAN_RESULT_NOT_FOUND",
                "The price plan of the specified configuration is not found.",
            )
    return parts


def _detail(module: _Module, amount: float) -> dict[str, Any]:
    return {
        "ModuleCode": module.code,
        "UnitPrice": amount,
        "OriginalCost": amount,
        "InvoiceDiscount": 0.0,
        "CostAfterDiscount": amount,
    }


def _answer(call: Call, told: Mapping[str, Any]) -> Outcome:
    answer = render(call.operation.spec.response, call.scope)
    answer["Data"] = {"Currency": "CNY", "PromotionDetails": {"PromotionDetail": []}, **told}
    return Outcome(answer=answer)


def _number(call: Call, name: str) -> int:
    given = call.params.get(name) or "1"
    if not given.isdigit() or not 1 <= int(given) <= _MAX_QUANTITY:
        raise _bad(name)
    return int(given)


def _bad(name: str) -> CloudError:
    return CloudError("InvalidParameter", f"The specified parameter {name} is not valid.")


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "pay_as_you_go_price": pay_as_you_go_price,
    "subscription_price": subscription_price,
}
