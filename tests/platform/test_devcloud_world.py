"""What META for the embedded cloud is written from: every type of the provider has the
kind that it makes, and tables of exceptions name what there is."""

from __future__ import annotations

import pytest

from proofwalk.authoring.provider import OWNER
from proofwalk.authoring.records import draft
from proofwalk.authoring.resources import World
from proofwalk.authoring.things import Things
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.kernel.errors import ProofwalkError
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


@pytest.mark.parametrize(
    ("kind", "block", "lies_in"),
    [
        ("slb.backend_server", "alicloud_slb_server_group.servers", "group_id"),
        ("slb.acl_entry", "alicloud_slb_acl.entry_list", "acl_id"),
        ("oss.cors_rule", "alicloud_oss_bucket.cors_rule", "bucket"),
    ],
)
def test_a_part_is_made_by_a_block_of_what_it_lies_in(
    world: World, kind: str, block: str, lies_in: str
) -> None:
    pair = world.pairs[kind]
    assert (pair.type.name, pair.fields[OWNER]) == (block, lies_in)


def test_the_default_servers_of_an_instance_stand_in_the_block_of_their_type(
    world: World,
) -> None:
    pair = world.pairs["slb.default_server"]
    assert pair.type.name == "alicloud_slb_backend_server"
    assert pair.attribute("server_id") == "backend_servers.server_id"


def test_what_lets_somebody_sign_in_is_withheld_and_says_so(world: World) -> None:
    assert set(world.withheld) == {"ram.login_profile", "ram.access_key"}
    things = Things(world.catalogue)
    things.resolve(world.catalogue.kinds["ram.login_profile"])
    with pytest.raises(ProofwalkError, match="which lets somebody sign in") as caught:
        draft(things, world, meta_id="logon")
    assert caught.value.code == "author.cannot_make"


def test_a_form_names_a_kind_by_more_words_than_its_own_page(world: World) -> None:
    assert {"CLB Instance", "传统型负载均衡实例"} <= world.catalogue.kinds[
        "slb.load_balancer"
    ].labels


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
