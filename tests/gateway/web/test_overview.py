"""The figures of the first page beside its verifications: precision by week, and what
is free. None of them holds the page up, or keeps it from being shown."""

from __future__ import annotations

from collections import deque
from datetime import date

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.inspection.v1 import findings_pb2 as findings
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as scheduler
from proofwalk.gateway.web.overview_figures import (
    MOST_PRODUCTS,
    WEEKS,
    Free,
    Reviewed,
    free_accounts,
    free_sandboxes,
    precision_weeks,
)
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import shows
from tests.gateway.web.test_hostile_texts import ATTACKS, OWN_TAGS, check

PAGE = "/console"
TODAY = date(2026, 11, 28)
MONDAY = "2026-11-23"


def _week(week: str, product: str, accepted: int, rejected: int) -> findings.WeeklyPrecision:
    return findings.WeeklyPrecision(
        week=week, product=product, accepted=accepted, rejected=rejected, waiting=1
    )


def _fill(gateway: Gateway, product: str = "ecs") -> None:
    today = gateway.clock.now().date()
    monday = date.fromordinal(today.toordinal() - today.weekday()).isoformat()
    gateway.findings.weeks = [_week(monday, product, 3, 1)]
    gateway.fakes.pool.accounts = [
        pool.Account(account_id="acc_1", state="free"),
        pool.Account(account_id="acc_2", state="free", reason="no longer offered by its target"),
        pool.Account(account_id="acc_3", state="leased"),
    ]
    gateway.fakes.scheduler.tools = [scheduler.Tool(name="chromium", warm=1, leased=2, quota=7)]


async def test_an_operator_sees_precision_and_what_is_free(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    page = (await operator.ask("GET", PAGE)).text
    for text in (
        "<b>1</b> accounts free",
        "of 3<",
        "<b>5</b> sandboxes free",
        "of 7, 1 of them started already",
        "All products",
        "75 % <small>3 of 4</small>",
    ):
        assert text in page, text


async def test_where_nothing_was_found_it_says_so(gateway: Gateway, operator: Browser) -> None:
    page = (await operator.ask("GET", PAGE)).text
    assert "Walks found nothing new in these weeks." in page
    assert "<b>0</b> accounts free" in page


async def test_who_may_not_see_the_fleet_is_not_told_of_it(
    gateway: Gateway, visitors: SignIn
) -> None:
    _fill(gateway)
    gateway.fakes.leave()
    page = (await (await visitors("pw_critic")).ask("GET", PAGE)).text
    assert "75 %" in page
    assert "accounts free" not in page
    assert "role.is_away" not in page, "nobody was asked"


async def test_what_is_not_known_says_why_in_both_languages(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    gateway.fakes.leave()
    refused = ProofwalkError(
        "rpc.caller_not_allowed", "the gateway may not ask", status=Status.PERMISSION_DENIED
    )
    gateway.findings.errors["GetWeeklyPrecision"] = deque([refused, refused])
    for language, words in (("en", "Not known, because: "), ("zh", "未知，原因：")):
        page = await operator.ask("GET", PAGE, headers={"Accept-Language": language})
        assert page.status_code == 200
        assert page.text.count(words) == 3
        assert page.text.count("role.is_away") == 2
        assert "rpc.caller_not_allowed" in page.text


async def test_a_product_is_text(gateway: Gateway, operator: Browser) -> None:
    for text in ATTACKS:
        _fill(gateway, text)
        page = (await operator.ask("GET", PAGE)).text
        check(page, PAGE, tags=OWN_TAGS)
        assert shows(page, text)


def test_weeks_without_findings_are_empty_cells_and_other_weeks_are_left_out() -> None:
    told = findings.GetWeeklyPrecisionResponse(
        weeks=[
            _week("2020-01-06", "ecs", 9, 9),
            _week("2026-11-16", "ecs", 1, 0),
            _week(MONDAY, "ecs", 0, 0),
            _week(MONDAY, "", 2, 2),
        ]
    )
    table = precision_weeks(told, today=TODAY)
    assert table.weeks == [
        "2026-10-19", "2026-10-26", "2026-11-02", "2026-11-09", "2026-11-16", MONDAY
    ]  # fmt: skip
    assert [row.product for row in table.products] == ["", "ecs"]
    assert [cell.count for cell in table.products[1].cells] == [0] * (WEEKS - 2) + [1, 0]
    assert table.whole[-1] == Reviewed(accepted=2, rejected=2, waiting=2)
    assert (table.whole[-1].percent, table.left_out) == (50, 0)


def test_products_in_which_least_was_found_are_left_out() -> None:
    weeks = [_week(MONDAY, f"p{number:02}", number, 0) for number in range(MOST_PRODUCTS + 3)]
    table = precision_weeks(findings.GetWeeklyPrecisionResponse(weeks=weeks), today=TODAY)
    assert [row.product for row in table.products] == [
        f"p{number:02}" for number in range(3, MOST_PRODUCTS + 3)
    ]
    assert table.left_out == 3
    assert table.whole[-1].accepted == sum(range(MOST_PRODUCTS + 3)), "all count together"


def test_what_is_free_is_what_could_be_had() -> None:
    accounts = [pool.Account(state=state) for state in ("free", "proving", "quarantined")]
    assert free_accounts(pool.ListAccountsResponse(accounts=accounts)) == Free(free=1, total=3)
    tools = [scheduler.Tool(warm=1, leased=9, quota=4), scheduler.Tool(leased=1, quota=3)]
    assert free_sandboxes(scheduler.ListToolsResponse(tools=tools)) == Free(free=2, total=7, warm=1)
