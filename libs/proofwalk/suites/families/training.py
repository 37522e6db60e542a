"""`train`: tasks that no evaluation task is known from, made from the same units.

A training task chains two or three units in a combination that no evaluation family
has, each with resources of its own: what lies in another resource of the same unit (an
object in a bucket) lies in that one. Chains are drawn from the seed; one that cannot be
composed (two resources under one phrase, say) or that comes near an evaluation task is
passed over, and the next one is drawn. One that cannot be walked, since each unit has a
resource of its own and it has a unit that begins with what another one leaves behind,
uses its number up, so that the ids and contents of the others do not rest on which
those are. The suite is kept as an index; its files are made on demand and must have the
digests of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.suites.families.generation import CHINESE_SHARE, document_random, task_of
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.rules.decontamination import Guard, Profile, profile
from proofwalk.suites.writing.chains import chain_apart, family_of
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.labels import Console
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.task_names import Setting
from proofwalk.suites.writing.units import Family

TASKS = 1_000
_TRIES = 20
"""Chains drawn for each wanted task before the units are taken to be exhausted."""


def generate_training(
    library: Library,
    console: Console,
    evaluation: Iterable[Task | Profile],
    *,
    suite_id: str,
    version: int,
    seed: int,
    count: int = TASKS,
) -> Suite:
    """The suite of `count` tasks. Raises `suite.too_few` when the units do not admit so
    many."""
    tasks: list[Task] = []
    for task in training_tasks(
        library, console, evaluation, suite_id=suite_id, seed=seed, tries=count * _TRIES
    ):
        tasks.append(task)
        if len(tasks) == count:
            return Suite(
                id=suite_id,
                version=version,
                seed=seed,
                tasks=tuple(sorted(tasks, key=lambda task: task.id)),
            )
    raise ProofwalkError(
        "suite.too_few",
        f"the units admit {len(tasks)} training tasks, not {count}",
        status=Status.FAILED_PRECONDITION,
        hint="write more units",
    )


def training_tasks(
    library: Library,
    console: Console,
    evaluation: Iterable[Task | Profile],
    *,
    suite_id: str,
    seed: int,
    tries: int,
) -> Iterator[Task]:
    """Training tasks in the order in which they are drawn; the same input gives the
    same tasks."""
    guard = Guard(evaluation)
    known = {frozenset(link.unit for link in family.chain) for family in library.families}
    own: set[tuple[str, str]] = set()
    number = 0
    for chain in _chains(library, seed, tries):
        if frozenset(chain) in known:
            continue
        known.add(frozenset(chain))
        uses = chain_apart(library, chain)
        family = family_of(uses, f"{chain[0].partition('.')[0]}-train-{number:04d}")
        try:
            task = _made(library, console, family, suite_id=suite_id, seed=seed)
        except ProofwalkError:
            continue
        seen: Profile = profile(task)
        if (seen.rule, seen.configuration) in own or guard.match(seen) is not None:
            continue
        own.add((seen.rule, seen.configuration))
        number += 1
        if not library.out_of_place(family):
            yield replace(task, chain=uses)


def _chains(library: Library, seed: int, tries: int) -> Iterator[tuple[str, ...]]:
    random = Random(f"{seed}/train")  # noqa: S311  # not for secrets
    names = sorted(library.units)
    by_product: dict[str, list[str]] = {}
    for name in names:
        by_product.setdefault(name.partition(".")[0], []).append(name)
    for _ in range(tries):
        first = random.choice(names)
        near = by_product[first.partition(".")[0]]
        chain = [first]
        for _ in range(random.choice((1, 1, 2))):
            chain.append(random.choice(near if random.random() < 0.6 else names))
        if len(set(chain)) == len(chain):
            yield tuple(chain)


def _made(library: Library, console: Console, family: Family, *, suite_id: str, seed: int) -> Task:
    chinese = Random(f"{seed}/{family.id}/language").random() < CHINESE_SHARE  # noqa: S311
    bilingual = all(step.zh for link in family.chain for step in library.units[link.unit].steps)
    setting = Setting(
        library=library,
        console=console,
        seed=seed,
        language="zh" if chinese and bilingual else "en",
        share_roles=False,
    )
    draft = compose(family, 0, setting)
    return task_of(draft, write(draft, document_random(seed, draft.id)), suite_id=suite_id)
