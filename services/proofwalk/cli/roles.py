"""Every role by name, wired from the settings. Roles do not know each other; this registry is what `proofwalk serve` chooses from."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proofwalk.account_pool.main import role as account_pool
from proofwalk.chassis.role import Role
from proofwalk.cli.settings import Settings, target_environment, with_devcloud_token
from proofwalk.devcloud.role import role as devcloud
from proofwalk.gateway.main import role as gateway
from proofwalk.inference.main import role as inference
from proofwalk.kernel.errors import invalid
from proofwalk.resource_provisioner.main import role as resource_provisioner
from proofwalk.reward_service.main import role as reward_service
from proofwalk.rollout.main import role as rollout
from proofwalk.sandbox_scheduler.main import role as sandbox_scheduler
from proofwalk.trainer.main import role as trainer

Environment = Mapping[str, str]

_FACTORIES: Mapping[str, Callable[[Settings, Environment], Role]] = {
    # In the order in which they start: whoever is called comes before its callers.
    "devcloud": lambda settings, _: devcloud(settings.devcloud),
    "account_pool": lambda settings, environment: account_pool(settings.account_pool, environment=environment),
    "sandbox_scheduler": lambda settings, _: sandbox_scheduler(settings.sandbox_scheduler),
    "resource_provisioner": lambda settings, environment: resource_provisioner(
        settings.resource_provisioner, environment=environment
    ),
    "reward_service": lambda settings, environment: reward_service(settings.reward_service, environment=environment),
    "inference": lambda settings, _: inference(),
    "trainer": lambda settings, _: trainer(),
    "rollout": lambda settings, environment: rollout(settings.rollout, environment=environment),
    "gateway": lambda settings, _: gateway(settings.gateway),
}

NAMES = tuple(_FACTORIES)


def choose(name: str, settings: Settings) -> tuple[Settings, list[Role]]:
    """The roles behind `all` or one role's name (with `-` or `_`), and the settings they were made from."""
    settings = with_devcloud_token(settings)
    environment = target_environment(settings)
    wanted = name.replace("-", "_")
    if wanted == "all":
        return settings, [make(settings, environment) for make in _FACTORIES.values()]
    if wanted not in _FACTORIES:
        known = ", ".join(role.replace("_", "-") for role in NAMES)
        raise invalid("role.unknown", f"there is no role {name!r}", hint=f"one of: all, {known}")
    return settings, [_FACTORIES[wanted](settings, environment)]
