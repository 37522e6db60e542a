"""`drift-200`: faithful documents, and documents that are wrong about the console in
exactly one known place.

Every task is one unit as documented in English, in one flat list. A wrong one carries
one defect (`defects`); a faithful one may carry a revision of something that its
document does not speak of, and the sentence that keeps a default, so that neither is a
sign. Each planted defect is checked: the patches apply, every label that the document
rests on reads as before but for the touched node, and exactly one sentence of the
document says what is no longer so. Kinds are spread evenly as far as the units admit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import list_of, object_of
from proofwalk.suites.families.generation import document_random, task_of
from proofwalk.suites.model import Defect, Difficulty, Patch, Scenario, Suite, Task
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.defects import candidates
from proofwalk.suites.writing.documents import Written, write
from proofwalk.suites.writing.drafts import Draft, Item
from proofwalk.suites.writing.form_defects import kept_defaults
from proofwalk.suites.writing.labels import Console, Labels
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.new_names import new_name
from proofwalk.suites.writing.planted import DefectKind, Planted, touches
from proofwalk.suites.writing.task_names import Setting
from proofwalk.suites.writing.units import Family, Link

FAITHFUL, WRONG = 100, 100
_VARIANTS = 6
"""Documents that may be made of one unit."""


def generate_drift(
    library: Library, console: Console, *, suite_id: str, version: int, seed: int
) -> Suite:
    """The suite. Raises `suite.too_few` when the units do not admit enough
    documents."""
    drift = _Drift(library, console, seed, suite_id)
    tasks = [*drift.wrong(), *drift.faithful()]
    return Suite(
        id=suite_id,
        version=version,
        seed=seed,
        tasks=tuple(sorted(tasks, key=lambda task: task.id)),
    )


@dataclass(frozen=True, kw_only=True)
class _Place:
    """One document that may be made: a unit and its number."""

    unit: str
    number: int


class _Drift:
    def __init__(self, library: Library, console: Console, seed: int, suite_id: str) -> None:
        self._library = library
        self._console = console
        self._labels = console.labels("en")
        self._seed = seed
        self._suite = suite_id
        self._setting = Setting(library=library, console=console, seed=seed, complete=True)
        self._families = {name: _family(name) for name in sorted(library.units)}
        self._used: Counter[str] = Counter()
        self._drafts: dict[_Place, Draft | None] = {}

    def _random(self, *what: object) -> Random:
        return Random(f"{self._seed}/drift/{'/'.join(map(str, what))}")  # noqa: S311  # not for secrets

    def _draft(self, place: _Place) -> Draft | None:
        """The draft; None for a unit that needs what no fixture is."""
        if place not in self._drafts:
            try:
                self._drafts[place] = compose(
                    self._families[place.unit], place.number, self._setting
                )
            except ProofwalkError:
                self._drafts[place] = None
        return self._drafts[place]

    def _next(self, unit: str) -> _Place:
        return _Place(unit=unit, number=self._used[unit])

    def wrong(self) -> list[Task]:
        """Wrong documents, kind by kind in turn, each of the least used unit that
        admits the kind."""
        made: list[Task] = []
        kinds = list(DefectKind)
        exhausted: set[DefectKind] = set()
        taken: set[tuple[str, str, str]] = set()
        while len(made) < WRONG and len(exhausted) < len(kinds):
            for kind in kinds:
                if len(made) == WRONG or kind in exhausted:
                    continue
                task = self._plant(kind, taken)
                if task is None:
                    exhausted.add(kind)
                else:
                    made.append(task)
        if len(made) < WRONG:
            raise _too_few(f"the units admit {len(made)} wrong documents, not {WRONG}")
        return made

    def _plant(self, kind: DefectKind, taken: set[tuple[str, str, str]]) -> Task | None:
        order = sorted(
            self._families, key=lambda unit: (self._used[unit], self._random(kind, unit).random())
        )
        for unit in order:
            place = self._next(unit)
            draft = self._draft(place) if place.number < _VARIANTS else None
            if draft is None:
                continue
            found = [
                one
                for one in candidates(kind, draft, self._labels)
                if (unit, kind, one.at + one.label) not in taken
            ]
            self._random(kind, unit, place.number).shuffle(found)
            for planted in found:
                task = self._checked(draft, planted)
                if task is not None:
                    taken.add((unit, kind, planted.at + planted.label))
                    self._used[unit] += 1
                    return task
        return None

    def _checked(self, draft: Draft, planted: Planted) -> Task | None:
        """The task, if the defect is one and the only one."""
        if planted.patches:
            try:
                after = self._console.labels("en", planted.patches)
            except ProofwalkError:
                return None
            if not untouched(planted, self._labels, after):
                return None
        written = self._written(draft, planted.items)
        sentences = [
            sentence
            for sentence in written.substeps[planted.item].sentences
            if _marks(sentence, planted.label)
        ]
        if len(sentences) != 1:
            return None
        sentence = sentences[0]
        scenario = Scenario(patches=planted.patches) if planted.patches else None
        expected = Defect(
            kind=planted.kind.value,
            sentence=sentence.text,
            line=sentence.span.line,
            path=planted.at,
        )
        return replace(
            task_of(replace(draft, scenario=scenario), written, suite_id=self._suite),
            expected=expected,
        )

    def _written(self, draft: Draft, items: Sequence[Item]) -> Written:
        changed = replace(draft, sections=(replace(draft.sections[0], items=tuple(items)),))
        return write(changed, document_random(self._seed, draft.id), plain=True)

    def faithful(self) -> list[Task]:
        """Faithful documents: the units in turn, least used first; every other one in a
        console with an unrelated revision."""
        made: list[Task] = []
        while len(made) < FAITHFUL:
            before = len(made)
            for unit in sorted(
                self._families,
                key=lambda name: (self._used[name], self._random("faithful", name).random()),
            ):
                place = self._next(unit)
                draft = self._draft(place) if place.number < _VARIANTS else None
                if draft is None or len(made) == FAITHFUL:
                    continue
                self._used[unit] += 1
                made.append(self._kept(draft, revised=len(made) % 2 == 1))
            if len(made) == before:
                raise _too_few(f"the units admit {len(made)} faithful documents, not {FAITHFUL}")
        return made

    def _kept(self, draft: Draft, *, revised: bool) -> Task:
        items = draft.items
        random = self._random("kept", draft.id)
        defaults = list(kept_defaults(items, self._labels))
        if defaults and random.random() < 0.5:
            number, item, _, _ = random.choice(defaults)
            items = (*items[:number], item, *items[number:])
        patches = next(self._unrelated(items, draft.product, random), ()) if revised else ()
        scenario = Scenario(patches=patches) if patches else None
        return task_of(
            replace(draft, scenario=scenario), self._written(draft, items), suite_id=self._suite
        )

    def _unrelated(
        self, items: Sequence[Item], product: str, random: Random
    ) -> Iterator[tuple[Patch, ...]]:
        """Revisions of the product that rename what the document does not speak of."""
        uses = [use for item in items for use in item.uses]
        texts = {use.text for use in uses}
        found = [
            (f"{product}/resources/{resource}/{part}/{node['id']}", str(node["label"]))
            for resource, spec in sorted(
                object_of(self._labels.products[product].get("resources")).items()
            )
            for part in ("actions", "fields")
            for node in map(object_of, list_of(object_of(spec).get(part)))
            if node.get("label") and new_name(str(node["label"]))
        ]
        random.shuffle(found)
        for at, label in found:
            if label in texts or new_name(label) in texts or any(touches(at, use) for use in uses):
                continue
            patches: tuple[Patch, ...] = ({"at": at, "set": {"label": new_name(label)}},)
            try:
                after = self._console.labels("en", patches)
            except ProofwalkError:
                continue
            if all(after.text_at(use.at) == self._labels.text_at(use.at) for use in uses):
                yield patches


def untouched(planted: Planted, before: Labels, after: Labels) -> bool:
    """Whether every label that the document rests on reads as before but for the
    touched node, which does not (or, where a form got a field or a default changed, is
    what the sentence leaves out)."""
    changed = set()
    for number, item in enumerate(planted.items):
        for use in item.uses:
            if before.text_at(use.at) != after.text_at(use.at):
                changed.add((number, use.at))
    if planted.kind in (DefectKind.ADDED_STEP, DefectKind.CHANGED_DEFAULT):
        return not changed
    return changed == {(planted.item, planted.at)} or (
        planted.kind is DefectKind.MOVED and {number for number, _ in changed} <= {planted.item}
    )


def _marks(sentence: object, label: str) -> bool:
    inlines = getattr(sentence, "inlines", ())
    return any(inline.role == "strong" and inline.text == label for inline in inlines)


def _family(unit: str) -> Family:
    """A unit on its own, as often as documents of it may be wanted."""
    product, _, name = unit.partition(".")
    return Family(
        id=f"{product}-{name.replace('_', '-')}",
        difficulty=Difficulty.STANDARD,
        chain=(Link(unit=unit),),
        tasks=_VARIANTS,
    )


def _too_few(what: str) -> ProofwalkError:
    return ProofwalkError(
        "suite.too_few",
        what,
        status=Status.FAILED_PRECONDITION,
        hint="write more units, or units with forms, tabs and waits",
    )
