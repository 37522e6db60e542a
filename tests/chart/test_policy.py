"""What a platform team refuses must not be in any rendering: root, the host, tokens,
open networks, loose images, secrets in the open."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from deploy.helm.reference import CHART
from proofwalk.sandbox_scheduler.domain import Shard
from proofwalk.sandbox_scheduler.kubernetes.manifests import labels as labels_of_sandboxes
from tests.chart.rendering import (
    CASES,
    containers,
    environment,
    named,
    of_kind,
    rendered,
    selects,
    workloads,
)

ROOT = CHART.parents[2]

cases = pytest.mark.parametrize("case", CASES)
_ALLOWED_VOLUMES = {"emptyDir", "secret", "configMap", "persistentVolumeClaim"}


@cases
def test_nothing_runs_as_root_or_may_become_it(case: str) -> None:
    for workload in workloads(rendered(case)):
        security = workload.spec["securityContext"]
        assert security["runAsNonRoot"] is True
        assert security["runAsUser"] > 0
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in containers(workload):
            own = container["securityContext"]
            assert own["allowPrivilegeEscalation"] is False
            assert own["privileged"] is False
            assert own["readOnlyRootFilesystem"] is True
            assert own["capabilities"] == {"drop": ["ALL"]}
            assert "runAsUser" not in own


@cases
def test_nothing_of_the_host_is_shared(case: str) -> None:
    for workload in workloads(rendered(case)):
        for key in ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"):
            assert not workload.spec.get(key)
        for volume in workload.spec["volumes"]:
            assert set(volume) - {"name"} <= _ALLOWED_VOLUMES
        for container in containers(workload):
            assert not any("hostPort" in port for port in container.get("ports", []))


@cases
def test_no_pod_has_a_token_that_it_does_not_use_or_a_shared_account(case: str) -> None:
    for workload in workloads(rendered(case)):
        # A scheduler that makes pods has to ask for them, and nobody else has anything
        # to ask.
        asks = case == "sandboxes" and workload.component == "sandbox-scheduler"
        assert workload.spec["automountServiceAccountToken"] is asks
        assert workload.spec["serviceAccountName"].endswith(f"-{workload.component}")
        assert workload.spec["enableServiceLinks"] is False


@cases
def test_resources_are_bounded(case: str) -> None:
    for workload in workloads(rendered(case)):
        for container in containers(workload):
            assert {"cpu", "memory"} <= set(container["resources"]["requests"])
            assert "memory" in container["resources"]["limits"]


@cases
def test_images_are_of_a_version(case: str) -> None:
    for workload in workloads(rendered(case)):
        for container in containers(workload):
            _, _, tag = container["image"].rpartition(":")
            assert re.fullmatch(r"v?[0-9]+(\.[0-9]+)+", tag), container["image"]


@cases
def test_secrets_arrive_by_reference(case: str) -> None:
    for workload in workloads(rendered(case)):
        for container in containers(workload):
            for item in container.get("env", []):
                name = item["name"]
                if name.endswith("__IMAGE_PULL_SECRETS"):  # their names
                    continue
                if (
                    re.search(r"PASSWORD|TOKEN|KEY|SECRET|DATABASE_URL|REDIS_URL", name)
                    and "value" in item
                ):
                    assert name.endswith("_FILE"), name
                    assert item["value"].startswith("/run/secrets/")
            text = json.dumps([container.get("command"), container.get("args")])
            assert not re.search(r"://[^/\s\"]+:[^@\s\"]+@", text)


@cases
def test_a_pod_mounts_no_more_of_the_secret_than_it_names(case: str) -> None:
    for workload in workloads(rendered(case)):
        mounted = {
            item["path"]
            for volume in workload.spec["volumes"]
            for item in volume.get("secret", {}).get("items", [])
        }
        assert all(
            volume["secret"].get("items")
            for volume in workload.spec["volumes"]
            if "secret" in volume
        ), "a whole secret"
        text = json.dumps(workload.spec["containers"])
        assert mounted == set(
            re.findall(r"/run/secrets/(?:proofwalk|certificate)/([-._a-zA-Z0-9]+)", text)
        )


def test_browsers_run_in_a_container_without_secrets() -> None:
    (rollout,) = (
        found for found in workloads(rendered("production")) if found.component == "rollout"
    )
    scheduler = next(
        container for container in containers(rollout) if container["name"] == "sandbox-scheduler"
    )
    assert {mount["name"] for mount in scheduler["volumeMounts"]} == {"browser-home", "browser-tmp"}
    assert not any("valueFrom" in item for item in scheduler["env"])


@cases
def test_the_secret_is_made_only_where_none_is_named(case: str) -> None:
    made = of_kind(rendered(case), "Secret")
    assert len(made) == (0 if case == "production" else 1)
    for secret in made:
        assert secret["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
        for key in ("encryption-key", "webhook-key"):
            assert re.fullmatch(r"[A-Za-z0-9_-]{43}=", secret["stringData"][key])


def test_made_secrets_are_not_the_same_twice() -> None:
    first = named(rendered("default"), "Secret", "-secrets")["stringData"]
    second = named(rendered("default", kube_version="1.34.0"), "Secret", "-secrets")["stringData"]
    assert not set(first.values()) & set(second.values())


@cases
def test_no_role_may_use_the_kubernetes_api_but_to_make_sandboxes(case: str) -> None:
    kinds = {item["kind"] for item in rendered(case)}
    assert not kinds & {"ClusterRole", "ClusterRoleBinding"}
    assert kinds & {"Role", "RoleBinding"} == (
        {"Role", "RoleBinding"} if case == "sandboxes" else set()
    )
    for account in of_kind(rendered(case), "ServiceAccount"):
        assert account["automountServiceAccountToken"] is False


@pytest.mark.parametrize("pods_by", ["statefulset", "agent-sandbox"])
def test_the_sandbox_scheduler_may_do_what_it_does_and_no_more(pods_by: str) -> None:
    manifests = rendered("sandboxes", f"sandboxScheduler.sandboxes.podsBy={pods_by}")
    role = named(manifests, "Role", "-sandbox-scheduler")
    allowed = {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    # The calls of `KubernetesApi`, by their names in the official client.
    code = (ROOT / "services/proofwalk/sandbox_scheduler/kubernetes/api.py").read_text(
        encoding="utf-8"
    )
    groups = {
        "_core": "",
        "_apps": "apps",
        "_network": "networking.k8s.io",
        "_objects": "agents.x-k8s.io",
    }
    plurals = {
        "network_policy": "networkpolicies",
        "stateful_set": "statefulsets",
        "custom_object": "sandboxes",
    }
    called = {
        (groups[client], plurals.get(kind, f"{kind}s"), {"read": "get"}.get(verb, verb))
        for client, verb, kind in re.findall(
            r"self\.(_\w+)\.([a-z]+)_namespaced_(\w+?)_without_preload_content", code
        )
    }
    called |= {(group, kind, "watch") for group, kind, verb in called if verb == "list"}
    unused = "agents.x-k8s.io" if pods_by == "statefulset" else "apps"
    assert allowed == {each for each in called if each[0] != unused}
    binding = named(manifests, "RoleBinding", "-sandbox-scheduler")
    (deployment,) = (
        found for found in workloads(manifests) if found.component == "sandbox-scheduler"
    )
    assert [subject["name"] for subject in binding["subjects"]] == [
        deployment.spec["serviceAccountName"]
    ]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]


@pytest.mark.parametrize(
    ("settings", "holder"),
    [((), "devtools-gateway"), (("devtoolsGateway.enabled=false",), "rollout")],
    ids=["through the gateway", "directly"],
)
def test_sandboxes_are_reached_by_who_may_reach_them(
    settings: tuple[str, ...], holder: str
) -> None:
    manifests = rendered("sandboxes", *settings)
    found = {workload.component: workload for workload in workloads(manifests)}
    (container,) = containers(found["sandbox-scheduler"])
    told = environment(container)
    prefix = "PROOFWALK_SANDBOX_SCHEDULER__KUBERNETES__"
    shard = Shard(tool="chromium", version="2", number=0)
    for component, setting, port in (
        (holder, "DEVTOOLS_LABELS", 9222),
        ("sandbox-scheduler", "SCHEDULER_LABELS", 9223),
    ):
        labels = json.loads(told[prefix + setting])
        assert [name for name, each in found.items() if labels.items() <= each.labels.items()] == [
            component
        ]
        (way,) = _ways_to_sandboxes(manifests, component)
        assert way[0].items() <= labels_of_sandboxes(shard, told[prefix + "PREFIX"]).items()
        assert way[1] == [port]
    others = set(found) - {
        holder,
        "sandbox-scheduler",
        "postgresql",
        "redis",
        "verification",
        "migrations",
    }
    assert not any(_ways_to_sandboxes(manifests, component) for component in others)
    gateway = told.get(prefix + "GATEWAY")
    assert gateway == (
        None if holder == "rollout" else "ws://trial-proofwalk-devtools-gateway:9222"
    )


def _ways_to_sandboxes(
    manifests: tuple[dict[str, Any], ...], component: str
) -> list[tuple[Mapping[str, str], list[int]]]:
    """Labels and ports of the sandboxes that a component may open connections to."""
    return [
        (peer["podSelector"]["matchLabels"], [item["port"] for item in rule["ports"]])
        for rule in named(manifests, "NetworkPolicy", f"-{component}")["spec"].get("egress") or []
        for peer in rule.get("to", [])
        if peer.get("podSelector", {}).get("matchLabels", {}).get("app.kubernetes.io/name")
        == "proofwalk-sandbox"
    ]


@cases
def test_every_pod_is_shut_both_ways_by_default(case: str) -> None:
    policies = [item["spec"] for item in of_kind(rendered(case), "NetworkPolicy")]
    for workload in workloads(rendered(case)):
        shut = [
            spec
            for spec in policies
            if selects(spec["podSelector"], workload.labels)
            and not spec.get("ingress")
            and not spec.get("egress")
        ]
        assert any(set(spec["policyTypes"]) == {"Ingress", "Egress"} for spec in shut), (
            workload.component
        )


@pytest.mark.parametrize(
    "settings", [[], ["gateway.allowFrom=[]"]], ids=["as given", "nobody named"]
)
@cases
def test_no_exception_is_for_everybody(case: str, settings: list[str]) -> None:
    for policy in of_kind(rendered(case, *settings), "NetworkPolicy"):
        for rule in policy["spec"].get("ingress") or []:
            assert rule["ports"]
            assert rule["from"], f"{policy['metadata']['name']} lets everybody in"
        for rule in policy["spec"].get("egress") or []:
            assert rule["ports"], f"{policy['metadata']['name']} lets out to every port"


def _open_edges(case: str, *settings: str) -> Iterator[tuple[str, str, int]]:
    """Who may open a connection to whom and at which port, by both sides' policies."""
    manifests = rendered(case, *settings)
    found = list(workloads(manifests))
    policies = [item["spec"] for item in of_kind(manifests, "NetworkPolicy")]

    def peers(rule: Mapping[str, Any], side: str, labels: Mapping[str, str]) -> bool:
        return any(
            "podSelector" in peer
            and "namespaceSelector" not in peer
            and selects(peer["podSelector"], labels)
            for peer in rule.get(side, [])
        )

    for caller in found:
        for callee in found:
            out, into = set(), set()
            for spec in policies:
                if selects(spec["podSelector"], caller.labels):
                    out |= {
                        port["port"]
                        for rule in spec.get("egress") or []
                        if peers(rule, "to", callee.labels)
                        for port in rule["ports"]
                    }
                if selects(spec["podSelector"], callee.labels):
                    into |= {
                        port["port"]
                        for rule in spec.get("ingress") or []
                        if peers(rule, "from", caller.labels)
                        for port in rule["ports"]
                    }
            for port in out & into:
                yield caller.component, callee.component, port


