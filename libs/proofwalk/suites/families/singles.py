"""`singles`: short tasks of one unit each, for experiments in which every step counts:
a small model, two processors.

Each unit whose document has few steps becomes a family of its own with some tasks,
which differ in wording, format and values. They are neither proven one by one nor
split: an experiment chooses which of them it trains on and which it measures with, and
holds the ones against the others (`decontamination`). Tasks of one unit have the same
operations and configuration, so they must lie on one side, unless what is held out is
documents.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.families.generation import document_random, task_of
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.writing.chains import chain_apart, family_of
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.labels import Console
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.task_names import Setting

TASKS = 8
"""Of each unit."""
SUBSTEPS, MOVES = 6, 7
"""What a unit's document and its script may have at most."""


def generate_singles(
    library: Library, console: Console, *, suite_id: str, version: int, seed: int
) -> Suite:
    """The suite, in English. A unit that cannot stand alone (it wants what another one
    makes, or leaves behind) is left out."""
    tasks: list[Task] = []
    for name in sorted(library.units):
        product, _, short = name.partition(".")
        unit = library.units[name]
        chain = chain_apart(library, (name,))
        if len(unit.steps) > SUBSTEPS or sum(len(step.do) for step in unit.steps) > MOVES:
            continue
        family = family_of(chain, f"{product}-one-{short.replace('_', '-')}")
        family = family.model_copy(update={"tasks": TASKS})
        if library.out_of_place(family):
            continue
        for number in range(TASKS):
            try:
                draft = compose(
                    family, number, Setting(library=library, console=console, seed=seed)
                )
            except ProofwalkError:
                break
            written = write(draft, document_random(seed, draft.id))
            tasks.append(replace(task_of(draft, written, suite_id=suite_id), chain=chain))
    return Suite(
        id=suite_id,
        version=version,
        seed=seed,
        tasks=tuple(sorted(tasks, key=lambda task: task.id)),
    )
