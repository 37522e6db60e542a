"""What is left to chance in a group: scenarios, draws of the model, temperature."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from proofwalk.chassis.logs import Redaction
from proofwalk.kernel.clock import Clock
from proofwalk.models.asking import Model
from proofwalk.models.settings import ModelSettings
from proofwalk.rollout.browser_walker import BrowserWalker
from proofwalk.rollout.drivers import Drivers
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.walk_order import WalkOrder
from proofwalk.rollout.walk_policies import WalkPolicies
from proofwalk.rollout.worker import Worker
from tests.rollout.groups import TASK, Place
from tests.rollout.setting import asking


async def test_members_differ_in_what_is_left_to_chance_and_share_the_temperature(
    here: Place,
) -> None:
    await here.groups.run("run.1.stop", TASK, size=2, temperature=0.75)
    await here.setting.create("ver_1")
    await here.finish(0, 1)
    await here.setting.finish("ver_1")
    one, other, usual = here.setting.world.walker.orders
    assert one.seed != other.seed
    assert [one.temperature, other.temperature, usual.temperature] == [0.75, 0.75, None]
    assert [one.keeps_looks, other.keeps_looks, usual.keeps_looks] == [False, False, True]


async def test_a_scenario_decides_what_a_model_draws_for_each_member_by_itself(here: Place) -> None:
    await here.groups.run("run.1.stop", TASK, size=2)
    await here.finish(0, 1)
    one, other = here.setting.world.walker.orders
    assert (one.draws, other.draws) == ("", ""), "outside of one it is left to chance"
    calm = one.asked.model_copy(update={"scenario": "calm-1"})
    within = [replace(order, asked=calm).draws for order in (one, other)]
    assert within == [one.seed, other.seed]
    assert all(within)
    assert within[0] != within[1]


@pytest.mark.parametrize(
    ("policy", "temperature", "asked"),
    [
        ("llm", None, 0.0),
        ("llm", 0.75, 0.75),
        ("llm", 0.0, 0.0),
        ("cascade", 0.75, 0.75),
        ("literal", 0.75, 0.0),
    ],
)
async def test_a_model_is_asked_at_the_group_s_temperature(
    here: Place,
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    temperature: float | None,
    asked: float,
) -> None:
    used: list[float] = []
    closed: list[float] = []

    @asynccontextmanager
    async def models(chosen: float) -> AsyncIterator[Model | None]:
        yield Model(client=None, settings=ModelSettings(temperature=chosen))  # type: ignore[arg-type]
        closed.append(chosen)

    async def walk(
        self: BrowserWalker,
        order: WalkOrder,
        listeners: WalkListeners,
        model: Model,
        clock: Clock,
    ) -> Any:
        used.append(model.settings.temperature)
        return await here.setting.world.walker.walk(order, listeners, clock=clock)

    monkeypatch.setattr(BrowserWalker, "_walk", walk)
    usual = Model(client=None, settings=ModelSettings())  # type: ignore[arg-type]
    catalog: Any = None
    walker = BrowserWalker(
        catalog,
        {},
        drivers=Drivers(),
        policies=WalkPolicies(
            clock=here.setting.clock, redaction=Redaction(), model=usual, models=models
        ),
    )
    task = asking(policy=policy)
    await here.groups.run("run.1.stop", task, size=1, temperature=temperature)
    deps = here.setting.deps()
    peers = replace(deps.peers, walker=walker)
    monkeypatch.setattr(walker, "tool", lambda target: "chromium")
    monkeypatch.setattr(walker, "allowed_hosts", lambda target: [])
    monkeypatch.setattr(walker, "secret_names", lambda target, names: frozenset(names))
    await Worker(replace(deps, peers=peers), ids=here.setting.ids, holder="w").attend(
        "run.1.stop.0"
    )
    assert [member.judgement.outcome.kind for member in await here.watched()] == ["verified"]
    assert used == [asked]
    assert closed == ([] if policy == "literal" or temperature is None else [temperature])
