"""Tasks that nobody wrote: from product files to documents with META, rule and script.

Each operation of `devcloud_material` becomes a task for each persona. What it acts on
is made by a record that `proofwalk.authoring` writes for one thing of the kind in the
state that the operation asks for; the rest is written as for units of persons. A task
that comes near one that is held back (`decontamination`) is left out. Whether what is
left can be done is for the oracle to show: `proofwalk bench prove`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from proofwalk.authoring.records import Draft, draft
from proofwalk.authoring.resources import World, cannot_make
from proofwalk.authoring.things import STATUS, Things
from proofwalk.chassis.yaml_documents import read_yaml
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_material import Offer, operations
from proofwalk.platform.devcloud_questions import questions
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.platform.suites import CONSOLE_SUITE, DRIFT_SUITE, SYNTHESISED
from proofwalk.suites.families.generation import CHINESE_SHARE, document_random, task_of
from proofwalk.suites.model import Difficulty, Suite, Task
from proofwalk.suites.rules.decontamination import Guard, profile
from proofwalk.suites.storage import BlockText, OneLine, dump_record, load_suite
from proofwalk.suites.synthesis.operations import Creation, Form, Operation, Persona, Question
from proofwalk.suites.synthesis.units import (
    LANGUAGES,
    unit_of,
    unit_of_creation,
    unit_of_question,
    with_article,
)
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.task_names import Setting
from proofwalk.suites.writing.units import Family, Fixture, Link, Unit, Wording


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """What came of it."""

    suite: Suite
    operations: int
    """Actions of the console, and fields that may be asked for, that were looked at."""
    left_out: Mapping[str, int]
    """Why there is no task -> of how many operations or tasks."""


@dataclass(frozen=True, kw_only=True)
class _Source:
    """What the tasks of one operation are made of."""

    offer: Offer
    record: Draft
    """Makes what the operation acts on, or what its form takes."""
    unit: str
    """The unit's name."""
    truth: str = ""
    """Of a question: HCL of what the backend knows."""


def _task_id(unit: str, persona: Persona, form: Form) -> str:
    goal = "-goal" if form is Form.GOAL else ""
    return f"{re.sub('[._]', '-', unit)}-{persona}{goal}"


