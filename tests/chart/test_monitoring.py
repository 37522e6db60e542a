"""Alerts and dashboard speak of metrics that the code has, with labels that they
have."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

import pytest
import yaml
from prometheus_client import CollectorRegistry

from deploy.helm.reference import CHART
from proofwalk.chassis.metrics import RpcMetrics, StreamMetrics
from proofwalk.trainer.gauges import TrainerMetrics
from tests.chart.rendering import named, of_kind, rendered

ROOT = CHART.parents[2]
_KINDS = {"Counter": ("_total",), "Gauge": ("",), "Histogram": ("_bucket", "_sum", "_count")}
_OF_THE_SCRAPE = {
    "instance",
    "job",
    "pod",
    "app_kubernetes_io_component",
    "app_kubernetes_io_instance",
    "le",
}


def _declared() -> dict[str, set[str]]:
    """Every metric that the code declares, as Prometheus sees it, with its labels."""
    found: dict[str, set[str]] = {}
    for path in [*ROOT.glob("libs/**/*.py"), *ROOT.glob("services/**/*.py")]:
        text = path.read_text(encoding="utf-8")
        if "prometheus_client" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in _KINDS
                and node.args
            ):
                name = node.args[0]
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    for suffix in _KINDS[node.func.id]:
                        found[name.value + suffix] = set()
    # Names and labels that are computed: of the metrics themselves.
    registry = CollectorRegistry()
    for metrics in (RpcMetrics, StreamMetrics, TrainerMetrics):
        metrics(registry)
    for family in registry.collect():
        for suffix in _KINDS[family.type.capitalize()]:
            found[family.name + suffix] = set()
    return found


def _expressions() -> Iterator[tuple[str, str]]:
    for group in yaml.safe_load((CHART / "files" / "alerts.yaml").read_text(encoding="utf-8"))[
        "groups"
    ]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    for panel in json.loads((CHART / "files" / "dashboard.json").read_text(encoding="utf-8"))[
        "panels"
    ]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


@pytest.mark.parametrize(
    ("where", "expression"),
    [pytest.param(*item, id=f"{n}-{item[0]}") for n, item in enumerate(_expressions())],
)
def test_every_metric_is_one_that_the_code_has(where: str, expression: str) -> None:
    outside_of_strings = re.sub(r'"[^"]*"', '""', expression)
    used = set(re.findall(r"\b(?:proofwalk_\w+|container_\w+|up)\b", outside_of_strings))
    assert used, where
    assert used - {"up"} <= set(_declared()), where
    assert outside_of_strings.count("(") == outside_of_strings.count(")")
    assert outside_of_strings.count("{") == outside_of_strings.count("}")


def test_the_look_for_metrics_finds_those_that_the_roles_tell_of() -> None:
    declared = _declared()
    assert {
        "proofwalk_trainer_reward",
        "proofwalk_sandbox_scheduler_sandboxes",
        "proofwalk_rpc_duration_seconds_bucket",
    } <= set(declared)
    assert "proofwalk_rpc_calls" not in declared


def test_alerts_say_what_happened_and_what_to_do() -> None:
    (rule,) = of_kind(rendered("production"), "PrometheusRule")
    alerts = [alert for group in rule["spec"]["groups"] for alert in group["rules"]]
    assert len({alert["alert"] for alert in alerts}) == len(alerts) > 5
    for alert in alerts:
        assert set(alert["annotations"]) == {"summary", "action"}
        assert alert["labels"]["severity"] in ("warning", "critical")


def test_the_dashboard_arrives_whole() -> None:
    config = named(rendered("production"), "ConfigMap", "-dashboard")
    assert json.loads(config["data"]["proofwalk.json"]) == json.loads(
        (CHART / "files" / "dashboard.json").read_text(encoding="utf-8")
    )
    assert config["metadata"]["labels"]["grafana_dashboard"] == "1"


def test_the_monitor_finds_a_metrics_port_of_every_role() -> None:
    manifests = rendered("production")
    (monitor,) = of_kind(manifests, "ServiceMonitor")
    wanted = {endpoint["port"] for endpoint in monitor["spec"]["endpoints"]}
    scraped = {
        (service["spec"]["selector"]["app.kubernetes.io/component"], port["name"])
        for service in of_kind(manifests, "Service")
        if monitor["spec"]["selector"]["matchLabels"].items()
        <= service["metadata"]["labels"].items()
        for port in service["spec"]["ports"]
        if port["name"] in wanted
    }
    roles = {
        "gateway",
        "rollout",
        "inspection",
        "account-pool",
        "resource-provisioner",
        "reward-service",
    }
    assert scraped == {(role, "metrics") for role in roles} | {("rollout", "sched-metrics")}
