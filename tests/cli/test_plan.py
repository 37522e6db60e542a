"""A plan follows from its demand; its constants are the measured ones; waiting is as in
the queue that is simulated."""

from __future__ import annotations

import heapq
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from proofwalk.cli.main import app
from proofwalk.cli.plan import constants, measured
from proofwalk.experiments.plan.capacity import Demand, Node, Prices, plan
from proofwalk.experiments.plan.waiting import chance_of_waiting, servers_for
from proofwalk.kernel.errors import ProofwalkError

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
NODE = Node(cpus=16, gib=64)


def _figure(content: Any, path: str) -> float:
    """The figure at a dotted path; a key may have dots itself."""
    while path:
        key = next(
            key
            for key in sorted(content, key=len, reverse=True)
            if path == key or path.startswith(f"{key}.")
        )
        content, path = content[key], path[len(key) + 1 :]
    return float(content)


@pytest.mark.parametrize("name", sorted(constants()))
def test_a_constant_is_the_figure_of_its_source(name: str) -> None:
    one = constants()[name]
    file, _, path = one["source"].partition(":")
    found = _figure(json.loads((RESULTS / file).read_text()), path) * one.get("scale", 1)
    assert one["value"] == pytest.approx(found, rel=1e-3)
    assert one["about"]


@pytest.mark.parametrize(
    ("servers", "load", "wanted"),
    # by hand: c = 1 is the load itself; c = 2, a = 1 is 1/3; c = 10, a = 7 is in tables
    # of Erlang C
    [(1, 0.4, 0.4), (2, 1.0, 1 / 3), (10, 7.0, 0.2217), (3, 3.0, 1.0), (3, 0.0, 0.0)],
)
def test_erlang_c_has_the_values_of_the_tables(servers: int, load: float, wanted: float) -> None:
    assert chance_of_waiting(servers, load) == pytest.approx(wanted, abs=1e-4)


def test_a_simulated_queue_waits_as_the_formula_says() -> None:
    chance, load, servers = Random(7), 8.0, 10
    free = [0.0] * servers
    waited = now = 0.0
    for _ in range(60_000):
        now += chance.expovariate(load)
        begins = max(now, heapq.heappop(free))
        waited += begins > now
        heapq.heappush(free, begins + chance.expovariate(1.0))
    assert waited / 60_000 == pytest.approx(chance_of_waiting(servers, load), abs=0.03)


@given(
    load=st.floats(0.01, 500),
    held=st.floats(1, 3600),
    wait=st.floats(0, 600),
    share=st.floats(0.001, 0.5),
)
def test_one_server_fewer_would_not_do(load: float, held: float, wait: float, share: float) -> None:
    servers = servers_for(load, held_s=held, wait_s=wait, share=share)
    assert servers > load
    if servers - 1 > load:
        fewer = chance_of_waiting(servers - 1, load) * 2.718281828459045 ** (
            -(servers - 1 - load) * wait / held
        )
        assert fewer > share


def test_many_servers_are_found_at_once() -> None:
    assert 100_000 < servers_for(100_000.0, held_s=600, wait_s=10, share=0.01) < 101_000


@given(more=st.floats(1.01, 20))
def test_more_tasks_never_need_less(more: float) -> None:
    few, many = (
        plan(Demand(tasks_per_hour=100 * times), NODE, Prices(node=1), measured())
        for times in (1, more)
    )
    assert few.keys() == many.keys()
    assert all(
        few[name].value <= many[name].value
        for name in ("sandboxes", "accounts", "cores", "nodes", "cost_per_hour")
    )


def test_what_is_slow_is_paid_in_sandboxes_or_accounts() -> None:
    base = plan(Demand(tasks_per_hour=300), NODE, Prices(), measured())
    thinking = plan(
        Demand(tasks_per_hour=300, policy="model", model_s_per_step=10), NODE, Prices(), measured()
    )
    cloud = plan(Demand(tasks_per_hour=300, provision_s=600), NODE, Prices(), measured())
    assert thinking["sandboxes"].value > base["sandboxes"].value
    assert cloud["sandboxes"].value == base["sandboxes"].value
    assert cloud["accounts"].value > base["accounts"].value + 40
    assert "gpus" not in thinking
    assert "cost_per_hour" not in base


def test_gpus_are_counted_by_tokens() -> None:
    demand = Demand(
        tasks_per_hour=3600,
        policy="model",
        steps=10,
        model_s_per_step=1,
        tokens_per_step=100,
        gpu_tokens_per_s=1000,
    )
    found = plan(demand, NODE, Prices(gpu=2), measured())
    assert found["gpus"].value == 2  # 1,000 tokens a second at 80 % of 1,000 each
    assert found["cost_per_hour"].value == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"policy": "model"}, "seconds a step"),
        ({"model_s_per_step": 2.0}, "asks no model"),
        ({"policy": "model", "model_s_per_step": 1.0, "gpu_tokens_per_s": 10.0}, "tokens a step"),
        ({"tasks_per_hour": 0.0}, "tasks an hour"),
        ({"tasks_per_hour": float("inf")}, "tasks an hour"),
        ({"steps": -1.0}, "steps"),
        ({"wait_share": 1.0}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_planned_is_said(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ProofwalkError, match=says) as caught:
        plan(Demand(**{"tasks_per_hour": 10.0, **arguments}), NODE, Prices(), measured())
    assert caught.value.code == "plan.bad_demand"


def test_the_command_prints_a_table_and_json() -> None:
    runner = CliRunner()
    table = runner.invoke(
        app, ["plan", "--tasks-per-hour", "300", "--node-price", "0.5"], terminal_width=160
    )
    assert table.exit_code == 0
    assert "sandboxes" in table.stdout
    found = json.loads(
        runner.invoke(app, ["plan", "--tasks-per-hour", "300", "--format", "json"]).stdout
    )
    assert (
        found["figures"]["sandboxes"]["value"]
        >= 300 / 3600 * found["figures"]["episode_s"]["value"]
    )
    assert found["constants"]["sweep_s"]["source"].startswith("episode.json:")
    assert runner.invoke(app, ["plan", "--tasks-per-hour", "3", "--policy", "none"]).exit_code == 2
    refused = runner.invoke(app, ["plan", "--tasks-per-hour", "3", "--policy", "model"])
    assert refused.exit_code == 2
