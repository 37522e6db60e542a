"""Questions of the shipped product files: META's outputs have the truth, and what
cannot be asked for is told with its reason."""

from __future__ import annotations

import re

import pytest

from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_material import Offer
from proofwalk.platform.devcloud_questions import questions
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.synthesis import Synthesis, Synthesiser
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.synthesis.operations import Form, Persona, Question


@pytest.fixture(scope="module")
def console() -> DevcloudConsole:
    return DevcloudConsole()


@pytest.fixture(scope="module")
def made(console: DevcloudConsole) -> Synthesis:
    maker = Synthesiser(
        console=console, world=devcloud_world(console.shipped), seed=1, form=Form.GOAL
    )
    return maker.suite("synthesised", 1, held_back=[])


def test_products_have_questions_of_each_persona_in_both_languages(made: Synthesis) -> None:
    asked = [one for one in made.suite.tasks if "-ask-" in one.id]
    assert len(asked) > 100
    assert {one.product for one in asked} >= {"ecs", "vpc", "rds", "slb", "kms", "sls", "dns"}
    assert {one.id.split("-")[-2] for one in asked} == set(Persona)
    assert {one.language for one in asked} == {"en", "zh"}
    assert made.left_out["no output of META tells what is asked for"] > 0


def test_the_truth_is_an_output_of_the_tasks_own_record(made: Synthesis) -> None:
    for task in made.suite.tasks:
        rule = parse_rule(task.rule_yaml)
        assert bool(rule.answer) is ("-ask-" in task.id)
        for name in rule.meta_names:
            assert f'output "{name}"' in read_meta(task.meta_yaml).create, task.id
        for name in rule.answer:
            assert re.search(rf"\b{name}\b", task.document), task.id


def test_what_a_page_shows_in_words_of_its_own_is_not_asked_for(
    console: DevcloudConsole,
) -> None:
    known = dict(questions(console))
    size = known["ecs.disk.ask_size"]
    assert isinstance(size, Offer)
    assert isinstance(size.operation, Question)
    assert (size.operation.is_number, size.operation.listed) == (True, True)
    assert size.operation.unit["en"] == "GiB"
    assert known["ecs.disk.ask_category"] == "a page shows it in other words than the backend"
    private = known["ecs.instance.ask_vpc_id"]
    assert isinstance(private, Offer)
    assert isinstance(private.operation, Question)
    assert not private.operation.listed


def test_who_is_told_the_steps_is_asked_nothing(console: DevcloudConsole) -> None:
    maker = Synthesiser(console=console, world=devcloud_world(console.shipped), seed=1)
    made = maker.suite("synthesised", 1, held_back=[])
    assert not [one.id for one in made.suite.tasks if "-ask-" in one.id]
