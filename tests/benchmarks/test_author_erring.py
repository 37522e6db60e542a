"""Records that are wrong in known ways, on a part of the suite: none passes, and what
an erring endpoint serves is counted as what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.author.damage import DAMAGES, damaged
from benchmarks.author.erring import ErringEndpoint, Row, Run, errs_figures
from benchmarks.author.looking import RIGHT, Written, looked_at, written
from proofwalk.authoring.resources import World
from proofwalk.cli.author import world_of_devcloud
from proofwalk.suites.storage import load_suite

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def world() -> World:
    return world_of_devcloud()


@pytest.fixture(scope="module")
def some(world: World) -> list[Written]:
    return list(written(load_suite(ROOT / "suites" / "console-278").tasks[::23], world))


def test_right_records_pass_and_damaged_ones_do_not(some: list[Written], world: World) -> None:
    looks = looked_at(some, world)
    assert looks["right_pass"] == looks["records"] == len(some)
    assert looks["damaged_pass"] == 0
    assert looks["damaged"] > 15 * len(some)
    assert {"guard", "form", "coverage"} == set(looks["stopped_by"])


def test_a_damaged_record_is_another_one(some: list[Written]) -> None:
    for one in some:
        for name in one.damages:
            assert damaged(name, one.made, one.composed, seed=1) != one.made.yaml
    assert {name for one in some for name in one.damages} <= set(DAMAGES)


def asked(endpoint: ErringEndpoint, task: str) -> str:
    assert endpoint.answering is not None
    question = {"messages": [{"content": f"The id of the record is {task}."}]}
    return endpoint.answering(question).text


def test_an_endpoint_errs_at_its_rate_and_the_same_each_time(some: list[Written]) -> None:
    first, again = (ErringEndpoint(some, rate=0.5) for _ in range(2))
    for one in some * 20:
        assert asked(first, one.task) == asked(again, one.task)
    names = [name for served in first.served.values() for name in served]
    assert 0.35 < names.count(RIGHT) / len(names) < 0.7
    assert len(set(names)) > 10


def test_an_endpoint_that_always_errs_gives_no_right_record(some: list[Written]) -> None:
    endpoint = ErringEndpoint(some, rate=1.0)
    for one in some * 3:
        answer = asked(endpoint, one.task)
        if answer.startswith("{") and answer.endswith("}"):
            assert json.loads(answer)["record"] != one.made.yaml
    assert RIGHT not in {name for served in endpoint.served.values() for name in served}


def test_what_was_accepted_is_wrong_if_the_last_answer_was(some: list[Written]) -> None:
    run = Run(
        endpoint=ErringEndpoint(some, rate=0.5),
        rows=[
            Row(task="a", served=(RIGHT,), seconds=1),
            Row(task="b", served=("missing", RIGHT), seconds=2, tokens=(10, 4)),
            Row(task="c", served=("missing", "unbound"), refused="author.meta_not_proven"),
            Row(task="d", served=("unbound",)),
            Row(task="e", served=(), refused="model.away"),
        ],
    )
    figures = errs_figures(run, rate=0.5)
    assert (figures["n"], figures["answers"], figures["damaged"]) == (5, 6, 4)
    assert (figures["accepted"], figures["accepted_wrong"]) == (3, 1)
    assert (figures["wrong_first"], figures["mended"]) == (3, 1)
    assert figures["refused"] == {"author.meta_not_proven": 1, "model.away": 1}
    assert figures["kinds"]["missing"] == {
        "answers": 2,
        "first": 2,
        "mended": 1,
        "refused": 1,
        "accepted_wrong": 0,
    }
