"""What the chart tells a role is what the role's code reads: settings, addresses,
secrets, health, streams, tables."""

from __future__ import annotations

import base64
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from prometheus_client import CollectorRegistry

from deploy.helm.reference import CHART
from deploy.images.build import ROLES
from proofwalk.chassis.http import health_app, split_address
from proofwalk.chassis.settings import load_settings
from proofwalk.cli.main import app
from proofwalk.gateway.keys import Keyring
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.roles import NAMES, PROGRAMS, choose
from proofwalk.platform.settings import Settings, read_settings, target_environment
from tests.chart.rendering import (
    CASES,
    RELEASE,
    containers,
    environment,
    named,
    of_kind,
    rendered,
    workloads,
)

ROOT = CHART.parents[2]
FACTS: Mapping[str, Any] = yaml.safe_load(
    (CHART / "files" / "roles.yaml").read_text(encoding="utf-8")
)
_SECRETS = {
    "webhook-key": base64.urlsafe_b64encode(bytes(32)).decode(),
    "encryption-key": base64.urlsafe_b64encode(bytes(32)).decode(),
    "database-url": "postgresql://proofwalk:hidden@db/proofwalk",
    "redis-url": "redis://:hidden@redis:6379/0",
}


def snake(role: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", role).lower()


def own_containers(case: str) -> Iterator[Mapping[str, Any]]:
    """Containers with an image of ours."""
    for workload in workloads(rendered(case)):
        yield from (
            container for container in containers(workload) if "proofwalk/" in container["image"]
        )


def settings_of(
    container: Mapping[str, Any], folder: Path, *, secrets: Mapping[str, str] = _SECRETS
) -> Settings:
    """The settings that a container's process would read, with its secrets and its home
    in `folder`."""
    given = {}
    for name, value in environment(container).items():
        if value.startswith("/run/secrets/proofwalk/"):
            file = folder / Path(value).name
            file.write_text(
                {**_SECRETS, **secrets}.get(file.name, f"secret of {file.name}"), encoding="ascii"
            )
            value = str(file)
        given[name] = value.replace("/var/lib/proofwalk", str(folder))
    for item in container["env"]:
        reference = item.get("valueFrom", {}).get("secretKeyRef")
        if reference:
            given[item["name"]] = f"secret of {reference['key']}"
    return read_settings(given)


@pytest.mark.parametrize("case", CASES)
def test_every_variable_is_a_setting(case: str, tmp_path: Path) -> None:
    found = list(own_containers(case))
    assert len(found) >= 7
    for container in found:
        assert settings_of(container, tmp_path).home.is_absolute()


def test_a_variable_that_no_setting_asks_for_would_be_found() -> None:
    with pytest.raises(ProofwalkError) as refused:
        load_settings(Settings, {"PROOFWALK_ROLLOUT__CONCURENCY": "2"})
    assert refused.value.code == "settings.unknown_variable"


@pytest.mark.parametrize("case", CASES)
def test_images_are_those_that_are_built(case: str) -> None:
    for container in own_containers(case):
        name = container["image"].rpartition("proofwalk/")[2].partition(":")[0]
        assert name in ROLES
        if container["command"][:2] == ["proofwalk", "serve"]:
            # Where browsers are in its own container, it has the image with a browser.
            beside = container["name"] == "sandbox-scheduler" and case != "sandboxes"
            named_otherwise = {
                "devtools-gateway": "sandbox-scheduler",
                **({"sandbox-scheduler": "sandbox"} if beside else {}),
            }
            assert name == named_otherwise.get(container["name"], container["name"])
            if container["name"] == "sandbox-scheduler" and not beside:
                pods = environment(container)["PROOFWALK_SANDBOX_SCHEDULER__KUBERNETES__IMAGE"]
                assert pods.rpartition("proofwalk/")[2].partition(":")[0] == "sandbox"


@pytest.mark.parametrize("case", CASES)
def test_a_container_serves_the_role_that_it_is_named_after(case: str, tmp_path: Path) -> None:
    for container in own_containers(case):
        if container["command"][:2] == ["proofwalk", "serve"]:
            _serves_its_role(container, tmp_path)


def _serves_its_role(container: Mapping[str, Any], tmp_path: Path) -> None:
    if container["command"][2] in PROGRAMS:
        _is_the_gateway_of_devtools(container, tmp_path)
        return
    settings, (role,) = choose(container["command"][2], settings_of(container, tmp_path))
    assert role.name == container["name"].replace("-", "_")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    host, metrics = split_address(settings.metrics_address)
    assert host == "0.0.0.0"
    assert metrics in ports.values()
    paths = {route.path for route in health_app(CollectorRegistry(), lambda: True).routes}  # type: ignore[attr-defined]
    for probe, path in (
        ("startupProbe", "/readyz"),
        ("readinessProbe", "/readyz"),
        ("livenessProbe", "/livez"),
    ):
        assert container[probe]["httpGet"] == {"path": path, "port": metrics}
        assert path in paths
    if "grpc" in ports:
        assert split_address(settings.address_of(role.name)) == ("0.0.0.0", ports["grpc"])
    if role.name == "gateway":
        assert split_address(settings.gateway.address)[1] == ports["http"]
        keyring = Keyring(settings.gateway.api_keys, local="another")
        assert keyring.caller("Bearer secret of gateway-api-key").principal == "default"
        assert set(settings.gateway.api_keys) == {"default"}
    if role.name == "devcloud":
        assert (settings.devcloud.host, settings.devcloud.port) == ("0.0.0.0", ports["http"])


def _is_the_gateway_of_devtools(container: Mapping[str, Any], tmp_path: Path) -> None:
    """The only program that is no role and is the chart's own."""
    assert container["name"] == container["command"][2] == "devtools-gateway"
    settings = settings_of(container, tmp_path)
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert split_address(settings.devtools_gateway.address) == ("0.0.0.0", ports["devtools"])
    assert split_address(settings.devtools_gateway.metrics_address) == ("0.0.0.0", ports["metrics"])
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": ports["metrics"]}


@pytest.mark.parametrize("case", CASES)
def test_addresses_lead_to_services_of_the_roles(case: str, tmp_path: Path) -> None:
    manifests = rendered(case)
    offered = {
        f"{service['metadata']['name']}:{port['port']}": service["spec"]["selector"][
            "app.kubernetes.io/component"
        ]
        for service in of_kind(manifests, "Service")
        for port in service["spec"]["ports"]
    }
    for workload in workloads(manifests):
        for container in containers(workload):
            own = container["name"].replace("-", "_").upper()
            for name, value in environment(container).items():
                role = name.removeprefix("PROOFWALK_ADDRESSES__")
                if role in (name, own):
                    continue
                if role == "SANDBOX_SCHEDULER" and case != "sandboxes":
                    assert value == "127.0.0.1:50052"
                    assert [other["name"] for other in workload.spec["containers"]] == [
                        "rollout",
                        "sandbox-scheduler",
                    ]
                else:
                    assert offered[value] == role.lower().replace("_", "-")
            if "DEVCLOUD_URL" in environment(container):
                assert (
                    offered[environment(container)["DEVCLOUD_URL"].removeprefix("http://")]
                    == "devcloud"
                )
    for workload in workloads(manifests):
        ports = {
            port["name"]
            for container in containers(workload)
            for port in container.get("ports", [])
        }
        for service in of_kind(manifests, "Service"):
            if service["spec"]["selector"]["app.kubernetes.io/component"] == workload.component:
                assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports


def test_roles_know_where_the_embedded_cloud_is(tmp_path: Path) -> None:
    for workload in workloads(rendered("default")):
        for container in containers(workload):
            if container["name"] in (
                "rollout",
                "account-pool",
                "resource-provisioner",
                "reward-service",
            ):
                found = target_environment(settings_of(container, tmp_path), environment(container))
                assert found["DEVCLOUD_URL"] == f"http://{RELEASE}-proofwalk-devcloud:8470"
            if container["name"] in ("account-pool", "resource-provisioner", "devcloud"):
                assert (
                    settings_of(container, tmp_path).devcloud.admin_token.get_secret_value()
                    == "secret of devcloud-admin-token"
                )


def test_a_bucket_takes_the_place_of_the_volume_of_blobs(tmp_path: Path) -> None:
    manifests = rendered("default", "blobs.bucket=s3://evidence/team", "rollout.replicas=3")
    volumes = [item["metadata"]["name"] for item in of_kind(manifests, "PersistentVolumeClaim")]
    assert not [name for name in volumes if name.endswith("-blobs")]
    (workload,) = (found for found in workloads(manifests) if found.component == "rollout")
    assert "blobs" not in [volume["name"] for volume in workload.spec["volumes"]]
    (container,) = (one for one in containers(workload) if one["name"] == "rollout")
    assert settings_of(container, tmp_path).blob_store.address == "s3://evidence/team"
    deployment = named(manifests, "Deployment", "-rollout")
    assert deployment["spec"]["strategy"]["type"] == "RollingUpdate"


def test_the_chart_knows_every_role() -> None:
    assert {snake(role) for role in FACTS} == set(NAMES)


@pytest.mark.parametrize("role", sorted(FACTS))
def test_facts_of_a_role_are_those_of_its_code(role: str, tmp_path: Path) -> None:
    facts, name = FACTS[role], snake(role)
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "services" / "proofwalk" / name).glob("*.py")
    )
    called = set(re.findall(r'ctx\.channel\("(\w+)"\)', text))
    for names in re.findall(r"address_of\(name\) for name in \(([^)]*)\)", text):
        called |= set(re.findall(r'"(\w+)"', names))
    assert {snake(other) for other in facts["calls"]} == called
    assert facts["redis"] == bool(re.search(r"ctx\.(redis|doorbell|consumer)\b", text))
    assert facts["grpc"] == bool(re.search(r"Running\(\s*services=", text))
    assert facts["targets"] == ("targets" in type(getattr(Settings(), name)).model_fields)
    _, (made,) = choose(name, Settings(home=tmp_path))
    assert facts["database"] == bool(made.package)


