"""Rules that are written beside those of persons, on a part of the suite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from benchmarks.author import field
from benchmarks.author.comparison import (
    Compared,
    compared,
    figures_of,
    from_recordings,
    proposed,
    refused,
)
from benchmarks.author.metas import MetaRow, meta_figures, missing, renamed, translated
from benchmarks.author.parts import is_held_out, is_unsaid, parts
from benchmarks.author.walked import Row, keep_row, read_rows, walked_figures
from proofwalk.cli.author import knowledge_of
from proofwalk.experiments.authoring import Knowledge
from proofwalk.platform.laboratory import TARGET
from proofwalk.suites.model import Task
from proofwalk.suites.storage import load_suite

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return list(load_suite(ROOT / "suites" / "console-278").tasks)


@pytest.fixture(scope="module")
def known() -> Knowledge:
    return knowledge_of(TARGET, 5)


def test_nine_in_ten_stand_for_the_persons(tasks: list[Task], known: Knowledge) -> None:
    figures = figures_of(from_recordings(tasks[::5], known))
    assert figures["confirmed"] == figures["n"] == 56
    assert figures["own_accepted"] == 0
    assert figures["rule_equivalent"]["value"] >= 0.85


def test_the_persons_own_rule_is_equivalent_and_no_stricter(
    tasks: list[Task], known: Knowledge
) -> None:
    found = compared(tasks[0], known, tasks[0].rule_yaml)
    assert found.equivalent
    assert found.stricter == {}


def test_a_rule_that_asks_for_less_is_not_equivalent(tasks: list[Task], known: Knowledge) -> None:
    rule = "id: a\nversion: 1\ndelta_s: 5\nall:\n- {event: PutResourceMetricRule}\n"
    found = compared(tasks[0], known, rule)
    assert found.confirmed
    assert found.accepted
    assert not found.equivalent


def test_a_row_is_read_as_it_was_kept(tasks: list[Task], known: Knowledge, tmp_path: Path) -> None:
    found = compared(tasks[0], known, proposed(tasks[0], known))
    assert found.stricter
    row = Row(compared=found, walks=2, seconds=20.5)
    keep_row(tmp_path / "build" / "rows.jsonl", row)
    assert read_rows(tmp_path / "build" / "rows.jsonl") == {tasks[0].id: row}


def test_a_field_console_without_recordings_stays_as_the_result_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(field, "PROOFS", tmp_path)
    result = tmp_path / "author.json"
    assert field.told("b", result=result) == {}
    result.write_text(json.dumps({"commit": "a", "figures": {"field": {"unleash": {"n": 33}}}}))
    assert field.told("b", result=result)["unleash"] == {"commit": "a", "n": 33}


def test_a_refusal_counts_as_no_rule() -> None:
    rows = [
        Row(compared=Compared(task="a", held_out=False, refused="author.not_walked")),
        Row(
            compared=Compared(task="b", held_out=True, confirmed=True, near_misses=3),
            walks=2,
            seconds=20.0,
        ),
    ]
    figures = walked_figures(rows)["all"]
    assert figures["rule_equivalent"]["value"] == 0.5
    assert figures["equivalent_of_written"]["value"] == 1.0
    assert figures["refused"] == {"author.not_walked": 1}
    assert figures["seconds"]["median"] == 20.0


def test_tasks_that_ask_for_more_than_their_document_are_told_apart(tasks: list[Task]) -> None:
    by_id = {task.id: task for task in tasks}
    assert is_unsaid(by_id["ram-dissolve-group"])
    assert not is_unsaid(by_id["ram-create-policy"])
    rows = [
        refused(by_id["ram-dissolve-group"], "author.not_walked"),
        refused(by_id["ram-create-policy"], "author.not_walked"),
    ]
    told = {name: [row.task for row in part] for name, part in parts(rows).items()}
    assert told["said"] == ["ram-create-policy"]
    assert told["unsaid"] == ["ram-dissolve-group"]
    assert len(told["all"]) == 2


def test_a_task_that_was_looked_at_is_not_held_out(tasks: list[Task]) -> None:
    held = {task.id for task in tasks if is_held_out(task)}
    assert len(held) == 76
    assert "slb-rename-stopped" not in held


PERSONS = """id: tank
create: |
  resource "alicloud_vpc" "network" {
    vpc_name = "a"
  }
  resource "alicloud_instance" "server" {
    instance_name = "b"
  }
  output "server_id" {
    value = alicloud_instance.server.id
  }
  output "network_id" {
    value = alicloud_vpc.network.id
  }
verify:
- {product: ecs, type: instance, id: "${output.server_id}", state: Stopped}
binds: {the instance: "${output.server_id}"}
"""
OURS = """id: tank
create: |
  resource "alicloud_instance" "instance" {
    instance_name = "c"
  }
  output "instance_id" {
    value = alicloud_instance.instance.id
  }
verify:
- {product: ecs, type: instance, id: "${output.instance_id}", state: STATE}
binds: {the instance: "${output.instance_id}"}
"""


def test_a_record_covers_a_persons_if_it_has_ready_what_phrases_are_bound_to() -> None:
    assert list(missing(PERSONS, OURS.replace("STATE", "Stopped"))) == []
    assert list(missing(PERSONS, OURS.replace("STATE", "Running"))) == ["alicloud_instance=Stopped"]
    assert list(missing(PERSONS, OURS.replace(", state: STATE", ""))) == []


def test_the_persons_names_are_outputs_of_what_the_record_makes() -> None:
    create = yaml.safe_load(renamed(PERSONS, OURS))["create"]
    assert 'output "server_id" {\n  value = alicloud_instance.instance.id' in create
    assert "network_id" not in create


def test_a_rule_is_read_over_the_persons_outputs() -> None:
    rule = "[request.InstanceId, eq, $meta.instance_id], [request.Other, eq, $meta.strange]"
    assert translated(rule, PERSONS, OURS) == (
        "[request.InstanceId, eq, $meta.server_id], [request.Other, eq, $meta.strange]"
    )


def test_a_record_that_was_refused_has_not_converged() -> None:
    rows = [
        MetaRow(task="a", held_out=True, makes=2, rounds=2, seconds=4.0, oracle="verified"),
        MetaRow(task="b", held_out=False, makes=0, missing=("alicloud_vpc",)),
        MetaRow(task="c", held_out=False, refused="author.cannot_make"),
    ]
    figures = meta_figures(rows)["all"]
    assert (figures["meta_converged"]["count"], figures["covers"]["count"]) == (2, 1)
    assert (figures["mended"], figures["makes_nothing"]) == (1, 1)
    assert figures["oracle"]["count"] == 1
    assert figures["refused"] == {"author.cannot_make": 1}
