"""The chart's values: names, types, bounds, defaults and meaning, declared once.

`deploy.helm.reference` writes values.yaml, values.schema.json and the table in the
chart's README from these classes. The docstring under a field is its description in all
three. Keys are the field's name in camel case; keys that are not declared are refused.
What depends on several values at once is checked by the chart itself
(templates/_refusals.tpl). The roles' own settings are not repeated here: each role has
`settings`, whose names are checked by the role when it starts.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from deploy.helm.sections import (
    Blobs,
    CpuAutoscaling,
    Images,
    Ingress,
    Keda,
    Name,
    OptionalName,
    Quantity,
    Replicated,
    Resources,
    Role,
    RoleImage,
    Section,
    ThirdPartyImage,
    Tls,
    TrainingJob,
    Volume,
    needs,
)


class Gateway(Replicated):
    """REST API."""

    resources: Resources = needs("100m", "256Mi", limit="512Mi")
    """Requests and limits."""
    service_type: Literal["ClusterIP", "LoadBalancer", "NodePort"] = "ClusterIP"
    """Type of its Service."""
    allow_from: list[dict[str, Any]] = [{"podSelector": {}}]
    """NetworkPolicy peers that may call the REST API. The default is every pod of the
    namespace."""
    ingress: Ingress = Ingress()
    """Ingress."""
    autoscaling: CpuAutoscaling = CpuAutoscaling()
    """Autoscaler on CPU."""


class Rollout(Replicated):
    """Episodes. With `sandboxScheduler.backend: local`, each pod has a sandbox
    scheduler beside it, for a browser's DevTools answer on the pod's own loopback
    only."""

    resources: Resources = needs("500m", "1Gi", limit="2Gi", scratch="4Gi")
    """Requests and limits."""
    concurrency: int = Field(default=2, ge=1, le=256)
    """Episodes at a time in each pod. Browsers of the pod itself are bounded to twice
    as many."""
    runtime_class_name: OptionalName = ""
    """Runtime class of the pods that run browsers (`gvisor`, `kata`)."""
    keda: Keda = Keda()
    """Autoscaler on the stream and on the backlog."""


class Documents(Section):
    """Folders of documents, mounted read-only at /documents."""

    existing_claim: OptionalName = ""
    """PersistentVolumeClaim with the documents; without one, no collection has a
    folder."""


class Inspection(Replicated):
    """Collections of documents, inspected periodically. Several pods take turns of a
    schedule once."""

    resources: Resources = needs("100m", "256Mi", limit="3Gi")
    """Requests and limits. Reading a large folder takes memory in processes of its
    own."""
    documents: Documents = Documents()
    """What collections may have as folders."""


class Sandboxes(Section):
    """Sandboxes in pods of their own; for `sandboxScheduler.backend: kubernetes`."""

    image: RoleImage = RoleImage(name="sandbox")
    """The image with a browser; also of the scheduler itself where browsers are in its
    own container. `desktop` has a virtual machine instead."""
    tool: Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,9}[a-z0-9])?$")] = "chromium"
    """What the image is, for those who ask the scheduler: `chromium`, `desktop`.
    Documents are walked in the first."""
    version: Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,9}[a-z0-9])?$")] = "1"
    """Version of what a sandbox is. Change it with the image or the resources below:
    pods of the old version run out, and none are added."""
    pods_by: Literal["statefulset", "agent-sandbox"] = "statefulset"
    """What makes the pods: StatefulSets, or the controller of agent-sandbox
    (agents.x-k8s.io/v1beta1), which must be installed then."""
    warm: int = Field(default=2, ge=0, le=100_000)
    """Sandboxes kept running and unused."""
    quota: int = Field(default=20, ge=1, le=1_000_000)
    """Sandboxes at most."""
    shard_size: int = Field(default=500, ge=1, le=10_000)
    """Sandboxes of one StatefulSet, at most."""
    cpu: Quantity = "250m"
    """What a sandbox requests."""
    memory: Quantity = "1Gi"
    """What a sandbox requests, and its limit."""
    storage: Quantity = "1Gi"
    """Size of each of its volumes."""
    runtime_class_name: OptionalName = ""
    """Runtime class (`gvisor`, `kata`)."""
    priority_class_name: OptionalName = ""
    """Priority class."""
    node_selector: dict[str, str] = {}
    """Nodes that may have sandboxes."""
    tolerations: list[dict[str, Any]] = []
    """Taints that they bear."""


class SandboxScheduler(Replicated):
    """Browsers: in rollout's pods, beside it, or in pods of their own, which this role
    tends."""

    backend: Literal["local", "kubernetes"] = "local"
    """`local`: browsers are processes of a container in each of rollout's pods, and
    this role has no pods, no address and no rows of its own. `kubernetes`: each sandbox
    is a pod of a StatefulSet, and this role has pods that make them; it alone speaks to
    the Kubernetes API."""
    resources: Resources = needs("500m", "1Gi", limit="4Gi", scratch="8Gi")
    """Requests and limits. With `local`, all browsers of a pod together: some 600 MiB
    each."""
    warm: int = Field(default=1, ge=0, le=100)
    """With `local`: browsers kept running and unused in each pod."""
    scratch: Quantity = "4Gi"
    """With `local`: size of the emptyDir for profiles and temporary files."""
    sandboxes: Sandboxes = Sandboxes()
    """Sandboxes in pods of their own."""


class DevtoolsGateway(Replicated):
    """Carries DevTools to sandboxes' pods, for holders that cannot reach pods; for
    `sandboxScheduler.backend: kubernetes`. It never waits for the scheduler: a lease's
    ticket says where it leads."""

    enabled: bool = False
    """Run it, and let holders in through it alone."""
    image: RoleImage = RoleImage(name="sandbox-scheduler")
    """The image: the scheduler's."""
    resources: Resources = needs("100m", "128Mi", limit="512Mi")
    """Requests and limits."""
    service_type: Literal["ClusterIP", "LoadBalancer", "NodePort"] = "ClusterIP"
    """Type of its Service."""
    allow_from: list[dict[str, Any]] = []
    """NetworkPolicy peers that may come in besides rollout."""