def test_a_scheduler_beside_rollout_shares_no_database() -> None:
    """Its rows are of its own pod's browsers, and the local backend takes every shard
    of its database for its own."""
    (rollout,) = (
        found for found in workloads(rendered("production")) if found.component == "rollout"
    )
    told = [
        environment(container)
        for container in containers(rollout)
        if container["name"] == "sandbox-scheduler"
    ]
    assert not any("DATABASE_URL" in name for each in told for name in each)
    assert "PROOFWALK_SANDBOX_SCHEDULER__BACKEND" not in told[0]


def test_pods_are_given_longer_than_roles_take_to_drain(tmp_path: Path) -> None:
    for workload in workloads(rendered("default", "drainSeconds=120")):
        for container in workload.spec["containers"]:
            if container.get("command", [])[:2] == ["proofwalk", "serve"]:
                assert settings_of(container, tmp_path).drain_grace_s == 120
                assert workload.spec["terminationGracePeriodSeconds"] == 135


def test_migrations_make_every_table_and_the_backlog_can_be_counted(tmp_path: Path) -> None:
    job = named(rendered("gpu", "sandboxScheduler.backend=kubernetes"), "Job", "-migrations")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    (tmp_path / "database-url").write_text(f"sqlite:///{tmp_path}/rows.sqlite3", encoding="ascii")
    given = {
        "PROOFWALK_DATABASE_URL_FILE": str(tmp_path / "database-url"),
        "PROOFWALK_HOME": str(tmp_path),
    }
    assert set(given) <= set(environment(container))
    assert container["command"] == ["python", "-c"]
    done = subprocess.run(
        [sys.executable, "-c", *container["args"]],
        env=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    roles = {snake(role) for role, facts in FACTS.items() if facts["database"]}
    assert set(re.findall(r"^(\w+): migrated$", done.stdout, re.M)) == roles
    (query,) = (
        trigger["metadata"]["query"]
        for trigger in of_kind(rendered("production"), "ScaledObject")[0]["spec"]["triggers"]
        if trigger["type"] == "postgresql"
    )
    with sqlite3.connect(tmp_path / "rows.sqlite3") as rows:
        tables = {
            name for (name,) in rows.execute("select name from sqlite_master where type = 'table'")
        }
        assert {f"{role}_alembic_version" for role in roles} <= tables
        assert rows.execute(query).fetchone() == (0,)


def test_migrations_run_before_an_install_only_where_the_database_is_there_already() -> None:
    def hook(case: str) -> str:
        return str(
            named(rendered(case), "Job", "-migrations")["metadata"]["annotations"]["helm.sh/hook"]
        )

    assert hook("default") == "pre-upgrade"
    assert hook("production") == "pre-install,pre-upgrade"


def test_all_pods_look_names_up_as_told(tmp_path: Path) -> None:
    told = ("dnsPolicy=None", 'dnsConfig={"nameservers":["192.0.2.53"]}')
    for case in CASES:
        for workload in workloads(rendered(case, *told)):
            assert (workload.spec["dnsPolicy"], workload.spec["dnsConfig"]) == (
                "None",
                {"nameservers": ["192.0.2.53"]},
            ), workload.name
        assert not any("dnsPolicy" in workload.spec for workload in workloads(rendered(case))), case
    (scheduler,) = (
        each for each in own_containers("sandboxes") if each["name"] == "sandbox-scheduler"
    )
    told_on = settings_of(scheduler, tmp_path).sandbox_scheduler.kubernetes
    assert told_on.dns_config == {"options": [{"name": "ndots", "value": "2"}]}


def test_an_installation_can_have_desktops(tmp_path: Path) -> None:
    told = (
        "sandboxScheduler.sandboxes.image.name=desktop",
        "sandboxScheduler.sandboxes.tool=desktop",
    )
    (scheduler,) = (
        container
        for workload in workloads(rendered("sandboxes", *told))
        for container in containers(workload)
        if container["name"] == "sandbox-scheduler"
    )
    kubernetes = settings_of(scheduler, tmp_path).sandbox_scheduler.kubernetes
    assert (kubernetes.tool, kubernetes.image) == ("desktop", "proofwalk/desktop:0.1.0")


def test_helm_test_asks_the_gateway_to_verify_an_example(tmp_path: Path) -> None:
    pod = named(rendered("default"), "Pod", "-verification")
    (container,) = pod["spec"]["containers"]
    settings = settings_of(container, tmp_path)
    assert settings.client.server == f"http://{RELEASE}-proofwalk-gateway:8480"
    assert settings.client.api_key.get_secret_value() == "secret of gateway-api-key"
    program, verb, *arguments = container["command"]
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    parsed = command.make_context(verb, list(arguments)).params
    assert program == "proofwalk"
    assert parsed["target"] == "devcloud"
    config = named(rendered("default"), "ConfigMap", "-verification")
    assert Path(parsed["documents"][0]).name in config["data"]
    for name, text in config["data"].items():
        assert text == (ROOT / "examples" / "docs" / name).read_text(encoding="utf-8")


def test_further_api_keys_are_keys_and_not_names_of_files(tmp_path: Path) -> None:
    gateway = named(
        rendered("default", "gateway.secretSettings.GATEWAY__API_KEYS__CI=ci-gateway-key"),
        "Deployment",
        "-gateway",
    )
    (container,) = gateway["spec"]["template"]["spec"]["containers"]
    keyring = Keyring(settings_of(container, tmp_path).gateway.api_keys, local="another")
    assert keyring.caller("Bearer secret of ci-gateway-key").principal == "ci"
    with pytest.raises(ProofwalkError):
        keyring.caller("Bearer /run/secrets/proofwalk/ci-gateway-key")
