"""Draws new tasks from tasks that were failed at: Algorithm 1, lines 9 to 14, of WebRL.

The failed tasks have turns, each of their turns takes the next way (`ways`), and each
way's chains come in an order of the seed. When all are drawn, what was made of them has
turns of its own, so that later tasks are further from what was failed at. A chain
becomes a task as every other one does: the suites' own generator writes document, META,
rule and script together. It is dropped, and counted, where an evaluation task is known
from it, where its rule and configuration are those of a task that is there, where its
script does not prove its rule, and where its value is out of bounds. Every candidate
has a number before it is looked at, so that what a task is called, and what stands in
it, does not depend on values. Pure, but for what the value asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.suites.evolution.values import ValueFilter
from proofwalk.suites.evolution.ways import Chain, Way, Ways
from proofwalk.suites.families.generation import document_random, task_of
from proofwalk.suites.model import Origin, Task
from proofwalk.suites.rules.decontamination import Guard, Profile, profile
from proofwalk.suites.writing.chains import family_of
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.labels import Console
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.task_names import Setting

GENERATIONS = 3
"""Changes between a failed task and what is made of it, at most."""


class Drop(StrEnum):
    """Why a candidate is no task of the next phase."""

    LEAK = "leak"
    DUPLICATE = "duplicate"
    NOT_FEASIBLE = "not_feasible"
    VALUE_LOW = "value_low"
    VALUE_HIGH = "value_high"


@dataclass(frozen=True, kw_only=True)
class Evolution:
    """What came of it."""

    tasks: tuple[Task, ...]
    parents: tuple[str, ...]
    """The failed tasks that some task was made of, by id."""
    without_units: tuple[str, ...]
    """Failed tasks of which nobody knows the units."""
    dropped: Mapping[Drop, int]
    reasons: Mapping[str, int]
    """Why candidates were not feasible -> how many."""
    filtered: bool
    """Whether there was a critic that gave values."""
    values: Mapping[str, float]
    """Of the tasks that are kept, where there was one."""

    @property
    def by_way(self) -> Mapping[str, int]:
        """How many tasks were made by each way; of several changes the last counts."""
        ways = Counter(task.origin.changes[-1] for task in self.tasks if task.origin is not None)
        return {way.value: ways[way.value] for way in Way}


@dataclass(frozen=True, kw_only=True)
class _Source:
    """A chain that has turns, and the failed task that it comes from."""

    parent: Task
    chain: Chain
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Evolver:
    """Makes tasks of a library. `shortcoming` says why a task is not feasible; empty
    where it is."""

    library: Library
    console: Console
    shortcoming: Callable[[Task], str]
    suite_id: str
    seed: int

    def evolve(
        self,
        failed: Sequence[Task],
        count: int,
        *,
        evaluation: Iterable[Task | Profile],
        known: Iterable[Task],
        critic: ValueFilter | None = None,
    ) -> Evolution:
        """At most `count` tasks; fewer where the failed tasks' chains admit no more,
        or the critic has no value of the next one.

        No task comes near one of `evaluation`, and none doubles one of `known`. Raises
        `curriculum.no_failures`, `curriculum.no_units` where nothing can be evolved
        from, and what the critic raises.
        """
        require_failures(failed)
        roots = [_Source(parent=task, chain=task.chain) for task in failed if task.chain]
        if not roots:
            raise _no_units(failed)
        sieve = _Sieve(
            guard=Guard(evaluation),
            seen={_identity(profile(task)) for task in known},
            shortcoming=self.shortcoming,
        )
        tasks: list[Task] = []
        values: dict[str, float] = {}
        for number, source in enumerate(self._candidates(roots, sieve)):
            task = self._written(source, number, sieve)
            if task is None or not sieve.passes(task):
                continue
            sieve.sources.append(source)
            if critic is not None:
                value = critic.value(task)
                if value is None:
                    break
                if not critic.low <= value <= critic.high:
                    low = value < critic.low
                    sieve.dropped[Drop.VALUE_LOW if low else Drop.VALUE_HIGH] += 1
                    continue
                values[task.id] = value
            tasks.append(task)
            if len(tasks) == count:
                break
        return Evolution(
            tasks=tuple(sorted(tasks, key=lambda task: task.id)),
            parents=tuple(sorted({task.origin.parent for task in tasks if task.origin})),
            without_units=tuple(task.id for task in failed if not task.chain),
            dropped={drop: sieve.dropped[drop] for drop in Drop},
            reasons=dict(sieve.reasons),
            filtered=critic is not None,
            values=values,
        )

    def _candidates(self, roots: Sequence[_Source], sieve: _Sieve) -> Iterator[_Source]:
        """Every chain that is drawn, in order. What passes the sieve has turns in the
        next generation."""
        sources: Sequence[_Source] = roots
        for generation in range(GENERATIONS):
            turns = [self._turns(source, generation) for source in sources]
            while turns:
                going = []
                for turn in turns:
                    source = next(turn, None)
                    if source is None:
                        continue
                    going.append(turn)
                    key = _key(source.chain)
                    if source.changes[-1] == Way.VALUES or key not in sieve.drawn:
                        sieve.drawn.add(key)
                        yield source
                turns = going
            sources, sieve.sources = tuple(sieve.sources), []

    def _turns(self, source: _Source, generation: int) -> Iterator[_Source]:
        """The chains one change away, a way at a time."""
        random = Random(f"{self.seed}/{source.parent.id}/{generation}/{_key(source.chain)}")  # noqa: S311  # not for secrets
        chains = {
            way: list(some) for way, some in Ways(library=self.library).chains(source.chain).items()
        }
        for some in chains.values():
            random.shuffle(some)
        order = [way for way in Way if chains[way]]
        random.shuffle(order)
        while order:
            for way in tuple(order):
                yield replace(source, chain=chains[way].pop(), changes=(*source.changes, way.value))
                if not chains[way]:
                    order.remove(way)

    def _written(self, source: _Source, number: int, sieve: _Sieve) -> Task | None:
        """The candidate as a task; None where it cannot be written."""
        product = source.chain[0].unit.partition(".")[0]
        family = family_of(source.chain, f"{product}-{self.suite_id}-{number:04d}")
        setting = Setting(
            library=self.library,
            console=self.console,
            seed=self.seed,
            language=source.parent.language,
            share_roles=False,
        )
        try:
            draft = compose(family, 0, setting)
            written = write(draft, document_random(self.seed, draft.id))
            task = task_of(draft, written, suite_id=self.suite_id)
        except ProofwalkError as error:
            sieve.infeasible(error.code)
            return None
        origin = Origin(
            parent=source.parent.id,
            parent_digest=source.parent.digest,
            changes=source.changes,
        )
        return replace(task, chain=source.chain, origin=origin)


@dataclass(kw_only=True)
class _Sieve:
    """What drops candidates, and counts them."""

    guard: Guard
    seen: set[tuple[str, str]]
    shortcoming: Callable[[Task], str]
    dropped: Counter[Drop] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    drawn: set[str] = field(default_factory=set)
    sources: list[_Source] = field(default_factory=list)
    """What has passed in this generation."""

    def passes(self, task: Task) -> bool:
        view = profile(task)
        if self.guard.match(view) is not None:
            self.dropped[Drop.LEAK] += 1
            return False
        if _identity(view) in self.seen:
            self.dropped[Drop.DUPLICATE] += 1
            return False
        why = self.shortcoming(task)
        if why:
            self.infeasible(why.replace(task.id, "a task"))
            return False
        self.seen.add(_identity(view))
        return True

    def infeasible(self, why: str) -> None:
        self.dropped[Drop.NOT_FEASIBLE] += 1
        self.reasons[why] += 1


def _identity(view: Profile) -> tuple[str, str]:
    """By which a task doubles another one (`decontamination.duplicates`)."""
    return view.rule, view.configuration


def _key(chain: Chain) -> str:
    return " ".join(
        f"{use.unit}({','.join(f'{own}={role}' for own, role in sorted(use.roles.items()))})"
        for use in chain
    )


def require_failures(failed: Sequence[object]) -> None:
    """Raises `curriculum.no_failures` where there are none."""
    if not failed:
        raise ProofwalkError(
            "curriculum.no_failures",
            "no task was failed at, so that there is nothing to evolve from",
            status=Status.FAILED_PRECONDITION,
            hint="walk harder tasks, or let a weaker policy walk: proofwalk data collect",
        )


def _no_units(failed: Sequence[Task]) -> ProofwalkError:
    return ProofwalkError(
        "curriculum.no_units",
        f"nobody knows the units of {', '.join(task.id for task in failed[:5])}, which were"
        " failed at",
        status=Status.FAILED_PRECONDITION,
        hint="walk tasks of train, singles or an evolved suite",
    )
