"""Balance and spend of an account through BssOpenApi: QueryAccountBalance and
QueryBill, by the official client's general call with the account's own key.

QueryBill tells a month's lines (a month of UTC+8) with their usage time in whole
seconds, so a period is widened to whole seconds: what lies in it counts to the last
millionth. A line that reaches over an end of it counts for its part of the time; an
order and a refund, which take no time, count where they were paid, and a refund in the
second in which the period begins counts for what was before it. What the cloud
has not put on the bill yet is not counted: the embedded cloud's is exact at once, the
vendor's comes an hour late.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from alibabacloud_tea_openapi.client import Client
from alibabacloud_tea_openapi.utils_models import OpenApiRequest
from darabonba.runtime import RuntimeOptions

from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.sdk_calls import Endpoint, SdkCalls, bad_answer, rpc_params
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.json_values import JsonObject

SERVICE = "BssOpenApi"
VERSION = "2017-12-14"
PAGE = 100
MAX_PAGES = 50
"""Most pages of a month that are read; a leased account has a few lines."""
_ZONE = timezone(timedelta(hours=8))


class BssBilling:
    """`Billing` over BssOpenApi. `close()` ends its threads."""

    def __init__(
        self, *, endpoint: str, protocol: str, region: str, clock: Clock, deadline_s: float = 20.0
    ) -> None:
        self._calls = SdkCalls(
            service=SERVICE,
            action="bssapi:QueryAccountBalance and bssapi:QueryBill",
            endpoint=Endpoint(address=endpoint, protocol=protocol, region=region),
            clock=clock,
            deadline_s=deadline_s,
            threads=2,
        )

    def close(self) -> None:
        """Take no more calls."""
        self._calls.close()

    async def balance(self, account: CloudAccount) -> Money:
        """Return what the account has left to spend."""
        client = Client(self._calls.config(account))
        data = await ask(self._calls, client, "QueryAccountBalance", {}, self._calls.deadline())
        try:
            return Money.of(str(data["AvailableAmount"]).replace(",", ""), str(data["Currency"]))
        except (KeyError, ArithmeticError) as error:
            raise bad_answer("QueryAccountBalance") from error

    async def spend(self, account: CloudAccount, *, since: datetime, until: datetime) -> Money:
        """Return what the bill says of [since, until]."""
        if until < since:
            raise invalid("cloud.bad_period", f"the period ends before it begins: {since}, {until}")
        until = (until + timedelta(microseconds=999_999)).replace(microsecond=0)
        client = Client(self._calls.config(account))
        give_up = self._calls.deadline()
        micros, currency = 0, ""
        for cycle in _cycles(since, until):
            async for row in self._lines(client, cycle, give_up):
                part = _part(row, since, until)
                currency = currency or part.currency
                if part.currency != currency:
                    raise bad_answer("QueryBill")
                micros += part.micros
        if not currency:
            return Money(micros=0, currency=(await self.balance(account)).currency)
        return Money(micros=micros, currency=currency)

    async def _lines(self, client: Client, cycle: str, give_up: float) -> AsyncIterator[JsonObject]:
        for number in range(1, MAX_PAGES + 1):
            asked = {"BillingCycle": cycle, "PageNum": str(number), "PageSize": str(PAGE)}
            data = await ask(self._calls, client, "QueryBill", asked, give_up)
            try:
                rows, total = data["Items"]["Item"], int(data["TotalCount"])
            except (KeyError, TypeError, ValueError) as error:
                raise bad_answer("QueryBill") from error
            for row in rows:
                yield row
            if number * PAGE >= total:
                return
        raise ProofwalkError(
            "cloud.bad_answer",
            f"the bill of {cycle} has more than {MAX_PAGES * PAGE} lines",
            status=Status.INTERNAL,
        )


async def ask(
    calls: SdkCalls, client: Client, action: str, query: Mapping[str, str], give_up: float
) -> Any:
    """The `Data` of BssOpenApi's answer, a mapping. Raises `cloud.*`."""
    params = rpc_params(action, VERSION)
    request = OpenApiRequest(query=dict(query))
    answer = await calls.call(lambda: client.call_api(params, request, RuntimeOptions()), give_up)
    body = answer.get("body", {})
    data = body.get("Data")
    if body.get("Success") is False or not isinstance(data, Mapping):
        raise bad_answer(action, code=str(body.get("Code") or ""))
    return data


def _cycles(since: datetime, until: datetime) -> Iterator[str]:
    """The months that a period has a part in."""
    first, last = since.astimezone(_ZONE), until.astimezone(_ZONE)
    for month in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        yield f"{month // 12:04d}-{month % 12 + 1:02d}"


def _part(row: JsonObject, since: datetime, until: datetime) -> Money:
    """What of a line lies in the period."""
    try:
        begin, end = _moment(str(row["UsageStartTime"])), _moment(str(row["UsageEndTime"]))
        amount, currency = Decimal(str(row["PretaxAmount"])), str(row["Currency"])
    except (KeyError, ValueError, ArithmeticError) as error:
        raise bad_answer("QueryBill") from error
    if end <= begin:
        first = since.replace(microsecond=0)
        # Nothing is given back in the second in which the period begins but what was
        # bought before it: a sweep's refund is not the next lease's.
        is_in = first <= begin <= until if amount > 0 else since <= begin <= until
        return Money.of(amount if is_in else 0, currency)
    since = since.replace(microsecond=0)
    lived = max((min(end, until) - max(begin, since)).total_seconds(), 0.0)
    share = min(lived / (end - begin).total_seconds(), 1.0)
    return Money.of(amount * Decimal(str(share)), currency)


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=_ZONE)
