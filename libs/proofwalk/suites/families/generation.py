"""Families into a suite.

`generate` is a function of the library, the console's labels and the seed: the same
input gives the same files, byte for byte. About a quarter of each product's tasks are
Chinese, chosen so that a family with two tasks has at most one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.suites.model import Difficulty, Suite, Task
from proofwalk.suites.writing import records
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import Written, write
from proofwalk.suites.writing.drafts import Draft
from proofwalk.suites.writing.labels import Console
from proofwalk.suites.writing.library import Library, product_of
from proofwalk.suites.writing.task_names import Setting, task_ids
from proofwalk.suites.writing.units import Family

CHINESE_SHARE = 0.25

PLAN: Mapping[str, tuple[int, int]] = {
    "ecs": (10, 28),
    "vpc": (8, 22),
    "rds": (8, 22),
    "oss": (6, 16),
    "slb": (6, 18),
    "ram": (6, 16),
    "redis": (6, 16),
    "cms": (5, 14),
    "dns": (5, 12),
    "sls": (5, 12),
    "kms": (5, 12),
    "ess": (6, 14),
}
"""Standard and hard tasks of each product in `console-278`."""


def languages(library: Library, seed: int) -> dict[str, str]:
    """Task id -> its language."""
    found: dict[str, str] = {}
    by_product: dict[str, list[Family]] = {}
    for family in library.families:
        by_product.setdefault(product_of(family), []).append(family)
    for families in by_product.values():
        wanted = round(CHINESE_SHARE * sum(family.tasks for family in families))
        order = sorted(
            (_rank(seed, family.id), family) for family in families if _bilingual(family, library)
        )
        for family in families:
            found |= {task_id: family.language or "en" for task_id in task_ids(family)}
        chosen = sum(
            language == "zh"
            for task_id, language in found.items()
            if task_id.split("-", 1)[0] == product_of(families[0])
        )
        for _, family in order:
            if chosen >= wanted:
                break
            if not family.language:
                found[task_ids(family)[-1]] = "zh"
                chosen += 1
    return found


def _rank(seed: int, family_id: str) -> float:
    return Random(f"{seed}/language/{family_id}").random()  # noqa: S311  # not for secrets


def _bilingual(family: Family, library: Library) -> bool:
    """Whether everything that the family says is written in Chinese too."""
    units = [library.units[link.unit] for link in family.chain]
    return all(step.zh for unit in units for step in unit.steps) and (
        family.title is None or bool(family.title.zh) or not family.title.en
    )


def generate(
    library: Library,
    console: Console,
    *,
    suite_id: str,
    version: int,
    seed: int,
    problems: list[ProofwalkError] | None = None,
) -> Suite:
    """The suite of all families. Raises `suite.source_invalid` or
    `suite.document_mismatch` for the first task that cannot be made; with `problems`
    given, such a task is left out and listed there instead."""
    spoken = languages(library, seed)
    tasks: list[Task] = []
    for family in library.families:
        for number, task_id in enumerate(task_ids(family)):
            try:
                tasks.append(
                    make(
                        family,
                        number,
                        library=library,
                        console=console,
                        language=spoken[task_id],
                        seed=seed,
                        suite_id=suite_id,
                    )
                )
            except ProofwalkError as error:
                if problems is None:
                    raise
                error.message = (
                    f"{task_id}: {error.message}"
                    if not error.message.startswith(task_id)
                    else error.message
                )
                problems.append(error)
    return Suite(
        id=suite_id,
        version=version,
        seed=seed,
        tasks=tuple(sorted(tasks, key=lambda task: task.id)),
    )


def make(
    family: Family,
    number: int,
    *,
    library: Library,
    console: Console,
    language: str,
    seed: int,
    suite_id: str,
) -> Task:
    """One task of a family."""
    draft = compose(
        family, number, Setting(library=library, console=console, language=language, seed=seed)
    )
    return task_of(draft, write(draft, document_random(seed, draft.id)), suite_id=suite_id)


def document_random(seed: int, task_id: str) -> Random:
    """What a task's document is drawn from."""
    return Random(f"{seed}/{task_id}/document")  # noqa: S311  # not for secrets


def task_of(draft: Draft, written: Written, *, suite_id: str) -> Task:
    """The task of a draft and its document. Raises `script.invalid` for a script that
    the oracle could not play."""
    script = records.script_yaml(written.script)
    parse_script(script)
    return Task(
        id=draft.id,
        suite=suite_id,
        family=draft.family.id,
        product=draft.product,
        difficulty=draft.family.difficulty,
        because=draft.family.because,
        language=draft.language,
        document_name=written.name,
        media_type=written.media_type,
        document=written.text,
        meta_yaml=records.meta_yaml(draft),
        rule_yaml=records.rule_yaml(draft),
        script_yaml=script,
        scenario=draft.scenario,
    )


def shortfall(tasks: Iterable[Task]) -> list[str]:
    """Where the numbers of tasks differ from the plan, in words."""
    counted: dict[tuple[str, Difficulty], int] = {}
    for task in tasks:
        counted[(task.product, task.difficulty)] = (
            counted.get((task.product, task.difficulty), 0) + 1
        )
    return [
        f"{product}: {counted.get((product, difficulty), 0)} {difficulty} tasks, not {planned}"
        for product, numbers in PLAN.items()
        for difficulty, planned in zip((Difficulty.STANDARD, Difficulty.HARD), numbers, strict=True)
        if counted.get((product, difficulty), 0) != planned
    ] + [
        f"{product}: the plan has no such product"
        for product in sorted({p for p, _ in counted} - set(PLAN))
    ]
