"""A product is one file: one that nobody has heard of works by signed API, console and
browser schema from its file alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alibabacloud_tea_openapi.client import Client
from alibabacloud_tea_openapi.utils_models import OpenApiRequest, Params
from darabonba.runtime import RuntimeOptions

import proofwalk.devcloud
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.kernel.clock import ManualClock
from tests.devcloud.conftest import REGION, Backend, Browser, HttpFailure, start_backend

VERSION = "2032-07-01"
AIRSHIPS = Path(__file__).with_name("airship.yaml")


class Airships:
    """The vendor's SDK core, which signs calls of a service that it does not know."""

    def __init__(self, backend: Backend, account: dict[str, str]) -> None:
        self._client = Client(backend.config(account))

    def __call__(self, action: str, /, **params: Any) -> dict[str, Any]:
        asked = Params(
            action=action,
            version=VERSION,
            protocol="HTTP",
            pathname="/",
            method="POST",
            auth_type="AK",
            style="RPC",
            req_body_type="formData",
            body_type="json",
        )
        query = {
            "RegionId": REGION,
            **{name.replace("__", "."): str(value) for name, value in params.items()},
        }
        body: dict[str, Any] = self._client.call_api(
            asked, OpenApiRequest(query=query), RuntimeOptions(autoretry=False)
        )["body"]
        return body

    def refusal(self, action: str, /, **params: Any) -> str:
        with pytest.raises(Exception, match=r".") as caught:
            self(action, **params)
        return str(getattr(caught.value, "code", caught.value))


@pytest.fixture(scope="module")
def hangar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    products = tmp_path_factory.mktemp("thirteen") / "products"
    shutil.copytree(PRODUCTS, products)
    shutil.copy(AIRSHIPS, products)
    state = tmp_path_factory.mktemp("state")
    backend, end = start_backend(
        state, ManualClock(datetime.now(UTC)), products=products, audit_lag_s=0
    )
    yield backend
    end()


@pytest.fixture
def owner(hangar: Backend) -> dict[str, str]:
    return hangar.account()


@pytest.fixture
def airships(hangar: Backend, owner: dict[str, str]) -> Airships:
    return Airships(hangar, owner)


def events(hangar: Backend, owner: dict[str, str]) -> list[dict[str, Any]]:
    from alibabacloud_actiontrail20200706.client import Client as Trail
    from alibabacloud_actiontrail20200706.models import LookupEventsRequest

    asked = LookupEventsRequest(max_results="50", direction="FORWARD")
    found: list[dict[str, Any]] = (
        Trail(hangar.config(owner)).lookup_events(asked).body.to_map()["Events"]
    )
    return [event for event in found if event["serviceName"] == "Airship"]


@pytest.fixture
def dock(airships: Airships) -> str:
    """Id of the dock that every account has."""
    (row,) = airships("DescribeDocks")["Docks"]["Dock"]
    assert row["DockName"] == "default"
    return str(row["DockId"])


@pytest.fixture
def ship(airships: Airships, dock: str) -> str:
    """Id of an airship that is being built."""
    order = airships(
        "CreateAirship",
        DockId=dock,
        Class="small",
        Name="zeppelin",
        Crew__1="cook",
        Tag__1__Key="a",
        Tag__1__Value="b",
    )
    return str(order["AirshipId"])


@pytest.fixture
def flying(hangar: Backend, airships: Airships, ship: str) -> str:
    hangar.clock.advance(4)
    airships("TakeOff", AirshipId=ship)
    hangar.clock.advance(2)
    return ship


def test_signed_calls_change_a_resources_state(
    hangar: Backend, airships: Airships, ship: str
) -> None:
    assert ship.startswith("as-bp1")
    assert airships.refusal("TakeOff", AirshipId=ship) == "IncorrectAirshipStatus"
    hangar.clock.advance(4)
    airships("TakeOff", AirshipId=ship)
    hangar.clock.advance(2)
    row = airships("DescribeAirship", AirshipId=ship)
    assert (row["State"], row["Crew"]["Member"], row["DockName"]) == (
        "Flying",
        ["cook"],
        "default",
    )
    assert row["Tags"]["Tag"] == [{"Key": "a", "Value": "b"}]


