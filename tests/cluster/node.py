"""A node that runs pods, and what its cluster lacks for the chart, put in place for as
long as a test lasts.

A cluster of kind or k3s has names, and volumes on demand. A control plane with a
kubelet has neither: then names are answered and volumes made here, which takes a node
that is this very machine. What was lacking is said.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from kubernetes.aio import client

from tests.cluster.names import DOMAIN, ClusterNames
from tests.cluster.objects import items

_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_VOLUMES = 6


@dataclass
class Furnished:
    """Values for the chart, by what was put in place, and what was lacking."""

    values: dict[str, Any] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)


async def node_that_runs_pods(api: client.ApiClient) -> dict[str, Any]:
    """A node with a kubelet. Fails the test if there is none."""
    nodes = await items(api, client.CoreV1Api(api).list_node())
    for node in nodes:
        conditions = {each["type"]: each["status"] for each in node["status"].get("conditions", ())}
        if conditions.get("Ready") == "True" and node["status"].get("nodeInfo", {}).get(
            "containerRuntimeVersion"
        ):
            return node
    pytest.fail(
        f"none of the cluster's {len(nodes)} nodes runs pods: add one with a kubelet, and images"
        " on it",
        pytrace=False,
    )


@asynccontextmanager
async def furnished(
    api: client.ApiClient, *, namespace: str, folder: Path
) -> AsyncIterator[Furnished]:
    """The cluster with names and volumes."""
    node = await node_that_runs_pods(api)
    address = next(
        each["address"] for each in node["status"]["addresses"] if each["type"] == "InternalIP"
    )
    made = Furnished()
    async with AsyncExitStack() as stack:
        if not await _has_names(api):
            made.lacking.append("DNS: names are answered by the test")
            names = ClusterNames(api)
            await _here(names.listen(address), address, "DNS")
            stack.push_async_callback(names.close)
            searches = [f"{namespace}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN]
            options = [{"name": "ndots", "value": "5"}]
            made.values |= {
                "dnsPolicy": "None",
                "dnsConfig": {"nameservers": [address], "searches": searches, "options": options},
            }
        if not await _has_volumes(api):
            made.lacking.append("a default storage class: volumes are folders of the node")
            await stack.enter_async_context(_volumes(api, namespace, folder))
        if not await _has_network_plugin(api):
            made.lacking.append("a network plugin: nobody enforces the network policies")
        yield made


async def _here(listening: Awaitable[None], address: str, what: str) -> None:
    try:
        await listening
    except OSError as error:
        pytest.fail(
            f"the cluster has no {what}, and it cannot be put at {address}: {error}", pytrace=False
        )


async def _has_names(api: client.ApiClient) -> bool:
    found = client.CoreV1Api(api).list_namespaced_service(
        "kube-system", label_selector="k8s-app=kube-dns"
    )
    return bool(await items(api, found))


async def _has_volumes(api: client.ApiClient) -> bool:
    classes = await items(api, client.StorageV1Api(api).list_storage_class())
    return any(
        each["metadata"].get("annotations", {}).get(_DEFAULT_CLASS) == "true" for each in classes
    )


async def _has_network_plugin(api: client.ApiClient) -> bool:
    """Those that enforce policies are daemons on every node."""
    return bool(await items(api, client.AppsV1Api(api).list_namespaced_daemon_set("kube-system")))


@asynccontextmanager
async def _volumes(api: client.ApiClient, namespace: str, folder: Path) -> AsyncIterator[None]:
    core = client.CoreV1Api(api)
    names = [f"{namespace}-{number}" for number in range(_VOLUMES)]
    for name in names:
        # What runs in pods is no user of this machine.
        place = folder / name
        place.mkdir(parents=True)
        place.chmod(0o777)
        spec = {
            "capacity": {"storage": "100Gi"},
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": str(place), "type": "Directory"},
        }
        volume: Any = {"metadata": {"name": name}, "spec": spec}
        await core.create_persistent_volume(volume)
    try:
        yield
    finally:
        for name in names:
            await core.delete_persistent_volume(name)
        shutil.rmtree(folder)
