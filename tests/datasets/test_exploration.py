"""Self-exploration whole: a scripted proposer, a console in memory, a folder that goes
on where it was stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proofwalk.datasets.collection import Collection
from proofwalk.datasets.exploration import coverage, figures, journal
from proofwalk.datasets.exploration.operations import Operation, Product, Resource
from proofwalk.datasets.exploration.proposer import Proposer
from proofwalk.datasets.exploration.rounds import Bounds, Ending, Explorer
from proofwalk.datasets.filters import episode_rule
from proofwalk.datasets.samples import Recipe, samples_of
from proofwalk.datasets.statistics import Census, page
from proofwalk.datasets.verdicts import EpisodeRule
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.models.asking import Model
from proofwalk.models.settings import ModelSettings
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Task
from tests.datasets.kit import Scripted, collect, row_for

ECS = Product(
    id="ecs",
    title="Elastic Compute Service",
    service="Ecs",
    entry="/ecs",
    resources=(
        Resource(
            id="instance",
            label="Instance",
            events={
                Operation.READ: ("DescribeInstances",),
                Operation.UPDATE: ("StopInstance", "StartInstance"),
            },
        ),
    ),
)
LIST = "In the left-side navigation pane, choose **Instances & Images** > **Instances**."
LOOK = {"operation": "read", "title": "View the instances", "steps": [LIST]}
STOP = {
    "operation": "update",
    "title": "Stop an instance",
    "steps": [LIST, "Find the instance and click **Stop**.", "Click **OK**."],
}
HOME = {
    "operation": "read",
    "title": "Look at the overview",
    "steps": ["In the left-side navigation pane, click **Overview**."],
}


def said(members: dict[str, Any]) -> str:
    return json.dumps({"why": "unseen", "resource": "instance", "name": "", **members})


class FakeWalks:
    """Walks a console in memory with the literal policy; what comes of the walks is
    scripted, `verified` where the script is over."""

    def __init__(
        self, collection: Collection, scratch: Path, outcomes: list[str], *, dies_at: int = 0
    ) -> None:
        self._collection = collection
        self._scratch = scratch
        self._outcomes = outcomes
        self._dies_at = dies_at
        self.rows: dict[str, Row] = {}
        self.walked: list[str] = []
        self.clock = ManualClock()

    def row_of(self, task: Task) -> Row | None:
        return self.rows.get(task.id)

    async def walk(self, task: Task) -> Row:
        if len(self.walked) + 1 == self._dies_at:
            self._dies_at = 0
            raise unavailable("client.unreachable", "killed")
        self.walked.append(task.id)
        self.clock.advance(60)
        outcome = self._outcomes.pop(0) if self._outcomes else "verified"
        episode = await collect(self._collection, self._scratch, task, outcome=outcome)
        self.rows[task.id] = row_for(
            task, outcome, extra={"episode": episode.name}, steps=len(episode.steps), cost=0.5
        )
        return self.rows[task.id]


class Place:
    """A folder, and what explores into it."""

    def __init__(
        self,
        folder: Path,
        answer: Callable[[int, str], str],
        outcomes: list[str] | None = None,
        *,
        dies_at: int = 0,
    ) -> None:
        self.folder = folder
        self.collection = Collection(folder / "c")
        self.walks = FakeWalks(self.collection, folder, outcomes or [], dies_at=dies_at)
        self.client = Scripted(answer)

    def explorer(
        self, rounds: int = 3, *, products: tuple[Product, ...] = (ECS,), **bounds: float
    ) -> Explorer:
        model = Model(client=self.client, settings=ModelSettings(name="tiny"))
        proposer = Proposer(model, code=lambda: "0123456789abcdef")
        return Explorer(
            Collection(self.folder / "c"),
            products,
            proposer,
            self.walks,
            bounds=Bounds(rounds=rounds, **bounds),
            clock=self.walks.clock,
        )

    def kept(self, name: str) -> Any:
        return json.loads((self.folder / "c" / name).read_text())


def in_turn(*proposals: dict[str, Any]) -> Callable[[int, str], str]:
    return lambda number, text: said(proposals[min(number, len(proposals)) - 1])


async def test_each_round_sees_more_and_is_told_what_was_seen(tmp_path: Path) -> None:
    place = Place(tmp_path, in_turn(HOME, LOOK, STOP), ["verified", "agent_failure", "verified"])
    explorer = place.explorer()
    assert await explorer.run() is Ending.ROUNDS
    assert place.walks.walked == [
        "ecs-read-instance-1",
        "ecs-read-instance-2",
        "ecs-update-instance-3",
    ]
    questions = [messages[-1].text for messages in place.client.asked]
    assert "None of its pages was seen so far." in questions[0]
    assert "button “Stop”" not in questions[1]
    assert "button “Stop”, seen" in questions[2], "the list was seen, and nobody stopped anything"
    assert "[agent_failure] read instance: View the instances" in questions[2]
    found = place.kept(figures.FILE)
    assert (found["rounds"], found["verified"], found["verified_share"]) == (3, 2, 0.6667)
    assert found["operations"] == {
        "create": {"walked": 0, "verified": 0},
        "read": {"walked": 2, "verified": 1},
        "update": {"walked": 1, "verified": 1},
        "delete": {"walked": 0, "verified": 0},
    }
    states = [states for _, states in found["curve"]]
    assert [at for at, _ in found["curve"]] == [1, 2, 3]
    assert states == sorted(states)
    assert states[2] > states[1] > states[0] > 0, "overview, list, dialog"
    assert found["states"] == states[-1] == len(coverage.Coverage.read(tmp_path / "c").states)
    assert 0 < found["labels"]["used"] < found["labels"]["seen"]


async def test_what_was_explored_is_a_collection_like_any_other(tmp_path: Path) -> None:
    place = Place(tmp_path, in_turn(HOME, LOOK), ["agent_failure", "verified"])
    await place.explorer(2).run()
    failed, verified = list(Collection(tmp_path / "c"))
    assert episode_rule(failed) is EpisodeRule.AGENT_FAILURE
    assert episode_rule(verified) is None
    made = samples_of(verified, Recipe(settings=ModelSettings(vision=False)))
    assert made.samples
    assert {one.suite for one in made.samples} == {"exploration"}
    census = Census()
    census.add(made)
    shown = page(
        "Explored", census.figures() | {"exploration": figures.read_figures(tmp_path / "c")}
    )
    assert "States seen, by round" in shown
    assert shown.count("<svg") == 1
    assert "<script" not in shown


async def test_a_stopped_exploration_goes_on_with_what_it_had_begun(tmp_path: Path) -> None:
    place = Place(tmp_path, in_turn(HOME, LOOK, STOP), dies_at=2)
    with pytest.raises(ProofwalkError, match="killed"):
        await place.explorer().run()
    assert len(place.client.asked) == 2
    (tmp_path / "c" / coverage.FILE).unlink()
    with (tmp_path / "c" / journal.FILE).open("a", encoding="utf-8") as file:
        file.write('{"round": 3, "prod')
    explorer = place.explorer()
    assert await explorer.run() is Ending.ROUNDS
    assert place.walks.walked == [
        "ecs-read-instance-1",
        "ecs-read-instance-2",
        "ecs-update-instance-3",
    ]
    assert len(place.client.asked) == 3, "what was proposed is walked, not asked for again"
    assert [at for at, _ in place.kept(figures.FILE)["curve"]] == [
        1,
        2,
        3,
    ], "the lost file was made again"
    before = place.kept(coverage.FILE)
    assert await place.explorer().run() is Ending.ROUNDS
    assert len(place.walks.walked) == 3
    assert place.kept(coverage.FILE) == before


async def test_an_environment_failure_counts_for_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path, in_turn(LOOK, LOOK, HOME), ["env_failure"])
    await place.explorer(2).run()
    found = place.kept(figures.FILE)
    assert len(place.walks.walked) == 3
    assert (
        found["rounds"],
        found["lost_to_environment"],
        found["verified_share"],
        found["answers_refused"],
    ) == (2, 1, 1.0, 0)
    assert [at for at, _ in found["curve"]] == [2, 3], "what it saw is not in the coverage"
    assert "lost: the environment failed" in place.client.asked[1][-1].text
    rules = {one.name: episode_rule(one) for one in Collection(tmp_path / "c")}
    assert rules["ecs-read-instance-1.literal.1"] is EpisodeRule.UNTOLD


async def test_it_stops_where_the_environment_goes_on_failing(tmp_path: Path) -> None:
    place = Place(tmp_path, in_turn(LOOK), ["env_failure"] * 9)
    with pytest.raises(ProofwalkError) as stopped:
        await place.explorer().run()
    assert (stopped.value.code, len(place.walks.walked)) == ("data.environment_failing", 3)


async def test_an_exploration_without_further_proposals_is_exhausted(tmp_path: Path) -> None:
    place = Place(tmp_path, in_turn(LOOK))
    assert await place.explorer(9).run() is Ending.EXHAUSTED
    found = place.kept(figures.FILE)
    assert (found["rounds"], found["without_proposal"], found["answers_refused"]) == (1, 3, 15)
    assert len(place.client.asked) == 16


async def test_minutes_and_cost_bound_it(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "c").mkdir()
    minutes = Place(tmp_path / "m", in_turn(HOME, LOOK, STOP))
    assert await minutes.explorer(9, minutes=1.5).run() is Ending.MINUTES
    assert len(minutes.walks.walked) == 2
    cost = Place(tmp_path / "c", in_turn(HOME, LOOK, STOP))
    assert await cost.explorer(9, cost=0.4).run() is Ending.COST
    assert len(cost.walks.walked) == 1


async def test_products_take_turns(tmp_path: Path) -> None:
    other = Product(
        id="vpc",
        title="Elastic Compute Service",
        service="Vpc",
        entry="/vpc",
        resources=ECS.resources,
    )
    place = Place(tmp_path, in_turn(HOME, HOME, LOOK, LOOK))
    await place.explorer(4, products=(ECS, other)).run()
    assert [name.split("-")[0] for name in place.walks.walked] == ["ecs", "vpc", "ecs", "vpc"]


async def test_a_task_that_is_gone_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path, in_turn(HOME))
    await place.explorer(1).run()
    file = tmp_path / "c" / journal.FILE
    file.write_text(file.read_text().replace("ecs-read-instance-1", "ecs-read-instance-7"))
    with pytest.raises(ProofwalkError, match=r"data\.unknown_task"):
        await place.explorer(2).run()


def test_a_journal_of_something_else_is_refused(tmp_path: Path) -> None:
    for line in (
        "[]",
        '{"round": 1}',
        '{"round": 1, "product": "ecs", "task": "t", "operation": "x", "steps": [], "refused": []}',
    ):
        (tmp_path / journal.FILE).write_text(line + "\n")
        with pytest.raises(ProofwalkError, match=r"data\.bad_proposals"):
            journal.ProposalJournal(tmp_path)


def test_a_broken_endpoint_is_the_environments(tmp_path: Path) -> None:
    def away(number: int, text: str) -> str:
        raise unavailable("model.unavailable", "no answer")

    place = Place(tmp_path, away)
    with pytest.raises(ProofwalkError, match=r"model\.unavailable"):
        asyncio.run(place.explorer().run())
    assert len(place.explorer().journal) == 0
