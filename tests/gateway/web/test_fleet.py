"""The fleet page: with its roles away, with nothing, with everything, and with texts
that somebody wrote to be taken for markup."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.account_pool.v1 import account_pool_pb2 as pool
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisions
from proofwalk.api.sandbox_scheduler.v1 import sandbox_scheduler_pb2 as scheduler
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.gateway.web.fleet_rows import account_rows, provisioning_rows, spends
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import RandomIds
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import shows
from tests.gateway.web.test_hostile_texts import ATTACKS, OWN_TAGS, check

PAGE = "/console/fleet"
TAGS = OWN_TAGS | {"h3"}
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _fill(gateway: Gateway, text: str = "plain") -> None:
    """The pool, the scheduler and the provisioner have something of every kind."""
    _fill_pool(gateway, text)
    _fill_scheduler(gateway, text)
    _fill_provisioner(gateway, text)


def _fill_pool(gateway: Gateway, text: str) -> None:
    fakes, clock = gateway.fakes, gateway.clock
    fakes.pool.accounts = [
        pool.Account(account_id="acc_free", target="devcloud", state="free"),
        pool.Account(
            account_id="acc_used",
            external_id="1234567890",
            target="devcloud",
            state="leased",
            holder="ep_1",
            site="international",
            purposes=["training"],
            balance=pool.Money(micros=12_500_000, currency="CNY"),
            expires_at=moment_to_pb(clock.now() + timedelta(minutes=5)),
        ),
        pool.Account(account_id="acc_bad", state="quarantined", reason=f"left: {text}", role=text),
    ]
    fakes.pool.leases = [
        pool.LedgerLine(
            lease_id="lease_1",
            account_id="acc_used",
            holder=holder,
            purpose="training",
            cost=pool.Money(micros=250_000, currency="CNY"),
        )
        for holder in ("ep_1", "ep_2")
    ]


def _fill_scheduler(gateway: Gateway, text: str) -> None:
    fakes, clock = gateway.fakes, gateway.clock
    began = RandomIds(ManualClock(clock.now() - timedelta(seconds=75))).new("sbx")
    fakes.scheduler.sandboxes = [
        scheduler.Sandbox(
            sandbox_id=began,
            tool="chromium@140",
            state="leased",
            holder=text,
            cdp_endpoint="ws://10.0.0.7:9222/devtools?ticket=secret-7",
            warm=True,
        )
    ]
    fakes.scheduler.tools = [
        scheduler.Tool(
            name="chromium", version="140", backend=text, warm=1, quota=4, ticket_key="ff" * 32
        )
    ]


def _fill_provisioner(gateway: Gateway, text: str) -> None:
    fakes, clock = gateway.fakes, gateway.clock
    fakes.provisioner.provisionings = [
        provisions.Provisioning(
            provisioning_id=f"prov_{name}",
            request_id=request,
            state=state,
            description=text,
            outputs={"password": "secret-7"},
            error_message=text,
            error_code="provision.destroy_failed",
            resources=[provisions.Resource(product="ecs", type="instance", id="i-1", name=text)],
            expires_at=moment_to_pb(clock.now() + timedelta(seconds=seconds)),
        )
        for name, request, state, seconds in (
            ("stands", "ep_1:provision", "ready", 60),
            ("over", "ep_1:on_demand_1", "ready", 0),
            ("leaked", "ep_2:provision", "leaked", -60),
            ("alone", "ep_9:provision", "destroyed", 60),
        )
    ]


async def test_it_shows_what_there_is_and_no_way_into_it(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    page = (await operator.ask("GET", PAGE)).text
    for text in ("acc_bad", "left: plain", "international", "12.50 CNY", "0.50 CNY", "0:01:15"):
        assert text in page, text
    assert "chromium@140" in page
    assert page.index("acc_bad") < page.index("acc_used") < page.index("acc_free")
    assert page.index("prov_leaked") < page.index("prov_over") < page.index("prov_stands")
    assert 'class="status expired"' in page
    assert page.index("prov_stands") < page.index("Ended") < page.index("prov_alone")
    for secret in ("secret-7", "ticket", "9222", "ws://", "ff" * 32):
        assert secret not in page, secret


async def test_a_provisioning_is_looked_up_by_its_id(gateway: Gateway, operator: Browser) -> None:
    _fill(gateway)
    found = await operator.ask("GET", f"{PAGE}?provisioning=prov_alone")
    assert found.text.count("<code>prov_alone</code>") == 2
    unknown = await operator.ask("GET", f"{PAGE}?provisioning=prov_none")
    assert "There is no provisioning of this id." in unknown.text


async def test_with_nothing_there_every_part_says_so(operator: Browser) -> None:
    page = await operator.ask("GET", PAGE)
    assert page.status_code == 200
    for text in (
        "no accounts",
        "no sandboxes",
        "Nothing stands in an account",
        "No provisioning has",
    ):
        assert text in page.text


async def test_a_role_that_is_away_leaves_the_others_parts(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    fakes = gateway.fakes
    for away in (fakes.pool, fakes.scheduler, fakes.provisioner):
        away.leave()
        page = await operator.ask("GET", PAGE)
        assert page.status_code == 200
        assert "role.is_away" in page.text
        assert "&lt;b&gt;it&lt;/b&gt; restarts" in page.text
        assert ("acc_used" in page.text) == (away is not fakes.pool)
        assert ("chromium@140" in page.text) == (away is not fakes.scheduler)
        assert ("prov_leaked" in page.text) == (away is not fakes.provisioner)
        away.error = None


async def test_with_every_role_away_there_is_a_page_in_both_languages(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.fakes.leave()
    for language, words in (("en", "does not answer"), ("zh", "没有响应")):
        page = await operator.ask("GET", PAGE, headers={"Accept-Language": language})
        assert page.status_code == 200
        assert page.text.count(words) >= 3


async def test_what_roles_say_is_text(gateway: Gateway, operator: Browser) -> None:
    for text in ATTACKS:
        _fill(gateway, text)
        page = (await operator.ask("GET", PAGE)).text
        check(page, PAGE, tags=TAGS)
        assert shows(page, text)


async def test_it_is_for_operators(gateway: Gateway, visitors: SignIn) -> None:
    _fill(gateway)
    for key in ("pw_reader", "pw_ci", "pw_critic"):
        browser = await visitors(key)
        answer = await browser.ask("GET", PAGE)
        assert (answer.status_code, "auth.role_forbids" in answer.text) == (403, True)
        assert "acc_used" not in answer.text
        assert PAGE not in (await browser.ask("GET", "/console")).text


def test_a_ledger_of_several_currencies_is_added_up_for_each() -> None:
    lines = [
        pool.LedgerLine(account_id="a", purpose="training"),
        pool.LedgerLine(account_id="a", cost=pool.Money(micros=-1_000_000, currency="USD")),
        pool.LedgerLine(account_id="a", cost=pool.Money(micros=2_000_000, currency="CNY")),
    ]
    spend = spends(pool.ListLeasesResponse(leases=lines))["a"]
    assert (spend.purpose, spend.amounts) == ("training", ["2.00 CNY", "-1.00 USD"])


def test_an_account_without_a_bill_has_no_balance() -> None:
    (row,) = account_rows(pool.ListAccountsResponse(accounts=[pool.Account(account_id="a")]))
    assert (row.balance, row.expires_at) == ("", None)


@pytest.mark.parametrize(
    ("state", "seconds", "shown"),
    [("ready", 1, "ready"), ("ready", 0, "expired"), ("destroyed", 0, "destroyed")],
)
def test_only_what_stands_can_expire(state: str, seconds: int, shown: str) -> None:
    one = provisions.Provisioning(
        state=state, expires_at=moment_to_pb(NOW + timedelta(seconds=seconds))
    )
    reply = provisions.ListProvisioningsResponse(provisionings=[one])
    assert [row.state for row in provisioning_rows(reply, now=NOW)] == [shown]