def test_connections_are_those_that_the_roles_make() -> None:
    assert set(_open_edges("gpu")) == {
        *(
            ("gateway", role, 50051)
            for role in ("rollout", "inspection", "resource-provisioner", "trainer")
        ),
        ("inspection", "rollout", 50051),
        ("rollout", "account-pool", 50051),
        ("rollout", "resource-provisioner", 50051),
        ("rollout", "reward-service", 50051),
        ("rollout", "inference", 50051),
        ("resource-provisioner", "account-pool", 50051),
        ("reward-service", "account-pool", 50051),
        ("trainer", "rollout", 50051),
        ("trainer", "inference", 50051),
        ("inference", "vllm", 8000),
        ("verification", "gateway", 8480),
        ("rollout", "redis", 6379),
        *(
            (role, "devcloud", 8470)
            for role in ("rollout", "account-pool", "resource-provisioner", "reward-service")
        ),
        *(
            (role, "postgresql", 5432)
            for role in (
                "gateway", "rollout", "inspection", "account-pool", "resource-provisioner", "reward-service", "inference", "trainer",
                "migrations",
            )
        ),
    }  # fmt: skip


def test_the_way_to_the_internet_leaves_out_private_addresses() -> None:
    policy = named(rendered("production"), "NetworkPolicy", "-rollout")
    (block,) = (
        peer["ipBlock"]
        for rule in policy["spec"]["egress"]
        for peer in rule.get("to", [])
        if peer.get("ipBlock", {}).get("except")
    )
    assert {"10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16"} <= set(block["except"])
    without = rendered("default")
    assert not any("0.0.0.0/0" in json.dumps(item) for item in of_kind(without, "NetworkPolicy"))


