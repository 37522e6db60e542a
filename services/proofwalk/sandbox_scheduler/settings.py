"""Settings of the sandbox scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from proofwalk.chassis.settings_sections import SettingsSection
from proofwalk.kernel.json_values import JsonObject


class KubernetesSettings(SettingsSection):
    """`PROOFWALK_SANDBOX_SCHEDULER__KUBERNETES__…`: sandboxes as pods."""

    kubeconfig: str = ""
    """A kubeconfig file; empty is the service account of the pod that this runs in."""
    namespace: str = "default"
    """Where the sandboxes' pods are."""
    pods_by: Literal["statefulset", "agent-sandbox"] = "statefulset"
    """What makes the pods: StatefulSets, or the controller of agent-sandbox
    (agents.x-k8s.io/v1beta1), which must be installed then."""
    prefix: str = Field(default="proofwalk-sandbox", pattern=r"^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$")
    """Begins the names of everything that is made."""
    tool: str = Field(default="chromium", pattern=r"^[a-z]([-a-z0-9]{0,9}[a-z0-9])?$")
    """The tool that the image is."""
    version: str = Field(default="1", pattern=r"^[a-z0-9]([-a-z0-9]{0,9}[a-z0-9])?$")
    """Its version. Another image, other resources or other name servers need another
    version: pods of the old one run out, and none are added."""
    image: str = ""
    """The sandbox's image, with its tag or digest."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] = "IfNotPresent"
    """When nodes pull it."""
    image_pull_secrets: tuple[str, ...] = ()
    """Names of pull secrets in the namespace."""
    cpu: str = "250m"
    """What a sandbox requests."""
    memory: str = "1Gi"
    """What a sandbox requests, and its limit."""
    storage: str = "1Gi"
    """Of each of its volumes, requested and as a limit."""
    run_as_user: int = Field(default=10001, ge=1)
    """User and group in the pod."""
    runtime_class: str = ""
    """A RuntimeClass (gVisor, Kata); empty is the nodes' default."""
    priority_class: str = ""
    """A PriorityClass."""
    node_selector: Mapping[str, str] = Field(default_factory=dict)
    """Labels of the nodes that may have sandboxes."""
    tolerations: tuple[JsonObject, ...] = ()
    """Taints that sandboxes tolerate."""
    dns_policy: Literal["", "ClusterFirst", "Default", "None"] = ""
    """Who tells sandboxes names; empty is Kubernetes' default, the cluster's DNS."""
    dns_config: JsonObject = Field(default_factory=dict)
    """Their name servers, search domains and options, as Kubernetes writes
    `dnsConfig`."""
    scheduler_labels: Mapping[str, str] = Field(
        default_factory=lambda: {"app.kubernetes.io/component": "sandbox-scheduler"}
    )
    """Labels of the pods that may control sandboxes."""
    devtools_labels: Mapping[str, str] = Field(
        default_factory=lambda: {"app.kubernetes.io/component": "rollout"}
    )
    """Labels of the pods that may speak DevTools with sandboxes."""
    gateway: str = ""
    """Where holders reach DevTools, `ws://host:port`; empty is the pod itself."""
    signing_key: SecretStr = SecretStr("")
    """An Ed25519 key in PEM that signs tickets; the same for all schedulers."""
    watch_s: int = Field(default=20, ge=1, le=300)
    """Seconds that one watch lasts."""


class SandboxSchedulerSettings(SettingsSection):
    """`PROOFWALK_SANDBOX_SCHEDULER__…`."""

    backend: Literal["local", "desktop", "kubernetes"] = "local"
    """What sandboxes are: browsers as children of this process, desktops (virtual
    machines) likewise, or browsers as pods."""
    kubernetes: KubernetesSettings = KubernetesSettings()
    chromium: Path | None = None
    """The browser's binary (the real one, not a wrapper script). Empty looks in the
    usual places: for Chromium's headless shell, which starts with a third of the
    processor time and has half the memory, then for a whole Chromium or Chrome. Name a
    whole one for a console that needs it."""
    desktop_image: Path = Path("build/desktop")
    """The folder of the desktops' image (`make desktop-image`)."""
    warm: int = Field(default=1, ge=0, le=100_000)
    """Sandboxes that are kept running and unused."""
    quota: int = Field(default=4, ge=1, le=1_000_000)
    """Sandboxes at most, whatever their state."""
    burst: int = Field(default=4, ge=1, le=10_000)
    """Sandboxes of one shard that start at the same time, at most."""
    shard_size: int = Field(default=500, ge=1, le=10_000)
    """Sandboxes of one shard at most; shards are what several schedulers share among
    them. The local backend has one."""
    start_s: float = Field(default=30.0, ge=1, le=600)
    """Seconds that a request waits for a sandbox to start."""
    end_s: float = Field(default=60.0, ge=1, le=3600)
    """Seconds after which a sandbox that was told to end is ended by force."""
    check_s: float = Field(default=2.0, ge=0.1, le=60)
    """Seconds between two looks at a cluster: expiry, crashes, refilling."""
    poll_s: float = Field(default=0.5, ge=0.01, le=60)
    """Seconds after which a waiting request looks again though nothing was heard."""
    cooldown_s: float = Field(default=60.0, ge=0, le=3600)
    """Seconds that pods which are too many are kept; the local backend ends such
    browsers at once."""
    shard_ttl_s: float = Field(default=15.0, ge=1, le=600)
    """Seconds after which a scheduler that is not heard of loses its shards."""
    fresh_s: float = Field(default=30.0, ge=1, le=3600)
    """Seconds for which a look at a shard counts: what was not seen since is not
    granted."""
    hang_s: float = Field(default=10.0, ge=1, le=120)
    """Seconds after which a browser that does not answer counts as hung."""
    keep_ended_s: float = Field(default=86_400.0, ge=60)
    """Seconds that rows of ended sandboxes are kept."""
