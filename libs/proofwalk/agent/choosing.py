"""The policies by name, as a verification asks for them. One is made for each episode.

`literal` needs nothing; `scripted` its script, with META's outputs for what is known only at run time; `random` a seed; `null` nothing. None
of them is given a credential: signing in is the environment's work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from proofwalk.agent.idle import IdlePolicy
from proofwalk.agent.literal.policy import LiteralPolicy
from proofwalk.agent.policy import Policy
from proofwalk.agent.scripted.policy import ScriptedPolicy
from proofwalk.agent.scripted.script import parse_script
from proofwalk.agent.walk import Budget
from proofwalk.agent.wandering import WanderingPolicy


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What an episode offers its policy to be made of."""

    script_yaml: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """META's outputs."""
    seed: str = ""
    """Decides what is left to chance."""


def _scripted(choice: Choice) -> Policy:
    return ScriptedPolicy(parse_script(choice.script_yaml, outputs=choice.outputs))


_MAKERS: Mapping[str, Callable[[Choice], Policy]] = {
    "literal": lambda choice: LiteralPolicy(),
    "scripted": _scripted,
    "null": lambda choice: IdlePolicy(),
    "random": lambda choice: WanderingPolicy(Random(choice.seed)),  # noqa: S311  # repeatable on purpose
}

POLICIES = frozenset(_MAKERS)
"""Names that a request may give."""

_SCRIPTED = Budget(steps_per_substep=240, consecutive_failures=8)
"""A script may hold what a document leaves out, so that many of its moves belong to one sub-step."""


def make_policy(name: str, choice: Choice) -> Policy:
    """A fresh policy. Raises `script.invalid`; `KeyError` for a name that is not in `POLICIES`."""
    return _MAKERS[name](choice)


def budget_of(name: str) -> Budget:
    """The bounds of a walk with this policy."""
    return _SCRIPTED if name == "scripted" else Budget()
