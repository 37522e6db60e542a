"""The bill of a month as BssOpenApi tells it: every line, or the sum of each
instance.

A month begins and ends at midnight of UTC+8, and a line that reaches over an end counts
for its part. Moments are told in whole seconds, amounts to a millionth of a CNY.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.state.bill import Line
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.values.templates import render

_ZONE = timezone(timedelta(hours=8))
_CYCLE = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")
_PAGE = 20
_MAX_PAGE = 100


@dataclass(frozen=True)
class _Month:
    since: float
    until: float


def query_bill(call: Call) -> Outcome:
    """QueryBill: the lines of a month."""
    month = _month(call)
    rows = [_row(call, line, month) for line in _lines(call, month)]
    return _answer(call, [row for row in rows if row["PretaxAmount"] or not _hides_zero(call)])


def query_instance_bill(call: Call) -> Outcome:
    """QueryInstanceBill: what each instance cost in a month. An order counts as
    itself."""
    month = _month(call)
    wanted = call.params.get("InstanceID")
    sums: dict[tuple[str, str, str], dict[str, Any]] = {}
    for line in _lines(call, month):
        row = _row(call, line, month)
        if wanted and line.id != wanted:
            continue
        begin, end = line.within(month.since, month.until, call.now)
        total = sums.setdefault(
            (line.kind, line.id, line.item),
            {
                **{name: row[name] for name in _OF_AN_INSTANCE},
                "BillingCycle": call.params["BillingCycle"],
                "InstanceID": line.id,
                "Region": line.region,
                "ServicePeriod": 0,
                "ServicePeriodUnit": "Second",
                "PretaxAmount": 0.0,
                "PretaxGrossAmount": 0.0,
            },
        )
        total["ServicePeriod"] += int(end - begin)
        for name in ("PretaxAmount", "PretaxGrossAmount"):
            total[name] = round(total[name] + row[name], 6)
    rows = list(sums.values())
    return _answer(call, [row for row in rows if row["PretaxAmount"] or not _hides_zero(call)])


_OF_AN_INSTANCE = (
    "Item",
    "ProductCode",
    "ProductName",
    "ProductType",
    "SubscriptionType",
    "Currency",
)


def _month(call: Call) -> _Month:
    cycle = call.params.get("BillingCycle")
    if not cycle:
        raise missing_parameter("BillingCycle")
    if not _CYCLE.fullmatch(cycle):
        raise CloudError(
            "InvalidBillingCycle", "The specified parameter BillingCycle is not valid: YYYY-MM."
        )
    year, month = map(int, cycle.split("-"))
    return _Month(
        datetime(year, month, 1, tzinfo=_ZONE).timestamp(),
        datetime(year + month // 12, month % 12 + 1, 1, tzinfo=_ZONE).timestamp(),
    )


def _lines(call: Call, month: _Month) -> Sequence[Line]:
    asked = {name: call.params.get(name) for name in ("Type", "ProductCode", "SubscriptionType")}
    return [
        line
        for line in call.bill(month.since, month.until)
        if asked["Type"] in (None, "", line.item)
        and asked["ProductCode"] in (None, "", line.product_code)
        and asked["SubscriptionType"] in (None, "", _paid_how(line))
    ]


def _paid_how(line: Line) -> str:
    return "PayAsYouGo" if line.item == "PayAsYouGoBill" else "Subscription"


def _row(call: Call, line: Line, month: _Month) -> dict[str, Any]:
    begin, end = line.within(month.since, month.until, call.now)
    amount = line.cost(month.since, month.until, call.now)
    product = next(
        (p.title for p in call.catalogue.products.values() if p.id == line.product_code),
        line.product_code,
    )
    return {
        "RecordID": f"{line.account}{line.number:08d}",
        "Item": line.item,
        "OwnerID": line.account,
        "ProductCode": line.product_code,
        "ProductName": product,
        "ProductType": "",
        "SubscriptionType": _paid_how(line),
        "SubOrderId": "" if line.item == "PayAsYouGoBill" else line.id,
        "UsageStartTime": _local(begin),
        "UsageEndTime": _local(end),
        "PaymentTime": "" if line.until is None else _local(end),
        "PretaxGrossAmount": amount,
        "PretaxAmount": amount,
        "Currency": "CNY",
        "PaymentCurrency": "CNY",
        "Status": "PayUnsettle" if line.until is None else "PayFinish",
    }


def _local(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).astimezone(_ZONE).strftime("%Y-%m-%d %H:%M:%S")


def _hides_zero(call: Call) -> bool:
    names = ("IsHideZeroCharge", "IsHideZeroCharges")
    return any(call.params.get(name, "").lower() == "true" for name in names)


def _answer(call: Call, rows: list[dict[str, Any]]) -> Outcome:
    number, size = _number(call, "PageNum", 1, 100_000), _number(call, "PageSize", _PAGE, _MAX_PAGE)
    answer = render(call.operation.spec.response, call.scope)
    answer["Data"] = {
        "BillingCycle": call.params["BillingCycle"],
        "AccountID": call.account,
        "AccountName": call.account,
        "TotalCount": len(rows),
        "PageNum": number,
        "PageSize": size,
        "Items": {"Item": rows[(number - 1) * size : number * size]},
    }
    return Outcome(answer=answer)


def _number(call: Call, name: str, default: int, most: int) -> int:
    given = call.params.get(name) or str(default)
    if not given.isdigit() or not 1 <= int(given) <= most:
        raise CloudError("InvalidParameter", f"The specified parameter {name} is not valid.")
    return int(given)


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "query_bill": query_bill,
    "query_instance_bill": query_instance_bill,
}
