"""A session's scenario: its drift, its language, how long it lasts, and that nobody
else notices."""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from proofwalk.kernel.clock import ManualClock
from tests.devcloud.conftest import Backend, Browser, HttpFailure, start_backend

RENAMED = [{"at": "vpc/menu/vpcs", "set": {"label": "Private Networks"}}]


def sign_in(backend: Backend, account: dict[str, str], scenario: str | None = None) -> Browser:
    browser = Browser(backend.url)
    body = {
        "account": account["account_id"],
        "user": account["user_name"],
        "password": account["password"],
    }
    browser.post("/console/api/sign-in", {**body, **({"scenario": scenario} if scenario else {})})
    return browser


def product(browser: Browser, name: str) -> dict[str, Any]:
    served = browser.get("/console/api/schema")
    return next(entry for entry in served["products"] if entry["id"] == name)


def menu(browser: Browser) -> list[str]:
    return [entry["label"] for entry in product(browser, "vpc")["menu"]]


def refusal(call: Any, *args: Any, **kwargs: Any) -> HttpFailure:
    with pytest.raises(HttpFailure) as caught:
        call(*args, **kwargs)
    return caught.value


def test_two_sessions_at_once_see_their_own_console_and_others_the_shipped_one(
    backend: Backend, account: dict[str, str]
) -> None:
    backend.admin("POST", "/scenarios", {"id": "renamed", "patches": RENAMED})
    backend.admin("POST", "/scenarios", {"id": "chinese", "language": "zh"})
    plain, drifted, chinese = (
        sign_in(backend, account, name) for name in (None, "renamed", "chinese")
    )
    assert "VPC" in menu(plain)
    assert "Private Networks" in menu(drifted)
    assert "Private Networks" not in menu(plain)
    assert "概览" in menu(chinese)
    assert chinese.get("/console/api/schema")["words"]["Sign Out"] == "退出登录"
    assert plain.get("/console/api/schema")["words"] == {}
    assert drifted.get("/console/api/session")["scenario"] == "renamed"
    assert plain.get("/console/api/session")["scenario"] is None


def test_a_removed_action_is_refused_in_its_scenario_alone(
    backend: Backend, account: dict[str, str]
) -> None:
    patches = [{"at": "vpc/resources/vpc/actions/delete", "remove": True}]
    backend.admin("POST", "/scenarios", {"id": "no-delete", "patches": patches})
    plain, drifted = sign_in(backend, account), sign_in(backend, account, "no-delete")
    vpc = drifted.post("/console/api/r/vpc/vpc", {"name": "net", "cidr": "10.0.0.0/8"})["id"]
    backend.clock.advance(5)
    assert (
        refusal(drifted.post, f"/console/api/r/vpc/vpc/{vpc}/delete").body["code"]
        == "InvalidAction.NotFound"
    )
    assert plain.post(f"/console/api/r/vpc/vpc/{vpc}/delete") == {}


def test_labels_of_choices_follow_language_and_patches(
    backend: Backend, account: dict[str, str]
) -> None:
    at = "ecs/api/sources/instance_types/rows/ecs.g7.large"
    backend.admin(
        "POST",
        "/scenarios",
        {"id": "choices", "patches": [{"at": at, "set": {"label": "The big one"}}]},
    )
    backend.admin("POST", "/scenarios", {"id": "zones", "language": "zh"})
    asked = "/console/api/options/instance_types?zone=cn-hangzhou-h&region=cn-hangzhou"
    labels = {
        choice["value"]: choice["label"]
        for choice in sign_in(backend, account, "choices").get(asked)
    }
    assert labels["ecs.g7.large"] == "The big one"
    shipped = {choice["value"]: choice["label"] for choice in sign_in(backend, account).get(asked)}
    assert "vCPU" in shipped["ecs.g7.large"]
    zones = sign_in(backend, account, "zones").get("/console/api/options/zones?region=cn-hangzhou")
    assert {"value": "cn-hangzhou-h", "label": "杭州 可用区 H"} in zones


