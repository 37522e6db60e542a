"""A real API server with its controllers, as KUBECONFIG names it, and a node that runs
nothing."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from kubernetes.aio import client, config

from proofwalk.chassis.database import Database
from tests.cluster.kubelet import FakeKubelet
from tests.cluster.world import ClusterWorld
from tests.fixtures.templates import copy_migrated


@pytest.fixture
async def configuration() -> client.Configuration:
    kubeconfig = os.environ.get("KUBECONFIG", "")
    if not kubeconfig:
        pytest.fail(
            "these tests need a cluster of their own: set KUBECONFIG (kind, k3s, or any control"
            " plane with controllers)"
        )
    made = client.Configuration()
    await cast(Any, config).load_kube_config(config_file=kubeconfig, client_configuration=made)
    return made


@pytest.fixture
async def api_client(configuration: client.Configuration) -> AsyncIterator[client.ApiClient]:
    async with client.ApiClient(configuration) as made:
        yield made


@pytest.fixture
async def namespace(api_client: client.ApiClient) -> AsyncIterator[str]:
    core = client.CoreV1Api(api_client)
    name = f"proofwalk-test-{secrets.token_hex(4)}"
    place: Any = {"metadata": {"name": name}}
    await core.create_namespace(place)
    yield name
    await core.delete_namespace(name)


@pytest.fixture
async def kubelet(api_client: client.ApiClient, namespace: str) -> AsyncIterator[FakeKubelet]:
    made = FakeKubelet(api_client, namespace, node=f"node-{namespace}")
    await made.start()
    yield made
    await made.close()


@pytest.fixture
def way(configuration: client.Configuration) -> client.Configuration:
    """How schedulers reach the API."""
    return configuration


@pytest.fixture
async def world(
    kubelet: FakeKubelet,
    namespace: str,
    way: client.Configuration,
    sqlite_db: Database,
    tmp_path_factory: pytest.TempPathFactory,
) -> ClusterWorld:
    await copy_migrated("proofwalk.sandbox_scheduler", sqlite_db, tmp_path_factory)
    return ClusterWorld(sqlite_db, kubelet, namespace=namespace, configuration=way)
