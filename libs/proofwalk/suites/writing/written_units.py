"""Units as a task writes them: one link of the chain, rendered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proofwalk.suites.rules.documents import AnswerDocument, Clause
from proofwalk.suites.writing.clause_words import mentions_any
from proofwalk.suites.writing.drafts import Item
from proofwalk.suites.writing.event_names import unique_names, with_event_names, with_renamed_events
from proofwalk.suites.writing.labels import noun_of
from proofwalk.suites.writing.rendering import (
    Action,
    ParameterValue,
    Renderer,
    Scope,
    mentions,
)
from proofwalk.suites.writing.roles import Role
from proofwalk.suites.writing.source_errors import source_invalid
from proofwalk.suites.writing.task_names import TaskNames
from proofwalk.suites.writing.units import Link, Unit
from proofwalk.suites.writing.values import Values


class WrittenUnit:
    """One link of the chain, rendered."""

    def __init__(
        self, task: TaskNames, position: int, link: Link, unit: Unit, taken: set[str]
    ) -> None:
        self._task = task
        self._position = position
        self._link = link
        self._unit = unit
        self._product = link.unit.partition(".")[0]
        self._names = unique_names(unit, taken)
        self._plain = Renderer(task.plain, self._product)
        self._shown = Renderer(task.shown, self._product)
        self._scope = self._bound()

    def _bound(self) -> dict[str, Any]:
        """Parameters and roles as this unit names them."""
        task = self._task
        scope: dict[str, Any] = {"params": {}}
        values = Values(
            link=self._link,
            unit=self._unit,
            renderer=self._plain,
            number=task.number,
            own=f"{task.seed}/{task.id}",
            common=f"{task.seed}/{task.family.id}/{self._position}",
        )
        for role in self._unit.on:
            family_role = self._link.on.get(role, role)
            if family_role not in task.roles:
                raise source_invalid(
                    f"{task.family.id}: {self._link.unit}",
                    f"nothing provides the role {family_role}",
                )
            scope[role] = task.roles[family_role]
        for name in self._unit.params:
            known = {role: known.seen("text") for role, known in task.roles.items()}
            scope["params"][name] = values.draw(name, {**known, **self._seen(scope, "text")})
        for role, made in self._unit.makes.items():
            family_role = self._link.on.get(role, role)
            name = self._plain.text(made.name, self._seen(scope, "text"))
            key = with_event_names(made.key, self._names)
            task.roles[family_role] = scope[role] = Role(at_run_time=False, name=name, key=key)
            task.made[family_role] = (made.type, name)
        return {**scope, "ref": self._refs()}

    @staticmethod
    def _seen(scope: Scope, shape: str) -> Scope:
        seen: dict[str, object] = {}
        for name, value in scope.items():
            if isinstance(value, Role):
                seen[name] = value.seen(shape)
            elif name == "params" and shape == "rule" and isinstance(value, Mapping):
                seen[name] = {
                    key: ParameterValue(entry.value, entry.value) for key, entry in value.items()
                }
            else:
                seen[name] = value
        return seen

    def _refs(self) -> dict[str, str]:
        """The document's phrase for each role; phrases of run-time resources are bound
        to their names."""
        task, refs = self._task, {}
        language = task.language
        for role in (*self._unit.on, *self._unit.makes):
            family_role = self._link.on.get(role, role)
            made = task.made.get(family_role)
            if made is not None:
                given = self._unit.makes[role].ref if role in self._unit.makes else None
                phrase = (
                    self._phrase(role, given.of(language))
                    if given and given.of(language)
                    else self._called(*made)
                )
                task.binds.setdefault(re.sub(r"[`*]", "", phrase), made[1])
            else:
                wordings = self._unit.refs.get(role)
                if wordings is None:
                    continue
                phrase = self._phrase(role, wordings.of(language) or wordings.en)
                value = f"${{output.{task.roles[family_role].name}}}"
                if not self._link.implicit:
                    if task.binds.setdefault(phrase, value) != value:
                        raise source_invalid(
                            f"{task.family.id}: {self._link.unit}",
                            f"{phrase!r} stands for two resources",
                        )
                    for further in (
                        self._unit.binds[role].of(language) if role in self._unit.binds else ()
                    ):
                        task.binds.setdefault(further, value)
            refs[role] = phrase
        return refs

    def _phrase(self, role: str, wordings: Sequence[str]) -> str:
        return self._task.random(self._position, "ref", role).choice(wordings)

    def _called(self, kind: str, name: str) -> str:
        product, _, resource = kind.partition(".")
        label = self._task.plain.find(f"resources/{resource}", product=product).text
        if self._task.language == "zh":
            return f"{label} `{name}`"
        return f"the {noun_of(label)} `{name}`"

    def text(self, template: str) -> str:
        """A sentence of the document."""
        return self._plain.text(template, self._seen(self._scope, "text"))

    def items(self, carried: Sequence[Action]) -> tuple[list[Item], list[Action]]:
        """The written steps, and what is left for the next unit's first step to do.
        `carried` is done before the first one."""
        before = list(carried)
        items: list[Item] = []
        vague = {self._step_of(name): self._unit.vague[name] for name in self._link.vague}
        where = f"{self._task.family.id}: {self._link.unit}"
        for number, step in enumerate(self._unit.steps):
            do = [
                self._shown.action(
                    action, self._seen(self._scope, "do"), place=f"{where}.steps.{number}"
                )
                for action in step.do
            ]
            random = self._task.random(self._position, "step", number)
            left_out = (
                step.optional
                and number not in vague
                and random.random() < 0.4
                and not self._task.complete
            )
            if self._link.implicit or (left_out and not items):
                before += do
                continue
            if left_out:
                items[-1] = replace(items[-1], do=(*items[-1].do, *do))
                continue
            wordings = vague.get(number, step).of(self._task.language)
            if not wordings:
                raise source_invalid(
                    f"{where}.steps.{number}", f"there is no wording in {self._task.language!r}"
                )
            text, uses = self._plain.traced(
                random.choice(wordings),
                self._seen(self._scope, "text"),
                place=f"{where}.steps.{number}",
            )
            items.append(
                Item(
                    text=text,
                    do=(*before, *do),
                    uses=uses,
                    unit=self._position,
                    step=number,
                    vague=number in vague,
                )
            )
            before = []
        return items, before

    def _step_of(self, name: str) -> int:
        """The step whose wording leaves the parameter open."""
        said = self._unit.vague[name].step
        mentioning = [
            n
            for n, step in enumerate(self._unit.steps)
            if any(mentions(text, name) for text in step.en)
        ]
        if not mentioning:
            raise source_invalid(
                f"{self._link.unit}.vague.{name}", "no step mentions the parameter"
            )
        return said if said in mentioning else mentioning[0]

    def clauses(self, said: str) -> dict[str, list[Clause]]:
        """The unit's clauses, where `said` is all that the document's steps say. A
        condition on a parameter that the document leaves open, or on one of an implicit
        unit that it never names, is dropped; a forbidden clause with such a condition
        goes altogether, because it would forbid more without it."""
        open_ = set(self._link.vague)
        if self._link.implicit:
            values: Mapping[str, ParameterValue] = self._scope["params"]
            open_ |= {
                name
                for name, value in values.items()
                if not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said)
            }
        found: dict[str, list[Clause]] = {}
        scope = self._seen(self._scope, "rule")
        for group in ("all", "any", "none"):
            clauses = getattr(self._unit.rule, group)
            if group == "none":
                clauses = [clause for clause in clauses if not mentions_any(clause, open_)]
            found[group] = [self._clause(clause, scope, open_) for clause in clauses]
        return found

    def answer(self) -> AnswerDocument:
        """What the unit's rule expects to be answered."""
        scope = self._seen(self._scope, "rule")
        expected: AnswerDocument = self._plain.tree(
            self._unit.rule.answer, scope, place=f"{self._link.unit}.rule.answer"
        )
        return expected

    def _clause(self, clause: Clause, scope: Scope, open_: set[str]) -> Clause:
        kept = clause.copy()
        if "where" in kept:
            kept["where"] = [
                condition for condition in kept["where"] if not mentions_any(condition, open_)
            ]
            if not kept["where"]:
                del kept["where"]
        if "as" in kept:
            kept["as"] = self._names.get(kept["as"], kept["as"])
        # Renamed before it is rendered: what roles of earlier units bring along carries
        # its final names.
        rendered: Clause = self._plain.tree(
            with_renamed_events(kept, self._names), scope, place=f"{self._link.unit}.rule"
        )
        return rendered