class AccountPool(Replicated):
    """Accounts."""

    resources: Resources = needs("100m", "256Mi", limit="512Mi")
    """Requests and limits."""


class RewardService(Replicated):
    """Rules and judges."""

    resources: Resources = needs("100m", "256Mi", limit="1Gi")
    """Requests and limits."""


class ResourceProvisioner(Role):
    """Terraform. One pod: its rows carry no claim of a worker."""

    resources: Resources = needs("250m", "512Mi", limit="2Gi", scratch="4Gi")
    """Requests and limits, with Terraform's processes and the warm providers."""
    persistence: Volume = Volume(size="5Gi")
    """Terraform's state of provisionings under way."""


class Inference(Role):
    """The policy's model. One pod: a version is loaded into the process that is asked
    to."""

    enabled: bool = True
    """Run it. With the engine `none`, the default, it is up and says what is
    missing."""
    resources: Resources = needs("100m", "256Mi", limit="1Gi")
    """Requests and limits; the engine `embedded` needs the model's size several times
    over."""


class Trainer(Role):
    """Training runs. One pod with one folder."""

    enabled: bool = False
    """Run it."""
    resources: Resources = needs("1", "4Gi", limit="16Gi", scratch="16Gi")
    """Requests and limits; add `nvidia.com/gpu` to both to train on a GPU."""
    runtime_class_name: OptionalName = ""
    """Runtime class (`nvidia`)."""
    persistence: Volume = Volume(size="100Gi")
    """Runs' folders. Inference reads adapters from there, so with both the volume must
    be ReadWriteMany; so must it for a job of several nodes."""
    job: TrainingJob = TrainingJob()
    """A run on several nodes."""


