"""The policies by name, as a verification asks for them. One is made for each episode.

`literal` needs nothing; `scripted` its script, with META's outputs for what is known
only at run time; `random` a seed; `null` nothing; `replay` a compiled walk; `llm` and
`cascade` a model. None of them is given a credential: signing in is the environment's
work.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from proofwalk.agent.core.budget import NOTHING_SPENT, Spent
from proofwalk.agent.core.policy import Policy
from proofwalk.agent.core.walk_budget import Budget
from proofwalk.agent.policies.cascade.policy import CascadePolicy
from proofwalk.agent.policies.cascade.settings import CascadeSettings
from proofwalk.agent.policies.idle import IdlePolicy
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.agent.policies.replay.policy import ReplayPolicy
from proofwalk.agent.policies.replay.script import parse_replay
from proofwalk.agent.policies.scripted.policy import ScriptedPolicy
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.agent.policies.wandering import WanderingPolicy
from proofwalk.console.functions import FunctionCard
from proofwalk.kernel.clock import Clock, SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.models.asking import Model


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What an episode offers its policy to be made of."""

    script_yaml: str = ""
    replay_json: str = ""
    """A compiled walk, for `replay`; without one it walks as its fallback does."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """META's outputs."""
    seed: str = ""
    """Decides what is left to chance, but for what a model draws."""
    draws: str = ""
    """Decides what a model draws; empty: chance."""
    model: Model | None = None
    """The model of the policies that ask one."""
    cascade: CascadeSettings = field(default_factory=CascadeSettings)
    spent: Spent = NOTHING_SPENT
    """What earlier episodes of the verification have taken of the cascade's budget."""
    mask: Callable[[str], str] = lambda line: line
    """Takes secrets out of a line that a model is shown."""
    functions: Sequence[FunctionCard] = ()
    """Those that a policy with a model may call; none in a document's verification."""
    clock: Clock = field(default_factory=SystemClock)
    code: str = field(default_factory=lambda: secrets.token_hex(8))
    """A text that nobody who writes a page can know, around what a model is shown of
    it."""


def _scripted(choice: Choice) -> Policy:
    return ScriptedPolicy(parse_script(choice.script_yaml, outputs=choice.outputs))


def _replay(choice: Choice) -> Policy:
    script = parse_replay(choice.replay_json) if choice.replay_json else None
    return ReplayPolicy(LiteralPolicy(), script, seed=choice.seed, follows=True)


def _llm(choice: Choice) -> LlmPolicy:
    if choice.model is None:
        raise no_model("llm")
    return LlmPolicy(
        choice.model,
        code=choice.code,
        mask=choice.mask,
        seed=choice.draws,
        functions=choice.functions,
    )


def _cascade(choice: Choice) -> Policy:
    if choice.model is None:
        raise no_model("cascade")
    return CascadePolicy(
        LiteralPolicy(), _llm(choice), choice.cascade, clock=choice.clock, spent=choice.spent
    )


_MAKERS: Mapping[str, Callable[[Choice], Policy]] = {
    "literal": lambda choice: LiteralPolicy(),
    "scripted": _scripted,
    "llm": _llm,
    "cascade": _cascade,
    "replay": _replay,
    "null": lambda choice: IdlePolicy(),
    "random": lambda choice: WanderingPolicy(Random(choice.seed)),  # noqa: S311  # repeatable on purpose
}

POLICIES = frozenset(_MAKERS)
"""Names that a request may give."""
MODEL_POLICIES = frozenset({"llm", "cascade"})
"""Those that ask a model: they are there only where one is set."""

_SCRIPTED = Budget(steps_per_substep=240, consecutive_failures=8)
"""A script may hold what a document leaves out, so that many of its moves belong to one
sub-step."""


def make_policy(name: str, choice: Choice) -> Policy:
    """A fresh policy. Raises `script.invalid`, `policy.no_model`; `KeyError` for a name
    that is not in `POLICIES`."""
    return _MAKERS[name](choice)


def no_model(name: str) -> ProofwalkError:
    """What a request for a policy is answered whose model is not set."""
    return ProofwalkError(
        "policy.no_model",
        f"the policy {name!r} asks a model, and none is set here",
        status=Status.FAILED_PRECONDITION,
        hint=(
            "set PROOFWALK_ROLLOUT__MODEL__ENDPOINT (and …__NAME, …__API_KEY_FILE) where the"
            " rollout role runs, or ask for the policy 'literal'"
        ),
    )


def budget_of(name: str, model: Model | None = None) -> Budget:
    """The bounds of a walk with this policy, which asks this model if it asks one."""
    if name in MODEL_POLICIES and model is not None:
        return Budget(steps_per_substep=model.settings.steps_per_substep)
    return _SCRIPTED if name == "scripted" else Budget()
