"""The first question of a task that nobody has walked, from the page at which every
walk begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.datasets.collection import Collection
from proofwalk.datasets.first_questions import FirstQuestions, names_of
from proofwalk.datasets.samples import Recipe, questions_of
from proofwalk.kernel.errors import ProofwalkError
from tests.datasets.kit import DOCUMENT, META, collect, task_of

NEW = task_of(
    "ecs-start",
    document=DOCUMENT.replace("Stop", "Start"),
    meta_yaml=META.replace(
        "binds: {the instance: web-2}",
        """create: |
  resource "alicloud_instance" "it" {
    instance_name = "${var.name_prefix}-orders"
  }

  output "it_name" {
    value = alicloud_instance.it.instance_name
  }

  output "it_id" {
    value = alicloud_instance.it.id
  }
binds: {the instance: "${output.it_name}", the id: "${output.it_id}", the VPC: web-7}
""",
    ),
)


@pytest.fixture
async def collection(tmp_path: Path) -> Collection:
    place = Collection(tmp_path / "walked")
    await collect(place, tmp_path / "scratch", task_of())
    return place


async def test_a_walked_task_is_asked_what_it_was_asked(collection: Collection) -> None:
    recipe = Recipe()
    (name,) = collection.names()
    (asked,) = [one for _, one in questions_of(collection.episode(name), recipe, {0})]
    assert FirstQuestions(collection, recipe).question(task_of()) == asked


async def test_another_task_is_asked_about_itself_at_the_same_page(collection: Collection) -> None:
    questions = FirstQuestions(collection, Recipe())
    old, new = (
        "\n".join(message.text for message in questions.question(task)) for task in (task_of(), NEW)
    )
    assert "click Start" in new.replace("*", "").replace("“", "").replace("”", "")
    assert "pw000000-orders" in new
    assert old.rpartition("[")[2] == new.rpartition("[")[2], "the page is another one"


def test_phrases_have_the_names_that_meta_gives() -> None:
    assert names_of(NEW) == {
        "the instance": "pw000000-orders",
        "the id": "it_id",
        "the VPC": "web-7",
    }


async def test_without_a_walk_in_its_language_it_is_said(collection: Collection) -> None:
    with pytest.raises(ProofwalkError) as caught:
        FirstQuestions(collection, Recipe()).question(task_of("zh", language="zh"))
    assert caught.value.code == "data.no_first_page"
