"""The chart as Helm renders it, and ways to look at what was rendered. Each rendering
is made once in a process."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from deploy.helm.reference import CHART
from setup.helm import find_helm

CASES = ("default", "minimal", "production", "gpu", "sandboxes", "training", "tls")
"""The chart's own values, and the files of `ci/`."""
RELEASE = "trial"
Manifest = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Something that makes pods, or a pod."""

    name: str
    component: str
    labels: Mapping[str, str]
    spec: Mapping[str, Any]
    """Of the pod."""


def helm(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Helm without a cluster and without this user's configuration."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "KUBECONFIG": "/nonexistent"}
    return subprocess.run(
        [str(find_helm()), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=60,
    )


def files_of(case: str) -> tuple[str, ...]:
    """Helm's arguments for a case's values."""
    return () if case == "default" else ("--values", str(CHART / "ci" / f"{case}.yaml"))


@functools.cache
def rendered(case: str, *settings: str, kube_version: str = "1.33.0") -> tuple[Manifest, ...]:
    """The manifests of a case, with `--set` arguments behind its values."""
    sets = [
        part
        for setting in settings
        for part in ("--set-json" if "=[" in setting or "={" in setting else "--set", setting)
    ]
    done = helm(
        "template",
        RELEASE,
        str(CHART),
        "--namespace",
        "proving",
        "--kube-version",
        kube_version,
        *files_of(case),
        *sets,
    )
    assert done.returncode == 0, done.stderr
    return tuple(item for item in yaml.safe_load_all(done.stdout) if item)


def refusal(case: str, *settings: str, kube_version: str = "1.33.0") -> str:
    """What Helm says of values that it must refuse."""
    sets = [
        part
        for setting in settings
        for part in ("--set-json" if "=[" in setting or "={" in setting else "--set", setting)
    ]
    done = helm(
        "template", RELEASE, str(CHART), "--kube-version", kube_version, *files_of(case), *sets
    )
    assert done.returncode != 0, "these values were taken"
    return done.stderr


def named(manifests: tuple[Manifest, ...], kind: str, name: str) -> Manifest:
    """The one manifest of this kind and name, without the release's prefix."""
    (found,) = (
        item
        for item in manifests
        if item["kind"] == kind and item["metadata"]["name"] == f"{RELEASE}-proofwalk{name}"
    )
    return found


def of_kind(manifests: tuple[Manifest, ...], kind: str) -> list[Manifest]:
    """The manifests of this kind."""
    return [item for item in manifests if item["kind"] == kind]


def workloads(manifests: tuple[Manifest, ...]) -> Iterator[Workload]:
    """Everything with pods."""
    for item in manifests:
        if item["kind"] in ("Deployment", "StatefulSet", "Job"):
            template = item["spec"]["template"]
            labels, spec = template["metadata"]["labels"], template["spec"]
        elif item["kind"] == "Pod":
            labels, spec = item["metadata"]["labels"], item["spec"]
        else:
            continue
        yield Workload(
            name=item["metadata"]["name"],
            component=labels["app.kubernetes.io/component"],
            labels=labels,
            spec=spec,
        )


def containers(workload: Workload) -> list[Mapping[str, Any]]:
    """All containers of a pod."""
    return [*workload.spec.get("initContainers", []), *workload.spec["containers"]]


def environment(container: Mapping[str, Any]) -> dict[str, str]:
    """A container's plain environment."""
    return {item["name"]: item["value"] for item in container.get("env", []) if "value" in item}


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a label selector takes these labels, as Kubernetes says."""
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    for rule in selector.get("matchExpressions", []):
        present, listed = rule["key"] in labels, labels.get(rule["key"]) in rule.get("values", [])
        fits = {"In": listed, "NotIn": not listed, "Exists": present, "DoesNotExist": not present}
        if not fits[rule["operator"]]:
            return False
    return True
