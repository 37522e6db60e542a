"""The provider's parts without Terraform: values, planning, and the servicer's promises
about failures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proofwalk.api.tfplugin.v6 import tfplugin6_pb2 as pb
from proofwalk.cloud.alicloud.openapi import VERSIONS
from proofwalk.resource_provisioner.alicloud_mirror import ensure_mirror
from proofwalk.resource_provisioner.alicloud_provider.configuration import connection_of
from proofwalk.resource_provisioner.alicloud_provider.network import Vpc, VSwitch
from proofwalk.resource_provisioner.alicloud_provider.openapi import (
    ApiError,
    CloudApi,
    Connection,
    Gone,
)
from proofwalk.resource_provisioner.alicloud_provider.registry import RESOURCES
from proofwalk.resource_provisioner.alicloud_provider.resource import State
from proofwalk.resource_provisioner.alicloud_provider.security import SecurityGroupRule
from proofwalk.resource_provisioner.alicloud_provider.servicer import Servicer
from proofwalk.resource_provisioner.alicloud_provider.values import (
    UNKNOWN,
    decode,
    encode,
    known,
    seconds_of,
    shaped,
)

KEYS = {"ALICLOUD_ACCESS_KEY": "AK", "ALICLOUD_SECRET_KEY": "SK", "ALICLOUD_REGION": "cn-hangzhou"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"a": [1, "x", True, None]},
        {"a": UNKNOWN, "b": {"c": [UNKNOWN]}},
        {"text": "ü✓", "n": 1.5},
        [],
    ],
)
def test_a_value_survives_the_wire(value: Any) -> None:
    assert decode(encode(value)) == value


def test_refined_unknowns_are_unknown() -> None:
    import msgpack

    packed = msgpack.packb({"a": msgpack.ExtType(12, msgpack.packb({1: False}))})
    assert decode(pb.DynamicValue(msgpack=packed)) == {"a": UNKNOWN}


def test_nothing_unknown_may_stand_in_a_state() -> None:
    assert known({"a": UNKNOWN, "b": [UNKNOWN, {"c": UNKNOWN}]}) == {
        "a": None,
        "b": [None, {"c": None}],
    }
    with pytest.raises(TypeError):
        bool(UNKNOWN)


@pytest.mark.parametrize(
    ("type_", "given", "wanted"),
    [
        ("number", "40", 40),
        ("number", 1.0, 1.0),
        ("string", 3306, "3306"),
        ("string", True, "true"),
        ("bool", "True", True),
        (["set", "string"], [1, 2], ["1", "2"]),
        (["map", "string"], {"a": 1}, {"a": "1"}),
        (["list", ["object", {"x": "number"}]], [{"x": "1", "y": 2}], [{"x": 1}]),
        ("string", None, None),
    ],
)
def test_what_an_api_says_takes_the_form_of_its_type(type_: Any, given: Any, wanted: Any) -> None:
    assert shaped(type_, given) == wanted


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10m", 600),
        ("1h30m", 5400),
        ("90s", 90),
        ("", 7),
        ("soon", 7),
        ("5", 7),
        ("-1m", 7),
        (UNKNOWN, 7),
    ],
)
def test_time_limits_are_read_as_terraform_writes_them(text: Any, seconds: float) -> None:
    assert seconds_of(text, 7) == seconds


def test_a_deprecated_name_and_its_present_one_are_planned_alike() -> None:
    vpc = Vpc()
    proposed = vpc.block.empty() | {"name": "old"}
    planned = vpc.plan(None, proposed, {"name": "old"}).state
    assert planned["vpc_name"] == planned["name"] == "old"
    assert planned["id"] is UNKNOWN


def test_a_change_replaces_or_does_not() -> None:
    switch = VSwitch()
    prior = switch.block.empty() | {
        "id": "vsw-1",
        "vpc_id": "vpc-1",
        "zone_id": "z",
        "cidr_block": "10.0.0.0/24",
        "vswitch_name": "a",
    }
    renamed = prior | {"vswitch_name": "b"}
    assert list(switch.plan(prior, renamed, {"vswitch_name": "b"}).replaced_by) == []
    moved = prior | {"vpc_id": UNKNOWN}
    assert list(switch.plan(prior, moved, {"vpc_id": UNKNOWN}).replaced_by) == ["vpc_id"]


def test_defaults_of_the_real_provider_are_planned() -> None:
    rule = SecurityGroupRule()
    planned = rule.plan(
        None,
        rule.block.empty() | {"type": "ingress", "ip_protocol": "tcp", "security_group_id": "sg-1"},
        {},
    ).state
    assert (planned["policy"], planned["priority"], planned["port_range"]) == ("accept", 1, "-1/-1")


def test_every_type_has_the_real_providers_schema() -> None:
    answer = Servicer(KEYS).GetProviderSchema(pb.GetProviderSchema.Request(), None)  # type: ignore[arg-type]
    assert set(answer.resource_schemas) == {kind.type_name for kind in RESOURCES}
    assert set(answer.data_source_schemas) == {
        "alicloud_zones",
        "alicloud_images",
        "alicloud_instance_types",
    }
    attributes = {
        attribute.name: attribute
        for attribute in answer.resource_schemas["alicloud_instance"].block.attributes
    }
    assert attributes["password"].sensitive
    assert attributes["security_groups"].type == b'["set","string"]'
    for kind in RESOURCES:
        names = set(kind().block.names())
        assert kind.replaced_by <= names
        assert (
            set(kind.defaults)
            | set(kind.aliases)
            | set(kind.aliases.values())
            | set(kind.needed)
            | set(kind.choices)
            <= names
        )


class _Broken(Vpc):
    """A VPC whose life ends where a test says."""

    def __init__(self, *, create: Exception | None = None, settle: Exception | None = None) -> None:
        self._create, self._settle = create, settle

    def create(self, cloud: CloudApi, planned: State) -> str:
        if self._create:
            raise self._create
        return "vpc-1"

    def settle(self, cloud: CloudApi, state: State) -> None:
        if self._settle:
            raise self._settle


def _apply(kind: Vpc, prior: Any, planned: Any) -> pb.ApplyResourceChange.Response:
    servicer = Servicer(KEYS)
    servicer._resources["alicloud_vpc"] = kind
    servicer.ConfigureProvider(pb.ConfigureProvider.Request(config=encode({})), None)  # type: ignore[arg-type]
    request = pb.ApplyResourceChange.Request(
        type_name="alicloud_vpc", prior_state=encode(prior), planned_state=encode(planned)
    )
    return servicer.ApplyResourceChange(request, None)  # type: ignore[arg-type]


def test_a_refused_creation_leaves_nothing_in_the_state() -> None:
    answer = _apply(
        _Broken(create=ApiError("CreateVpc", "QuotaExceeded.Vpc", "no more", "REQ-1")),
        None,
        Vpc().block.empty(),
    )
    assert decode(answer.new_state) is None
    assert (answer.diagnostics[0].summary, answer.diagnostics[0].detail) == (
        "CreateVpc failed: QuotaExceeded.Vpc",
        "no more\nRequest id: REQ-1",
    )


@pytest.mark.parametrize(
    "error",
    [
        ApiError("Wait", "Timeout", "late"),
        Gone("vpc-1"),
        RuntimeError("a defect"),
        KeyError("Status"),
    ],
)
def test_whatever_fails_after_the_id_is_known_the_resource_is_in_the_state(
    error: Exception,
) -> None:
    planned = Vpc().block.empty() | {"vpc_name": "a", "status": UNKNOWN}
    answer = _apply(_Broken(settle=error), None, planned)
    state = decode(answer.new_state)
    assert (state["id"], state["vpc_name"], state["status"]) == ("vpc-1", "a", None)
    assert len(answer.diagnostics) == 1


def test_a_call_before_the_configuration_is_a_diagnostic() -> None:
    answer = Servicer({}).ReadResource(
        pb.ReadResource.Request(type_name="alicloud_vpc", current_state=encode({"id": "vpc-1"})),
        None,  # type: ignore[arg-type]
    )
    assert answer.diagnostics[0].summary == "The provider is not configured"
    assert decode(answer.new_state) == {"id": "vpc-1"}


def test_stop_shortens_waits_and_ends_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "proofwalk.resource_provisioner.alicloud_provider.openapi.STOP_GRACE_S", 0.01
    )
    cloud = CloudApi(Connection(access_key="a", secret_key="b", region="r", endpoints={}))
    cloud.stopping.set()
    with pytest.raises(ApiError) as caught:
        cloud.wait("vpc-1", lambda: {"Status": "Pending"}, lambda row: False, timeout_s=60)
    assert caught.value.code == "Interrupted"


@pytest.mark.parametrize(
    ("config", "environment", "endpoints", "protocol"),
    [
        (
            {},
            {"ALICLOUD_ENDPOINT_URL": "http://127.0.0.1:1"},
            dict.fromkeys(VERSIONS, "127.0.0.1:1"),
            "HTTP",
        ),
        ({}, {"ECS_ENDPOINT": "ecs.example"}, {"ecs": "ecs.example"}, "HTTPS"),
        (
            {"endpoints": [{"ecs": "e:1", "vpc": None, "rds": None}], "protocol": "HTTP"},
            {},
            {"ecs": "e:1"},
            "HTTP",
        ),
        ({}, {}, {}, "HTTPS"),
    ],
)
def test_endpoints_come_from_the_block_or_the_environment(
    config: Mapping[str, Any],
    environment: Mapping[str, str],
    endpoints: Mapping[str, str],
    protocol: str,
) -> None:
    connection, problems = connection_of(config, {**KEYS, **environment})
    assert problems == []
    assert connection is not None
    assert (dict(connection.endpoints), connection.protocol) == (endpoints, protocol)
    assert "SK" not in repr(connection)


def test_missing_credentials_are_named() -> None:
    connection, problems = connection_of({}, {"ALICLOUD_REGION": "r"})
    assert connection is None
    assert [problem.path for problem in problems] == [["access_key"], ["secret_key"]]


def test_the_mirror_is_written_once_and_has_terraforms_layout(tmp_path: Path) -> None:
    mirror = ensure_mirror(tmp_path)
    before = mirror.program.stat().st_mtime_ns
    assert ensure_mirror(tmp_path) == mirror
    assert mirror.program.stat().st_mtime_ns == before
    assert mirror.program.parent.parent.name == mirror.version == "1.246.0"
    assert mirror.program.stat().st_mode & 0o111
    assert "registry.terraform.io/aliyun/alicloud" in mirror.config.read_text()
    assert not list(tmp_path.rglob("*.partial"))
