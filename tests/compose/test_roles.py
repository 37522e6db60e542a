"""What docker-compose.yml tells a role is what the role's code reads, and what the
chart tells it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.fernet import Fernet
from pydantic import SecretStr

from deploy.compose.credentials import ensure
from deploy.images.build import version
from deploy.images.requirements import ROOT
from proofwalk.chassis.http import split_address
from proofwalk.chassis.settings import PREFIX, load_settings
from proofwalk.gateway.keys import Keyring
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.roles import NAMES, choose
from proofwalk.platform.settings import Settings
from tests.chart.rendering import environment
from tests.chart.test_roles import FACTS, settings_of, snake
from tests.compose.project import (
    NETWORK,
    as_container,
    example,
    project,
    roles,
    services,
    variables,
)

SECRETS = "/run/secrets/proofwalk/"
OFFERED = {snake(role): facts for role, facts in FACTS.items()}
# Its browsers are its own children here, and its rows are of them: SQLite beside them,
# as in the chart where it is beside rollout.
OFFERED["sandbox_scheduler"] = {**OFFERED["sandbox_scheduler"], "database": False}


def told(name: str, service: Mapping[str, Any], folder: Path) -> Settings:
    """The settings that a service's process would read."""
    return settings_of(as_container(name, service), folder)


def place(name: str) -> str:
    """The name by which a role is reached: rollout's is the alias of the network that
    it is in."""
    service = services()[name]
    if service.get("network_mode") != f"service:{NETWORK}":
        return name
    aliases = services()[NETWORK]["networks"]["roles"]["aliases"]
    return name if name in aliases else "127.0.0.1"


def test_every_role_is_a_service() -> None:
    # What a sandbox's pod runs is no service: here browsers are the scheduler's
    # children.
    assert {name.replace("-", "_") for name, _ in roles()} == set(NAMES) - {"sandbox"}


@pytest.mark.parametrize("name", [name for name, _ in roles()])
def test_every_variable_is_a_setting_and_makes_the_role(name: str, tmp_path: Path) -> None:
    service = services()[name]
    settings, (role,) = choose(name, told(name, service, tmp_path))
    assert role.name == name.replace("-", "_")
    if name == "sandbox-scheduler":
        assert service["image"] == f"proofwalk/sandbox:{version()}"
        assert service.pop("command") == ["serve", name]
    else:
        assert service["image"] == f"proofwalk/{name}:{version()}"
    assert not {"command", "entrypoint"} & set(service), "the image says what it serves"
    assert settings.log.format == "json"


def test_a_variable_that_no_setting_asks_for_would_be_found(tmp_path: Path) -> None:
    service = services()["rollout"]
    wrong = {
        **service,
        "environment": {**service["environment"], "PROOFWALK_ROLLOUT__CONCURENCY": "2"},
    }
    with pytest.raises(ProofwalkError) as refused:
        told("rollout", wrong, tmp_path)
    assert refused.value.code == "settings.unknown_variable"


def test_the_example_names_what_the_file_reads_with_the_same_values() -> None:
    assert example() == variables()
    assert example()["IMAGE_TAG"] == version()


def test_every_setting_of_the_example_is_a_setting() -> None:
    given = {name: value for name, value in example().items() if name.startswith(PREFIX)}
    assert len(given) >= 5
    load_settings(Settings, given)
    for name in given:
        with pytest.raises(ProofwalkError):
            load_settings(Settings, {f"{name}X": "1"})


def test_the_example_reaches_the_roles(tmp_path: Path) -> None:
    given = {
        "PROOFWALK_ROLLOUT__CONCURRENCY": "7",
        "PROOFWALK_LOG__LEVEL": "debug",
        "PROOFWALK_INFERENCE__ENGINE": "openai",
    }
    found = {name: told(name, service, tmp_path) for name, service in roles(given)}
    assert found["rollout"].rollout.concurrency == 7
    assert {settings.log.level for settings in found.values()} == {"debug"}
    assert found["inference"].inference.engine == "openai"


@pytest.mark.parametrize("name", [name for name, _ in roles()])
def test_addresses_lead_to_the_roles_that_are_called(name: str, tmp_path: Path) -> None:
    own = name.replace("-", "_")
    given = environment(as_container(name, services()[name]))
    addresses = {
        variable.removeprefix("PROOFWALK_ADDRESSES__").lower(): value
        for variable, value in given.items()
        if variable.startswith("PROOFWALK_ADDRESSES__")
    }
    # A scheduler that listens in rollout's pod alone is there for rollout alone.
    called = {
        snake(other)
        for other in OFFERED[own]["calls"]
        if own == "rollout" or place(snake(other).replace("_", "-")) != "127.0.0.1"
    }
    assert set(addresses) == called | ({own} if OFFERED[own]["grpc"] else set())
    for other in called:
        service = other.replace("_", "-")
        listening = split_address(told(service, services()[service], tmp_path).address_of(other))
        assert split_address(addresses[other]) == (place(service), listening[1])
        assert listening[0] == ("127.0.0.1" if place(service) == "127.0.0.1" else "0.0.0.0")
    assert ("DEVCLOUD_URL" in given) == OFFERED[own]["devcloud"]
    if "DEVCLOUD_URL" in given:
        devcloud = told("devcloud", services()["devcloud"], tmp_path).devcloud
        assert given["DEVCLOUD_URL"] == f"http://devcloud:{devcloud.port}"


