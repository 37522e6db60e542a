"""Single decisions: what counts as the same state, which actions are right there, how
an answer is scored."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from proofwalk.console import actions as a
from proofwalk.console.observation import Observation, State
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.samples import Recipe, samples_of
from proofwalk.datasets.singlestep import (
    Pair,
    Score,
    accuracy,
    choose,
    pairs_of,
    read_pairs,
    score,
    write_pairs,
)
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.settings import ModelSettings
from tests.datasets.kit import collect, element, page, step, task_of

RECIPE = Recipe(settings=ModelSettings(vision=False))
END = page("done", element(1, "Back", "link"))


async def base(folder: Path) -> Episode:
    return await collect(Collection(folder / "c"), folder, task_of())


def walk(
    base: Episode,
    *steps: tuple[a.Action, Observation],
    policy: str = "literal",
    bound: str = "web-2",
    substep: int = 0,
) -> Episode:
    """The episode with these steps (action, page) instead, at one sub-step, and an
    end."""
    made = [
        step(number, action, seen, substep=str(substep + 1), substep_index=substep)
        for number, (action, seen) in enumerate(steps, start=1)
    ]
    ended = step(
        len(made) + 1, a.SubStepComplete(), END, substep=str(substep + 1), substep_index=substep
    )
    row = replace(base.notes.row, policy=policy)
    about = replace(base.about, episode_id=f"ep_{policy}")
    return replace(
        base,
        steps=(*made, ended),
        notes=replace(base.notes, row=row, binds={"the instance": bound}),
        about=about,
    )


def pairs(*episodes: Episode) -> list[Pair]:
    return pairs_of(samples_of(one, RECIPE) for one in episodes)


def right(pair: Pair) -> list[dict[str, object]]:
    found = [a.parse_action(one) for one in pair.right]
    return [
        {"type": one.type, **one.model_dump(mode="json", exclude_defaults=True)} for one in found
    ]


async def test_what_two_teachers_did_on_equal_pages_is_right_on_both(tmp_path: Path) -> None:
    there = await base(tmp_path)
    first = page(
        "list",
        element(1, "Stop", row="web-2 | pwaaaaaa-disk | 47.96.1.2 | 2026-01-01 10:00:00"),
        element(2, "More", row="web-2"),
        element(3, "Close"),
    )
    # Another run: other names, other times, other marks.
    second = page(
        "list",
        element(5, "Stop", row="pw123abc-db | pwbbbbbb-disk | 8.130.17.4 | 2026-02-03 11:12:13"),
        element(9, "More", row="pw123abc-db"),
    )
    literal = walk(there, (a.Click(id=1), first))
    oracle = walk(there, (a.Click(id=9), second), policy="scripted", bound="pw123abc-db")
    found = {pair.id: pair for pair in pairs(literal, oracle)}
    pair = found["ecs-stop.literal.1/1"]
    assert right(pair) == [{"type": "click", "id": 1}, {"type": "click", "id": 2}]
    assert pair.walks == 2
    assert "ecs-stop.scripted.1/1" not in found, "a state is asked once"


async def test_other_values_or_another_substep_are_another_state(tmp_path: Path) -> None:
    there = await base(tmp_path)
    empty = page("form", element(1, "Name", "textbox"), element(2, "OK"))
    filled = page("form", element(1, "Name", "textbox", value="x"), element(2, "OK"))
    network = page("form", element(1, "Name", "textbox"), element(2, "OK"), texts=["10.0.0.0/8"])
    literal = walk(there, (a.Type(id=1, text="x"), empty))
    for other in (
        walk(there, (a.Click(id=2), filled), policy="scripted"),
        walk(there, (a.Click(id=2), empty), policy="scripted", substep=1),
        walk(there, (a.Click(id=2), network), policy="scripted"),
    ):
        found = [pair for pair in pairs(literal, other) if pair.id == "ecs-stop.literal.1/1"]
        assert right(found[0]) == [{"type": "type", "id": 1, "text": "x"}]


async def test_an_end_is_not_right_where_another_walk_goes_on(tmp_path: Path) -> None:
    there = await base(tmp_path)
    seen = page("form", element(1, "OK"))
    goes_on = walk(there, (a.Click(id=1), seen))
    ends = replace(
        goes_on,
        steps=(step(1, a.SubStepComplete(), seen),),
        notes=replace(goes_on.notes, row=replace(goes_on.notes.row, run=2)),
    )
    found = pairs(goes_on, ends)
    assert [right(pair) for pair in found if pair.id.endswith("/1")] == [
        [{"type": "click", "id": 1}],
        [{"type": "sub_step_complete"}],
    ]


async def test_equal_effects_by_name_role_and_state(tmp_path: Path) -> None:
    there = await base(tmp_path)
    seen = page(
        "form",
        element(1, "Instances", "link"),
        element(2, "Instances", "link"),
        element(3, "Instances", "link", row="another place"),
        element(4, "I agree", "checkbox"),
        element(5, "Name", "textbox"),
        element(6, "Name", "textbox"),
        element(7, "Backup", "switch", states=frozenset({State.CHECKED})),
    )

    def of(action: a.Action) -> list[dict[str, object]]:
        return next(
            right(pair) for pair in pairs(walk(there, (action, seen))) if pair.id.endswith("/1")
        )

    assert of(a.Click(id=1)) == [
        {"type": "click", "id": 1},
        {"type": "click", "id": 2},
        {"type": "go_to", "url": END.url},
    ]
    assert of(a.Click(id=4)) == [
        {"type": "click", "id": 4},
        {"type": "set_checked", "id": 4, "checked": True},
    ]
    assert of(a.SetChecked(id=7, checked=False)) == [
        {"type": "set_checked", "id": 7, "checked": False},
        {"type": "click", "id": 7},
    ]
    assert of(a.SetChecked(id=4, checked=False)) == [
        {"type": "set_checked", "id": 4, "checked": False}
    ]
    assert of(a.Type(id=5, text="x")) == [{"type": "type", "id": 5, "text": "x"}]


async def test_a_choice_in_one_step_or_two_and_a_page_by_its_address(tmp_path: Path) -> None:
    there = await base(tmp_path)
    zone, option = element(1, "Zone", "combobox"), element(2, "Zone H", "option", container="Zone")
    closed, open_ = page("form", zone), page("form", zone, option)
    chosen = page("form", replace(zone, value="Zone H"))
    by_hand = pairs(
        walk(there, (a.Click(id=1), closed), (a.Click(id=2), open_), (a.SubStepComplete(), chosen))
    )
    assert right(by_hand[0]) == [
        {"type": "click", "id": 1},
        {"type": "select", "id": 1, "option": "Zone H"},
    ]
    at_once = pairs(
        walk(there, (a.Select(id=1, option="Zone H"), closed), (a.SubStepComplete(), chosen))
    )
    assert right(at_once[0]) == [
        {"type": "select", "id": 1, "option": "Zone H"},
        {"type": "click", "id": 1},
    ]
    led = pairs(walk(there, (a.Click(id=1), page("home", element(1, "Disks", "link")))))
    assert right(led[0]) == [{"type": "click", "id": 1}, {"type": "go_to", "url": END.url}]
    pressed = pairs(walk(there, (a.Click(id=1), page("home", element(1, "Create")))))
    assert right(pressed[0]) == [{"type": "click", "id": 1}], "a button may do more than lead there"


async def test_the_last_substep_ends_in_either_way(tmp_path: Path) -> None:
    episode = await base(tmp_path)
    by_end = {
        pair.sample.substep: right(pair) for pair in pairs(episode) if "complete" in pair.right[0]
    }
    assert by_end["4"] == [{"type": "task_complete"}, {"type": "sub_step_complete"}]
    assert by_end["1"] == [{"type": "sub_step_complete"}]


def answer(**action: object) -> str:
    return json.dumps({"thought": "so", "action": action})


async def test_an_answer_is_right_when_it_does_one_of_the_right_things(tmp_path: Path) -> None:
    there = await base(tmp_path)
    seen = page("form", element(1, "Name", "textbox"), element(2, "OK"))
    typed = pairs(walk(there, (a.Type(id=1, text="web"), seen)))[0]
    assert score(typed, answer(type="type", id=1, text=" web ", clear=False)) == Score(
        readable=True, action=True, element=True, right=True
    )
    assert score(typed, answer(type="type", id=1, text="db")) == Score(
        readable=True, action=True, element=True
    )
    assert score(typed, answer(type="type", id=2, text="web")) == Score(readable=True, action=True)
    assert score(typed, answer(type="click", id=1)) == Score(readable=True)
    assert score(typed, "I would type it.") == Score(readable=False)
    ended = next(pair for pair in pairs(there) if "complete" in pair.right[0])
    assert score(ended, answer(type="sub_step_complete", note="I am done here")).right
    for pair in pairs(there):
        assert score(pair, pair.sample.answer).right, "what the teacher did is right"


async def test_the_figures_are_over_runs(tmp_path: Path) -> None:
    found = pairs(await base(tmp_path))[:2]
    yes, no = Score(readable=True, action=True, element=True, right=True), Score(readable=False)
    figures = accuracy(found, [[yes, no], [yes, yes], [no, no]])
    assert (figures["accuracy"], figures["std"], figures["runs"], figures["pairs"]) == (
        0.5,
        0.5,
        3,
        2,
    )
    assert figures["by_product"] == {"ecs": 0.5}
    with pytest.raises(ProofwalkError) as refused:
        accuracy(found, [[yes]])
    assert refused.value.code == "data.bad_scores"


async def test_products_and_kinds_of_action_take_turns_in_the_draw(tmp_path: Path) -> None:
    sample = pairs(await base(tmp_path))[0].sample

    def pair(number: int, product: str, *actions: a.Action) -> Pair:
        texts = tuple(json.dumps(one.model_dump(mode="json")) for one in actions)
        return Pair(
            id=f"{product}/{number:03}",
            sample=replace(sample, product=product),
            right=texts,
            walks=1,
        )

    many = [pair(number, "ecs", a.Click(id=number)) for number in range(1, 60)]
    few = [pair(number, "rds", a.Click(id=number)) for number in range(1, 6)]
    typed = [pair(number, "vpc", a.Type(id=number, text="x")) for number in range(1, 6)]
    several = pair(99, "ecs", a.Click(id=1), a.Click(id=2))
    drawn = choose([*many, *few, *typed, several], count=18, seed=1)
    assert Counter(one.sample.product for one in drawn) == {"ecs": 8, "rds": 5, "vpc": 5}
    assert several in drawn
    assert drawn == choose([several, *typed, *few, *many], count=18, seed=1)
    assert drawn != choose([*many, *few, *typed, several], count=18, seed=2)
    assert len(choose(few, count=400)) == 5


async def test_pairs_are_a_file_and_come_back(tmp_path: Path) -> None:
    found = pairs(await base(tmp_path))
    path = tmp_path / "pairs.jsonl"
    write_pairs(path, found, about={"seed": 3})
    head, back = read_pairs(path)
    assert (head["seed"], back) == (3, found)
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(ProofwalkError) as refused:
        read_pairs(path)
    assert refused.value.code == "data.bad_pairs"