def test_a_resource_has_parts_with_names_of_their_own(airships: Airships, flying: str) -> None:
    airships("CreateCabin", AirshipId=flying, CabinName="one")
    assert airships.refusal("CreateCabin", AirshipId=flying, CabinName="one") == "CabinExists"
    airships("ModifyCabin", AirshipId=flying, CabinName="one", Beds=4)
    assert airships("DescribeCabins", AirshipId=flying)["Cabins"]["Cabin"] == [
        {"CabinName": "one", "Beds": 4}
    ]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"DockId": "dock-none"}, "InvalidDockId.NotFound"),
        ({"Class": "large"}, "InvalidClass.NotSupported"),
        ({"Name": "zeppelin"}, "NameExists"),
        ({"Name": "Other"}, "InvalidName.Malformed"),
    ],
)
def test_a_wrong_order_is_refused(
    airships: Airships, dock: str, flying: str, wrong: dict[str, str], code: str
) -> None:
    order = {"DockId": dock, "Class": "small", "Name": "other", **wrong}
    assert airships.refusal("CreateAirship", **order) == code


def test_a_quota_and_what_hangs_on_a_resource_are_respected(
    airships: Airships, dock: str, flying: str
) -> None:
    order = {"DockId": dock, "Class": "small"}
    for name in ("second", "third"):
        airships("CreateAirship", **order, Name=name)
    assert airships.refusal("CreateAirship", **order, Name="fourth") == "QuotaExceeded.Airship"
    assert airships.refusal("DeleteDock", DockId=dock) == "DependencyViolation.Airship"
    assert airships.refusal("RenewAirship", AirshipId=flying, Period=1) == "ChargeType.Mismatch"


def test_a_deleted_resource_leaves_the_inventory(
    hangar: Backend, owner: dict[str, str], airships: Airships, dock: str, flying: str
) -> None:
    airships("CreateAirship", DockId=dock, Class="small", Name="second")
    airships("Land", AirshipId=flying)
    hangar.clock.advance(2)
    airships("DeleteAirship", AirshipId=flying)
    hangar.clock.advance(1)
    assert airships.refusal("DescribeAirship", AirshipId=flying) == "InvalidAirshipId.NotFound"
    whole = hangar.admin("GET", f"/accounts/{owner['account_id']}/inventory?all=1")["resources"]
    assert {row["resource_type"] for row in whole} >= {"dock", "airship"}
    assert [row["resource_type"] for row in hangar.inventory(owner)] == ["airship"]


def test_signed_calls_are_in_the_log_with_what_they_touch(
    hangar: Backend, owner: dict[str, str], airships: Airships, dock: str, flying: str
) -> None:
    airships("Land", AirshipId=flying)
    hangar.clock.advance(2)
    airships("DeleteAirship", AirshipId=flying)
    hangar.clock.advance(1)
    landed = next(e for e in events(hangar, owner) if e["eventName"] == "Land")
    assert landed["referencedResources"] == {
        "ACS::Airship::Airship": [flying],
        "ACS::Airship::Dock": [dock],
    }
    assert landed["eventType"] == "ApiCall"


def test_money(hangar: Backend, owner: dict[str, str], airships: Airships) -> None:
    dock = airships("DescribeDocks")["Docks"]["Dock"][0]["DockId"]
    balance = f"/accounts/{owner['account_id']}/balance"
    asked = {
        "DockId": dock,
        "Class": "large",
        "Gas": "hydrogen",
        "Name": "gold",
        "PayType": "PrePaid",
        "Period": 3,
        "Lift": 10,
    }
    hangar.admin("POST", balance, {"available": 100})
    assert airships.refusal("CreateAirship", **asked) == "Balance.Insufficient"
    assert hangar.inventory(owner) == []
    hangar.admin("POST", balance, {"available": 5000})
    made = airships("CreateAirship", **asked)
    assert made["Price"] == 3 * (900 + 100)
    assert hangar.admin("GET", balance) == {"available": 2000, "currency": "CNY"}
    first = airships("DescribeAirship", AirshipId=made["AirshipId"])["ExpireTime"]
    airships("RenewAirship", AirshipId=made["AirshipId"], Period=1)
    assert airships("DescribeAirship", AirshipId=made["AirshipId"])["ExpireTime"] > first
    assert hangar.admin("GET", balance)["available"] == 1000
    rows = hangar.browser(owner).get("/console/api/r/expenses/subscription")["rows"]
    assert [(r["product"], r["instance_id"]) for r in rows] == [
        ("Airship Service", made["AirshipId"])
    ]


def refused(browser: Browser, path: str, body: dict[str, Any]) -> tuple[str, str | None]:
    with pytest.raises(HttpFailure) as caught:
        browser.post(path, body)
    return caught.value.body["code"], caught.value.body.get("field")


