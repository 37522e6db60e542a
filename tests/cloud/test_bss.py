"""A bill's lines count for the part of them that lies in the period; what is of another
form is an error and not 0."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from proofwalk.chassis.http import HttpServer
from proofwalk.cloud.bss import PAGE, BssBilling
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError

KEY = AccessKey(key_id="AK1", secret=SecretStr("s"))
ACCOUNT = CloudAccount(external_id="1001", login=ConsoleLogin(fields={}), access_key=KEY)
HOUR = timedelta(hours=1)
MIDNIGHT = datetime(2026, 4, 30, 16, tzinfo=UTC)
"""Where April ends in UTC+8."""


class FakeBss:
    """BssOpenApi with the lines of each month."""

    def __init__(self) -> None:
        self.months: dict[str, list[dict[str, Any]]] = {}
        self.available = "10,000.50"
        self.asked: list[str] = []

    def line(self, begin: datetime, end: datetime, amount: float, **more: Any) -> None:
        zone = timedelta(hours=8)
        month = (begin + zone).strftime("%Y-%m")
        row = {
            "UsageStartTime": (begin + zone).strftime("%Y-%m-%d %H:%M:%S"),
            "UsageEndTime": (end + zone).strftime("%Y-%m-%d %H:%M:%S"),
            "PretaxAmount": amount,
            "Currency": "CNY",
        }
        self.months.setdefault(month, []).append({**row, **more})

    async def answer(self, request: Request) -> JSONResponse:
        asked = request.query_params
        action = request.headers["x-acs-action"]
        self.asked.append(f"{action} {asked.get('BillingCycle', '')}".strip())
        if action == "QueryAccountBalance":
            return JSONResponse({"Data": {"AvailableAmount": self.available, "Currency": "CNY"}})
        rows = self.months.get(asked["BillingCycle"], [])
        first = (int(asked["PageNum"]) - 1) * int(asked["PageSize"])
        page = rows[first : first + int(asked["PageSize"])]
        return JSONResponse({"Data": {"TotalCount": len(rows), "Items": {"Item": page}}})

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/", self.answer, methods=["POST"])])


@pytest.fixture
def fake() -> FakeBss:
    return FakeBss()


@pytest.fixture
async def billing(fake: FakeBss) -> AsyncIterator[BssBilling]:
    async with HttpServer(fake.app(), "127.0.0.1:0") as server:
        made = BssBilling(
            endpoint=server.url.removeprefix("http://"),
            protocol="HTTP",
            region="cn-hangzhou",
            clock=SystemClock(),
            deadline_s=5.0,
        )
        yield made
        made.close()


async def test_a_balance_is_read_with_its_thousands(billing: BssBilling) -> None:
    assert await billing.balance(ACCOUNT) == Money.of("10000.5", "CNY")


async def test_a_line_counts_for_its_part_of_the_period(fake: FakeBss, billing: BssBilling) -> None:
    begin = datetime(2026, 4, 10, 8, tzinfo=UTC)
    fake.line(begin, begin + HOUR, 3.6)
    for since, until, part in (
        (begin, begin + HOUR, "3.6"),
        (begin + HOUR / 4, begin + HOUR / 2, "0.9"),
        (begin - HOUR, begin + HOUR / 2, "1.8"),
        (begin + HOUR, begin + 2 * HOUR, "0"),
    ):
        assert await billing.spend(ACCOUNT, since=since, until=until) == Money.of(part, "CNY")


async def test_what_is_paid_at_once_counts_where_it_was_paid(
    fake: FakeBss, billing: BssBilling
) -> None:
    paid = datetime(2026, 4, 10, 8, tzinfo=UTC)
    fake.line(paid, paid, 228)
    fake.line(paid + HOUR, paid + HOUR, -228)
    before = await billing.spend(
        ACCOUNT, since=paid + timedelta(seconds=0.4), until=paid + HOUR / 2
    )
    assert before == Money.of(228, "CNY"), "told in whole seconds"
    both = await billing.spend(ACCOUNT, since=paid, until=paid + HOUR)
    assert both == Money(micros=0, currency="CNY")


async def test_what_is_given_back_as_a_period_begins_was_bought_before_it(
    fake: FakeBss, billing: BssBilling
) -> None:
    second = datetime(2026, 4, 10, 8, tzinfo=UTC)
    fake.line(second, second, -228)
    fake.line(second, second, 30)
    since, until = second + timedelta(seconds=0.4), second + HOUR
    assert await billing.spend(ACCOUNT, since=since, until=until) == Money.of(30, "CNY")
    assert await billing.spend(ACCOUNT, since=second - HOUR, until=since) == Money.of(-198, "CNY")


async def test_a_period_over_a_months_end_reads_both_bills_and_every_page(
    fake: FakeBss, billing: BssBilling
) -> None:
    for number in range(PAGE + 1):
        fake.line(MIDNIGHT - HOUR, MIDNIGHT, 1, RecordID=number)
    fake.line(MIDNIGHT, MIDNIGHT + HOUR, 5)
    spent = await billing.spend(ACCOUNT, since=MIDNIGHT - HOUR, until=MIDNIGHT + HOUR)
    assert spent == Money.of(PAGE + 6, "CNY")
    assert fake.asked == ["QueryBill 2026-04", "QueryBill 2026-04", "QueryBill 2026-05"]


@pytest.mark.parametrize(
    "broken", [{"UsageStartTime": "soon"}, {"PretaxAmount": "much"}, {"Currency": "USD"}]
)
async def test_a_line_of_another_form_is_an_error(
    fake: FakeBss, billing: BssBilling, broken: dict[str, str]
) -> None:
    begin = datetime(2026, 4, 10, 8, tzinfo=UTC)
    fake.line(begin, begin + HOUR, 1)
    fake.line(begin, begin + HOUR, 1, **broken)
    with pytest.raises(ProofwalkError) as caught:
        await billing.spend(ACCOUNT, since=begin, until=begin + HOUR)
    assert caught.value.code == "cloud.bad_answer"


async def test_without_a_key_nothing_is_asked(fake: FakeBss, billing: BssBilling) -> None:
    keyless = CloudAccount(external_id="1001", login=ConsoleLogin(fields={}), access_key=None)
    with pytest.raises(ProofwalkError) as caught:
        await billing.balance(keyless)
    assert (caught.value.code, fake.asked) == ("cloud.denied", [])


async def test_a_period_that_ends_before_it_begins_is_refused(billing: BssBilling) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await billing.spend(ACCOUNT, since=MIDNIGHT, until=MIDNIGHT - HOUR)
    assert caught.value.code == "cloud.bad_period"
