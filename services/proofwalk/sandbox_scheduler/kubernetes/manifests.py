"""The objects that sandboxes need in a cluster: a StatefulSet a shard, the headless
Service that it names, and network policies. Pure.

Pods run as nobody in particular, without a token, on a read-only root, under the
`restricted` pod security standard; what they write goes into volumes that end with
them. `OnDelete` and names that bear the tool's version: a set's template never changes
under its pods; another version is another set. All of a set's pods start at the same
time.

Policies add up, so a cluster's pods begin with one that allows nothing out and only
control and DevTools in, and each lease adds one of its own, which goes with its pod. A
policy knows addresses and ports; names are the business of the wall in the pod
(`egress`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.sandbox_scheduler.domain import Sandbox, Shard
from proofwalk.sandbox_scheduler.kubernetes.pods import DEVTOOLS_PORT
from proofwalk.sandbox_scheduler.settings import KubernetesSettings

CONTROL_PORT = 9223
EPOCH = "proofwalk.dev/epoch"
PLACE = "proofwalk.dev/place"
AGENTS_GROUP = "agents.x-k8s.io"
AGENTS_VERSION = "v1beta1"
_NAME = "app.kubernetes.io/name"
_SANDBOX = "proofwalk-sandbox"
# Where a cloud tells a machine its secrets.
_METADATA_ADDRESS = "169.254.0.0/16"


def set_name(shard: Shard, prefix: str) -> str:
    """A shard's StatefulSet. Its pods are this with `-0`, `-1`, …"""
    return f"{prefix}-{shard.tool}-{shard.version}-s{shard.number}"


def labels(shard: Shard, prefix: str) -> Mapping[str, str]:
    """What a shard's pods are found by."""
    return {
        **_of_all(prefix),
        "proofwalk.dev/tool": shard.tool,
        "proofwalk.dev/version": shard.version,
        "proofwalk.dev/shard": str(shard.number),
    }


def selector(shard: Shard, prefix: str) -> str:
    """The same, as the API is asked."""
    return ",".join(f"{key}={value}" for key, value in labels(shard, prefix).items())


def _of_all(prefix: str) -> Mapping[str, str]:
    """Labels of everything that one installation makes: several may share a
    namespace."""
    return {_NAME: _SANDBOX, "app.kubernetes.io/instance": prefix}


def stateful_set(
    shard: Shard, size: int, settings: KubernetesSettings, *, public_key: str
) -> Mapping[str, Any]:
    """A shard's StatefulSet, owned at the shard's epoch. `public_key` is what its pods
    check tickets with."""
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {
            "name": set_name(shard, settings.prefix),
            "labels": dict(labels(shard, settings.prefix)),
            "annotations": {EPOCH: str(shard.epoch)},
        },
        "spec": {
            "replicas": size,
            "serviceName": settings.prefix,
            "podManagementPolicy": "Parallel",
            "updateStrategy": {"type": "OnDelete"},
            "revisionHistoryLimit": 1,
            "selector": {"matchLabels": dict(labels(shard, settings.prefix))},
            "template": {
                "metadata": {"labels": dict(labels(shard, settings.prefix))},
                "spec": _pod(shard, settings, public_key),
            },
        },
    }


def agent_sandbox(
    name: str, shard: Shard, settings: KubernetesSettings, *, public_key: str
) -> Mapping[str, Any]:
    """A `Sandbox` of agent-sandbox, whose pod is like a StatefulSet's."""
    return {
        "apiVersion": f"{AGENTS_GROUP}/{AGENTS_VERSION}",
        "kind": "Sandbox",
        "metadata": {
            "name": name,
            "labels": dict(labels(shard, settings.prefix)),
            "annotations": {EPOCH: str(shard.epoch)},
        },
        "spec": {
            "service": False,
            "podTemplate": {
                "metadata": {"labels": {**labels(shard, settings.prefix), PLACE: name}},
                "spec": _pod(shard, settings, public_key),
            },
        },
    }


def _pod(shard: Shard, settings: KubernetesSettings, public_key: str) -> Mapping[str, Any]:
    pod: dict[str, Any] = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 5,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": settings.run_as_user,
            "runAsGroup": settings.run_as_user,
            "fsGroup": settings.run_as_user,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": dict(labels(shard, settings.prefix))},
            }
        ],
        "containers": [_container(settings, public_key)],
        "volumes": [
            {"name": "work", "emptyDir": {"sizeLimit": settings.storage}},
            {"name": "tmp", "emptyDir": {"sizeLimit": settings.storage}},
        ],
    }
    optional: Mapping[str, Any] = {
        "runtimeClassName": settings.runtime_class,
        "priorityClassName": settings.priority_class,
        "nodeSelector": dict(settings.node_selector),
        "tolerations": [dict(each) for each in settings.tolerations],
        "dnsPolicy": settings.dns_policy,
        "dnsConfig": dict(settings.dns_config),
        "imagePullSecrets": [{"name": name} for name in settings.image_pull_secrets],
    }
    return {**pod, **{key: value for key, value in optional.items() if value}}


