"""Parts that the chart's values are made of: images, containers, roles, volumes,
autoscalers. `deploy.helm.values` puts them together.

The docstring under a field is its description in values.yaml, the schema and the
README. Keys are the field's name in camel case.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from proofwalk.chassis.settings_sections import BUCKET

Name = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
OptionalName = Annotated[str, Field(pattern=r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$")]
Quantity = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$")]
SettingName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")]
Hours = Annotated[str, Field(pattern=r"^[1-9][0-9]*h$")]
Digest = Annotated[str, Field(pattern=r"^(sha256:[0-9a-f]{64})?$")]
Tag = Annotated[str, Field(pattern=r"^([A-Za-z0-9_][A-Za-z0-9_.-]*)?$")]
SecretKey = Annotated[str, Field(pattern=r"^[-._a-zA-Z0-9]+$")]


class Section(BaseModel):
    """Base of every part: no unknown keys, camel case outside."""

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
        alias_generator=to_camel,
        populate_by_name=True,
    )


class CertManager(Section):
    """Certificates by cert-manager, whose custom resources have to be there."""

    enabled: bool = True
    """Make a Certificate for each role that `tls.existingSecrets` does not have."""
    issuer: OptionalName = ""
    """Issuer that signs them; empty makes an authority of the release's own, with an
    Issuer."""
    issuer_kind: Literal["Issuer", "ClusterIssuer"] = "Issuer"
    """Kind of `issuer`."""
    duration: Hours = "720h"
    """How long a certificate is good."""
    renew_before: Hours = "240h"
    """How long before its end it is replaced; roles read the new one without a
    restart."""


class Tls(Section):
    """Certificates with which roles serve and call each other; without them calls are
    in plain text, and whoever reaches a port may call."""

    enabled: bool = False
    """Mutual TLS between roles."""
    trust_domain: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,99}$")] = (
        "proofwalk.internal"
    )
    """What the certificates of this installation share:
    `spiffe://TRUST-DOMAIN/role/account_pool`, `account-pool.TRUST-DOMAIN`."""
    cert_manager: CertManager = CertManager()
    """Who makes them."""
    existing_secrets: dict[Name, Name] = {}
    """Secrets with `tls.crt`, `tls.key` and `ca.crt` of one's own, by role
    (`account-pool`)."""


class Images(Section):
    """Where images come from."""

    registry: str = ""
    """Host (and port) of the registry; empty leaves it to the nodes' container
    runtime."""
    prefix: str = "proofwalk/"
    """What stands before a role's image name."""
    tag: Tag = ""
    """Tag of every role's image; empty is the chart's appVersion. `latest` is
    refused."""
    pull_policy: Literal["IfNotPresent", "Always", "Never"] = "IfNotPresent"
    """When nodes pull."""
    pull_secrets: list[Name] = []
    """Names of image pull secrets in the namespace."""


class RoleImage(Section):
    """A role's image."""

    name: str = ""
    """Name after the prefix; empty is the role's name (`account-pool`)."""
    tag: Tag = ""
    """Tag of this image alone."""
    digest: Digest = ""
    """`sha256:…`; goes before the tag."""


class ThirdPartyImage(Section):
    """An image that is not ours."""

    repository: str
    """Registry, if any, and name."""
    tag: Tag = Field(default="", min_length=1)
    """Tag."""
    digest: Digest = ""
    """`sha256:…`; goes before the tag."""


class Resources(Section):
    """Requests and limits of a container; both are asked for, since a container without
    them takes what others need."""

    requests: dict[str, Quantity]
    """What is set aside."""
    limits: dict[str, Quantity]
    """What it may take at most; `memory` is required."""


def needs(cpu: str, memory: str, *, limit: str, scratch: str = "1Gi") -> Resources:
    """A container's needs; no CPU limit, for a throttled event loop misses its
    deadlines."""
    return Resources(
        requests={"cpu": cpu, "memory": memory, "ephemeral-storage": "256Mi"},
        limits={"memory": limit, "ephemeral-storage": scratch},
    )


