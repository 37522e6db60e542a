"""What an installation needs for so many episodes an hour: sandboxes, accounts, nodes,
GPUs, cost. Pure.

    a = λ · W    episodes under way (Little's law), λ a second, W seconds an episode
    sandboxes    servers at which few wait longer than is accepted (`waiting`), for λ, W
    accounts     the same, held longer: until they are swept and cooled down
    nodes        by processor seconds or memory, whichever needs more, and spare ones
    GPUs         tokens a second over those of one GPU, at the planned share of its time

What is not measured is asked for: how long a model thinks a step, tokens a second of a
GPU, prices. Nothing has a default that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Literal

from proofwalk.experiments.plan.waiting import chance_of_waiting, servers_for
from proofwalk.kernel.errors import ProofwalkError, invalid

Policy = Literal["literal", "model"]
USED = 0.8
"""Share of a node's processors and memory, and of a GPU's time, that is planned
with."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Constants of one episode; `constants.yaml` has them with their sources."""

    steps_per_episode: float
    literal_episode_s: float
    cpu_s_per_step: float
    cpu_s_per_session: float
    sandbox_mib: float
    sweep_s: float


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What is asked for."""

    tasks_per_hour: float
    policy: Policy = "literal"
    steps: float | None = None
    """Steps of an episode; None: as measured."""
    model_s_per_step: float | None = None
    """Seconds that the model takes for one step. Required for `model`."""
    tokens_per_step: float = 0.0
    """Tokens that are generated for a step, for the GPUs."""
    gpu_tokens_per_s: float | None = None
    """Of one GPU, all its sequences together. None if the model runs elsewhere."""
    provision_s: float = 0.0
    """Seconds of Terraform before and after a walk: minutes in a real cloud."""
    audit_s: float = 0.0
    """Seconds until the audit log is complete."""
    cooldown_s: float = 0.0
    """Seconds that an account rests between two episodes."""
    wait_s: float = 60.0
    """Longest wait for a sandbox or an account that is accepted, in seconds."""
    wait_share: float = 0.01
    """Share of the episodes that may wait longer."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A machine that carries sandboxes."""

    cpus: float
    gib: float
    spare: int = 1
    """Nodes that may be away."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Price of one hour of each resource, all in one currency. The default 0 makes a
    resource free."""

    node: float = 0.0
    gpu: float = 0.0
    account: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Line:
    """One figure of a plan, and how it came about."""

    value: float
    how: str


def plan(demand: Demand, node: Node, prices: Prices, measured: Measured) -> Mapping[str, Line]:
    """Return the figures of an installation by name. Raises `plan.bad_demand`."""
    _check(demand, node)
    steps = measured.steps_per_episode if demand.steps is None else demand.steps
    per_second = demand.tasks_per_hour / 3600
    acting = _acting(demand, steps, measured)
    # A sandbox is held from the walk's beginning to its end: provisioning needs none.
    sandbox_load = per_second * acting
    account_s = acting + demand.provision_s + demand.audit_s + measured.sweep_s + demand.cooldown_s
    sandboxes = servers_for(
        sandbox_load, held_s=acting, wait_s=demand.wait_s, share=demand.wait_share
    )
    accounts = servers_for(
        per_second * account_s, held_s=account_s, wait_s=demand.wait_s, share=demand.wait_share
    )
    lines = {
        "episode_s": Line(value=acting, how=_pace(demand, steps)),
        "under_way": Line(value=sandbox_load, how="episodes an hour × seconds, by Little's law"),
        "sandboxes": Line(
            value=sandboxes,
            how=(
                f"of {demand.wait_share:.2%} of the episodes the wait is longer than"
                f" {demand.wait_s:g} s; {chance_of_waiting(sandboxes, sandbox_load):.1%} wait"
                " at all"
            ),
        ),
        "accounts": Line(
            value=accounts,
            how=f"each is held for {account_s:.0f} s: provision, walk, audit log, sweep, rest",
        ),
        **_nodes(
            node,
            measured,
            cpu_s=_cpu_s(measured, steps),
            per_second=per_second,
            sandboxes=sandboxes,
        ),
        **_gpus(demand, per_second * steps),
    }
    return {**lines, **_costs(demand, prices, lines)}