@dataclass(frozen=True, kw_only=True)
class Synthesiser:
    """Writes the tasks. `seed` draws what is open."""

    console: DevcloudConsole
    world: World
    seed: int
    form: Form = Form.STEPS

    def suite(self, suite_id: str, version: int, *, held_back: Iterable[Task]) -> Synthesis:
        """Every task that the product files give. Blocks for some seconds."""
        guard = Guard(held_back)
        known = list(operations(self.console))
        if self.form is Form.GOAL:
            # Who is told the steps has nothing to find out.
            known += questions(self.console)
        left_out: Counter[str] = Counter()
        tasks = []
        for source in self._sources(known, left_out):
            for persona in Persona:
                try:
                    task = self._task(source, persona, suite_id)
                except ProofwalkError as error:
                    left_out[error.code] += 1
                    continue
                if guard.match(profile(task)) is None:
                    tasks.append(task)
                else:
                    left_out["it comes near a task that is held back"] += 1
        return Synthesis(
            suite=Suite(
                id=suite_id,
                version=version,
                seed=self.seed,
                tasks=tuple(sorted(tasks, key=lambda task: task.id)),
            ),
            operations=len(known),
            left_out=dict(left_out),
        )

    def _sources(
        self, known: Iterable[tuple[str, Offer | str]], left_out: Counter[str]
    ) -> Iterable[_Source]:
        for name, offer in known:
            if isinstance(offer, str):
                left_out[offer] += 1
                continue
            try:
                record = self._record(offer)
            except ProofwalkError as error:
                left_out[error.code] += 1
                continue
            asked = offer.operation if isinstance(offer.operation, Question) else None
            truth = truth_of(asked, record) if asked else ""
            if asked and not truth:
                left_out["no output of META tells what is asked for"] += 1
                continue
            product, _, rest = name.partition(".")
            unit = f"{product}.{rest.replace('.', '_')}"
            yield _Source(offer=offer, record=record, unit=unit, truth=truth)

    def _record(self, offer: Offer) -> Draft:
        """What makes the things that are acted on, each called by its role. Raises
        `author.cannot_make`."""
        operation, kinds = offer.operation, self.world.catalogue.kinds
        things = Things(self.world.catalogue)
        if isinstance(operation, Creation):
            for parent in operation.parents:
                things.resolve(kinds[parent.kind], parent.role)
            return draft(things, self.world, meta_id=operation.role.replace("_", "-"))
        thing = things.resolve(kinds[operation.kind], operation.role)
        pair = self.world.pairs.get(offer.operation.kind)
        for name, values in offer.wants.items():
            one = thing.kind.fields.get(name)
            made = pair is not None and bool(pair.attribute(name))
            if one is not None and one.default not in values and not made:
                raise cannot_make(thing.kind, f"nothing makes its {name} so")
            thing.want(name, values)
        return draft(things, self.world, meta_id=offer.operation.role.replace("_", "-"))

    def _task(self, source: _Source, persona: Persona, suite_id: str) -> Task:
        """Raises `suite.source_invalid`, `suite.document_mismatch`, and
        `script.invalid`."""
        operation = source.offer.operation
        unit = self._unit(operation, persona)
        family = Family(
            id=_task_id(source.unit, persona, self.form),
            difficulty=Difficulty.STANDARD,
            chain=(Link(unit=source.unit),),
        )
        chinese = Random(f"{self.seed}/{family.id}/language").random() < CHINESE_SHARE  # noqa: S311
        setting = Setting(
            library=self._library(source, unit, family),
            console=self.console,
            seed=self.seed,
            language="zh" if chinese else "en",
        )
        composed = compose(family, 0, setting)
        task = task_of(
            composed, write(composed, document_random(self.seed, family.id)), suite_id=suite_id
        )
        return replace(task, meta_yaml=self._meta(source, family.id, composed.binds))

    def _unit(self, operation: Operation | Creation | Question, persona: Persona) -> Unit:
        match operation:
            case Question():
                return unit_of_question(operation, persona)
            case Creation():
                return unit_of_creation(operation, persona, self.form)
            case Operation():
                return unit_of(operation, persona, self.form)

    def _library(self, source: _Source, unit: Unit, family: Family) -> Library:
        operation = source.offer.operation
        needed = (
            {one.kind: one.nouns for one in operation.parents}
            if isinstance(operation, Creation)
            else {operation.kind: operation.nouns}
        )
        states = source.offer.wants.get(STATUS, ())
        fixtures = {
            kind: Fixture(
                title=Wording(
                    **{one: (self._prerequisite(kind, nouns, states, one),) for one in LANGUAGES}
                ),
                type=kind,
                hcl="",
                name=kind.partition(".")[2],
                key=kind.partition(".")[2],
            )
            for kind, nouns in needed.items()
        }
        return Library(units={source.unit: unit}, fixtures=fixtures, families=(family,))

    def _prerequisite(
        self, kind_id: str, nouns: Mapping[str, str], states: Sequence[str], language: str
    ) -> str:
        """The prerequisite: `a disk in the Available state`."""
        noun = nouns[language]
        kind = self.world.catalogue.kinds[kind_id]
        told = kind.settled if kind.settled in states or not states else states[0]
        state = ""
        if len(kind.states) > 1 and told:
            path = f"resources/{kind_id.partition('.')[2]}/states/{told}"
            state = self.console.labels(language).find(path, product=kind.product).text
        if language == "zh":
            return f"一个处于{state}状态的{noun}" if state else f"一个{noun}"
        one = with_article(noun)
        return f"{one} in the {state} state" if state else one

    def _meta(self, source: _Source, task_id: str, binds: Mapping[str, str]) -> str:
        """The record with the outputs that script and rule ask for."""
        members = read_yaml(source.record.yaml)
        outputs, own = source.record.outputs, {}
        for role, bound in members["binds"].items():
            shown = str(bound).removeprefix("${output.").removesuffix("}")
            own[f"{role}_name"] = outputs[shown]
            own[f"{role}_id"] = outputs[f"{shown.removesuffix('_name').removesuffix('_id')}_id"]
        if isinstance(source.offer.operation, Question):
            own[source.offer.operation.output] = source.truth
        further = [
            f'output "{name}" {{\n  value = {value}\n}}\n'
            for name, value in own.items()
            if name not in outputs
        ]
        return dump_record(
            {
                **members,
                "id": task_id,
                "create": BlockText("\n".join([members["create"], *further])) if outputs else "",
                "verify": list(map(OneLine, members["verify"])),
                "binds": dict(binds),
            }
        )


def truth_of(question: Question, record: Draft) -> str:
    """HCL of the attribute that holds what is asked for. Empty where none does for
    certain: nobody knows what an attribute holds that may be set and is not."""
    made = [one for one in record.resources if one.pair and one.pair.kind.id == question.kind]
    if not made or made[-1].pair is None or made[-1].type.within:
        return ""
    resource, name = made[-1], made[-1].pair.attribute(question.field)
    attribute = resource.type.attributes.get(name)
    if attribute is None or "." in name or attribute.kind not in ("string", "number"):
        return ""
    known = name in resource.attributes or not attribute.settable
    return f"{resource.address}.{name}" if known else ""


def synthesised(folder: Path, *, seed: int, form: Form = Form.STEPS) -> Synthesis:
    """All tasks of the shipped product files that come near none of the evaluation
    suites in `folder`. Blocks for some seconds."""
    console = DevcloudConsole()
    held_back = [
        task for suite in (CONSOLE_SUITE, DRIFT_SUITE) for task in load_suite(folder / suite).tasks
    ]
    maker = Synthesiser(
        console=console, world=devcloud_world(console.shipped), seed=seed, form=form
    )
    return maker.suite(SYNTHESISED, 1, held_back=held_back)