class Devcloud(Role):
    """The embedded cloud, for trials and `helm test`. One pod."""

    enabled: bool = True
    """Run it."""
    resources: Resources = needs("100m", "256Mi", limit="512Mi")
    """Requests and limits."""
    accounts: int = Field(default=4, ge=1, le=1000)
    """Accounts that it has."""
    persistence: Volume = Volume(size="1Gi")
    """Its resources and audit log."""


class Vllm(Section):
    """A vLLM server on a GPU node, which inference is pointed at. It has no way out to
    any network."""

    enabled: bool = False
    """Run it, and set the engine of inference to `vllm`."""
    image: ThirdPartyImage = ThirdPartyImage(repository="vllm/vllm-openai", tag="v0.32.0")
    """The server's image."""
    model: Annotated[str, Field(pattern=r"^(/models/[A-Za-z0-9._/-]+)?$")] = ""
    """Folder of the model on the volume `models`: `/models/qwen3-vl-8b`."""
    served_name: str = ""
    """The name that it is asked by; empty is the folder's."""
    full_weights: bool = False
    """Let inference change all its weights while it serves, not adapters alone. It sets
    VLLM_SERVER_DEV_MODE, whose calls do more than that: the network policies leave
    inference alone to reach it."""
    args: list[str] = []
    """Further arguments (`--max-model-len=32768`)."""
    gpu_resource: str = "nvidia.com/gpu"
    """Name of the nodes' GPU resource."""
    gpus: int = Field(default=1, ge=1, le=64)
    """GPUs; also the size of tensor parallelism."""
    resources: Resources = needs("4", "24Gi", limit="64Gi", scratch="32Gi")
    """Requests and limits besides GPUs."""
    shared_memory: Quantity = "8Gi"
    """Size of /dev/shm, which counts as memory."""
    cache: Quantity = "16Gi"
    """Size of the emptyDir for compiled kernels."""
    start_seconds: int = Field(default=1800, ge=60)
    """Seconds that it may take to load the model."""
    node_selector: dict[str, str] = {"nvidia.com/gpu.present": "true"}
    """Nodes that it may run on."""
    tolerations: list[dict[str, Any]] = [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    ]
    """Taints that it bears."""
    affinity: dict[str, Any] = {}
    """Affinity."""
    runtime_class_name: OptionalName = ""
    """Runtime class (`nvidia`)."""
    priority_class_name: OptionalName = ""
    """Priority class."""


class Models(Section):
    """Base models, mounted read-only at /models in inference, trainer and vLLM."""

    existing_claim: OptionalName = ""
    """PersistentVolumeClaim with the models."""


class Secrets(Section):
    """One Secret holds what is secret; every pod mounts those keys of it that it needs,
    as files. The README lists the keys."""

    existing_secret: OptionalName = ""
    """A Secret that is there. Empty makes one with random values at the first install,
    for trials: `helm template` and GitOps cannot keep such values, and would replace
    them."""


class ExternalServer(Section):
    """A server that is not the chart's."""

    host: str = ""
    """Host name or address."""
    port: int = Field(ge=1, le=65535)
    """Port."""
    cidrs: list[Annotated[str, Field(pattern=r"^[0-9a-fA-F.:]+/[0-9]+$")]] = []
    """Address ranges that may be reached at this port; empty is any."""


class Postgresql(Section):
    """The database: bundled, one pod without backups or failover, or external."""

    bundled: bool = True
    """Run one. Without it, `database-url` of the Secret names the server."""
    image: ThirdPartyImage = ThirdPartyImage(repository="postgres", tag="17.6")
    """Image of the bundled server."""
    run_as_user: int = Field(default=999, ge=1)
    """User and group of the bundled server: the image's own."""
    resources: Resources = needs("250m", "512Mi", limit="1Gi")
    """Requests and limits."""
    persistence: Volume = Volume(size="10Gi")
    """Its data."""
    external: ExternalServer = ExternalServer(port=5432)
    """For network policies alone; the URL is in the Secret."""


class Sentinels(Section):
    """Sentinels that name the external server's master; the URL in the Secret is
    `redis+sentinel://…` then."""

    hosts: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+$")]] = []
    """Host names or addresses; empty: there are none."""
    port: int = Field(default=26379, ge=1, le=65535)
    """Port of each."""
    service: str = ""
    """What they call the server, for KEDA."""