def _cpu_s(measured: Measured, steps: float) -> float:
    """Return the processor seconds of an episode."""
    return measured.cpu_s_per_session + steps * measured.cpu_s_per_step


def _nodes(
    node: Node, measured: Measured, *, cpu_s: float, per_second: float, sandboxes: int
) -> dict[str, Line]:
    """Return cores, memory and nodes for episodes of `cpu_s` processor seconds each."""
    cores = per_second * cpu_s
    gib = sandboxes * measured.sandbox_mib / 1024
    by_cpu, by_memory = ceil(cores / (node.cpus * USED)), ceil(gib / (node.gib * USED))
    return {
        "cores": Line(value=cores, how=f"{cpu_s:.1f} processor seconds an episode"),
        "gib": Line(value=gib, how=f"{measured.sandbox_mib:.0f} MB a sandbox"),
        "nodes": Line(
            value=max(by_cpu, by_memory, 1) + node.spare,
            how=(
                f"{by_cpu} by processors, {by_memory} by memory, at {USED:.0%} of a node; and"
                f" {node.spare} spare"
            ),
        ),
    }


def _gpus(demand: Demand, steps_per_second: float) -> dict[str, Line]:
    """Return the GPUs of an own model; nothing for a demand without one."""
    if demand.policy != "model" or demand.gpu_tokens_per_s is None:
        return {}
    tokens = steps_per_second * demand.tokens_per_step
    gpus = ceil(tokens / (demand.gpu_tokens_per_s * USED))
    how = f"{tokens:.0f} tokens a second, at {USED:.0%} of a GPU's"
    return {"gpus": Line(value=gpus, how=how)}


def _costs(demand: Demand, prices: Prices, lines: Mapping[str, Line]) -> dict[str, Line]:
    """Return the cost of an hour and of a task; nothing if all is free."""
    gpus = lines["gpus"].value if "gpus" in lines else 0
    cost = (
        lines["nodes"].value * prices.node
        + gpus * prices.gpu
        + lines["accounts"].value * prices.account
    )
    if not cost:
        return {}
    return {
        "cost_per_hour": Line(value=cost, how="nodes, GPUs and accounts at the given prices"),
        "cost_per_task": Line(
            value=cost / demand.tasks_per_hour, how="an hour's cost over its tasks"
        ),
    }


def _acting(demand: Demand, steps: float, measured: Measured) -> float:
    """Return the seconds of an episode that need a sandbox."""
    per_step = measured.literal_episode_s / measured.steps_per_episode
    return steps * (per_step + (demand.model_s_per_step or 0.0))


def _pace(demand: Demand, steps: float) -> str:
    thinking = (
        f", and {demand.model_s_per_step:g} s of thinking a step"
        if demand.policy == "model"
        else ""
    )
    return f"{steps:.1f} steps at the measured pace{thinking}"


def _check(demand: Demand, node: Node) -> None:
    if demand.policy == "model" and demand.model_s_per_step is None:
        raise _bad(
            "a model's seconds a step are not known here",
            hint="measure it (proofwalk bench run …) and give --model-seconds",
        )
    if demand.policy == "literal" and demand.model_s_per_step is not None:
        raise _bad(
            "the literal policy asks no model", hint="--policy model, or leave --model-seconds out"
        )
    if demand.gpu_tokens_per_s is not None and not demand.tokens_per_step:
        raise _bad("how many tokens a step has is not known here", hint="give --tokens-per-step")
    positive = {
        "tasks an hour": demand.tasks_per_hour,
        "steps": 1.0 if demand.steps is None else demand.steps,
        "tokens a second": 1.0 if demand.gpu_tokens_per_s is None else demand.gpu_tokens_per_s,
        "a node's processors": node.cpus,
        "a node's memory": node.gib,
    }
    for what, value in positive.items():
        if not 0 < value < float("inf"):
            raise _bad(f"{what} must be more than 0, not {value:g}")
    if not 0 < demand.wait_share < 1:
        raise _bad(f"the share that may wait is between 0 and 1, not {demand.wait_share:g}")


def _bad(why: str, *, hint: str = "proofwalk plan --help") -> ProofwalkError:
    return invalid("plan.bad_demand", why, hint=hint)