@pytest.mark.parametrize("name", [name for name, _ in roles()])
def test_a_role_is_given_the_secrets_that_it_is_told_of_and_no_others(name: str) -> None:
    own = name.replace("-", "_")
    service = services()[name]
    given = environment(as_container(name, service))
    named = {
        value
        for variable, value in given.items()
        if variable.startswith(PREFIX) and variable.endswith("_FILE")
    }
    assert named == {secret["target"] for secret in service.get("secrets", [])}
    assert all(
        secret["target"] == f"{SECRETS}{secret['source']}" for secret in service.get("secrets", [])
    )
    assert (f"{SECRETS}database-url" in named) == OFFERED[own]["database"]
    assert (f"{SECRETS}redis-url" in named) == OFFERED[own]["redis"]
    admin = bool(OFFERED[own].get("devcloudAdmin")) or name == "devcloud"
    assert (f"{SECRETS}devcloud-admin-token" in named) == admin


def test_every_secret_is_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = ensure(folder)
    assert set(made) == set(project()["secrets"])
    assert {Path(each["file"]).name for each in project()["secrets"].values()} == set(made)
    texts = {name: (folder / name).read_text(encoding="ascii") for name in made}
    assert ensure(folder) == []
    assert {name: (folder / name).read_text(encoding="ascii") for name in made} == texts
    assert len(set(texts.values())) == len(texts)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {(folder / name).stat().st_mode & 0o777 for name in made} == {0o644}
    Fernet(texts["encryption-key"])
    Fernet(texts["webhook-key"])
    keyring = Keyring({"default": SecretStr(texts["gateway-api-key"])}, local="another")
    assert keyring.caller(f"Bearer {texts['gateway-api-key']}").principal == "default"


def test_a_url_follows_its_password(tmp_path: Path) -> None:
    ensure(tmp_path)
    (tmp_path / "postgresql-password").write_text("of-mine\n", encoding="ascii")
    assert ensure(tmp_path) == ["database-url"]
    assert (tmp_path / "database-url").read_text(
        encoding="ascii"
    ) == "postgresql://proofwalk:of-mine@postgres:5432/proofwalk"


@pytest.mark.parametrize("name", [name for name, _ in roles()])
def test_health_is_what_the_role_says_of_itself(name: str, tmp_path: Path) -> None:
    service = services()[name]
    settings = told(name, service, tmp_path)
    _, port = split_address(settings.metrics_address)
    check = service["healthcheck"]["test"]
    assert check[:3] == ["CMD", "python", "-c"]
    assert f"http://127.0.0.1:{port}/readyz" in check[3]
    compile(check[3], "health", "exec")
    grace = float(re.fullmatch(r"(\d+)s", service["stop_grace_period"])[1])  # type: ignore[index]
    assert grace >= settings.drain_grace_s + 10


def test_what_is_called_is_up_first() -> None:
    found = services()

    def before(name: str) -> set[str]:
        direct = set(found[name].get("depends_on", {}))
        return direct.union(*map(before, direct)) if direct else direct

    for name, service in roles():
        own = OFFERED[name.replace("-", "_")]
        wanted = {snake(other).replace("_", "-") for other in own["calls"]}
        wanted |= {"postgres"} if own["database"] else set()
        wanted |= {"redis"} if own["redis"] else set()
        # What has no profile waits for nothing that has one.
        wanted = {
            each for each in wanted if not found[each].get("profiles") or service.get("profiles")
        }
        assert wanted <= before(name), name
        assert all(
            each["condition"] == "service_healthy"
            for each in service.get("depends_on", {}).values()
        )


def test_prometheus_looks_at_every_role(tmp_path: Path) -> None:
    config = yaml.safe_load(
        (ROOT / "deploy" / "compose" / "prometheus.yml").read_text(encoding="utf-8")
    )
    (job,) = (job for job in config["scrape_configs"] if job["job_name"] == "proofwalk")
    found = {each["labels"]["role"]: each["targets"] for each in job["static_configs"]}
    assert set(found) == {name for name, _ in roles()}
    for name, service in roles():
        _, port = split_address(told(name, service, tmp_path).metrics_address)
        reached = "rollout" if service.get("network_mode") else name
        assert found[name] == [f"{reached}:{port}"]


def test_terraform_starts_the_provider_from_a_place_where_programs_may_run(tmp_path: Path) -> None:
    service = services()["resource-provisioner"]
    home = told("resource-provisioner", service, tmp_path).home
    assert home == tmp_path
    assert "provisioner:/var/lib/proofwalk" in service["volumes"], (
        "Docker mounts memory with noexec"
    )


def test_training_runs_are_where_inference_looks_for_them(tmp_path: Path) -> None:
    for name, mode in (("trainer", ""), ("inference", ":ro")):
        volumes = services()[name]["volumes"]
        path = told(name, services()[name], tmp_path).state_path("trainer")
        assert path == tmp_path / "state" / "trainer"
        assert f"training:/var/lib/proofwalk/state/trainer{mode}" in volumes