def test_a_scenario_told_again_is_the_same_and_other_content_is_a_conflict(
    backend: Backend,
) -> None:
    body = {"id": "twice", "level": "real", "seed": 7, "patches": RENAMED}
    assert backend.admin("POST", "/scenarios", body) == {"id": "twice", "created": True}
    assert backend.admin("POST", "/scenarios", body) == {"id": "twice", "created": False}
    clash = refusal(backend.admin, "POST", "/scenarios", {**body, "seed": 8})
    assert (clash.status, clash.body["code"]) == (409, "devcloud.scenario_conflict")
    listed = backend.admin("GET", "/scenarios")["scenarios"]
    assert {
        "id": "twice",
        "level": "real",
        "seed": 7,
        "language": "en",
        "patches": RENAMED,
    } in listed


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"id": "x", "level": "hurricane"}, "level"),
        ({"id": "x", "language": "fr"}, "language"),
        ({"id": "x", "weather": "fine"}, "weather"),
        ({"id": "with space"}, "id"),
        (
            {"id": "x", "patches": [{"at": "vpc/menu/nowhere", "set": {"label": "L"}}]},
            "patch 0 at 'vpc/menu/nowhere'",
        ),
        ({"id": "x", "patches": [{"at": "vpc", "set": {"resources": 5}}]}, "vpc"),
        ({"id": "x", "patches": [{"at": "vpc/menu", "insert": [{"id": "z"}]}]}, "vpc/menu"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_place(
    backend: Backend, body: dict[str, Any], said: str
) -> None:
    refused = refusal(backend.admin, "POST", "/scenarios", body)
    assert refused.status == 422
    assert said in refused.body["message"]
    assert "x" not in {entry["id"] for entry in backend.admin("GET", "/scenarios")["scenarios"]}


def test_an_unknown_scenario_is_told_before_and_at_sign_in(
    backend: Backend, account: dict[str, str]
) -> None:
    shown = refusal(Browser(backend.url).get, "/console/api/sign-in?scenario=nobody")
    assert (shown.status, shown.body["code"]) == (404, "Scenario.NotFound")
    assert refusal(sign_in, backend, account, "nobody").body["code"] == "Scenario.NotFound"
    assert Browser(backend.url).get("/console/api/sign-in") == {
        "language": "en",
        "words": {},
        "lapsed": None,
    }


def test_a_deleted_scenario_ends_its_sessions(backend: Backend, account: dict[str, str]) -> None:
    backend.admin("POST", "/scenarios", {"id": "gone"})
    browser, other = sign_in(backend, account, "gone"), sign_in(backend, account)
    backend.admin("DELETE", "/scenarios/gone")
    assert refusal(browser.get, "/console/api/session").status == 401
    assert other.get("/console/api/session")["account_id"] == account["account_id"]
    assert (
        refusal(backend.admin, "DELETE", "/scenarios/gone").body["code"]
        == "devcloud.scenario_not_found"
    )


def test_scenarios_and_the_sessions_bound_to_them_outlive_a_restart(tmp_path: Path) -> None:
    clock = ManualClock(datetime.now(UTC))
    first, end = start_backend(tmp_path, clock)
    account = first.account()
    first.admin("POST", "/scenarios", {"id": "kept", "language": "zh", "patches": RENAMED})
    browser = sign_in(first, account, "kept")
    end()
    second, end = start_backend(tmp_path, clock)
    again = Browser(second.url)
    again.cookie = browser.cookie
    assert "Private Networks" in menu(again)
    assert again.get("/console/api/schema")["language"] == "zh"
    end()


def test_a_scenario_is_over_the_shipped_files_not_over_the_current_revision(
    backend: Backend, account: dict[str, str]
) -> None:
    backend.admin(
        "POST",
        "/revision",
        {"revision": "r9", "patches": [{"at": "vpc", "set": {"title": "Networks"}}]},
    )
    backend.admin("POST", "/scenarios", {"id": "plain"})
    try:
        assert product(sign_in(backend, account), "vpc")["title"] == "Networks"
        assert (
            product(sign_in(backend, account, "plain"), "vpc")["title"] == "Virtual Private Cloud"
        )
    finally:
        backend.admin("POST", "/revision", {"revision": "base", "patches": []})


def test_a_stored_scenario_that_no_longer_fits_the_files_is_refused_by_name(tmp_path: Path) -> None:
    clock = ManualClock(datetime.now(UTC))
    first, end = start_backend(tmp_path, clock)
    account = first.account()
    first.admin("POST", "/scenarios", {"id": "old", "patches": RENAMED})
    browser = sign_in(first, account, "old")
    end()
    with contextlib.closing(sqlite3.connect(tmp_path / "devcloud.sqlite")) as file, file:
        file.execute("UPDATE scenarios SET body = replace(body, 'menu/vpcs', 'menu/nets')")
    second, end = start_backend(tmp_path, clock)
    again = Browser(second.url)
    again.cookie = browser.cookie
    refused = refusal(again.get, "/console/api/schema")
    assert (refused.status, refused.body["code"]) == (409, "Scenario.Invalid")
    assert "nets" in refused.body["message"]
    end()


def test_a_name_that_somebody_gave_is_never_translated(
    backend: Backend, account: dict[str, str]
) -> None:
    backend.admin("POST", "/scenarios", {"id": "names", "language": "zh"})
    browser = sign_in(backend, account, "names")
    for name in ("Status", "Delete"):
        browser.post("/console/api/r/vpc/vpc", {"name": name, "cidr": "10.0.0.0/8"})
    backend.clock.advance(5)
    labels = [
        choice["label"] for choice in browser.get("/console/api/options/vpcs?region=cn-hangzhou")
    ]
    assert all(any(name in label for label in labels) for name in ("Status", "Delete"))
    assert [row["name"] for row in browser.get("/console/api/r/vpc/vpc")["rows"]] == [
        "Delete",
        "Status",
    ]