class Egress(Section):
    """What a role may reach besides other roles, the database and Redis."""

    internet: bool = False
    """TCP 80 and 443 to public addresses: real consoles and cloud APIs, models'
    endpoints, documents by URL."""
    rules: list[dict[str, Any]] = []
    """Further NetworkPolicy egress rules, as Kubernetes writes them."""


class Container(Section):
    """What every role has."""

    image: RoleImage = RoleImage()
    """The role's image."""
    resources: Resources
    """Requests and limits."""
    settings: dict[SettingName, str | int | float | bool] = {}
    """The role's settings without `PROOFWALK_`: `ROLLOUT__HOLD_TTL_S: 60`. `proofwalk
    config reference` lists them; no secrets here."""
    secret_settings: dict[SettingName, SecretKey] = {}
    """Settings that are secrets, by the key of the Secret that holds them:
    `ROLLOUT__MODEL__API_KEY: model-api-key`. They are mounted as files."""
    env: list[dict[str, Any]] = []
    """Further environment, as Kubernetes writes it; for `${env:…}` in target files.
    Names must not begin with `PROOFWALK_`."""


class Role(Container):
    """A role with pods of its own."""

    pod_labels: dict[str, str] = {}
    """Further labels of its pods."""
    pod_annotations: dict[str, str] = {}
    """Further annotations of its pods."""
    service_account_annotations: dict[str, str] = {}
    """Annotations of its ServiceAccount."""
    node_selector: dict[str, str] = {}
    """Nodes that it may run on."""
    tolerations: list[dict[str, Any]] = []
    """Taints that it bears."""
    affinity: dict[str, Any] = {}
    """Affinity, as Kubernetes writes it."""
    priority_class_name: OptionalName = ""
    """Priority class."""
    egress: Egress = Egress()
    """What it may reach outside."""


class DisruptionBudget(Section):
    """PodDisruptionBudget; made only where there is more than one pod."""

    enabled: bool = True
    """Make one."""
    max_unavailable: int = Field(default=1, ge=1)
    """Pods that may be away at a time by will."""


class Replicated(Role):
    """A role that may run in several pods."""

    replicas: int = Field(default=1, ge=1, le=500)
    """Pods; left to the autoscaler where one is enabled."""
    pdb: DisruptionBudget = DisruptionBudget()
    """Disruption budget."""


class Ingress(Section):
    """Ingress in front of the gateway."""

    enabled: bool = False
    """Make one. Let the controller into the gateway too: `gateway.allowFrom`."""
    class_name: OptionalName = ""
    """Ingress class."""
    host: str = ""
    """Host name."""
    tls_secret: OptionalName = ""
    """Secret of type kubernetes.io/tls; empty serves plain HTTP."""
    annotations: dict[str, str] = {}
    """Annotations of the Ingress."""


class CpuAutoscaling(Section):
    """HorizontalPodAutoscaler on CPU; the cluster must have a metrics server."""

    enabled: bool = False
    """Make one."""
    min_replicas: int = Field(default=2, ge=1)
    """Pods at least."""
    max_replicas: int = Field(default=6, ge=1)
    """Pods at most."""
    target_cpu_percent: int = Field(default=70, ge=1, le=100)
    """Mean share of the requested CPU that is aimed at."""