class Redis(Section):
    """The doorbell: bundled, one pod that keeps nothing, or external. Losing it loses
    no work."""

    bundled: bool = True
    """Run one. Without it, `redis-url` of the Secret names the server."""
    image: ThirdPartyImage = ThirdPartyImage(repository="valkey/valkey", tag="8.1.3")
    """Image of the bundled server."""
    run_as_user: int = Field(default=999, ge=1)
    """User and group of the bundled server: the image's own."""
    resources: Resources = needs("50m", "64Mi", limit="256Mi")
    """Requests and limits."""
    external: ExternalServer = ExternalServer(port=6379)
    """For network policies, and for KEDA, which does not read the URL."""
    external_tls: bool = False
    """Whether KEDA speaks TLS to the external server."""
    sentinels: Sentinels = Sentinels()
    """Those that name it, for network policies and for KEDA."""


class Migrations(Section):
    """A hook that brings tables to the release's revision before any pod is replaced,
    so that a migration that fails stops the upgrade."""

    enabled: bool = True
    """Run it before upgrades, and with an external database before the install. Roles
    migrate at their start in any case, under a lock."""
    resources: Resources = needs("100m", "256Mi", limit="512Mi")
    """Requests and limits."""
    deadline_seconds: int = Field(default=600, ge=30)
    """Seconds until it has failed."""


class Dns(Section):
    """The cluster's name server."""

    namespace: Name = "kube-system"
    """Its namespace."""
    pod_labels: dict[str, str] = {"k8s-app": "kube-dns"}
    """Its pods' labels."""


class KubernetesApi(Section):
    """The way to the Kubernetes API, for the sandbox scheduler with `backend:
    kubernetes`."""

    cidrs: list[Annotated[str, Field(pattern=r"^[0-9a-fA-F.:]+/[0-9]+$")]] = []
    """Its address ranges; empty is any."""
    ports: list[Annotated[int, Field(ge=1, le=65535)]] = [443, 6443]
    """Its ports, that of its Service and that behind it."""


class NetworkPolicies(Section):
    """Nothing in, nothing out, but for the named exceptions. They are the wall between
    roles: gRPC between them is plaintext."""

    enabled: bool = True
    """Make them. The cluster's network must enforce them."""
    dns: Dns = Dns()
    """Who is asked for names."""
    kubernetes_api: KubernetesApi = KubernetesApi()
    """Where the Kubernetes API is."""
    egress: list[dict[str, Any]] = []
    """Egress rules that every role gets: a trace collector, a node-local name
    server."""
    private_ranges: list[str] = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "127.0.0.0/8", "0.0.0.0/8", "224.0.0.0/4",
    ]  # fmt: skip
    """What `egress.internet` leaves out: private, link-local (metadata services),
    multicast."""


class Spread(Section):
    """Pods of a replicated role over nodes and zones."""

    enabled: bool = True
    """Set topology spread constraints."""
    topology_keys: list[str] = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    """Node labels."""
    when_unsatisfiable: Literal["ScheduleAnyway", "DoNotSchedule"] = "ScheduleAnyway"
    """What happens where it cannot be."""


class Monitoring(Section):
    """What Prometheus and Grafana are told; the custom resources need the Prometheus
    operator."""

    service_monitor: bool = False
    """Make ServiceMonitors."""
    prometheus_rule: bool = False
    """Make alerts (files/alerts.yaml)."""
    dashboard: bool = False
    """Make a ConfigMap with the Grafana dashboard (files/dashboard.json)."""
    labels: dict[str, str] = {}
    """Labels by which the operator selects them (`release: prometheus`)."""
    dashboard_labels: dict[str, str] = {"grafana_dashboard": "1"}
    """Labels by which Grafana's sidecar finds the dashboard."""
    interval: Annotated[str, Field(pattern=r"^[0-9]+(ms|s|m)$")] = "30s"
    """Between two scrapes."""
    from_namespace: Name = "monitoring"
    """Namespace whose pods may read metrics."""


