"""The console of Simple Log Service: from a project to an alert."""

from __future__ import annotations

import pytest

from tests.devcloud.conftest import REGION
from tests.devcloud.console_api import Console


@pytest.fixture
def project(console: Console) -> str:
    project = console.make(
        "sls.project",
        name=f"shop-{console.account['account_id']}",
        description="shop",
        redundancy="ZRS",
    )
    console.backend.clock.advance(2)
    return project


@pytest.fixture
def store(console: Console, project: str) -> str:
    """Id of a Logstore; its name is `access`."""
    store = console.make(
        "sls.logstore",
        project=project,
        name="access",
        mode="standard",
        metering="ChargeByFunction",
        ttl=60,
        tiered=True,
        hot_ttl=14,
        shards=4,
        auto_split=False,
    )
    console.backend.clock.advance(2)
    return store


@pytest.fixture
def place(project: str, store: str) -> dict[str, str]:
    return {"project": project, "logstore": "access"}


def test_a_log_store_is_made_in_a_project_that_is_offered(
    console: Console, project: str, store: str
) -> None:
    assert console.offered("log_projects") == [project]
    assert console.options("log_stores", project=project) == [
        {"value": "access", "label": "access"}
    ]
    row = console.row("sls.logstore", store)
    assert (row["hot_ttl"], row["tiered"], row["auto_split"]) == (14, True, False)
    assert (row.get("max_shards"), row["indexed"]) == (None, False)


def test_an_index_has_fields_that_are_edited(
    console: Console, store: str, place: dict[str, str]
) -> None:
    console.make(
        "sls.index",
        **place,
        full_text=True,
        case_sensitive=True,
        chinese=False,
        token=",",
        max_length=2048,
    )
    field = console.make("sls.index_field", **place, key="status", type="long", analytics=True)
    console.act("sls.index_field", field, "edit", type="double", alias="code", analytics=False)
    (key,) = console.rows("sls.index_field", **place)
    assert (key["type"], key["alias"], key["analytics"]) == ("double", "code", False)
    assert console.row("sls.logstore", store)["indexed"] is True


def test_a_collection_is_applied_to_a_group_of_machines(
    console: Console, project: str, place: dict[str, str]
) -> None:
    console.make(
        "sls.machine_group",
        project=project,
        name="web",
        identified_by="ip",
        machines=["10.0.0.4"],
    )
    config = console.make(
        "sls.logtail",
        **place,
        name="nginx",
        input_type="file",
        log_type="delimiter_log",
        path="/var/log",
        file="*.log",
        separator=",",
    )
    console.act("sls.logtail", config, "apply", group="web")
    assert console.logged("ApplyConfigToMachineGroup") == {
        "RegionId": REGION,
        "project": project,
        "configName": "nginx",
        "machineGroup": "web",
    }


def test_an_alert_is_muted_and_disabled(
    console: Console, project: str, place: dict[str, str]
) -> None:
    rule = {
        "display": "Errors",
        "query": "status: 500",
        "interval": "5m",
        "condition": "n > 10",
        "severity": 8,
        "threshold": 2,
    }
    alert = console.make("sls.alert", **place, name="errors", **rule)
    console.act("sls.alert", alert, "mute", muted_until="2027-01-31 00:00:00")
    console.act("sls.alert", alert, "disable")
    assert console.logged("MuteAlert") == {
        "RegionId": REGION,
        "project": project,
        "alertName": "errors",
        "muteUntil": "2027-01-31T00:00:00Z",
    }


def test_a_shard_is_split(console: Console, place: dict[str, str]) -> None:
    shard = console.rows("sls.shard", **place)[-1]
    console.act("sls.shard", shard["id"], "split")
    assert console.logged("SplitShard") == {"RegionId": REGION, **place, "shard": "0"}
