"""How the benchmark of silent skips says an instruction in other words (`benchmarks.skips`)."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from benchmarks.skips.documents import (
    MODES,
    NO_RULE,
    Instruction,
    changed,
    instructions_of,
    planned,
    said,
)
from benchmarks.skips.forms import FORMS, Form, Kind, forms_for
from proofwalk.suites.model import Difficulty, Task

DOCUMENT = """# Stop an instance

## Procedure

1. Log on to the **ECS** console. In the left-side navigation pane, click **Instances**.
2. Find the instance that you want to stop and click **Stop** in the **Actions** column.
3. Set **Stop Mode** to **Economical Mode**.
4. Enter `night shift` in the **Reason** field, and then click **OK**.
5. Turn off **Reminders**.
6. Wait until the status of the instance changes to **Stopped**.
"""
MOVES = [
    [{"open": {"product": "ECS", "menu": ["Instances"]}}],
    [
        {"row": "{{meta.instance_name}}", "press": "Stop"},
        {"wait": {"row": "{{meta.instance_name}}", "status": "Stopping"}},
    ],
    [{"choose": {"Stop Mode": "Economical Mode"}}],
    [{"fill": {"Reason": "night shift"}}, {"confirm": "OK"}],
    [{"set": {"Reminders": False}}],
    [{"wait": {"row": "{{meta.instance_name}}", "status": "Stopped"}}],
]
RULE = "id: stop\nversion: 1\ndelta_s: 5\nall: [{service: Ecs, event: StopInstance}]\n"
WHO = "the instance that you want to stop"


def task(name: str = "ecs-stop", document: str = DOCUMENT, moves: object = MOVES) -> Task:
    return Task(
        id=name,
        suite="singles",
        family=name,
        product="ecs",
        difficulty=Difficulty.STANDARD,
        language="en",
        document_name=f"{name}.md",
        media_type="text/markdown",
        document=document,
        meta_yaml=yaml.safe_dump({"id": name, "binds": {WHO: "${output.instance_name}", "the instance": "x"}}),
        rule_yaml=RULE,
        script_yaml=yaml.safe_dump(moves),
    )


def of_kind(kind: Kind) -> Instruction:
    return next(one for one in instructions_of(task()) if one.kind is kind)


def test_an_instruction_is_what_the_script_asks_for_in_an_item() -> None:
    found = list(instructions_of(task()))
    assert [(one.index, one.kind, one.label) for one in found] == [
        (1, Kind.ROW, "Stop"),
        (2, Kind.CHOOSE, "Stop Mode"),
        (3, Kind.FILL_THEN, "Reason"),
        (4, Kind.SWITCH, "Reminders"),
    ]
    assert found[0].who == WHO
    assert (found[2].value, found[2].button) == ("night shift", "OK")
    assert found[3].on is False


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("**Stop** in the", "the red button in the"),  # the label does not stand there
        (WHO, "the server"),  # no phrase that META knows
    ],
)
def test_an_item_that_does_not_say_what_its_script_does_is_no_candidate(was: str, becomes: str) -> None:
    assert Kind.ROW not in {one.kind for one in instructions_of(task(document=DOCUMENT.replace(was, becomes)))}


def test_items_that_are_not_the_scripts_entries_give_no_candidates() -> None:
    assert list(instructions_of(task(moves=MOVES[:-1]))) == []


def test_a_value_that_is_known_only_at_run_time_gives_no_candidate() -> None:
    moves = [*MOVES[:2], [{"choose": {"Stop Mode": "{{meta.mode}}"}}], *MOVES[3:]]
    assert Kind.CHOOSE not in {one.kind for one in instructions_of(task(moves=moves))}


def test_there_are_more_than_enough_forms_and_no_two_say_the_same() -> None:
    assert len({form.name for form in FORMS}) >= 25
    assert len({(form.kind, form.template) for form in FORMS}) == len(FORMS)
    assert all(forms_for(kind) for kind in Kind)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.kind.value}-{form.name}")
def test_every_form_says_everything_that_its_kind_needs(form: Form) -> None:
    values = {"label": "Stop", "who": WHO, "value": "Saver", "button": "OK"}
    one = Instruction(index=0, kind=form.kind, text="", on=True, **values)
    sentence = said(form, one)
    assert "{" not in sentence
    assert "stop" in sentence.lower().replace(WHO.lower(), "")
    assert WHO.lower() in sentence.lower() or form.kind is not Kind.ROW
    assert "Saver" in sentence or form.kind not in {
        Kind.FILL,
        Kind.CHOOSE,
        Kind.FILL_THEN,
        Kind.CHOOSE_THEN,
    }
    assert "OK" in sentence or not form.kind.value.endswith("_then")
    assert sentence[0] == sentence[0].upper()


def test_one_item_is_changed_and_nothing_else() -> None:
    form = Form(name="made up", kind=Kind.ROW, template="whack {label} of {who}.")
    made = changed(task(), of_kind(Kind.ROW), form, name="skip-001-ecs", mode=NO_RULE)
    before, after = DOCUMENT.splitlines(), made.task.document.splitlines()
    assert [line for line in after if line not in before] == [f"2. Whack **Stop** of {WHO}."]
    assert len(before) == len(after)
    assert made.task.rule_yaml == RULE
    assert made.walked.rule_yaml == ""
    assert made.task.digest != made.walked.digest


def test_a_plan_repeats_and_takes_each_form_and_each_mode_in_turn() -> None:
    tasks = [task(f"ecs-stop-{number}") for number in range(12)]
    plan = planned(tasks, walks=10, seed=1)
    assert plan == planned(tasks, walks=10, seed=1)
    assert [one.sentence for one in plan] != [one.sentence for one in planned(tasks, walks=10, seed=2)]
    assert len({(one.form.kind, one.form.name) for one in plan}) == 10
    assert [one.mode for one in plan] == list(MODES) * 5
    assert len({one.base for one in plan}) == 10, "a document was taken twice while others were left"


def test_a_plan_ends_where_the_documents_do() -> None:
    plan = planned([task()], walks=50, seed=1)
    assert {one.instruction.index for one in plan} == {1, 2, 3, 4}
    assert len(plan) == 4


def test_the_frozen_evaluation_is_never_changed() -> None:
    frozen = [replace(task(), suite="console-278")]
    with pytest.raises(ValueError, match="console-278"):
        planned(frozen, walks=1, seed=1)
