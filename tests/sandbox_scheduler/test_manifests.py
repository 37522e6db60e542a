"""What is made in a cluster: taken by the API strictly, and as restricted as it is said
to be."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import kubernetes_validate
import pytest

from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState, Shard
from proofwalk.sandbox_scheduler.kubernetes import manifests
from proofwalk.sandbox_scheduler.settings import KubernetesSettings

SHARD = Shard(tool="chromium", version="7", number=3, epoch=5)
PLAIN = KubernetesSettings(image="registry.example/proofwalk/sandbox:1")
FULL = KubernetesSettings(
    image="registry.example/proofwalk/sandbox:1",
    runtime_class="gvisor",
    priority_class="low",
    node_selector={"pool": "sandboxes"},
    tolerations=({"key": "sandboxes", "operator": "Exists", "effect": "NoSchedule"},),
    image_pull_secrets=("registry",),
    dns_policy="None",
    dns_config={"nameservers": ["192.0.2.53"]},
)
LEASED = Sandbox(
    id="sbx_1",
    tool="chromium",
    version="7",
    shard=3,
    ordinal=2,
    place="proofwalk-sandbox-chromium-7-s3-2",
    instance="0d9ad2a4-0000-4000-8000-000000000000.1",
    state=SandboxState.LEASED,
    epoch=1,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)
HOSTS = ["console.example:443", "10.1.2.3:8470", "[fd00::7]:443", "plain.example"]


def stateful_set(told: KubernetesSettings) -> Mapping[str, Any]:
    return manifests.stateful_set(SHARD, 4, told, public_key="ab" * 32)


@pytest.mark.parametrize("version", ["1.25", "1.33", "1.37"])
@pytest.mark.parametrize("told", [PLAIN, FULL], ids=["plain", "full"])
def test_the_api_takes_them(version: str, told: KubernetesSettings) -> None:
    made = [
        stateful_set(told),
        manifests.service(told),
        manifests.default_policy(told),
        manifests.lease_policy(
            LEASED, HOSTS, PLAIN, place_label="statefulset.kubernetes.io/pod-name"
        ),
    ]
    for body in made:
        kubernetes_validate.validate(body, version, strict=True)


def test_a_pod_may_nothing() -> None:
    spec = stateful_set(PLAIN)["spec"]["template"]["spec"]
    assert spec["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC", "serviceAccountName"} & set(spec)
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    (container,) = spec["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert all(set(volume) == {"name", "emptyDir"} for volume in spec["volumes"])
    assert {"memory", "ephemeral-storage"} <= set(container["resources"]["limits"])


def test_a_pod_knows_no_secret() -> None:
    key = "-----BEGIN PRIVATE KEY-----"
    text = str(stateful_set(PLAIN.model_copy(update={"signing_key": key})))
    assert "PRIVATE" not in text
    assert "ab" * 32 in text


def test_optional_things_are_there_when_they_are_told() -> None:
    spec = stateful_set(FULL)["spec"]["template"]["spec"]
    assert (spec["runtimeClassName"], spec["priorityClassName"]) == ("gvisor", "low")
    assert spec["nodeSelector"] == {"pool": "sandboxes"}
    assert spec["imagePullSecrets"] == [{"name": "registry"}]
    assert (spec["dnsPolicy"], spec["dnsConfig"]) == ("None", {"nameservers": ["192.0.2.53"]})
    assert not {"runtimeClassName", "dnsPolicy", "dnsConfig"} & set(
        stateful_set(PLAIN)["spec"]["template"]["spec"]
    )


def test_names_fit() -> None:
    long = KubernetesSettings(prefix="p" * 22, tool="t" * 11, version="v" * 11)
    shard = Shard(tool=long.tool, version=long.version, number=9999)
    # A pod's name is a label of it, and so is the hash that the controller adds.
    assert len(manifests.set_name(shard, long.prefix) + "-9999") <= 63
    assert len(manifests.set_name(shard, long.prefix)) <= 52


def test_two_shards_two_versions_and_two_tools_have_nothing_in_common() -> None:
    others = [
        Shard(tool="chromium", version="7", number=4),
        Shard(tool="chromium", version="8", number=3),
        Shard(tool="desktop", version="7", number=3),
    ]
    for other in others:
        assert manifests.set_name(other, "p") != manifests.set_name(SHARD, "p")
        assert not manifests.labels(SHARD, "p").items() <= manifests.labels(other, "p").items()


def test_two_installations_in_one_namespace_have_nothing_in_common() -> None:
    assert not manifests.labels(SHARD, "p").items() <= manifests.labels(SHARD, "q").items()
    assert manifests.set_name(SHARD, "p") != manifests.set_name(SHARD, "q")
    one, other = (
        manifests.default_policy(PLAIN.model_copy(update={"prefix": prefix})) for prefix in "pq"
    )
    assert one["spec"]["podSelector"] != other["spec"]["podSelector"]


def test_nothing_goes_out_before_a_lease() -> None:
    spec = manifests.default_policy(PLAIN)["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["egress"] == []
    assert all(rule["from"] and rule["ports"] for rule in spec["ingress"])
    labels = stateful_set(PLAIN)["spec"]["template"]["metadata"]["labels"]
    assert spec["podSelector"]["matchLabels"].items() <= labels.items()


def test_a_lease_opens_its_ports_and_no_machines_secrets() -> None:
    body = manifests.lease_policy(
        LEASED, HOSTS, PLAIN, place_label="statefulset.kubernetes.io/pod-name"
    )
    assert body["spec"]["podSelector"]["matchLabels"] == {
        "statefulset.kubernetes.io/pod-name": LEASED.place
    }
    assert body["metadata"]["ownerReferences"][0]["uid"] == "0d9ad2a4-0000-4000-8000-000000000000"
    names, by_name, four, six, plain = body["spec"]["egress"]
    assert {port["port"] for port in names["ports"]} == {53}
    assert [port["port"] for port in by_name["ports"]] == [443]
    assert by_name["to"][0]["ipBlock"]["except"] == ["169.254.0.0/16"]
    assert four == {
        "to": [{"ipBlock": {"cidr": "10.1.2.3/32"}}],
        "ports": [{"protocol": "TCP", "port": 8470}],
    }
    assert six["to"] == [{"ipBlock": {"cidr": "fd00::7/128"}}]
    assert [port["port"] for port in plain["ports"]] == [80, 443]