class Keda(Section):
    """KEDA ScaledObject of rollout; the operator must be installed."""

    enabled: bool = False
    """Make one. Needs a blob volume that many nodes can mount."""
    namespace: Name = "keda"
    """Namespace of the operator, which is let in to Redis and PostgreSQL."""
    min_replicas: int = Field(default=1, ge=1)
    """Pods at least. Not 0: a drained verification is given back, and somebody must be
    there to take it."""
    max_replicas: int = Field(default=20, ge=1)
    """Pods at most."""
    stream_lag: int = Field(default=5, ge=1)
    """Entries of the stream not yet delivered, for each pod. A delivered entry is
    acknowledged at once, so this sees pods that cannot keep up with doorbells, not
    episodes that wait."""
    backlog: bool = True
    """Count verifications that are not finished, too, by a query over PostgreSQL: the
    true backlog. A pod for each `rollout.concurrency` of them."""
    database_key: SecretKey = "database-url"
    """Key of the Secret with a libpq URL or connection string for that query. Give
    another one where `database-url` has options (`?ssl=`, `?pgbouncer=`) that libpq
    does not know."""
    polling_interval: int = Field(default=15, ge=1)
    """Seconds between two looks."""
    cooldown_seconds: int = Field(default=300, ge=0, le=3600)
    """Seconds that fewer pods must suffice before there are fewer."""


class Volume(Section):
    """A volume that outlives pods."""

    existing_claim: OptionalName = ""
    """A PersistentVolumeClaim that is there; empty makes one."""
    storage_class_name: OptionalName = ""
    """Storage class; empty is the cluster's default."""
    access_modes: list[Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"]] = Field(
        default=["ReadWriteOnce"], min_length=1
    )
    """Access modes."""
    size: Quantity = "10Gi"
    """Size."""


class Blobs(Volume):
    """A volume or a bucket of many blobs."""

    bucket: Annotated[str, Field(pattern=BUCKET)] = ""
    """Bucket that is taken instead of a volume, as `s3://bucket/prefix`; any number of
    rollout's pods share it. Endpoint, region and key are `rollout.settings` and
    `rollout.secretSettings` (BLOB_STORE__…), or the key is the ServiceAccount's
    identity; the way out is `rollout.egress`."""


class TrainingJob(Section):
    """One training run on several nodes: an indexed Job with a pod a node, which are
    started again together until the run is over. It has the trainer's image, settings,
    places and volume (`trainer.image`, `.settings`, `.nodeSelector`, `.persistence`,
    …), and needs no pod of that role."""

    enabled: bool = False
    """Make it. A change of what its pods are makes another Job, which goes on from the
    run's last checkpoint."""
    run_id: Annotated[str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?$")] = ""
    """The run's id: its folder is `state/trainer/runs/ID` on the trainer's volume."""
    configuration: str = ""
    """The run's configuration, as `proofwalk train` reads it (`--set-file
    trainer.job.configuration=run.yaml`). Its paths are the pods': models in /models,
    anything else on the trainer's volume, /var/lib/proofwalk/state/trainer."""
    labels: dict[str, str] = {}
    """Further labels of the Job: `kueue.x-k8s.io/queue-name: gpus`."""
    nodes: int = Field(default=2, ge=1, le=1024)
    """Pods."""
    gpus_per_node: int = Field(default=8, ge=0, le=64)
    """GPUs of each, and ranks: one a GPU. 0 trains on processors, a rank a node."""
    gpu_resource: str = "nvidia.com/gpu"
    """Name of the nodes' GPU resource."""
    resources: Resources = needs("8", "64Gi", limit="128Gi", scratch="32Gi")
    """Requests and limits of each pod besides GPUs; with `processes: sharded` the first
    one keeps the whole model in memory besides."""
    shared_memory: Quantity = "16Gi"
    """Size of /dev/shm, through which ranks of a node exchange; it counts as memory."""
    start_seconds: int = Field(default=1800, ge=60)
    """Seconds that a pod waits for the others. Kubernetes does not place them
    together."""
    save_seconds: int = Field(default=300, ge=10, le=600)
    """Seconds that the run has to end its step and save when one of its pods is asked
    to go; then it goes on from the checkpoint before."""
    attempts: int = Field(default=3, ge=1, le=100)
    """Times that the pods are started at most while they keep failing. A pod that was
    asked to go, or whose node was drained, does not count (from Kubernetes 1.26 on)."""
