"""MiniWoB++: the tasks that there are, their seeds, and right answers that are
rewarded."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from proofwalk.console.observation import Observation
from proofwalk.gym.episode import ConsoleEpisode
from proofwalk.gym.episode_answers import Stepped
from proofwalk.gym.miniwob import MiniwobSite, MiniwobTask, task_names
from proofwalk.gym.tasks import resolve
from proofwalk.kernel.outcomes import OutcomeKind
from tests.console.gym.conftest import click, mark

Open = Callable[..., ConsoleEpisode]


def test_there_are_125_tasks() -> None:
    names = task_names()
    assert len(names) == 125
    assert {"click-test", "book-flight", "use-slider-2", "visual-addition"} <= set(names)


def _quoted(goal: str) -> list[str]:
    return goal.split('"')[1::2]


def _type(observation: Observation, text: str, nth: int = 0, input_type: str = "") -> str:
    fields = [
        e
        for e in observation.elements
        if e.tag == "input" and (not input_type or e.input_type == input_type)
    ]
    return json.dumps({"type": "type", "id": fields[nth].mark, "text": text})


async def _solve(name: str, episode: ConsoleEpisode, goal: str, seen: Observation) -> Stepped:
    words = _quoted(goal)
    match name:
        case "click-test-2" | "click-test":
            return await episode.step(click(seen, "ONE" if name.endswith("2") else "Click Me!"))
        case "click-button":
            return await episode.step(click(seen, words[0]))
        case "enter-text":
            seen = (await episode.step(_type(seen, words[0]))).observation
            return await episode.step(click(seen, "Submit"))
        case "login-user":
            seen = (await episode.step(_type(seen, words[0]))).observation
            seen = (await episode.step(_type(seen, words[1], input_type="password"))).observation
            return await episode.step(click(seen, "Login"))
        case _:
            assert name == "click-checkboxes"
            for word in [
                w.strip()
                for w in goal.removeprefix("Select ").partition(" and click")[0].split(",")
                if "nothing" not in w
            ]:
                box = json.dumps({"type": "set_checked", "id": mark(seen, word), "checked": True})
                seen = (await episode.step(box)).observation
            return await episode.step(click(seen, "Submit"))


@pytest.mark.parametrize(
    "name", ["click-test-2", "click-button", "enter-text", "login-user", "click-checkboxes"]
)
async def test_a_right_answer_is_rewarded(open_episode: Open, name: str) -> None:
    episode = open_episode(resolve(f"miniwob.{name}"))
    begun = await episode.reset(3)
    solved = await _solve(name, episode, begun.goal, begun.observation)
    assert solved.outcome is not None, solved.result.message
    assert (solved.reward, solved.outcome.kind) == (1.0, OutcomeKind.VERIFIED)


async def test_a_wrong_answer_is_not(open_episode: Open) -> None:
    episode = open_episode(resolve("miniwob.click-test-2"))
    begun = await episode.reset(0)
    lost = await episode.step(click(begun.observation, "TWO"))
    assert (lost.reward, lost.terminated, lost.validation.info["raw_reward"]) == (0.0, True, -1)


async def test_leaving_the_page_ends_the_episode_without_reward(open_episode: Open) -> None:
    with_site = MiniwobSite()
    episode = open_episode(MiniwobTask("click-test", site=with_site))
    try:
        await episode.reset(0)
        away = f"{with_site.base_url}click-button.html"
        left = await episode.step(json.dumps({"type": "go_to", "url": away}))
        assert (left.reward, left.terminated, dict(left.validation.info)) == (
            0.0,
            True,
            {"error": "the page was left"},
        )
    finally:
        await episode.close()
        with_site.close()


@pytest.mark.parametrize("name", ["click-button", "book-flight", "click-tab-2", "drag-items"])
async def test_a_seed_fixes_the_instance_whatever_way_it_is_reset(
    open_episode: Open, name: str
) -> None:
    episode = open_episode(resolve(f"miniwob.{name}"))
    looks = []
    for seed, mode in ((7, "full"), (8, "soft"), (7, "soft")):
        begun = await episode.reset(seed, mode)  # type: ignore[arg-type]
        described = [(e.role, e.name, e.value, e.box) for e in begun.observation.elements]
        looks.append((begun.goal, described, [(t.text, t.box) for t in begun.observation.texts]))
    assert looks[0] == looks[2]
    assert looks[0] != looks[1]
