"""With `tls.enabled` every pod that serves or calls gRPC has a certificate of its own
role, by cert-manager or from a Secret, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.chassis.rpc.callers import CALLERS
from proofwalk.chassis.rpc.mutual_tls import server_name, uri_of
from proofwalk.chassis.settings import TLS_PREFIX
from tests.chart.rendering import (
    RELEASE,
    Manifest,
    Workload,
    containers,
    environment,
    of_kind,
    refusal,
    rendered,
    workloads,
)

_DOMAIN = "walks.example.internal"
_OWN = f"{RELEASE}-proofwalk"


def certificates(manifests: tuple[Manifest, ...]) -> dict[str, dict[str, Any]]:
    """Specs by Secret, without the authority's."""
    specs = [item["spec"] for item in of_kind(manifests, "Certificate")]
    return {spec["secretName"]: spec for spec in specs if not spec.get("isCA")}


def shown(workload: Workload) -> dict[str, str]:
    """The Secret whose certificate each container shows."""
    secrets = {
        volume["name"]: volume["secret"]["secretName"]
        for volume in workload.spec["volumes"]
        if "secret" in volume
    }
    found = {}
    for container in containers(workload):
        told = environment(container)
        mounts = {mount["mountPath"]: mount["name"] for mount in container.get("volumeMounts", [])}
        if f"{TLS_PREFIX}CERT_FILE" in told:
            folder = told[f"{TLS_PREFIX}CERT_FILE"].rpartition("/")[0]
            found[container["name"]] = secrets[mounts[folder]]
    return found


@pytest.mark.parametrize(
    ("case", "settings"),
    [
        # The scheduler beside rollout, and apart with a gateway; a training job.
        ("tls", ()),
        (
            "tls",
            ("sandboxScheduler.backend=kubernetes", "devtoolsGateway.enabled=true"),
        ),
        ("training", ("tls.enabled=true", f"tls.trustDomain={_DOMAIN}")),
    ],
)
def test_each_container_shows_its_own_roles_certificate(
    case: str, settings: tuple[str, ...]
) -> None:
    manifests = rendered(case, *settings)
    signed = certificates(manifests)
    seen = set()
    for workload in workloads(manifests):
        for container, secret in shown(workload).items():
            role = container.replace("-", "_").replace("training_job", "trainer")
            assert signed[secret]["uris"] == [uri_of(role, _DOMAIN)]
            assert signed[secret]["dnsNames"] == [server_name(role, _DOMAIN)]
            seen.add(role)
    # The operator's is in no pod.
    names = {spec["uris"][0] for spec in signed.values()}
    assert names == {uri_of(role, _DOMAIN) for role in (*seen, "operator")}
    assert {"rollout", "account_pool", "gateway", "sandbox_scheduler"} <= seen
    assert seen <= {*set().union(*CALLERS.values()), *(row.split(".")[2] for row in CALLERS)}


def test_an_authority_of_the_releases_own_signs_unless_another_does() -> None:
    own = certificates(rendered("tls"))
    assert {spec["issuerRef"]["name"] for spec in own.values()} == {f"{_OWN}-authority"}
    by_another = rendered(
        "tls", "tls.certManager.issuer=house", "tls.certManager.issuerKind=ClusterIssuer"
    )
    assert of_kind(by_another, "Issuer") == []
    references = {
        (spec["issuerRef"]["kind"], spec["issuerRef"]["name"])
        for spec in certificates(by_another).values()
    }
    assert references == {("ClusterIssuer", "house")}


def test_secrets_of_ones_own_stand_for_certificates() -> None:
    manifests = rendered("tls", "tls.existingSecrets.account-pool=ours")
    assert "ours" not in certificates(manifests)
    pool = next(one for one in workloads(manifests) if one.component == "account-pool")
    assert shown(pool) == {"account-pool": "ours"}


def test_without_tls_there_are_none() -> None:
    manifests = rendered("default")
    assert certificates(manifests) == {}
    assert all(shown(workload) == {} for workload in workloads(manifests))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("tls.enabled=true", "tls.certManager.enabled=false"), "needs tls.existingSecrets."),
        (("tls.existingSecrets.gateway=ours",), "tls.enabled is false"),
        (("tls.enabled=true", "tls.existingSecrets.devcloud=ours"), "of no role that runs"),
        (("tls.enabled=true", "tls.certManager.renewBefore=720h"), "is not shorter than"),
        (("tls.enabled=true", "tls.trustDomain=Big"), "pattern"),
    ],
)
def test_values_that_contradict_each_other_are_refused(
    settings: tuple[str, ...], said: str
) -> None:
    assert said in refusal("default", *settings)
