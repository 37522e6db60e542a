"""The Job of a run on several nodes: its pods run the command, find each other and the
roles, and are started again as the command's exit codes say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.main import app
from proofwalk.trainer.configuration import parse_configuration
from proofwalk.trainer.launching import Meeting
from proofwalk.trainer.node import NodeEnd
from tests.chart.rendering import (
    RELEASE,
    Manifest,
    containers,
    named,
    of_kind,
    rendered,
    workloads,
)
from tests.chart.test_policy import _open_edges
from tests.chart.test_roles import settings_of


def job(*settings: str, kube_version: str = "1.33.0") -> Manifest:
    (found,) = (
        each
        for each in of_kind(rendered("training", *settings, kube_version=kube_version), "Job")
        if each["spec"].get("completionMode") == "Indexed"
    )
    return found


def container(manifest: Manifest) -> Mapping[str, Any]:
    (found,) = manifest["spec"]["template"]["spec"]["containers"]
    assert isinstance(found, dict)
    return found


def asked(manifest: Manifest, index: int) -> Mapping[str, Any]:
    """The command as the pod of this index runs it, read by the command line."""
    told = container(manifest)
    words = [
        word.replace("$(JOB_COMPLETION_INDEX)", str(index))
        for word in (*told["command"], *told["args"])
    ]
    group = typer.main.get_command(app)
    program, *names = words[:3]
    assert program == "proofwalk"
    context = typer.Context(group)
    for name in names:
        group = group.get_command(context, name)  # type: ignore[attr-defined]
    return group.make_context("node", words[3:]).params


def test_every_pod_runs_the_command_as_a_node_of_its_own(tmp_path: Path) -> None:
    manifest = job()
    spec = manifest["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 4, 4)
    for index in range(4):
        params = asked(manifest, index)
        meeting = Meeting(
            run_id=params["run_id"],
            nodes=params["nodes"],
            number=params["node_rank"],
            rendezvous=params["rendezvous"],
            patience_s=params["patience_s"],
        )
        assert (meeting.run_id, meeting.nodes, meeting.number) == ("phase-1", 4, index)
    settings = settings_of(container(manifest), tmp_path)
    assert settings.trainer.ranks == 8
    pod = spec["template"]["spec"]
    assert settings.trainer.drain_s == 300 < pod["terminationGracePeriodSeconds"]
    assert settings.address_of("rollout") == f"{RELEASE}-proofwalk-rollout:50051"
    assert settings.address_of("inference") == f"{RELEASE}-proofwalk-inference:50051"


def test_pods_copy_checkpoints_to_where_the_trainer_is_told(tmp_path: Path) -> None:
    publish = settings_of(container(job()), tmp_path).trainer.publish
    assert publish.storage is not None
    assert publish.storage.address == "s3://models/proofwalk"
    assert publish.storage.access_key == "secret of checkpoints-access-key"
    assert publish.storage.secret_key == "secret of checkpoints-secret-key"
    policy = named(rendered("training"), "NetworkPolicy", "-training-job")["spec"]
    assert {"protocol": "TCP", "port": 443} in [
        port for rule in policy["egress"] for port in rule["ports"]
    ]


def test_the_configuration_is_one_that_the_trainer_reads() -> None:
    (mount,) = (
        each for each in container(job())["volumeMounts"] if each["name"] == "configuration"
    )
    place = asked(job(), 0)["config"]
    assert place.parent == Path(mount["mountPath"])
    config = parse_configuration(
        named(rendered("training"), "ConfigMap", "-training-job")["data"][place.name]
    )
    assert (config.learning.method, config.learning.processes) == ("grpo", "sharded")


def test_pods_meet_at_the_first_one_by_its_name() -> None:
    manifest = job()
    pod = manifest["spec"]["template"]["spec"]
    host, _, port = asked(manifest, 3)["rendezvous"].partition(":")
    # The name of an indexed Job's pod within the Service that its subdomain names.
    assert host == f"{manifest['metadata']['name']}-0.{pod['subdomain']}"
    service = named(rendered("training"), "Service", "-training-job")
    assert service["metadata"]["name"] == pod["subdomain"]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert [each["containerPort"] for each in container(manifest)["ports"]] == [int(port)]


def test_pods_reach_each_other_and_the_roles_of_rollouts_alone() -> None:
    edges = set(_open_edges("training"))
    assert {edge for edge in edges if "training-job" in edge[:2]} == {
        ("training-job", "training-job", 1024),
        ("training-job", "rollout", 50051),
        ("training-job", "inference", 50051),
    }
    policy = named(rendered("training"), "NetworkPolicy", "-training-job")["spec"]
    (inward,) = policy["ingress"]
    assert inward["ports"] == [{"protocol": "TCP", "port": 1024, "endPort": 65535}]


def test_pods_are_started_again_as_the_exit_codes_say() -> None:
    spec = job()["spec"]
    final, *ignored = spec["podFailurePolicy"]["rules"]
    assert final["action"] == "FailJob"
    assert final["onExitCodes"]["values"] == [ExitCode.USAGE, ExitCode.ENVIRONMENT]
    assert int(NodeEnd.FAILED) in final["onExitCodes"]["values"]
    assert {rule["action"] for rule in ignored} == {"Ignore"}
    assert ignored[0]["onExitCodes"]["values"] == [NodeEnd.INTERRUPTED]
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    # Three times four pods: the first two failures of all of them are borne.
    assert spec["backoffLimit"] == 8
    assert "podFailurePolicy" not in job(kube_version="1.25.0")["spec"]


def test_another_configuration_makes_another_job_and_other_roles_do_not() -> None:
    name = job()["metadata"]["name"]
    assert job("gateway.replicas=3")["metadata"]["name"] == name
    changed = job("trainer.job.configuration=settings: {processes: accelerate}")
    assert changed["metadata"]["name"] != name
    assert job("trainer.job.nodes=2")["metadata"]["name"] != name
    queued = job('trainer.job.labels={"kueue.x-k8s.io/queue-name":"gpus"}')["metadata"]
    assert (queued["name"], queued["labels"]["kueue.x-k8s.io/queue-name"]) == (name, "gpus")
    long = job("fullnameOverride=" + "a" * 60, "trainer.job.nodes=1024")["metadata"]["name"]
    assert len(f"{long}-1023") <= 63


def test_every_pod_has_the_gpus_that_it_has_ranks_for(tmp_path: Path) -> None:
    resources = container(job())["resources"]
    assert resources["requests"]["nvidia.com/gpu"] == resources["limits"]["nvidia.com/gpu"] == "8"
    without = container(job("trainer.job.gpusPerNode=0"))
    assert "nvidia.com/gpu" not in without["resources"]["limits"]
    assert settings_of(without, tmp_path).trainer.ranks == 1


def test_inference_reads_what_the_job_writes_without_a_trainer_role() -> None:
    manifests = rendered("training")
    claims = {}
    for workload in workloads(manifests):
        assert workload.component != "trainer"
        paths = {
            mount["name"]: mount["mountPath"]
            for each in containers(workload)
            for mount in each["volumeMounts"]
        }
        for volume in workload.spec["volumes"]:
            if volume.get("persistentVolumeClaim", {}).get("claimName", "").endswith("-trainer"):
                claims[workload.component] = paths[volume["name"]]
    assert claims == dict.fromkeys(
        ("training-job", "inference", "vllm"), "/var/lib/proofwalk/state/trainer"
    )