def test_console_api(hangar: Backend, owner: dict[str, str]) -> None:
    browser = hangar.browser(owner)
    base = "/console/api/r/airship/airship"
    assert browser.get(f"{base}?region={REGION}") == {"rows": [], "total": 0}
    (dock,) = browser.get(f"/console/api/options/docks?region={REGION}")
    assert dock["label"].startswith("default / dock-")
    assert [c["value"] for c in browser.get("/console/api/options/airship_classes?gas=helium")] == [
        "small"
    ]
    assert [
        c["value"] for c in browser.get("/console/api/options/airship_classes?gas=hydrogen")
    ] == ["small", "large"]
    form = {
        "dock_id": dock["value"],
        "gas": "hydrogen",
        "class": "large",
        "crew": ["pilot", "cook"],
        "name": "hindenburg",
        "maiden": "2027-05-06 07:08:09",
        "tags": [{"key": "k", "value": "v"}],
        "lift": 20,
    }
    assert refused(browser, base, form) == ("MissingParameter", "agree")
    assert refused(browser, base, {**form, "agree": True, "name": "Hindenburg"}) == (
        "InvalidName.Malformed",
        "name",
    )
    ship = browser.post(base, {**form, "agree": True})["id"]
    row = browser.get(f"{base}/{ship}")
    assert (row["status"], row["crew"], row["maiden"]) == (
        "Building",
        ["pilot", "cook"],
        "2027-05-06 07:08:09",
    )
    assert refused(browser, f"{base}/{ship}/rise", {}) == ("IncorrectAirshipStatus", None)
    hangar.clock.advance(4)
    browser.post(f"{base}/{ship}/edit", {"name": "graf", "lift": 30})
    browser.post("/console/api/r/airship/cabin", {"airship": ship, "name": "one"})
    (cabin,) = browser.get(f"/console/api/r/airship/cabin?where.airship={ship}")["rows"]
    assert (cabin["id"], cabin["beds"]) == (f"{ship}/one", 2)
    browser.post(f"/console/api/r/airship/cabin/{cabin['id']}/edit", {"beds": 3})
    assert browser.get(f"/console/api/r/airship/cabin?where.airship={ship}")["rows"][0]["beds"] == 3
    browser.post(f"{base}/{ship}/scrap")
    hangar.clock.advance(1)
    assert browser.get(base)["rows"] == []
    told = {e["eventName"]: e for e in events(hangar, owner) if "errorCode" not in e}
    assert told["CreateAirship"]["requestParameters"]["Crew.2"] == "cook"
    assert told["CreateAirship"]["requestParameters"]["MaidenFlight"] == "2027-05-06T07:08:09Z"
    assert told["ModifyCabin"]["requestParameters"]["CabinName"] == "one"
    assert {e["eventType"] for e in told.values()} == {"ConsoleOperation"}


def test_browser_schema(hangar: Backend, owner: dict[str, str]) -> None:
    schema = hangar.browser(owner).get("/console/api/schema")
    product = next(p for p in schema["products"] if p["id"] == "airship")
    ship = product["resources"]["airship"]
    assert [s["title"] for s in ship["create"]["steps"]] == ["Basics", "Crew and Name", "Confirm"]
    assert ship["actions"][-1]["confirm"]["typed"] == "name"
    assert ship["detail"]["tabs"][1]["tabs"][0]["table"] == {
        "resource": "cabin",
        "where": {"airship": "@id"},
    }
    assert next(f for f in ship["fields"] if f["id"] == "class")["depends_on"] == ["gas"]

    def keys(node: Any) -> set[str]:
        if isinstance(node, dict):
            return set(node) | {key for value in node.values() for key in keys(value)}
        return {key for entry in node for key in keys(entry)} if isinstance(node, list) else set()

    assert not keys(product) & {"api", "lifecycle", "charge", "shapes"}


def test_a_revision_reaches_it_too(hangar: Backend, owner: dict[str, str]) -> None:
    patch = {"at": "airship/resources/airship/actions/rise", "set": {"label": "Ascend"}}
    hangar.admin("POST", "/revision", {"revision": "r", "patches": [patch]})
    try:
        schema = hangar.browser(owner).get("/console/api/schema")
        product = next(p for p in schema["products"] if p["id"] == "airship")
        assert product["resources"]["airship"]["actions"][0]["label"] == "Ascend"
    finally:
        hangar.admin("POST", "/revision", {"revision": "base", "patches": []})


def test_no_code_names_it() -> None:
    folder = Path(next(iter(proofwalk.devcloud.__path__)))
    assert [
        p.name for p in folder.rglob("*.py") if "airship" in p.read_text(encoding="utf-8").lower()
    ] == []
