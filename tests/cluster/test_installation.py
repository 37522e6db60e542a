"""The chart on a real cluster with a real kubelet: installed with Helm, a document
verified through its pods, upgraded, taken away.

`make test-cluster`. The images must be on the node, or it must be able to pull them:
IMAGE_PREFIX and IMAGE_TAG name ours where they are not the chart's, POSTGRES_IMAGE and
REDIS_IMAGE those of the bundled servers. What the cluster lacks, and what is put in its
place, is printed.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.aio import client

from deploy.helm.reference import CHART
from setup.helm import find_helm
from tests.cluster.node import Furnished, furnished
from tests.cluster.objects import items, read

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(2400)]

RELEASE = "trial"
_WITHIN = "15m"
_LITTLE = {
    "resources": {"requests": {"cpu": "50m", "memory": "256Mi", "ephemeral-storage": "64Mi"}}
}
"""Requests that fit a node of two processors; limits are the chart's."""
_ROLES = (
    "gateway",
    "rollout",
    "inspection",
    "sandboxScheduler",
    "accountPool",
    "resourceProvisioner",
    "rewardService",
    "inference",
    "devcloud",
)


_SERVERS = ("postgresql", "redis")


class HelmFailed(RuntimeError):
    """Helm ended with an error; the text is what it said."""


@dataclass(frozen=True, kw_only=True)
class Installation:
    """A release in a namespace of its own."""

    api: client.ApiClient
    namespace: str
    values: Path

    async def helm(self, *arguments: str) -> str:
        """Raises `HelmFailed`."""
        program = await asyncio.to_thread(find_helm)
        process = await asyncio.create_subprocess_exec(
            str(program), "--namespace", self.namespace, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )  # fmt: skip
        said, wrong = await process.communicate()
        if process.returncode:
            raise HelmFailed(
                f"helm {arguments[0]}: {wrong.decode().strip()}\n{said.decode()[-2000:]}"
            )
        return said.decode()

    async def checked(self, *arguments: str) -> None:
        """Run Helm; what it fails at fails the test, with what the cluster says."""
        try:
            await self.helm(*arguments)
        except HelmFailed as error:
            pytest.fail(f"{error}\n{await self.state()}\n{await self.logs()}", pytrace=False)

    async def install(self, *changed: str) -> None:
        """The chart, or another revision of it; every pod is ready then."""
        values = ("--values", str(self.values))
        await self.checked(
            "upgrade",
            "--install",
            RELEASE,
            str(CHART),
            *values,
            *changed,
            "--wait",
            "--timeout",
            _WITHIN,
        )

    @property
    def core(self) -> client.CoreV1Api:
        return client.CoreV1Api(self.api)

    async def pods(self) -> list[dict[str, Any]]:
        return await items(self.api, self.core.list_namespaced_pod(self.namespace))

    async def log(self, pod: str, container: str, *, previous: bool = False) -> str:
        return await self.core.read_namespaced_pod_log(
            pod, self.namespace, container=container, previous=previous
        )

    async def logs(self) -> str:
        """Of all containers, also of those that were started again."""
        found = []
        for pod in await self.pods():
            for container in containers(pod):
                for previous in (False, True) if container["restartCount"] else (False,):
                    told = await self.log(name_of(pod), container["name"], previous=previous)
                    found.append(f"--- {name_of(pod)} {container['name']}\n{told}")
        return "\n".join(found)

    async def state(self) -> str:
        """Where each container is, and the last warnings: for a failure's message."""
        lines = [
            f"{name_of(pod)}/{each['name']}: {'ready' if each['ready'] else each['state']}"
            f" ({each['restartCount']} restarts)"
            for pod in await self.pods()
            for each in containers(pod)
        ]
        events = await items(self.api, self.core.list_namespaced_event(self.namespace))
        lines += [
            f"{each['involvedObject']['name']}: {each['reason']}: {each['message']}"
            for each in events
            if each["type"] != "Normal"
        ]
        return "\n".join(lines[-60:])

    async def secret(self) -> Mapping[str, str]:
        """The made Secret's values."""
        found = await read(
            self.api,
            self.core.read_namespaced_secret(f"{RELEASE}-proofwalk-secrets", self.namespace),
        )
        return {key: base64.b64decode(value).decode() for key, value in found["data"].items()}