def test_budgets_are_for_what_has_several_pods() -> None:
    assert of_kind(rendered("default"), "PodDisruptionBudget") == []
    found = {
        item["spec"]["selector"]["matchLabels"]["app.kubernetes.io/component"]
        for item in of_kind(rendered("production"), "PodDisruptionBudget")
    }
    assert ("gateway", "account-pool", 50051) in _open_edges("tls"), "callers show certificates"
    assert found == {"gateway", "rollout", "account-pool", "reward-service"}


def test_vllm_takes_full_weights_where_that_is_said() -> None:
    def switches(*sets: str) -> set[str]:
        rows = rendered("gpu", *sets)
        spec = named(rows, "Deployment", "-vllm")["spec"]["template"]["spec"]
        return {one["name"] for one in spec["containers"][0]["env"]}

    assert "VLLM_SERVER_DEV_MODE" not in switches()
    assert "VLLM_SERVER_DEV_MODE" in switches("vllm.fullWeights=true")


def test_vllm_runs_on_nodes_with_the_gpus_that_it_asks_for() -> None:
    spec = named(rendered("gpu"), "Deployment", "-vllm")["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    assert (
        container["resources"]["limits"]["nvidia.com/gpu"]
        == container["resources"]["requests"]["nvidia.com/gpu"]
        == "2"
    )
    assert spec["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert spec["tolerations"][0]["key"] == "nvidia.com/gpu"
    assert "--tensor-parallel-size=2" in container["args"]
