"""META records written from the documents alone, beside those of persons.

Of each task, with its record hidden: is one written, does it hold (it is made in an
account of its own, is as it says, is destroyed, and nothing is left), does it *cover*
the person's (every type that the person's record binds a phrase to is made, in the same
state), and is the person's oracle verified on it (`oracle`: the same script, with the
outputs that it asks for taken from the written record). The last is what a record is
for; a task whose person left out on purpose what the document needs fails it, since the
written record makes that, too.

Each task's row is kept as it comes, and a run that was stopped goes on.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from benchmarks import record
from benchmarks.author.parts import is_held_out, is_unsaid, parts
from proofwalk.experiments.bench.running import Work, run_work
from proofwalk.experiments.meta_authoring import MetaAuthor
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import IdSource
from proofwalk.orders.order import SCRIPTED
from proofwalk.suites.model import Task
from proofwalk.suites.orders import request_of
from proofwalk.suites.storage import dump

_LEVEL = "calm"
_RESOURCE = re.compile(r"\b(alicloud_\w+)\.(\w+)(?:\.(\w+))?")
_OUTPUT = re.compile(r'output "(\w+)" \{\s*value = ([^\n]*)')
_BLOCK = re.compile(r'^resource "(\w+)" "(\w+)"', re.M)
_META = re.compile(r"\$meta\.(\w+)")
_USED = re.compile(r"\boutput\.(\w+)")


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """Where tasks are authored."""

    place: Platform
    metas: MetaAuthor
    ids: IdSource
    journals: Path
    """Folder of the rows that were kept."""
    parallel: int


@dataclass(frozen=True, kw_only=True)
class MetaRow:
    """What came of one task."""

    task: str
    held_out: bool
    unsaid: bool = False
    refused: str = ""
    """Why there is no record: a code."""
    why: str = ""
    makes: int = 0
    rounds: int = 0
    seconds: float = 0.0
    missing: tuple[str, ...] = ()
    """What the person's record has ready for the document and this one has not."""
    oracle: str = ""
    """How the person's oracle ended on it; empty if it was not walked."""


async def author_metas(shop: Workshop, tasks: Sequence[Task], *, judged: Set[str]) -> list[MetaRow]:
    """The rows of all tasks; those of the journal are not made again. The oracle walks
    the tasks of the ids `judged`."""
    journal = shop.journals / "metas.jsonl"
    rows = await asyncio.to_thread(_read, journal)
    turns = asyncio.Semaphore(shop.parallel)

    async def one(task: Task) -> None:
        async with turns:
            row = await _row(shop, task, walk=task.id in judged)
            rows[task.id] = row
            await asyncio.to_thread(_keep, journal, row)
            end = row.refused or f"{row.makes} made {row.oracle} {' '.join(row.missing)}"
            print(f"[{len(rows)}/{len(tasks)}] {task.id}: {end} ({row.seconds:.0f} s)", flush=True)

    async with asyncio.TaskGroup() as group:
        for task in tasks:
            if task.id not in rows:
                group.create_task(one(task))
    return [rows[task.id] for task in tasks]


async def _row(shop: Workshop, task: Task, *, walk: bool) -> MetaRow:
    base = MetaRow(task=task.id, held_out=is_held_out(task), unsaid=is_unsaid(task))
    asked = request_of(task, target=shop.place.target, policy="literal", scenario="")
    try:
        authored = await shop.metas.record_for(
            asked.model_copy(update={"meta": "", "rule": ""}), meta_id=task.id
        )
    except ProofwalkError as error:
        return replace(base, refused=error.code, why=error.message[:400])
    row = replace(
        base,
        makes=len(authored.makes),
        rounds=authored.rounds,
        seconds=authored.seconds,
        missing=tuple(missing(task.meta_yaml, authored.yaml)),
    )
    if not walk:
        return row
    work = Work(
        task=replace(task, meta_yaml=renamed(task.meta_yaml, authored.yaml)),
        policy=SCRIPTED,
        run=1,
        level=_LEVEL,
    )
    walked = await run_work(shop.place, work, ids=shop.ids)
    return replace(row, oracle="verified" if walked.passed else walked.failure or "failed")


def missing(persons: str, ours: str) -> Iterator[str]:
    """The types, with their states, to which the person's record binds a phrase and
    which ours does not make. Where ours looks for no state, its type has only one."""
    left = Counter(_bound(yaml.safe_load(persons)))
    made = Counter(_made(yaml.safe_load(ours)))
    left.subtract(made)
    stated = Counter(name.partition("=")[0] for name in made.elements() if "=" in name)
    for name, count in sorted(left.items()):
        type_, _, state = name.partition("=")
        if count > (made[type_] - stated[type_] if state else 0):
            yield name


