"""Every manifest, for every values file, is what the Kubernetes API takes, strictly, on
the oldest and newest releases that are promised."""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate.utils
import pytest
import yaml

from deploy.helm.reference import CHART, schema, written
from tests.chart.custom_resources import SCHEMAS
from tests.chart.rendering import CASES, files_of, helm, of_kind, rendered

CUSTOM = ("keda.sh", "monitoring.coreos.com", "cert-manager.io")
VERSIONS = ("1.25", "1.33", "1.37")
_SEEN: set[tuple[str, str]] = set()


@pytest.mark.parametrize("case", CASES)
def test_lint_has_nothing_to_say(case: str) -> None:
    done = helm("lint", "--strict", str(CHART), *files_of(case))
    assert done.returncode == 0, done.stdout
    assert "[WARNING]" not in done.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_manifests_are_strictly_what_the_api_takes(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The library reads a megabyte for every manifest; what several cases have alike is
    # looked at once.
    monkeypatch.setattr(
        kubernetes_validate.utils,
        "schema_contents",
        functools.cache(kubernetes_validate.utils.schema_contents),
    )
    for case in CASES:
        manifests = rendered(case, kube_version=f"{version}.0")
        assert len(manifests) > 20
        fresh = {json.dumps(item, sort_keys=True): item for item in manifests}
        for text, item in fresh.items():
            if (version, text) in _SEEN:
                continue
            _SEEN.add((version, text))
            if item["apiVersion"].partition("/")[0] in CUSTOM:
                jsonschema.validate(item, SCHEMAS[item["kind"]])
            else:
                kubernetes_validate.validate(item, version, strict=True)


def test_a_misspelt_field_would_be_found() -> None:
    deployment = json.loads(json.dumps(of_kind(rendered("default"), "Deployment")[0]))
    deployment["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, "1.33", strict=True)


@pytest.mark.parametrize("case", CASES)
def test_names_are_unique_and_objects_find_each_other(case: str) -> None:
    manifests = rendered(case)
    names = [(item["kind"], item["metadata"]["name"]) for item in manifests]
    assert len(names) == len(set(names))
    assert all(len(name) <= 63 for _, name in names)
    given = set(names)
    for item in manifests:
        spec = _pod_spec(item)
        if spec is None:
            continue
        assert ("ServiceAccount", spec["serviceAccountName"]) in given
        for volume in spec["volumes"]:
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            assert claim in (None, "models") or ("PersistentVolumeClaim", claim) in given
            config = volume.get("configMap", {}).get("name")
            assert config is None or ("ConfigMap", config) in given


def _pod_spec(item: dict[str, Any]) -> dict[str, Any] | None:
    if item["kind"] in ("Deployment", "StatefulSet", "Job"):
        found: dict[str, Any] = item["spec"]["template"]["spec"]
        return found
    return item["spec"] if item["kind"] == "Pod" else None


@pytest.mark.parametrize("case", CASES)
def test_every_mount_has_its_volume_and_every_volume_its_mount(case: str) -> None:
    for item in rendered(case):
        spec = _pod_spec(item)
        if spec is None:
            continue
        volumes = [volume["name"] for volume in spec["volumes"]]
        mounted = {
            mount["name"] for container in spec["containers"] for mount in container["volumeMounts"]
        }
        assert len(volumes) == len(set(volumes))
        assert mounted == set(volumes), item["metadata"]["name"]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in written()])
def test_generated_files_are_as_their_source_says(path: Any) -> None:
    assert path.read_text(encoding="utf-8") == written()[path], (
        "the values have changed: run `make chart` and commit what it wrote"
    )


def test_the_default_values_meet_their_schema() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    jsonschema.validate(values, schema())


def test_scaled_workloads_leave_their_replicas_to_the_autoscaler() -> None:
    manifests = rendered("production")
    targets = {
        item["spec"]["scaleTargetRef"]["name"]
        for kind in ("HorizontalPodAutoscaler", "ScaledObject")
        for item in of_kind(manifests, kind)
    }
    assert targets == {"trial-proofwalk-gateway", "trial-proofwalk-rollout"}
    for item in of_kind(manifests, "Deployment"):
        assert ("replicas" in item["spec"]) == (item["metadata"]["name"] not in targets)


def test_large_numbers_stay_whole() -> None:
    (rollout,) = (
        item
        for item in of_kind(rendered("production"), "Deployment")
        if item["metadata"]["name"].endswith("-rollout")
    )
    given = {
        item["name"]: item.get("value")
        for item in rollout["spec"]["template"]["spec"]["containers"][0]["env"]
    }
    assert given["PROOFWALK_ROLLOUT__MAX_DOCUMENT_BYTES"] == "10000000"


def test_switches_that_are_off_leave_nothing_behind() -> None:
    off = (
        "networkPolicies.enabled=false", "migrations.enabled=false", "devcloud.enabled=false", "inference.enabled=false",
        "topologySpread.enabled=false",
    )  # fmt: skip
    manifests = rendered("default", *off)
    assert not {item["kind"] for item in manifests} & {"NetworkPolicy", "Job", "Pod", "ConfigMap"}
    text = json.dumps(manifests)
    for word in ("devcloud:", "-inference", "topologySpreadConstraints", "migrations"):
        assert word not in text
    for item in manifests:
        kubernetes_validate.validate(item, "1.33", strict=True)


def test_names_can_be_chosen() -> None:
    names = {item["metadata"]["name"] for item in rendered("default", "fullnameOverride=proof")}
    assert all(name.startswith("proof-") for name in names)
    long = rendered("default", f"fullnameOverride={'a' * 60}")
    assert max(len(item["metadata"]["name"]) for item in long) <= 63


def test_the_notes_say_what_the_values_leave_open(tmp_path: Path) -> None:
    # Helm shows notes of what it has installed alone; a copy of the chart has them as a
    # manifest.
    chart = tmp_path / "proofwalk"
    shutil.copytree(CHART, chart)
    text = (chart / "templates" / "NOTES.txt").read_text(encoding="utf-8")
    (chart / "templates" / "notes.yaml").write_text(
        f'{{{{- define "notes" -}}}}{text}{{{{- end -}}}}\nnotes: {{{{ include "notes" . | quote'
        " }}\n",
        encoding="utf-8",
    )

    def notes(*settings: str) -> str:
        sets = [part for setting in settings for part in ("--set", setting)]
        done = helm(
            "template",
            "trial",
            str(chart),
            "--namespace",
            "proving",
            "--show-only",
            "templates/notes.yaml",
            *sets,
        )
        assert done.returncode == 0, done.stderr
        return str(yaml.safe_load(done.stdout)["notes"])

    trial = notes()
    assert "service/trial-proofwalk-gateway 8480:8480" in trial
    assert '{{index .data "gateway-api-key" | base64decode}}' in trial
    assert "helm -n proving test trial" in trial
    assert "one pod without backups" in trial
    assert "whoever reaches the pods reads credentials" in notes(
        "networkPolicies.enabled=false", "rollout.egress.internet=true"
    )
