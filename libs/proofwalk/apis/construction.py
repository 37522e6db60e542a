"""The construction of functions out of exemplar tasks (ComputerRL §2.1, appendix A):
requirement analysis, then for each interface implementation, test and repair.

    requirements ──► tests ──► code ──► run the tests ──► in the catalogue
                       ▲         ▲            │
                       │         └─ failed ───┤   at most `rounds` codes
                       └─ tests that cannot ──┘   at most `rounds` times
                          be carried out

What does not pass all its tests within its rounds stays out. Every stage's outcome is
written (`journal`) before the next one begins, so a construction that was ended asks
for nothing twice. A function that fails stops no other; an environment that is away
stops everything, and is not the functions' failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from proofwalk.apis import prompts
from proofwalk.apis.asking import UNREADABLE, Author
from proofwalk.apis.implementation import write_code, write_tests
from proofwalk.apis.journal import Attempt, Journal, Requirements, Work
from proofwalk.apis.model import ApiFunction, Interface, Provenance, holds
from proofwalk.apis.requirements import MOST_FUNCTIONS, requirements
from proofwalk.apis.storage import Catalogue, CatalogueFolder
from proofwalk.apis.testing import Examiner
from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.kernel.errors import ProofwalkError, invalid

ROUNDS = 4
_TASK = 300
"""Characters of a task in a function's provenance."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How much is tried."""

    functions: int = MOST_FUNCTIONS
    rounds: int = ROUNDS
    """Implementations of one function, and writings of its tests."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What came of one interface."""

    interface: Interface
    function: ApiFunction | None = None
    reason: str = ""
    """Why it stays out."""
    rounds: int = 0


class Construction:
    """Builds functions into a catalogue. `progress` is told of each one."""

    def __init__(
        self,
        author: Author,
        examiner: Examiner,
        folder: CatalogueFolder,
        *,
        bounds: Bounds = Bounds(),
        progress: Callable[[Built], None] = lambda _: None,
    ) -> None:
        self._author = author
        self._examiner = examiner
        self._folder = folder
        self._bounds = bounds
        self._progress = progress

    async def build(self, tasks: Sequence[str]) -> tuple[Built, ...]:
        """What the tasks need and the catalogue has not. Raises `apis.no_tasks`,
        `apis.other_application`, `apis.invalid`, `apis.altered`, and what keeps the
        model or the application from answering."""
        if not any(task.strip() for task in tasks):
            raise invalid("apis.no_tasks", "there is no exemplar task", hint="name files of tasks")
        journal = Journal(self._folder.folder, tasks=tasks, application=self._examiner.application)
        catalogue = await asyncio.to_thread(self._folder.read)
        catalogue.refuse_other(self._examiner.application)
        interfaces = await self._required(tasks, catalogue, journal)
        ends: list[Built] = []
        for interface in interfaces:
            ends.append(await self._built(interface, tasks, journal))
            self._progress(ends[-1])
        return tuple(ends)

    async def _required(
        self, tasks: Sequence[str], catalogue: Catalogue, journal: Journal
    ) -> tuple[Interface, ...]:
        noted = await asyncio.to_thread(journal.requirements)
        if noted is not None:
            return noted.interfaces
        interfaces = await requirements(
            self._author,
            tasks,
            [one.interface for one in catalogue.functions.values()],
            guide=self._examiner.guide,
            most=self._bounds.functions,
        )
        note = Requirements(tasks=tuple(tasks), interfaces=interfaces)
        await asyncio.to_thread(journal.keep_requirements, note)
        return interfaces

    async def _built(self, interface: Interface, tasks: Sequence[str], journal: Journal) -> Built:
        catalogue = await asyncio.to_thread(self._folder.read)
        there = catalogue.functions.get(interface.name)
        if there is not None and there.interface == interface:
            return Built(interface=interface, function=there, rounds=there.provenance.rounds)
        try:
            work = await self._worked(await asyncio.to_thread(journal.work, interface), journal)
        except ProofwalkError as error:
            if error.code != UNREADABLE:
                raise
            return Built(interface=interface, reason=error.message)
        last = work.attempts[-1]
        if not holds(last.trials, work.tests):
            reason = prompts.failures(last.trials)
            return Built(interface=interface, reason=reason, rounds=len(work.attempts))
        function = ApiFunction(
            application=self._examiner.application,
            interface=interface,
            code=last.code,
            tests=work.tests,
            trials=last.trials,
            provenance=Provenance(
                tasks=tuple(prompts.cut(task.strip(), _TASK) for task in tasks),
                model=self._author.name,
                prompts=prompts.VERSION,
                rounds=len(work.attempts),
            ),
        )
        await asyncio.to_thread(self._folder.add, function)
        return Built(interface=interface, function=function, rounds=len(work.attempts))

    async def _worked(self, work: Work, journal: Journal) -> Work:
        """Stage after stage, until the tests hold or the rounds are used up."""
        while not self._is_over(work):
            work = await self._next(work)
            await asyncio.to_thread(journal.keep_work, work)
        return work

    def _is_over(self, work: Work) -> bool:
        if not work.attempts or not work.attempts[-1].trials:
            return False
        if holds(work.attempts[-1].trials, work.tests):
            return True
        return not self._tests_are_due(work) and len(work.attempts) >= self._bounds.rounds

    def _tests_are_due(self, work: Work) -> bool:
        """Whether the last trials say that the tests have to be written again."""
        trials = work.attempts[-1].trials if work.attempts else ()
        return any(one.of_the_test for one in trials) and work.test_rounds < self._bounds.rounds

    async def _next(self, work: Work) -> Work:
        """One stage further."""
        guide, interface = self._examiner.guide, work.interface
        last = work.attempts[-1] if work.attempts else None
        if not work.tests or self._tests_are_due(work):
            tests = await write_tests(
                self._author,
                interface,
                guide=guide,
                before=write_yaml([one.model_dump(mode="json") for one in work.tests])
                if work.tests
                else "",
                trials=last.trials if last is not None else (),
            )
            again = [last.model_copy(update={"trials": ()})] if last is not None else []
            return work.model_copy(
                update={
                    "tests": tests,
                    "test_rounds": work.test_rounds + 1,
                    "attempts": (*work.attempts[:-1], *again),
                }
            )
        if last is not None and not last.trials:
            trials = await self._examiner.test(interface, last.code, work.tests)
            tried = last.model_copy(update={"trials": trials})
            return work.model_copy(update={"attempts": (*work.attempts[:-1], tried)})
        code = await write_code(
            self._author,
            interface,
            guide=guide,
            before=last.code if last is not None else "",
            wrong=prompts.failures(last.trials) if last is not None else "",
        )
        return work.model_copy(update={"attempts": (*work.attempts, Attempt(code=code))})
