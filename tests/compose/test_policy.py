"""What nobody wants on their machine is in no service: root, a port for everybody, an
image of no version, memory without end."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.compose.project import project, services

_REFUSED = (
    "privileged",
    "cap_add",
    "devices",
    "pid",
    "ipc",
    "userns_mode",
    "group_add",
    "sysctls",
    "extra_hosts",
    "env_file",
)


def objections(service: Mapping[str, Any]) -> Iterator[str]:
    """What speaks against a service."""
    yield from (f"has {key}" for key in _REFUSED if service.get(key))
    if not re.fullmatch(r"[1-9][0-9]*:[1-9][0-9]*", str(service.get("user", ""))):
        yield "has no user that is a number other than root's"
    if service.get("read_only") is not True:
        yield "can write to its root"
    if service.get("cap_drop") != ["ALL"]:
        yield "keeps capabilities"
    if service.get("security_opt") != ["no-new-privileges:true"]:
        yield "may gain privileges"
    if not re.fullmatch(r"[^:@]+:v?[0-9]+(\.[0-9]+)+", service.get("image", "")):
        yield "has an image of no version"
    if "build" in service:
        yield "is built by Compose, past `make images`"
    for port in service.get("ports", []):
        if not re.fullmatch(r"127\.0\.0\.1:[0-9]+:[0-9]+", str(port)):
            yield f"has the port {port} for others than this machine"
    if str(service.get("network_mode", "")) in ("host", "bridge") or (
        not service.get("networks") and not service.get("network_mode")
    ):
        yield "is in a network of none of ours"
    for key in ("mem_limit", "pids_limit", "restart", "logging", "healthcheck"):
        if not service.get(key):
            yield f"has no {key}"
    if service.get("healthcheck", {}).get("disable"):
        yield "has no healthcheck"
    for volume in service.get("volumes", []):
        source, _, rest = str(volume).partition(":")
        if "docker.sock" in volume or (source.startswith(("/", ".")) and not rest.endswith(":ro")):
            yield f"can write to this machine's {source}"
    for name, value in service.get("environment", {}).items():
        if re.search(
            r"PASSWORD|TOKEN|KEY|SECRET|DATABASE_URL|REDIS_URL", name
        ) and not name.endswith("_FILE"):
            yield f"is told the secret {name}"
        if re.search(r"://[^/\s]+:[^@\s]+@", str(value)):
            yield f"is told a password by {name}"


@pytest.mark.parametrize("name", services())
def test_nothing_speaks_against_a_service(name: str) -> None:
    assert list(objections(services()[name])) == []


@pytest.mark.parametrize(
    "change",
    [
        {"user": "0:0"}, {"user": None}, {"read_only": False}, {"cap_drop": []}, {"security_opt": []}, {"privileged": True},
        {"ports": ["8480:8480"]}, {"ports": ["0.0.0.0:8480:8480"]}, {"network_mode": "host"}, {"mem_limit": None}, {"pids_limit": 0},
        {"healthcheck": {}}, {"healthcheck": {"disable": True}}, {"image": "proofwalk/gateway"}, {"image": "proofwalk/gateway:latest"},
        {"volumes": ["/var/run/docker.sock:/var/run/docker.sock"]}, {"volumes": ["./build:/build"]}, {"build": "."},
        {"environment": {"PROOFWALK_REDIS_URL": "x"}}, {"environment": {"ANY": "redis://user:word@redis"}}, {"networks": []},
    ],
    ids=str,
)  # fmt: skip
def test_each_of_them_would_be_found(change: Mapping[str, Any]) -> None:
    assert list(objections({**copy.deepcopy(services()["gateway"]), **change}))


def test_roles_are_kept_from_other_networks_unless_it_is_said() -> None:
    assert project()["networks"]["roles"] == {"internal": "true"}
    assert project({"ROLES_INTERNAL": "false"})["networks"]["roles"] == {"internal": "false"}
    out = {name for name, service in services().items() if "edge" in service.get("networks", ())}
    assert out == {name for name, service in services().items() if service.get("ports")}
    assert project()["networks"]["edge"]["driver_opts"] == {
        "com.docker.network.bridge.enable_ip_masquerade": "false"
    }


def test_volumes_and_secrets_are_those_that_are_used() -> None:
    used = {
        str(volume).partition(":")[0]
        for service in services().values()
        for volume in service.get("volumes", [])
    }
    assert {name for name in used if not name.startswith((".", "/"))} == set(project()["volumes"])
    mounted = {
        secret["source"] for service in services().values() for secret in service.get("secrets", [])
    }
    assert mounted == set(project()["secrets"])


def test_browsers_are_beside_rollout_with_no_secret() -> None:
    scheduler = services()["sandbox-scheduler"]
    assert scheduler["network_mode"] == services()["rollout"]["network_mode"] == "service:pod"
    assert "secrets" not in scheduler
    assert not set(scheduler["volumes"]) & set(services()["rollout"]["volumes"])


def test_learning_and_looking_on_are_asked_for() -> None:
    found = {
        name: service["profiles"] for name, service in services().items() if "profiles" in service
    }
    assert found == {
        "inference": ["inference", "training"],
        "trainer": ["training"],
        "prometheus": ["observability"],
    }
