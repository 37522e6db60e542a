"""The first question of a task that nobody has walked: what a critic values a new task
by (WebRL §2.1: "considering its initial state").

Every walk of a console begins at the same page, so the page is that of a walk which was
collected, and everything else is the task's: its document, and what its phrases stand
for. Resources have the names that META would give them, but for the prefix that each
session draws. `samples` lays the question out as inference would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import yaml

from proofwalk.datasets.collection import Collection, Episode, procedure_of
from proofwalk.datasets.samples import Recipe, questions_of
from proofwalk.hcl.reading import parse
from proofwalk.hcl.tree import Body, print_expression
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from proofwalk.kernel.json_values import JsonObject, object_of
from proofwalk.models.client import Message
from proofwalk.suites.model import Task

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PREFIX = "pw000000"
"""For the prefix that a session draws for its resources' names."""


class FirstQuestions:
    """Asks what a policy would be asked first."""

    def __init__(self, collection: Collection, recipe: Recipe) -> None:
        self._collection = collection
        self._recipe = recipe
        self._begun: dict[str, Episode | None] = {}

    def question(self, task: Task) -> tuple[Message, ...]:
        """The messages. Raises `data.no_first_page` where no collected walk shows where
        this one would begin, `data.question_too_long`, and what reading an episode
        raises."""
        begun = self._episode(task.language)
        walk = replace(
            begun,
            task=task,
            procedure=procedure_of(task),
            notes=replace(begun.notes, binds=names_of(task)),
            about=replace(begun.about, resources=str(_record(task).get("description") or "")),
        )
        for _, asked in questions_of(walk, self._recipe, {0}):
            if asked is not None:
                return asked
        raise ProofwalkError(
            "data.question_too_long",
            f"the first question of {task.id} does not fit into the model's context",
            status=Status.FAILED_PRECONDITION,
            hint="ask with the context that the critic was trained with:"
            " PROOFWALK_ROLLOUT__MODEL__CONTEXT_TOKENS",
        )

    def _episode(self, language: str) -> Episode:
        """A walk in this language, with its first step alone."""
        if language not in self._begun:
            self._begun[language] = next(self._beginnings(language), None)
        episode = self._begun[language]
        if episode is None:
            raise not_found(
                "data.no_first_page",
                f"{self._collection.folder} has no walk in {language!r} that shows its first page",
                hint="name a collection with one: proofwalk data collect",
            )
        return episode

    def _beginnings(self, language: str) -> Iterator[Episode]:
        for name in self._collection.names():
            task = self._collection.tasks.get(name.rsplit(".", 2)[0])
            if task is None or task.language != language:
                continue
            episode = self._collection.episode(name)
            if episode.steps and episode.steps[0].observation is not None:
                yield replace(episode, steps=episode.steps[:1])


def names_of(task: Task) -> Mapping[str, str]:
    """What each phrase of the document stands for, as far as META says it: a name with
    a made-up prefix, or the phrase's output where its name is made at run time."""
    record = _record(task)
    outputs = _outputs(str(record.get("create") or ""))
    names = {}
    for phrase, bound in object_of(record.get("binds")).items():
        output = str(bound).removeprefix("${output.").removesuffix("}")
        names[str(phrase)] = str(bound) if output == str(bound) else outputs.get(output, output)
    return names


def _record(task: Task) -> JsonObject:
    return object_of(yaml.load(task.meta_yaml, Loader=_LOADER))  # noqa: S506  # safe loaders


def _outputs(hcl: str) -> Mapping[str, str]:
    """Each output that is an attribute which a resource of the template sets."""
    template: Body = parse(hcl)
    attributes = {
        ".".join((*block.labels, name)): print_expression(attribute.value)
        for block in template.blocks
        if block.type == "resource"
        for name, attribute in block.body.attributes.items()
    }
    return {
        block.labels[0]: attributes[value].strip('"').replace("${var.name_prefix}", _PREFIX)
        for block in template.blocks
        if block.type == "output"
        if (value := print_expression(block.body.attributes["value"].value)) in attributes
    }
