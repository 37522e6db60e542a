"""Ids that people choose, resources of no region, and what follows when a name that is
an id changes."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.devcloud.products.catalogue import ProductError
from proofwalk.devcloud.products.indexing import build
from tests.devcloud.conftest import Bench, make_bench

SHARED: dict[str, Any] = {
    "states": {"Ready": {"tone": "success"}},
    "lifecycle": {"initial": "Ready"},
}


def refusals(noun: str) -> dict[str, Any]:
    return {
        "not_found": {"code": f"{noun}NotExist", "message": "No {id}.", "status": 404},
        "wrong_state": {"code": f"{noun}State", "message": "Not now."},
        "exists": {"code": f"{noun}AlreadyExist", "message": "{id} exists.", "status": 409},
    }


PRODUCT: dict[str, Any] = {
    "id": "depot",
    "title": "Depot",
    "service": "Depot",
    "global": True,
    "menu": [{"id": "boxes", "label": "Boxes", "resource": "box"}],
    "resources": {
        "box": {
            **SHARED,
            "label": "Box",
            "plural": "Boxes",
            "name": "name",
            "fields": [
                {"id": "name", "label": "Name", "required": True},
                {"id": "tags", "label": "Tags", "widget": "tags"},
            ],
            "list": {
                "columns": ["@id"],
                "api": {"op": "ListBoxes", "row": {"Name": "$id"}, "response": {"Boxes": "$rows"}},
            },
            "create": {
                "label": "Create Box",
                "steps": [{"id": "a", "title": "A", "fields": ["name"]}],
                "api": {"op": "CreateBox", "params": {"name": "BoxName", "tags": "Tag"}},
            },
            "actions": [
                {
                    "id": "rename",
                    "label": "Rename",
                    "form": ["name"],
                    "api": {"op": "RenameBox", "params": {"name": "NewName"}},
                },
                {
                    "id": "delete",
                    "label": "Delete",
                    "api": {"op": "DeleteBox", "delete": True, "to": "@gone"},
                },
            ],
            "detail": {
                "tabs": [{"id": "a", "title": "A"}],
                "api": {"op": "GetBox", "response": {"Name": "$id"}},
            },
            "api": {
                **refusals("Box"),
                "type": "ACS::Depot::Box",
                "id_param": "BoxName",
                "id_from": "name",
                "unique": "global",
                "tag_type": "box",
                "cascade": [{"resource": "depot.shelf", "where": {"box": "$id"}, "delete": True}],
            },
        },
        "shelf": {
            **SHARED,
            "label": "Shelf",
            "plural": "Shelves",
            "name": "name",
            "fields": [
                {
                    "id": "box",
                    "label": "Box",
                    "required": True,
                    "api": {"ref": {"resource": "depot.box"}},
                },
                {"id": "name", "label": "Name", "required": True},
                {"id": "days", "label": "Days", "widget": "number", "default": 7},
            ],
            "list": {
                "columns": ["name"],
                "api": {
                    "op": "ListShelves",
                    "filters": {"box": "Box"},
                    "row": {"Id": "$id", "Name": "$name", "Days": "$days", "Owner": "$box.name"},
                    "response": {"Shelves": "$rows"},
                },
            },
            "create": {
                "label": "Create Shelf",
                "steps": [{"id": "a", "title": "A", "fields": ["box", "name", "days"]}],
                "api": {
                    "op": "CreateShelf",
                    "params": {"box": "Box", "name": "Shelf", "days": "Days"},
                },
            },
            "actions": [
                {
                    "id": "edit",
                    "label": "Edit",
                    "form": ["days"],
                    "api": {"op": "UpdateShelf", "params": {"days": "Days"}},
                }
            ],
            "detail": {
                "tabs": [{"id": "a", "title": "A"}],
                "api": {"op": "GetShelf", "response": {"Days": "$days"}},
            },
            "api": {
                **refusals("Shelf"),
                "type": "ACS::Depot::Shelf",
                "id_param": "Shelf",
                "id_from": ["box", "name"],
                "parent": {"box": "Box"},
            },
        },
        "place": {
            **SHARED,
            "global": False,
            "label": "Place",
            "plural": "Places",
            "fields": [
                {"id": "box", "label": "Box", "api": {"ref": {"resource": "depot.box"}}},
                {
                    "id": "kinds",
                    "label": "Kinds",
                    "widget": "select",
                    "multiple": True,
                    "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}],
                },
                {
                    "id": "site",
                    "label": "Site",
                    "widget": "cascader",
                    "options": [
                        {
                            "value": "n",
                            "label": "North",
                            "children": [{"value": "n1", "label": "North 1"}],
                        }
                    ],
                },
            ],
            "list": {
                "columns": ["@id"],
                "api": {
                    "op": "ListPlaces",
                    "row": {"Id": "$id", "Kinds": "$kinds|list"},
                    "response": {"Places": "$rows"},
                },
            },
            "create": {
                "label": "Create Place",
                "steps": [{"id": "a", "title": "A", "fields": ["box", "kinds", "site"]}],
                "api": {
                    "op": "CreatePlace",
                    "params": {"box": "Box", "kinds": "Kind", "site": "Site"},
                    "response": {"PlaceId": "$id"},
                },
            },
            "api": {
                **refusals("Place"),
                "type": "ACS::Depot::Place",
                "id_prefix": "p-",
                "id_param": "PlaceId",
            },
        },
    },
    "api": {"version": "2031-01-01", "operations": [{"op": "TagResources", "kind": "tag"}]},
}


@pytest.fixture
def depot(tmp_path: Path) -> Iterator[Bench]:
    (tmp_path / "products").mkdir()
    (tmp_path / "products" / "depot.yaml").write_text(yaml.safe_dump(PRODUCT))
    bench = make_bench(tmp_path, tmp_path / "products")
    yield bench
    bench.cloud.store.close()


def code(depot: Bench, account: str, action: str, **params: Any) -> str:
    with pytest.raises(CloudError) as caught:
        depot.call(account, "depot", action, **params)
    return caught.value.code


def test_a_chosen_id_is_unique_as_far_as_it_says(depot: Bench) -> None:
    depot.call("1", "depot", "CreateBox", BoxName="tools")
    assert code(depot, "1", "CreateBox", BoxName="tools") == "BoxAlreadyExist"
    assert code(depot, "2", "CreateBox", BoxName="tools") == "BoxAlreadyExist"
    assert code(depot, "1", "CreateBox") == "MissingParameter"
    depot.call("1", "depot", "DeleteBox", BoxName="tools")
    depot.call("2", "depot", "CreateBox", BoxName="tools")
    assert depot.call("1", "depot", "ListBoxes")["Boxes"] == []
    assert depot.call("2", "depot", "ListBoxes")["Boxes"] == [{"Name": "tools"}]


def test_a_part_is_known_by_its_owner_and_its_name(depot: Bench) -> None:
    for box in ("one", "two"):
        depot.call("1", "depot", "CreateBox", BoxName=box)
        depot.call("1", "depot", "CreateShelf", Box=box, Shelf="top")
    assert code(depot, "1", "CreateShelf", Box="one", Shelf="top") == "ShelfAlreadyExist"
    assert code(depot, "1", "CreateShelf", Box="three", Shelf="top") == "BoxNotExist"
    depot.call("1", "depot", "UpdateShelf", Box="two", Shelf="top", Days=30)
    assert depot.call("1", "depot", "GetShelf", Box="one", Shelf="top")["Days"] == 7
    assert depot.call("1", "depot", "GetShelf", Box="two", Shelf="top")["Days"] == 30
    assert code(depot, "1", "GetShelf", Shelf="top") == "MissingParameter"
    assert code(depot, "1", "UpdateShelf", Box="two", Shelf="low", Days=1) == "ShelfNotExist"
    listed = depot.call("1", "depot", "ListShelves", Box="two")["Shelves"]
    assert listed == [{"Id": "two/top", "Name": "top", "Days": 30, "Owner": "two"}]
    updated = next(e for e in depot.events("1") if e["eventName"] == "UpdateShelf")
    assert updated["referencedResources"] == {
        "ACS::Depot::Shelf": ["two/top"],
        "ACS::Depot::Box": ["two"],
    }


def test_one_name_may_stand_for_resources_of_two_types(depot: Bench) -> None:
    depot.call("1", "depot", "CreateBox", BoxName="ops")
    depot.call("1", "depot", "CreateBox", BoxName="other")
    depot.call("1", "depot", "CreateShelf", Box="ops", Shelf="ops")
    depot.call(
        "1",
        "depot",
        "TagResources",
        ResourceType="box",
        ResourceId__1="ops",
        Tag__1__Key="k",
        Tag__1__Value="v",
    )
    box = depot.cloud.world.find("1", "ops", "depot.box")
    assert box is not None
    assert box.tags == {"k": "v"}
    depot.call("1", "depot", "DeleteBox", BoxName="ops")
    assert [r.id for r in depot.cloud.world.inventory("1")] == ["other"]


def test_a_renamed_resource_keeps_what_belongs_to_it(depot: Bench) -> None:
    depot.call("1", "depot", "CreateBox", BoxName="old")
    depot.call("1", "depot", "CreateBox", BoxName="other")
    depot.call("1", "depot", "CreateShelf", Box="old", Shelf="top")
    place = depot.call("1", "depot", "CreatePlace", Box="old")["PlaceId"]
    assert code(depot, "1", "RenameBox", BoxName="old", NewName="other") == "BoxAlreadyExist"
    assert depot.call("1", "depot", "GetShelf", Box="old", Shelf="top")["Days"] == 7
    depot.call("1", "depot", "RenameBox", BoxName="old", NewName="fresh")
    assert code(depot, "1", "GetBox", BoxName="old") == "BoxNotExist"
    assert depot.call("1", "depot", "GetShelf", Box="fresh", Shelf="top")["Days"] == 7
    found = depot.cloud.world.find("1", place)
    assert found is not None
    assert found.fields["box"] == "fresh"
    kept = {(r.kind, r.id) for r in depot.cloud.store.resources()}
    assert kept == {
        ("depot.box", "fresh"),
        ("depot.box", "other"),
        ("depot.shelf", "fresh/top"),
        ("depot.place", place),
    }


def test_a_product_without_regions_ignores_the_region(depot: Bench) -> None:
    depot.call("1", "depot", "CreateBox", BoxName="a", RegionId="cn-shanghai")
    depot.call("1", "depot", "CreateBox", BoxName="b", RegionId="atlantis")
    assert len(depot.call("1", "depot", "ListBoxes", RegionId="ap-southeast-1")["Boxes"]) == 2
    place = depot.call("1", "depot", "CreatePlace", RegionId="cn-shanghai", Box="a")["PlaceId"]
    assert depot.call("1", "depot", "ListPlaces")["Places"] == []
    assert [
        p["Id"] for p in depot.call("1", "depot", "ListPlaces", RegionId="cn-shanghai")["Places"]
    ] == [place]
    events = {e["eventName"]: e for e in depot.events("1")}
    assert (events["CreateBox"]["acsRegion"], events["CreateBox"]["isGlobal"]) == (
        "cn-hangzhou",
        True,
    )
    assert events["CreateBox"]["eventSource"] == "depot.aliyuncs.com"
    assert (events["CreatePlace"]["acsRegion"], events["CreatePlace"]["isGlobal"]) == (
        "cn-shanghai",
        False,
    )


def test_several_choices_and_levels_of_choices(depot: Bench) -> None:
    depot.call("1", "depot", "CreatePlace", Kind__1="a", Kind__2="b", Site="n1")
    assert depot.call("1", "depot", "ListPlaces")["Places"][0]["Kinds"] == ["a", "b"]
    assert code(depot, "1", "CreatePlace", Kind__1="c") == "InvalidKind.ValueNotSupported"
    assert code(depot, "1", "CreatePlace", Site="n") == "InvalidSite.ValueNotSupported"


def test_an_id_from_a_field_that_no_request_can_name_is_refused() -> None:
    wrong = copy.deepcopy(PRODUCT)
    del wrong["resources"]["shelf"]["api"]["parent"]
    with pytest.raises(ProductError, match="unknown field of `parent` 'box'"):
        build({"depot": wrong})


def test_a_state_file_without_types_is_read(tmp_path: Path) -> None:
    path = tmp_path / "devcloud.sqlite"
    body: dict[str, Any] = {
        "account": "1",
        "kind": "vpc.vpc",
        "region": "cn-hangzhou",
        "status": "Available",
        "fields": {},
        "tags": {},
        "due": None,
    }
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE resources (account TEXT, id TEXT, body TEXT, PRIMARY KEY (account, id))"
            " WITHOUT ROWID"
        )
        for number in (2, 1):
            row = {**body, "id": f"vpc-{number}", "created": f"2026-01-0{3 - number}T00:00:00Z"}
            db.execute("INSERT INTO resources VALUES ('1', ?, ?)", (row["id"], json.dumps(row)))
    db.close()
    for _ in range(2):
        store = Store(path)
        assert [r.id for r in store.resources()] == ["vpc-2", "vpc-1"]
        store.close()
