"""What META for the embedded cloud is written from: every type of the provider has the
kind that it makes, and tables of exceptions name what there is."""

from __future__ import annotations

import pytest

from proofwalk.authoring.records import draft
from proofwalk.authoring.resources import World
from proofwalk.authoring.things import Things
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.provider_types import provider_types


@pytest.fixture(scope="module")
def world() -> World:
    return devcloud_world(indexing.load(PRODUCTS))


@pytest.mark.parametrize(
    ("kind", "type_name"),
    [
        ("vpc.vswitch", "alicloud_vswitch"),
        ("ecs.instance", "alicloud_instance"),
        ("rds.instance", "alicloud_db_instance"),
        ("redis.account", "alicloud_kvstore_account"),
        ("sls.logstore", "alicloud_log_store"),
        ("cms.rule", "alicloud_cms_alarm"),
        ("dns.record", "alicloud_alidns_record"),
        ("ram.user_grant", "alicloud_ram_user_policy_attachment"),
        ("ess.scaling_configuration", "alicloud_ess_scaling_configuration"),
    ],
)
def test_a_kind_is_made_by_its_type(world: World, kind: str, type_name: str) -> None:
    assert world.pairs[kind].type.name == type_name


@pytest.mark.parametrize("kind", ["rds.backup", "vpc.route_association", "sls.alert"])
def test_a_kind_without_a_type_has_none(world: World, kind: str) -> None:
    assert kind not in world.pairs


def test_no_type_makes_two_kinds(world: World) -> None:
    names = [pair.type.name for pair in world.pairs.values()]
    assert len(names) == len(set(names))


def test_what_the_provider_demands_is_held_by_a_field_or_given(world: World) -> None:
    open_ = {
        name
        for pair in world.pairs.values()
        for name, attribute in pair.type.attributes.items()
        if attribute.required
        and name not in pair.fields
        and name not in world.otherwise.constants.get(pair.type.name, {})
    }
    assert open_ == set()


def test_the_tables_of_exceptions_name_what_there_is(world: World) -> None:
    types, kinds, table = provider_types(), world.catalogue.kinds, world.otherwise
    assert set(table.kinds) <= set(kinds)
    assert set(table.kinds.values()) - {""} <= set(types)
    for name, attributes in table.attributes.items():
        assert set(attributes) <= set(types[name].attributes), name
    for place in table.beside:
        kind, _, state = place.partition("/")
        assert state in kinds[kind].states, place


def test_labels_stand_in_both_languages(world: World) -> None:
    assert {"Instance", "实例"} <= world.catalogue.kinds["ecs.instance"].labels
    assert world.catalogue.product("专有网络 VPC") is world.catalogue.products["vpc"]


def test_what_every_account_has_is_no_need(world: World) -> None:
    field = world.catalogue.kinds["ram.user_grant"].fields["policy_name"]
    assert field.choice("AliyunECSFullAccess") is not None


def test_what_a_form_calls_rows_is_a_name_of_what_each_row_becomes(world: World) -> None:
    assert {"Data Disks", "数据盘"} <= world.catalogue.kinds["ecs.disk"].labels
    assert "Data Disks" not in world.catalogue.kinds["ecs.snapshot"].labels


def test_a_new_thing_is_not_given_what_only_later_acts_ask_for(world: World) -> None:
    things = Things(world.catalogue)
    things.resolve(world.catalogue.kinds["ecs.disk"], "the disk")
    made = draft(things, world, meta_id="disk")
    assert [one.type.name for one in made.resources] == ["alicloud_ecs_disk"]
