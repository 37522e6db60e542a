"""A family into drafts: which fixtures, which values, which sentences, which clauses,
and what the oracle does.

Everything that is open is drawn from `Random` seeded with the suite's seed and the
task's id, so a task does not change when another one is added. Values of the tasks of
one family are drawn without repetition where there are enough of them. `documents`
writes a draft down as a document, `records` as META, rule and script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from proofwalk.suites.model import Scenario
from proofwalk.suites.rules.documents import AnswerDocument, Clause, RuleDocument
from proofwalk.suites.writing.clause_words import is_same_event
from proofwalk.suites.writing.drafts import Draft, Section
from proofwalk.suites.writing.library import product_of
from proofwalk.suites.writing.provision import FixtureUse, fixtures_of
from proofwalk.suites.writing.rendering import (
    Action,
    Renderer,
)
from proofwalk.suites.writing.roles import Role
from proofwalk.suites.writing.source_errors import source_invalid
from proofwalk.suites.writing.task_names import Setting, TaskNames
from proofwalk.suites.writing.units import Family
from proofwalk.suites.writing.written_units import WrittenUnit


def compose(family: Family, number: int, setting: Setting) -> Draft:
    """The draft of the family's task `number` (from 0). Raises `suite.source_invalid`,
    naming the place."""
    return _Composition(family, number, setting).draft()


@dataclass(frozen=True, kw_only=True)
class _Chain:
    """What the units of a family have contributed."""

    sections: list[Section] = field(default_factory=list)
    texts: dict[str, list[str]] = field(
        default_factory=lambda: {"preamble": [], "prerequisites": [], "notes": []}
    )
    written: list[tuple[int, WrittenUnit]] = field(default_factory=list)
    """Each unit as it was written, with its position."""

    def clauses(self) -> dict[str, list[tuple[int, Clause]]]:
        """Return the rule's clauses by group, each with its unit's position. What they
        ask depends on the words of all sections."""
        words = "\n".join(item.text for section in self.sections for item in section.items)
        units = [(position, written.clauses(words)) for position, written in self.written]
        return {
            group: [(position, clause) for position, groups in units for clause in groups[group]]
            for group in ("all", "any", "none")
        }

    def answer(self) -> AnswerDocument:
        """Return what all units together ask to be answered."""
        return {name: asked for _, one in self.written for name, asked in one.answer().items()}


class _Composition:
    def __init__(self, family: Family, number: int, setting: Setting) -> None:
        self._share = setting.share_roles
        self._task = TaskNames(family, number, setting)

    def draft(self) -> Draft:
        family = self._task.family
        fixtures = fixtures_of(
            family, self._task.library, self._task.random("names"), share_roles=self._share
        )
        for use in fixtures:
            if use.role:
                self._task.roles[use.role] = Role(
                    at_run_time=True, name=f"{use.role}_name", key=f"{use.role}_id"
                )
        chain = self._chain()
        clauses = chain.clauses()
        preamble = [
            *map(self._rendered, self._some(family.preamble.of(self._task.language), "family")),
            *chain.texts["preamble"],
        ]
        return Draft(
            id=self._task.id,
            family=family,
            product=product_of(family),
            language=self._task.language,
            title=self._title(chain.sections, self._task.language),
            title_en=self._title_en(),
            preamble=tuple(preamble),
            prerequisites=tuple([*chain.texts["prerequisites"], *self._available(fixtures)]),
            notes=tuple(chain.texts["notes"]),
            sections=tuple(chain.sections),
            fixtures=fixtures,
            binds=self._bound(chain.sections),
            rule=self._rule(clauses, chain.answer()),
            scenario=self._scenario(),
            related=tuple(self._related()),
        )

    def _chain(self) -> _Chain:
        """Write the family's units in order. Steps of an implicit unit are carried into
        the next section, or into the last one."""
        chain = _Chain()
        carried: list[Action] = []
        taken: set[str] = set()
        for position, link in enumerate(self._task.family.chain):
            unit = self._task.library.units[link.unit]
            written = WrittenUnit(self._task, position, link, unit, taken)
            chain.written.append((position, written))
            items, carried = written.items(carried)
            if link.implicit:
                continue
            titles = unit.title.of(self._task.language) or unit.title.en
            title = written.text(self._task.random(position, "title").choice(titles))
            chain.sections.append(
                Section(unit=position, name=link.unit, title=title, items=tuple(items))
            )
            for what, into in chain.texts.items():
                wordings = getattr(unit, what).of(self._task.language)
                chosen = wordings if what != "preamble" else self._some(wordings, position, what)
                into += [text for text in map(written.text, chosen) if text not in into]
        if carried:
            last = chain.sections[-1]
            items = [*last.items[:-1], replace(last.items[-1], do=(*last.items[-1].do, *carried))]
            chain.sections[-1] = replace(last, items=tuple(items))
        return chain

    def _bound(self, sections: Sequence[Section]) -> dict[str, str]:
        """The phrases that the document really uses."""
        said = "\n".join(
            re.sub(r"[`*]", "", item.text) for section in sections for item in section.items
        ).lower()
        return {
            phrase: value for phrase, value in self._task.binds.items() if phrase.lower() in said
        }

    def _some(self, wordings: Sequence[str], *what: object) -> list[str]:
        return [self._task.random(*what, "some").choice(wordings)] if wordings else []

    def _rendered(self, template: str) -> str:
        return Renderer(self._task.plain, product_of(self._task.family)).text(template, {})

    def _title(self, sections: Sequence[Section], language: str) -> str:
        given = self._task.family.title.of(language) if self._task.family.title else ()
        if given:
            return self._rendered(
                given[(self._task.number + self._task.random("title").randrange(97)) % len(given)]
            )
        titles = [section.title for section in sections]
        if len(titles) == 1:
            return titles[0]
        if language == "zh":
            return "，然后".join(titles)
        return (
            f"{titles[0]} and then"
            f" {' and '.join(title[:1].lower() + title[1:] for title in titles[1:])}"
        )

    def _title_en(self) -> str:
        if self._task.family.title and self._task.family.title.en:
            return self._task.family.title.en[0]
        titles = [
            self._task.library.units[link.unit].title.en[0]
            for link in self._task.family.chain
            if not link.implicit
        ]
        return ", then ".join([titles[0], *(title[:1].lower() + title[1:] for title in titles[1:])])

    def _scenario(self) -> Scenario | None:
        patches = self._task.family.scenario.patches
        return (
            Scenario(language=self._task.language, patches=patches)
            if patches or self._task.language != "en"
            else None
        )

    def _related(self) -> Iterator[str]:
        own = {link.unit for link in self._task.family.chain}
        product = product_of(self._task.family)
        for name, unit in self._task.library.units.items():
            if name.startswith(f"{product}.") and name not in own:
                yield (unit.title.of(self._task.language) or unit.title.en)[0]

    def _available(self, fixtures: Sequence[FixtureUse]) -> list[str]:
        lines = []
        for use in fixtures:
            if not use.role or not use.told:
                continue
            titles = (use.variant.title if use.variant else use.fixture.title).of(
                self._task.language
            )
            if not titles:
                continue
            title = titles[0]
            forms = (
                ("已有{}。", "已准备好{}。")
                if self._task.language == "zh"
                else ("{} is available.", "{} exists in the account.")
            )
            line = self._task.random("available", use.id).choice(forms).format(title)
            lines.append(line[:1].upper() + line[1:])
        return lines

    def _rule(
        self, clauses: Mapping[str, Sequence[tuple[int, Clause]]], answer: AnswerDocument
    ) -> RuleDocument:
        rule: RuleDocument = {
            "id": self._task.id,
            "version": 1,
            "title": self._title_en(),
            "delta_s": 5,
        }
        required = [clause for _, clause in clauses["all"]]
        alternatives = {position for position, _ in clauses["any"]}
        if len(alternatives) > 1:
            raise source_invalid(
                self._task.family.id,
                "two units of the chain have `any` clauses; a rule has one such list",
            )
        forbidden: list[Clause] = []
        for position, clause in clauses["none"]:
            # What a unit forbids may be what another unit of the chain asks for.
            asked = any(
                at != position and is_same_event(clause, other)
                for group in ("all", "any")
                for at, other in clauses[group]
            )
            if not asked and clause not in forbidden:
                forbidden.append(clause)
        if required:
            rule["all"] = required
        if clauses["any"]:
            rule["any"] = [clause for _, clause in clauses["any"]]
        if forbidden:
            rule["none"] = forbidden
        if answer:
            rule["answer"] = answer
        ordered = self._task.family.order
        if ordered is None:
            own = [
                self._task.library.units[link.unit].rule.order for link in self._task.family.chain
            ]
            # When an unwritten step is done is the walker's choice, as far as the
            # console lets it.
            ordered = (
                own[0]
                if len(own) == 1
                else not any(link.implicit for link in self._task.family.chain)
            )
        if ordered and len(required) > 1:
            rule["order"] = True
        return rule
