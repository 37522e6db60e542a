"""A real API server that throttles: by its own rules it turns most of a crowd away
(429), and who waits as it asks is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest
from kubernetes.aio import client

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler.kubernetes.api import KubernetesApi
from tests.cluster.objects import items, read

pytestmark = pytest.mark.cluster

_GROUP = "flowcontrol.apiserver.k8s.io"
_CROWD = 200


@pytest.fixture
async def crowded(
    configuration: client.Configuration, api_client: client.ApiClient, namespace: str
) -> AsyncIterator[KubernetesApi]:
    """The API as a user has it who is let in a few requests at a time, and whose others
    are not queued."""
    groups = (await read(api_client, client.ApisApi(api_client).get_api_versions()))["groups"]
    version = next(each["preferredVersion"]["version"] for each in groups if each["name"] == _GROUP)
    # Of schemas of the same precedence the first by name is taken; only the API server
    # may have the very first.
    name = f"a-{namespace}"
    shares = (
        "assuredConcurrencyShares"
        if version in ("v1alpha1", "v1beta1", "v1beta2")
        else "nominalConcurrencyShares"
    )
    level = {"type": "Limited", "limited": {shares: 1, "limitResponse": {"type": "Reject"}}}
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"]}
    schema = {
        "matchingPrecedence": 2,
        "priorityLevelConfiguration": {"name": name},
        "rules": [
            {"subjects": [{"kind": "User", "user": {"name": name}}], "resourceRules": [everything]}
        ],
    }
    made = (
        ("prioritylevelconfigurations", "PriorityLevelConfiguration", level),
        ("flowschemas", "FlowSchema", schema),
    )
    objects = client.CustomObjectsApi(api_client)
    binding: Any = {
        "metadata": {"name": name},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "cluster-admin",
        },
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}],
    }
    await client.RbacAuthorizationV1Api(api_client).create_namespaced_role_binding(
        namespace, binding
    )
    api = KubernetesApi(configuration, namespace=namespace)
    cast(Any, api._client).set_default_header("Impersonate-User", name)
    async with AsyncExitStack() as exits:
        exits.push_async_callback(api.close)
        for plural, kind, spec in made:
            body = {
                "apiVersion": f"{_GROUP}/{version}",
                "kind": kind,
                "metadata": {"name": name},
                "spec": spec,
            }
            await objects.create_cluster_custom_object(_GROUP, version, plural, body)
            exits.push_async_callback(
                objects.delete_cluster_custom_object, _GROUP, version, plural, name
            )
        yield api


async def test_who_is_turned_away_waits_and_is_answered(
    crowded: KubernetesApi, api_client: client.ApiClient
) -> None:
    core = crowded._core

    async def one() -> tuple[list[int], str]:
        """The statuses that a request met, and what it was refused with in the end."""
        met: list[int] = []

        async def listing(*told: Any, **how: Any) -> Any:
            answer = await core.list_namespaced_pod_without_preload_content(*told, **how)
            met.append(answer.status)
            return answer

        refused = ""
        try:
            await crowded.call(listing, crowded.namespace)
        except ProofwalkError as error:
            refused = error.code
        return met, refused

    async with asyncio.timeout(120):
        while True:
            seen = await asyncio.gather(*(one() for _ in range(_CROWD)))
            assert {met[-1]: refused for met, refused in seen}.items() <= {
                200: "",
                429: "sandbox.cluster_unreachable",
            }.items()
            if any(429 in met and not refused for met, refused in seen):
                break
    # Others are not held up by it.
    assert (
        await items(api_client, client.CoreV1Api(api_client).list_namespaced_pod(crowded.namespace))
        == []
    )