def _bound(meta: Mapping[str, Any]) -> Iterator[str]:
    states = _states(meta)
    values = dict(_OUTPUT.findall(meta["create"]))
    names = {name for value in meta["binds"].values() for name in _USED.findall(str(value))}
    told = {
        (found[1], found[2]) for name in names if (found := _RESOURCE.search(values.get(name, "")))
    }
    for type_, label in told:
        state = states.get((type_, label), "")
        yield f"{type_}={state}" if state else type_


def _made(meta: Mapping[str, Any]) -> Iterator[str]:
    states = _states(meta)
    for type_, label in _BLOCK.findall(meta["create"]):
        yield type_
        if (type_, label) in states:
            yield f"{type_}={states[type_, label]}"


def _states(meta: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """The state that a record checks, by resource."""
    values = dict(_OUTPUT.findall(meta["create"]))
    found = {}
    for check in meta["verify"]:
        for name in _USED.findall(check["id"]):
            resource = _RESOURCE.search(values.get(name, ""))
            if resource and check.get("state"):
                found[resource[1], resource[2]] = check["state"]
    return found


def renamed(persons: str, ours: str) -> str:
    """Our record with further outputs under the person's names, so that the person's
    script and rule find what they ask for."""
    made = yaml.safe_load(ours)
    further = [
        f'output "{name}" {{\n  value = {value}\n}}\n'
        for name, value in _persons_outputs(yaml.safe_load(persons), made).items()
    ]
    return dump({**made, "create": "\n".join([made["create"], *further])})


def translated(rule_yaml: str, persons: str, ours: str) -> str:
    """A rule over our record's outputs as one over the person's, where the person has
    an output of the same value."""
    made = yaml.safe_load(ours)
    own = {value: name for name, value in _OUTPUT.findall(made["create"])}
    names = {
        own[value]: name
        for name, value in _persons_outputs(yaml.safe_load(persons), made, every=True).items()
        if value in own
    }
    return _META.sub(lambda found: f"$meta.{names.get(found[1], found[1])}", rule_yaml)


def _persons_outputs(
    theirs: Mapping[str, Any], made: Mapping[str, Any], *, every: bool = False
) -> dict[str, str]:
    """The person's outputs in the terms of our record: the same attribute of the
    resource to which the same phrase is bound, else of the first one of the type.
    Without those whose names ours has, unless `every`."""
    values, own = dict(_OUTPUT.findall(theirs["create"])), dict(_OUTPUT.findall(made["create"]))
    labels: dict[tuple[str, str], str] = {}
    for phrase, value in theirs["binds"].items():
        one = _resource_of(str(value), values)
        other = _resource_of(str(made["binds"].get(phrase, "")), own)
        if one and other and one[0] == other[0]:
            labels[one] = other[1]
    known = {type_ for type_, _ in _BLOCK.findall(made["create"])}
    return {
        name: _RESOURCE.sub(lambda found: _moved(found, labels, made["create"]), expression)
        for name, expression in values.items()
        if (every or name not in own) and {one[0] for one in _RESOURCE.findall(expression)} <= known
    }


def _resource_of(value: str, outputs: Mapping[str, str]) -> tuple[str, str] | None:
    for name in _USED.findall(value):
        if found := _RESOURCE.search(outputs.get(name, "")):
            return found[1], found[2]
    return None


def _moved(found: re.Match[str], labels: Mapping[tuple[str, str], str], create: str) -> str:
    type_, label, attribute = found[1], found[2], found[3]
    first = re.search(rf'^resource "{type_}" "(\w+)"', create, re.M)
    ours = labels.get((type_, label)) or (first[1] if first else label)
    return f"{type_}.{ours}" + (f".{attribute}" if attribute else "")


def meta_figures(rows: Sequence[MetaRow]) -> dict[str, Any]:
    """The figures of each part."""
    return {name: figures_of(part) for name, part in parts(rows).items()}


def figures_of(rows: Sequence[MetaRow]) -> dict[str, Any]:
    """How many records there are, and what they are like."""
    held = [row for row in rows if not row.refused]
    run = [row for row in held if row.rounds]
    walked = [row for row in held if row.oracle]
    return {
        "n": len(rows),
        "meta_converged": record.share(len(held), len(rows)),
        "covers": record.share(sum(not row.missing for row in held), len(rows)),
        "oracle": record.share(sum(row.oracle == "verified" for row in walked), len(walked))
        if walked
        else None,
        "makes_nothing": len(held) - len(run),
        "mended": sum(row.rounds > 1 for row in run),
        "rounds": record.spread([float(row.rounds) for row in run]) if run else None,
        "seconds": record.spread([row.seconds for row in run]) if run else None,
        "refused": dict(Counter(row.refused for row in rows if row.refused)),
    }


def _read(journal: Path) -> dict[str, MetaRow]:
    if not journal.is_file():
        return {}
    rows = [
        MetaRow(**{**members, "missing": tuple(members["missing"])})
        for line in journal.read_text(encoding="utf-8").splitlines()
        for members in (json.loads(line),)
    ]
    return {row.task: row for row in rows}


def _keep(journal: Path, row: MetaRow) -> None:
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
