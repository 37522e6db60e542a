"""What one walk is asked for: everything that a walker needs, in a console or on a
desktop."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.desktop.osworld.task import OsworldTask
from proofwalk.orders.order import Order
from proofwalk.procedures.model import Procedure


@dataclass(frozen=True, kw_only=True)
class WalkOrder:
    """Everything that a walk needs; no credential in it reaches a policy."""

    episode_id: str
    procedure: Procedure
    asked: Order
    """What the verification was made from, whole."""
    task: OsworldTask | None = None
    """What is set up on a desktop, and looked at in the end; None in a console."""
    cdp_endpoint: str
    login: Mapping[str, SecretStr]
    """What signs in, by name."""
    secret_names: Collection[str] | None = None
    """Which of the login's values are secret; None: all."""
    binds: Mapping[str, str]
    resources: str
    replay_json: str = ""
    """The walk that the policy `replay` plays again; empty when there is none."""
    keeps_looks: bool = False
    """Whether the pages of the walk are kept, so that it can be compiled."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """META's outputs, none of them secret: what a script refers to."""
    screenshots: bool = True
    """Whether the walk takes pictures to keep; a policy that looks at them gets its own
    in any case."""
    spent: Spent = NOTHING_SPENT
    """What earlier episodes of the verification have taken of the budget for asking a
    model."""
    seed: str = ""
    """Decides what a policy leaves to chance: the same for the same document, scenario
    and number of the episode; in a group another for each member."""
    temperature: float | None = None
    """At which a policy's model is asked; None: as the settings say."""

    @property
    def secrets(self) -> Mapping[str, str]:
        """The login's secret values: never told to anybody, typed by the sign-in
        alone."""
        return {name: value for name, value in self._values.items() if self._is_secret(name)}

    @property
    def public(self) -> Mapping[str, str]:
        """The login's other values."""
        return {name: value for name, value in self._values.items() if not self._is_secret(name)}

    @property
    def _values(self) -> Mapping[str, str]:
        return {name: value.get_secret_value() for name, value in self.login.items()}

    def _is_secret(self, name: str) -> bool:
        return self.secret_names is None or name in self.secret_names

    @property
    def draws(self) -> str:
        """Decides what a policy's model draws. A scenario decides what an episode
        meets; outside of one a document that is walked again is another try, and this
        is empty: chance."""
        return self.seed if self.asked.scenario else ""