def _container(settings: KubernetesSettings, public_key: str) -> Mapping[str, Any]:
    """Return the sandbox's container. It writes to its two volumes alone."""
    probe = {
        "httpGet": {"path": "/readyz", "port": "control"},
        "periodSeconds": 5,
        "timeoutSeconds": 3,
    }
    return {
        "name": "sandbox",
        "image": settings.image,
        "imagePullPolicy": settings.image_pull_policy,
        "command": ["proofwalk", "serve", "sandbox"],
        "env": [
            {
                "name": "PROOFWALK_SANDBOX__POD_UID",
                "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}},
            },
            {"name": "PROOFWALK_SANDBOX__PUBLIC_KEY", "value": public_key},
            {"name": "PROOFWALK_HOME", "value": "/work"},
        ],
        "ports": [
            {"name": "devtools", "containerPort": DEVTOOLS_PORT, "protocol": "TCP"},
            {"name": "control", "containerPort": CONTROL_PORT, "protocol": "TCP"},
        ],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "resources": {
            "requests": {
                "cpu": settings.cpu,
                "memory": settings.memory,
                "ephemeral-storage": settings.storage,
            },
            "limits": {"memory": settings.memory, "ephemeral-storage": settings.storage},
        },
        "startupProbe": {**probe, "periodSeconds": 1, "failureThreshold": 60},
        "readinessProbe": {**probe, "failureThreshold": 3},
        "livenessProbe": {**probe, "failureThreshold": 6},
        "volumeMounts": [
            {"name": "work", "mountPath": "/work"},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - a volume of the pod's own
        ],
    }


def service(settings: KubernetesSettings) -> Mapping[str, Any]:
    """Return the headless Service of all sandboxes: a StatefulSet has to name one."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": settings.prefix, "labels": dict(_of_all(settings.prefix))},
        "spec": {
            "clusterIP": "None",
            "selector": dict(_of_all(settings.prefix)),
            "ports": [
                {"name": "devtools", "port": DEVTOOLS_PORT},
                {"name": "control", "port": CONTROL_PORT},
            ],
        },
    }


def default_policy(settings: KubernetesSettings) -> Mapping[str, Any]:
    """Return the policy of every sandbox: nothing goes out; the scheduler reaches its
    control port, and those who carry DevTools that of DevTools."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": settings.prefix, "labels": dict(_of_all(settings.prefix))},
        "spec": {
            "podSelector": {"matchLabels": dict(_of_all(settings.prefix))},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [
                {
                    "from": [{"podSelector": {"matchLabels": dict(settings.scheduler_labels)}}],
                    "ports": [{"protocol": "TCP", "port": CONTROL_PORT}],
                },
                {
                    "from": [{"podSelector": {"matchLabels": dict(settings.devtools_labels)}}],
                    "ports": [{"protocol": "TCP", "port": DEVTOOLS_PORT}],
                },
            ],
            "egress": [],
        },
    }


def lease_policy(
    sandbox: Sandbox, hosts: Sequence[str], settings: KubernetesSettings, *, place_label: str
) -> Mapping[str, Any]:
    """Return the policy of one sandbox: the name service, and the ports of the hosts
    that its lease may reach; exact addresses where the lease has them.

    The pod owns the policy, so both are deleted together. `place_label` is the label of
    pods that has their own name.
    """
    uid = sandbox.instance.partition(".")[0]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {
            "name": f"{sandbox.place}-{uid[:8]}",
            "labels": dict(_of_all(settings.prefix)),
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": sandbox.place, "uid": uid}
            ],
        },
        "spec": {
            "podSelector": {"matchLabels": {place_label: sandbox.place}},
            "policyTypes": ["Egress"],
            "egress": [_name_service(), *(_way_out(host) for host in hosts)],
        },
    }


def _name_service() -> Mapping[str, Any]:
    return {"ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]}


def _way_out(entry: str) -> Mapping[str, Any]:
    host, _, port = entry.rpartition(":") if entry.rpartition(":")[2].isdigit() else (entry, "", "")
    ports = [{"protocol": "TCP", "port": number} for number in ([int(port)] if port else [80, 443])]
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        anywhere = [
            {"ipBlock": {"cidr": "0.0.0.0/0", "except": [_METADATA_ADDRESS]}},
            {"ipBlock": {"cidr": "::/0", "except": ["fe80::/10"]}},
        ]
        return {"to": anywhere, "ports": ports}
    return {"to": [{"ipBlock": {"cidr": f"{address}/{address.max_prefixlen}"}}], "ports": ports}
