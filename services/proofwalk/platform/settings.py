"""All settings of an installation in one class: the process's, and a section for each
role."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, SecretStr

from proofwalk.account_pool.settings import AccountPoolSettings
from proofwalk.chassis.settings import ProcessSettings, load_settings
from proofwalk.chassis.settings_sections import SettingsSection
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.gateway.keys import local_key
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.inference.settings import InferenceSettings
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings
from proofwalk.reward_service.settings import RewardServiceSettings
from proofwalk.rollout.settings import RolloutSettings
from proofwalk.sandbox_scheduler.pod.settings import DevtoolsGatewaySettings, SandboxPodSettings
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings
from proofwalk.trainer.settings import TrainerSettings

DEVCLOUD_PORT = 8470


class ClientSettings(SettingsSection):
    """`PROOFWALK_CLIENT__…`: which installation the command line talks to."""

    server: str = ""
    """URL of a gateway; empty uses one that runs on this home, or starts everything in
    this process."""
    api_key: SecretStr = SecretStr("")
    """Key for that gateway; empty uses the key file of this home."""


class EmbeddedCloudSettings(DevcloudSettings):
    """The embedded cloud beside the other roles, which have to find it and its
    accounts.

    The defaults are the fields' own, so that they stay when another field is set."""

    port: int = Field(default=DEVCLOUD_PORT, ge=0, le=65535)
    """TCP port of the one HTTP listener; 0: any free port. Default 8470."""
    accounts: int = Field(default=4, ge=0, le=1000)
    """Accounts to have after start, created if fewer exist. Default 4."""


class Settings(ProcessSettings):
    """Every setting."""

    client: ClientSettings = ClientSettings()
    """The command line as a client."""
    targets: Path = Path("targets")
    """Folder of further target files (`*.yaml`), for every role whose own `targets` is
    not set; it need not be there."""
    gateway: GatewaySettings = GatewaySettings()
    """The REST API."""
    rollout: RolloutSettings = RolloutSettings()
    """Verifications and episodes."""
    inspection: InspectionSettings = InspectionSettings()
    """Collections of documents, inspected periodically."""
    account_pool: AccountPoolSettings = AccountPoolSettings()
    """Accounts."""
    sandbox_scheduler: SandboxSchedulerSettings = SandboxSchedulerSettings()
    """Sandboxes."""
    sandbox: SandboxPodSettings = SandboxPodSettings()
    """The program in a sandbox's pod."""
    devtools_gateway: DevtoolsGatewaySettings = DevtoolsGatewaySettings()
    """Carries DevTools to sandboxes' pods."""
    resource_provisioner: ResourceProvisionerSettings = ResourceProvisionerSettings()
    """Terraform and META."""
    reward_service: RewardServiceSettings = RewardServiceSettings()
    """Rules over audit logs."""
    inference: InferenceSettings = InferenceSettings()
    """The model that serves policies."""
    trainer: TrainerSettings = TrainerSettings()
    """Training runs."""
    devcloud: EmbeddedCloudSettings = EmbeddedCloudSettings()
    """The embedded cloud."""


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that the environment asks for; raises `settings.*`."""
    return load_settings(Settings, os.environ if environment is None else environment)


def with_devcloud_token(settings: Settings) -> Settings:
    """The same settings with the embedded cloud's admin token: the one that is set,
    else the one kept in the home."""
    if settings.devcloud.admin_token.get_secret_value():
        return settings
    token = SecretStr(local_key(_token_file(settings.home)))
    return settings.model_copy(
        update={"devcloud": settings.devcloud.model_copy(update={"admin_token": token})}
    )


def with_targets(settings: Settings) -> Settings:
    """The same settings, in which every role that reads targets has a folder of them:
    its own, else the common one."""
    changes = {}
    for name in ("rollout", "account_pool", "resource_provisioner", "reward_service"):
        section = getattr(settings, name)
        changes[name] = section.model_copy(update={"targets": section.targets or settings.targets})
    return settings.model_copy(update=changes)


def _token_file(home: Path) -> Path:
    return home.absolute() / "devcloud.token"


def target_environment(
    settings: Settings, environment: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    """What `${env:…}` in target files refers to: the process's environment, over where
    the embedded cloud is."""
    own = {
        "DEVCLOUD_URL": f"http://{settings.devcloud.host}:{settings.devcloud.port}",
        "DEVCLOUD_ADMIN_TOKEN": settings.devcloud.admin_token.get_secret_value(),
        # Its events come after a fixed lag; a second more makes the log complete for
        # certain.
        "DEVCLOUD_DELIVERY_BOUND_S": str(settings.devcloud.audit_lag_s + 1),
    }
    return {**own, **(os.environ if environment is None else environment)}
