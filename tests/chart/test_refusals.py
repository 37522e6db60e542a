"""Values that cannot work are refused before anything reaches a cluster, with a
sentence that says what to change."""

from __future__ import annotations

import pytest

from tests.chart.rendering import refusal, rendered

REFUSALS = [
    (
        "default",
        ["blobs.bucket=s3://evidence/team", "blobs.existingClaim=mine"],
        ["blobs.bucket", "blobs.existingClaim", "take the other out"],
    ),
    (
        "default",
        ["rollout.replicas=2"],
        ["blobs.accessModes", "ReadWriteMany", "rollout.replicas to 1"],
    ),
    (
        "default",
        ["rollout.keda.enabled=true"],
        ["blobs.accessModes", "rollout.keda.enabled to false"],
    ),
    (
        "production",
        ["rollout.keda.minReplicas=60"],
        ["rollout.keda.minReplicas", "raise the second"],
    ),
    (
        "production",
        ["gateway.autoscaling.minReplicas=9"],
        ["gateway.autoscaling.maxReplicas", "raise the second"],
    ),
    ("default", ["postgresql.bundled=false"], ["secrets.existingSecret", "database-url"]),
    ("default", ["redis.bundled=false"], ["secrets.existingSecret", "redis-url"]),
    ("production", ["redis.external.host="], ["redis.external.host", "KEDA"]),
    ("production", ['redis.sentinels.hosts=["a", "b"]'], ["redis.sentinels.service", "KEDA"]),
    ("default", ["vllm.enabled=true"], ["vllm.model", "models.existingClaim"]),
    ("gpu", ["models.existingClaim="], ["models.existingClaim"]),
    ("gpu", ["inference.enabled=false"], ["inference.enabled"]),
    (
        "default",
        ["trainer.enabled=true"],
        ["trainer.persistence.accessModes", "inference.enabled to false"],
    ),
    ("default", ["trainer.job.enabled=true"], ["trainer.persistence.accessModes"]),
    ("training", ["trainer.job.runId="], ["trainer.job.runId", "--set-file"]),
    ("training", ["trainer.job.configuration="], ["trainer.job.configuration"]),
    ("training", ["trainer.job.configuration=sft"], ["no YAML mapping", "text of a run"]),
    (
        "training",
        ["trainer.job.configuration=method: sft"],
        ["32 ranks", "processes: sharded"],
    ),
    (
        "training",
        [
            'trainer.persistence.accessModes=["ReadWriteOnce"]',
            "inference.enabled=false",
            "vllm.enabled=false",
            "rollout.settings.ROLLOUT__MODEL__VIA=endpoint",
        ],
        ["several nodes", "ReadWriteMany", "existingClaim"],
    ),
    ("training", ["trainer.settings.TRAINER__RANKS=4"], ["trainer.job.gpusPerNode", "Take it out"]),
    (
        "training",
        ['trainer.job.resources.limits={"memory":null}'],
        ["trainer.job.resources.limits", "memory"],
    ),
    ("training", ["trainer.job.runId=a/b"], ["trainer.job.runId", "pattern"]),
    ("training", ["trainer.job.nodes=0"], ["trainer.job.nodes", "greater than or equal to 1"]),
    (
        "gpu",
        ["vllm.enabled=false", "inference.enabled=false"],
        ["ROLLOUT__MODEL__VIA", "enable it"],
    ),
    ("default", ["gateway.ingress.enabled=true"], ["gateway.ingress.host"]),
    ("production", ["targets.existingConfigMap=consoles"], ["targets.files", "keep one"]),
    ("default", ["sandboxScheduler.secretSettings.X=y"], ["no secret", "Take it out"]),
    ("default", ["sandboxScheduler.replicas=2"], ["sandboxScheduler.backend", "rollout.replicas"]),
    (
        "sandboxes",
        ["sandboxScheduler.sandboxes.warm=401"],
        ["sandboxScheduler.sandboxes.warm", "raise the quota"],
    ),
    (
        "default",
        ["devtoolsGateway.enabled=true"],
        ["devtoolsGateway.enabled", "sandboxScheduler.backend"],
    ),
    (
        "sandboxes",
        ["devtoolsGateway.secretSettings.X=y"],
        ["devtoolsGateway", "no secret", "Take them out"],
    ),
    ("default", ["dnsPolicy=None"], ["dnsConfig.nameservers", "leave dnsPolicy empty"]),
    ("default", ["image.tag=latest"], ["latest", "digest"]),
    (
        "default",
        ["gateway.settings.GATEWAY__ADDRESS=x"],
        ["gateway.settings.GATEWAY__ADDRESS", "take it out"],
    ),
    (
        "default",
        ["gateway.settings.DATABASE_URL=x"],
        ["gateway.settings.DATABASE_URL", "take it out"],
    ),
    (
        "gpu",
        ["inference.settings.INFERENCE__ENGINE=embedded"],
        ["INFERENCE__ENGINE", "take it out"],
    ),
    (
        "default",
        ['gateway.env=[{"name":"PROOFWALK_HOME","value":"x"}]'],
        ["PROOFWALK_HOME", "gateway.settings"],
    ),
    (
        "default",
        ['gateway.resources.limits={"memory":null}'],
        ["gateway.resources.limits", "memory"],
    ),
    # What the schema says: an unknown key, a wrong type, out of bounds.
    ("default", ["gatway.replicas=2"], ["gatway is not allowed"]),
    ("default", ["gateway.replica=2"], ["gateway", "replica is not allowed"]),
    ("default", ["trainer.replicas=2"], ["trainer", "replicas is not allowed"]),
    ("default", ["gateway.replicas=two"], ["gateway.replicas", "integer"]),
    ("default", ["runAsUser=0"], ["runAsUser", "greater than or equal to 1"]),
    (
        "production",
        ["rollout.keda.minReplicas=0"],
        ["rollout.keda.minReplicas", "greater than or equal to 1"],
    ),
    ("default", ["log.level=loud"], ["log.level", "debug"]),
    ("default", ["gateway.settings.lower__case=1"], ["gateway.settings", "lower__case"]),
    ("default", ["gateway.image.digest=sha256:12"], ["gateway.image.digest", "pattern"]),
]


@pytest.mark.parametrize(
    ("case", "settings", "words"),
    REFUSALS,
    ids=[settings[0].partition("=")[0] for _, settings, _ in REFUSALS],
)
def test_is_refused_with_what_to_do(case: str, settings: list[str], words: list[str]) -> None:
    said = " ".join(refusal(case, *settings).split())
    for word in words:
        assert word in said


def test_a_digest_goes_before_the_tag() -> None:
    digest = "sha256:" + "0123456789abcdef" * 4
    manifests = rendered(
        "default", f"gateway.image.digest={digest}", "image.registry=registry.example.com"
    )
    images = {
        container["image"]
        for item in manifests
        if item["kind"] == "Deployment"
        for container in item["spec"]["template"]["spec"]["containers"]
    }
    assert f"registry.example.com/proofwalk/gateway@{digest}" in images
    assert "registry.example.com/proofwalk/rollout:0.1.0" in images


def test_an_old_cluster_is_told_what_it_lacks() -> None:
    assert "policy/v1" in refusal("default", "gateway.replicas=2", kube_version="1.20.0")
    assert "autoscaling/v2" in refusal(
        "default", "gateway.autoscaling.enabled=true", kube_version="1.22.0"
    )
    assert "ranges of ports" in refusal("training", kube_version="1.24.0")
    assert ">=1.20.0-0" in refusal("default", kube_version="1.19.0")
    assert rendered("default", kube_version="1.20.0")