class Log(Section):
    """The roles' logs, JSON on standard output."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe level that is written."""


class Tracing(Section):
    """OpenTelemetry."""

    endpoint: Annotated[str, Field(pattern=r"^(https?://.+)?$")] = ""
    """OTLP/HTTP collector; let the roles out to it by `networkPolicies.egress`."""


class Targets(Section):
    """Further consoles: target files for rollout, account pool, provisioner and reward
    service."""

    files: dict[Annotated[str, Field(pattern=r"^[a-z0-9-]+\.yaml$")], str] = {}
    """Content by file name. Secrets in them are `${env:…}` or `${file:…}`
    references."""
    existing_config_map: OptionalName = ""
    """A ConfigMap with such files instead."""


class Values(Section):
    """All values."""

    name_override: OptionalName = ""
    """Name instead of the chart's, in names and labels."""
    fullname_override: OptionalName = ""
    """Prefix of all names instead of release and chart."""
    global_: dict[str, Any] = Field(default={}, alias="global")
    """Not read; Helm hands it to a chart that is part of another one."""
    image: Images = Images()
    """Images of the roles."""
    secrets: Secrets = Secrets()
    """Secrets."""
    tls: Tls = Tls()
    """Calls between roles."""
    postgresql: Postgresql = Postgresql()
    """Database."""
    redis: Redis = Redis()
    """Redis."""
    blobs: Blobs = Blobs(size="20Gi")
    """Screenshots, trajectories and reports of rollout. More than one rollout pod needs
    ReadWriteMany."""
    models: Models = Models()
    """Base models."""
    targets: Targets = Targets()
    """Consoles besides the embedded cloud."""
    gateway: Gateway = Gateway()
    """REST API."""
    rollout: Rollout = Rollout()
    """Episodes."""
    inspection: Inspection = Inspection()
    """Periodic inspections."""
    sandbox_scheduler: SandboxScheduler = SandboxScheduler()
    """Browsers, a container in rollout's pods or pods of their own."""
    devtools_gateway: DevtoolsGateway = DevtoolsGateway()
    """DevTools to sandboxes' pods."""
    account_pool: AccountPool = AccountPool()
    """Accounts."""
    resource_provisioner: ResourceProvisioner = ResourceProvisioner()
    """Terraform."""
    reward_service: RewardService = RewardService()
    """Rules and judges."""
    inference: Inference = Inference()
    """The policy's model."""
    vllm: Vllm = Vllm()
    """vLLM on a GPU node."""
    trainer: Trainer = Trainer()
    """Training."""
    devcloud: Devcloud = Devcloud()
    """The embedded cloud."""
    migrations: Migrations = Migrations()
    """Migrations before upgrades."""
    network_policies: NetworkPolicies = NetworkPolicies()
    """Network policies."""
    topology_spread: Spread = Spread()
    """Spread of pods."""
    dns_policy: Literal["", "ClusterFirst", "Default", "None"] = ""
    """Who tells pods names; empty is Kubernetes' default, the cluster's DNS."""
    dns_config: dict[str, Any] = {}
    """Name servers, search domains and options of every pod, as Kubernetes writes
    `dnsConfig`. Let the roles out to other name servers by `networkPolicies.egress`."""
    monitoring: Monitoring = Monitoring()
    """Metrics, alerts, dashboard."""
    log: Log = Log()
    """Logs."""
    tracing: Tracing = Tracing()
    """Traces."""
    run_as_user: int = Field(default=10001, ge=1, le=2147483647)
    """User and group of the roles' containers; root is refused."""
    drain_seconds: int = Field(default=20, ge=1, le=600)
    """Seconds from SIGTERM until what a role still does is cancelled; pods are given 15
    more."""
    bind_address: Literal["0.0.0.0", "[::]"] = "0.0.0.0"  # noqa: S104
    """Address that roles listen on; `[::]` where pods have IPv6 addresses only."""
