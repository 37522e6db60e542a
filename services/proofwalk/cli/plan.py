"""`proofwalk plan`: from episodes an hour to sandboxes, accounts, nodes, GPUs and cost.
Exit codes: 0 done, 2 usage."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Literal, Required, TypedDict, get_args

import typer
import yaml
from rich.console import Console
from rich.table import Table

from proofwalk.cli.running import run
from proofwalk.experiments.plan.capacity import Demand, Line, Measured, Node, Policy, Prices, plan

UNITS: Mapping[str, str] = {
    "episode_s": "seconds of an episode with a sandbox",
    "under_way": "episodes under way",
    "sandboxes": "sandboxes",
    "accounts": "accounts",
    "cores": "processors that are busy",
    "gib": "GiB of sandboxes",
    "nodes": "nodes",
    "gpus": "GPUs",
    "cost_per_hour": "cost an hour",
    "cost_per_task": "cost a task",
}


def measured() -> Measured:
    """The constants of `constants.yaml`."""
    return Measured(**{name: float(one["value"]) for name, one in constants().items()})


class Constant(TypedDict, total=False):
    """An entry of `constants.yaml`."""

    value: Required[float]
    source: str
    scale: float
    about: str


def constants() -> Mapping[str, Constant]:
    """Each constant with its value, source and what it is."""
    text = (files("proofwalk.experiments.plan") / "constants.yaml").read_text(encoding="utf-8")
    read: dict[str, Constant] = yaml.safe_load(text)
    return read


def plan_command(
    tasks_per_hour: Annotated[
        float, typer.Option("--tasks-per-hour", help="Episodes an hour.", show_default=False)
    ],
    policy: Annotated[
        str, typer.Option(help=f"Who decides each step: {', '.join(get_args(Policy))}.")
    ] = "literal",
    steps: Annotated[
        float | None, typer.Option(help="Steps of an episode; as measured unless said.")
    ] = None,
    model_seconds: Annotated[
        float | None, typer.Option("--model-seconds", help="Seconds a model takes for a step.")
    ] = None,
    tokens_per_step: Annotated[float, typer.Option(help="Tokens generated for a step.")] = 0.0,
    gpu_tokens_per_s: Annotated[
        float | None, typer.Option(help="Tokens a second that one GPU generates.")
    ] = None,
    provision_s: Annotated[float, typer.Option(help="Seconds of Terraform an episode.")] = 0.0,
    audit_s: Annotated[float, typer.Option(help="Seconds until the audit log is complete.")] = 0.0,
    cooldown_s: Annotated[float, typer.Option(help="Seconds that an account rests.")] = 0.0,
    wait_s: Annotated[float, typer.Option(help="A wait that is borne, in seconds.")] = 60.0,
    wait_share: Annotated[
        float, typer.Option(help="Share of the episodes that may wait longer.")
    ] = 0.01,
    node_cpus: Annotated[float, typer.Option(help="Processors of a node.")] = 16.0,
    node_gib: Annotated[float, typer.Option(help="Memory of a node, GiB.")] = 64.0,
    spare_nodes: Annotated[int, typer.Option(min=0, help="Nodes that may be away.")] = 1,
    node_price: Annotated[float, typer.Option(min=0, help="Price of a node an hour.")] = 0.0,
    gpu_price: Annotated[float, typer.Option(min=0, help="Price of a GPU an hour.")] = 0.0,
    account_price: Annotated[float, typer.Option(min=0, help="Price of an account an hour.")] = 0.0,
    format_: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How the plan is written.")
    ] = "table",
) -> None:
    """Size an installation for a number of episodes an hour, from measured figures."""
    if policy not in get_args(Policy):
        raise typer.BadParameter(f"one of {', '.join(get_args(Policy))}", param_hint="--policy")
    demand = Demand(
        tasks_per_hour=tasks_per_hour,
        policy=policy,  # type: ignore[arg-type]  # checked above
        steps=steps,
        model_s_per_step=model_seconds,
        tokens_per_step=tokens_per_step,
        gpu_tokens_per_s=gpu_tokens_per_s,
        provision_s=provision_s,
        audit_s=audit_s,
        cooldown_s=cooldown_s,
        wait_s=wait_s,
        wait_share=wait_share,
    )
    node = Node(cpus=node_cpus, gib=node_gib, spare=spare_nodes)
    prices = Prices(node=node_price, gpu=gpu_price, account=account_price)
    run(_print(demand, node, prices, as_json=format_ == "json"))


async def _print(demand: Demand, node: Node, prices: Prices, *, as_json: bool) -> None:
    found = plan(demand, node, prices, measured())
    if as_json:
        figures = {name: {"value": line.value, "how": line.how} for name, line in found.items()}
        sys.stdout.write(
            json.dumps({"figures": figures, "constants": constants()}, ensure_ascii=False, indent=2)
            + "\n"
        )
        return
    table = Table(
        "", "", "how", title=f"{demand.tasks_per_hour:g} episodes an hour, policy {demand.policy}"
    )
    for name, line in found.items():
        table.add_row(UNITS[name], shown(line), line.how)
    Console().print(table)


def shown(line: Line) -> str:
    """A figure as people read it."""
    return (
        f"{line.value:.0f}"
        if line.value >= 100 or line.value == int(line.value)
        else f"{line.value:.3g}"
    )