def kebab(role: str) -> str:
    """`accountPool` as its component is called."""
    return re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", role)


def name_of(pod: Mapping[str, Any]) -> str:
    return str(pod["metadata"]["name"])


def component(pod: Mapping[str, Any]) -> str:
    return str(pod["metadata"]["labels"]["app.kubernetes.io/component"])


def containers(pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Their states."""
    return list(pod["status"].get("containerStatuses", ()))


async def removed(api: client.ApiClient, namespace: str) -> None:
    """A namespace with all that is in it."""
    core = client.CoreV1Api(api)
    await core.delete_namespace(namespace)
    async with asyncio.timeout(300):
        while namespace in {
            each["metadata"]["name"] for each in await items(api, core.list_namespace())
        }:
            await asyncio.sleep(1)


def values_for(cluster: Furnished) -> dict[str, Any]:
    """Values of the release: the chart's, less processor time, and what the cluster
    lacks."""
    values: dict[str, Any] = {**{role: dict(_LITTLE) for role in _ROLES}, **cluster.values}
    image = {"prefix": os.environ.get("IMAGE_PREFIX"), "tag": os.environ.get("IMAGE_TAG")}
    values["image"] = {key: value for key, value in image.items() if value}
    for server, variable in (("postgresql", "POSTGRES_IMAGE"), ("redis", "REDIS_IMAGE")):
        values[server] = dict(_LITTLE)
        if named := os.environ.get(variable):
            repository, _, tag = named.rpartition(":")
            values[server]["image"] = {"repository": repository, "tag": tag}
    return values


@pytest.fixture
async def installation(api_client: client.ApiClient, tmp_path: Path) -> AsyncIterator[Installation]:
    """The chart, installed, every pod ready."""
    namespace = f"proofwalk-test-{secrets.token_hex(4)}"
    async with furnished(api_client, namespace=namespace, folder=tmp_path / "volumes") as cluster:
        for each in cluster.lacking:
            print(f"This cluster lacks {each}.")
        values = tmp_path / "values.yaml"
        values.write_text(yaml.safe_dump(values_for(cluster)), encoding="utf-8")
        made = Installation(api=api_client, namespace=namespace, values=values)
        place: Any = {"metadata": {"name": namespace}}
        await made.core.create_namespace(place)
        try:
            await made.install()
            yield made
        finally:
            await removed(api_client, namespace)


async def test_a_document_is_verified_through_pods(installation: Installation) -> None:
    pods = await installation.pods()
    assert {component(pod) for pod in pods} == {
        *(kebab(role) for role in _ROLES if role != "sandboxScheduler"),
        *_SERVERS,
    }
    assert all(each["ready"] for pod in pods for each in containers(pod)), (
        await installation.state()
    )
    print(
        "restarts until the database was there:",
        {name_of(pod): sum(each["restartCount"] for each in containers(pod)) for pod in pods},
    )
    await installation.checked("test", RELEASE, "--timeout", _WITHIN)
    told = await installation.log(f"{RELEASE}-proofwalk-verification", "verification")
    # A pod's log has both of its outputs; the report is the array.
    report = re.search(r"^\[", told, re.MULTILINE)
    assert report, told
    (found,), _ = json.JSONDecoder().raw_decode(told[report.start() :])
    assert found["verdict"] == "verified"

    # Another revision: migrations run before it, pods are replaced, and what was made
    # at the install stays.
    before = await installation.secret()
    await installation.install("--set-string", "gateway.podAnnotations.revision=2")
    assert await installation.secret() == before
    annotations = [
        pod["metadata"].get("annotations", {})
        for pod in await installation.pods()
        if component(pod) == "gateway"
    ]
    assert "2" in {each.get("revision") for each in annotations}
    logs = await installation.logs()
    for key, value in before.items():
        assert value not in logs, f"{key} is in a log"

    await installation.checked("uninstall", RELEASE, "--wait", "--timeout", _WITHIN)
    async with asyncio.timeout(120):
        # Their owners are gone; pods drain.
        while {component(pod) for pod in await installation.pods()} - {
            "verification",
            "migrations",
        }:
            await asyncio.sleep(1)
    claims = await items(
        installation.api,
        installation.core.list_namespaced_persistent_volume_claim(installation.namespace),
    )
    assert f"{RELEASE}-proofwalk-postgresql" in {each["metadata"]["name"] for each in claims}
