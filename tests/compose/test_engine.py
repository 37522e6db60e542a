"""docker-compose.yml on a real engine: it comes up, documents are verified through it,
and nothing is left of it.

`make test-compose`. The images must be there (`make images`); those of PostgreSQL and
Redis are pulled, or are what POSTGRES_IMAGE and REDIS_IMAGE name. Nothing here is
skipped: without an engine, or without an image, the test fails and says so.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.compose.credentials import ensure
from deploy.images.engine import Engine, EngineFailed, EngineMissing, find_engine
from deploy.images.requirements import ROOT
from proofwalk.platform.installation import free_port
from tests.compose.project import SERVERS, services

pytestmark = [pytest.mark.engine, pytest.mark.timeout(1200)]

DOCS = ROOT / "examples" / "docs"
DOCUMENTS = ("01-vpc-create-vpc.md", "04-ecs-release-instance.html", "07-rds-create-instance.md")
"""One that needs nothing, one that Terraform makes an instance for, and one that is
wrong."""
_KINDS = {"container": ("ps", "--all"), "network": ("network", "ls"), "volume": ("volume", "ls")}


@dataclass(frozen=True, kw_only=True)
class Installation:
    """A project of Compose of this test's own: name, ports and secrets."""

    engine: Engine
    name: str
    folder: Path
    gateway: int
    devcloud: int

    def compose(self, *arguments: str) -> str:
        """Run a command of Compose on it. Raises `EngineFailed`."""
        given = {
            "GATEWAY_PORT": str(self.gateway),
            "DEVCLOUD_PORT": str(self.devcloud),
            "SECRETS_DIR": str(self.folder / "secrets"),
        }
        common = (
            "compose",
            "--project-directory",
            str(ROOT),
            "--project-name",
            self.name,
            "--env-file",
            os.devnull,
        )
        return self.engine.run(*common, *arguments, env=given)

    def left(self) -> dict[str, list[str]]:
        """What the engine has that is this project's."""
        label = f"label=com.docker.compose.project={self.name}"
        return {
            kind: found.split()
            for kind, command in _KINDS.items()
            if (found := self.engine.run(*command, "--quiet", "--filter", label))
        }

    def containers(self) -> list[dict[str, Any]]:
        """The containers as the engine describes them."""
        found: list[dict[str, Any]] = json.loads(
            self.engine.run("inspect", *self.left()["container"])
        )
        return found

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The command line, on this machine, as a client of the installation."""
        environment = {
            "PATH": os.environ["PATH"],
            "PROOFWALK_HOME": str(self.folder / "home"),
            "PROOFWALK_CLIENT__SERVER": f"http://127.0.0.1:{self.gateway}",
            "PROOFWALK_CLIENT__API_KEY_FILE": str(self.folder / "secrets" / "gateway-api-key"),
        }
        command = [sys.executable, "-m", "proofwalk.cli.main", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, timeout=600
        )


def missing() -> tuple[str, Engine | None]:
    """What keeps the test from being made, in a sentence, or the engine that it is made
    on."""
    try:
        engine = find_engine()
    except EngineMissing as error:
        return str(error), None
    try:
        engine.run("compose", "version")
    except EngineFailed as error:
        return f"docker has no Compose, version 2: install its plugin ({error})", None
    given = {name: os.environ[name] for name in ("IMAGE_PREFIX", "IMAGE_TAG") if name in os.environ}
    for name, service in services(given).items():
        if name not in SERVERS and not service.get("profiles"):
            try:
                engine.run("image", "inspect", service["image"])
            except EngineFailed:
                return f"the engine has no image {service['image']}: make images ROLES={name}", None
    return "", engine


@pytest.fixture(scope="module")
def engine() -> Engine:
    """The engine, with Compose and every image."""
    said, found = missing()
    if found is None:
        pytest.fail(said, pytrace=False)
    return found


@contextmanager
def up(engine: Engine, folder: Path) -> Iterator[Installation]:
    """The installation, healthy; down afterwards, whatever happened."""
    ensure(folder / "secrets")
    made = Installation(
        engine=engine,
        name=f"proofwalk-{secrets.token_hex(4)}",
        folder=folder,
        gateway=free_port(),
        devcloud=free_port(),
    )
    try:
        try:
            made.compose("up", "--detach", "--wait", "--wait-timeout", "600")
        except EngineFailed as error:
            pytest.fail(
                f"{error}\n{made.compose('ps', '--all')}\n{made.compose('logs', '--tail', '30')}",
                pytrace=False,
            )
        yield made
    finally:
        made.compose("--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "40")


def test_documents_are_verified_and_nothing_is_left(engine: Engine, tmp_path: Path) -> None:
    index = yaml.safe_load((DOCS / "index.yaml").read_text(encoding="utf-8"))["documents"]
    expected = {
        entry["document"]: entry["verdict"] for entry in index if entry["document"] in DOCUMENTS
    }
    with up(engine, tmp_path) as installation:
        for container in installation.containers():
            name, host, config = container["Name"], container["HostConfig"], container["Config"]
            assert container["State"]["Health"]["Status"] == "healthy", name
            assert container["RestartCount"] == 0, name
            assert config["User"].partition(":")[0] not in ("", "0", "root"), name
            assert host["ReadonlyRootfs"], name
            assert not host["Privileged"], name
            assert host["CapDrop"] == ["ALL"], name
            assert host["Memory"] > 0, name
            published = [
                each
                for bound in container["NetworkSettings"]["Ports"].values()
                for each in bound or []
            ]
            assert {each["HostIp"] for each in published} <= {"127.0.0.1"}, name
        done = installation.command(
            "verify", *(str(DOCS / name) for name in DOCUMENTS), "--format", "json"
        )
        found = {Path(each["document"]).name: each["verdict"] for each in json.loads(done.stdout)}
        assert found == expected, done.stderr + installation.compose("logs", "--tail", "50")
        assert done.returncode == 1, "one document is wrong"
        stranger = {
            **os.environ,
            "PROOFWALK_CLIENT__SERVER": f"http://127.0.0.1:{installation.gateway}",
        }
        refused = subprocess.run(
            [sys.executable, "-m", "proofwalk.cli.main", "jobs", "list"],
            capture_output=True, text=True, check=False, timeout=120,
            env={**stranger, "PROOFWALK_CLIENT__API_KEY": "pw_of-nobody", "PROOFWALK_HOME": str(tmp_path / "home")},
        )  # fmt: skip
        assert refused.returncode == 2
        text = installation.compose("logs", "--no-color")
        for name in (
            "postgresql-password",
            "redis-password",
            "gateway-api-key",
            "devcloud-admin-token",
            "encryption-key",
            "webhook-key",
        ):
            assert (tmp_path / "secrets" / name).read_text(encoding="ascii") not in text, (
                f"{name} is in a log"
            )
    assert installation.left() == {}
