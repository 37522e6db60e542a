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
from random import Random
from typing import Any

from proofwalk.suites.model import Scenario
from proofwalk.suites.rules.documents import Clause, RuleDocument
from proofwalk.suites.writing.clause_words import is_same_event, mentions_any
from proofwalk.suites.writing.drafts import Draft, Item, Section
from proofwalk.suites.writing.event_names import unique_names, with_event_names, with_renamed_events
from proofwalk.suites.writing.labels import Console
from proofwalk.suites.writing.library import Library, product_of
from proofwalk.suites.writing.provision import FixtureUse, fixtures_of
from proofwalk.suites.writing.rendering import (
    Action,
    ParameterValue,
    Renderer,
    Scope,
    mentions,
)
from proofwalk.suites.writing.roles import Role
from proofwalk.suites.writing.source_errors import source_invalid
from proofwalk.suites.writing.units import Family, Link, Unit
from proofwalk.suites.writing.values import Values


def task_ids(family: Family) -> tuple[str, ...]:
    """The ids of a family's tasks."""
    return (
        (family.id,)
        if family.tasks == 1
        else tuple(f"{family.id}-{number}" for number in range(1, family.tasks + 1))
    )


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What drafts are composed of and for."""

    library: Library
    console: Console
    seed: int
    language: str = "en"
    share_roles: bool = True
    """Whether a need of a fixture may be met by a role's fixture."""
    complete: bool = False
    """Whether every optional step is written."""


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
    written: list[tuple[int, _Written]] = field(default_factory=list)
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


class _Composition:
    def __init__(self, family: Family, number: int, setting: Setting) -> None:
        self._share = setting.share_roles
        self._complete = setting.complete
        self._family = family
        self._number = number
        self._library = setting.library
        self._language = setting.language
        self._seed = setting.seed
        self._id = task_ids(family)[number]
        self._plain = setting.console.labels(setting.language)
        patches = family.scenario.patches
        self._shown = setting.console.labels(setting.language, patches) if patches else self._plain
        self._roles: dict[str, Role] = {}
        self._binds: dict[str, str] = {}
        self._made: dict[str, tuple[str, str]] = {}

    def _random(self, *what: object) -> Random:
        return Random(f"{self._seed}/{self._id}/{'/'.join(map(str, what))}")  # noqa: S311  # not for secrets

    def draft(self) -> Draft:
        family = self._family
        fixtures = fixtures_of(
            family, self._library, self._random("names"), share_roles=self._share
        )
        for use in fixtures:
            if use.role:
                self._roles[use.role] = Role(
                    at_run_time=True, name=f"{use.role}_name", key=f"{use.role}_id"
                )
        chain = self._chain()
        clauses = chain.clauses()
        preamble = [
            *map(self._rendered, self._some(family.preamble.of(self._language), "family")),
            *chain.texts["preamble"],
        ]
        return Draft(
            id=self._id,
            family=family,
            product=product_of(family),
            language=self._language,
            title=self._title(chain.sections, self._language),
            title_en=self._title_en(),
            preamble=tuple(preamble),
            prerequisites=tuple([*chain.texts["prerequisites"], *self._available(fixtures)]),
            notes=tuple(chain.texts["notes"]),
            sections=tuple(chain.sections),
            fixtures=fixtures,
            binds=self._bound(chain.sections),
            rule=self._rule(clauses),
            scenario=self._scenario(),
            related=tuple(self._related()),
        )

    def _chain(self) -> _Chain:
        """Write the family's units in order. Steps of an implicit unit are carried into
        the next section, or into the last one."""
        chain = _Chain()
        carried: list[Action] = []
        taken: set[str] = set()
        for position, link in enumerate(self._family.chain):
            unit = self._library.units[link.unit]
            written = _Written(self, position, link, unit, taken)
            chain.written.append((position, written))
            items, carried = written.items(carried)
            if link.implicit:
                continue
            titles = unit.title.of(self._language) or unit.title.en
            title = written.text(self._random(position, "title").choice(titles))
            chain.sections.append(
                Section(unit=position, name=link.unit, title=title, items=tuple(items))
            )
            for what, into in chain.texts.items():
                wordings = getattr(unit, what).of(self._language)
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
        return {phrase: value for phrase, value in self._binds.items() if phrase.lower() in said}

    def _some(self, wordings: Sequence[str], *what: object) -> list[str]:
        return [self._random(*what, "some").choice(wordings)] if wordings else []

    def _rendered(self, template: str) -> str:
        return Renderer(self._plain, product_of(self._family)).text(template, {})

    def _title(self, sections: Sequence[Section], language: str) -> str:
        given = self._family.title.of(language) if self._family.title else ()
        if given:
            return self._rendered(
                given[(self._number + self._random("title").randrange(97)) % len(given)]
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
        if self._family.title and self._family.title.en:
            return self._family.title.en[0]
        titles = [
            self._library.units[link.unit].title.en[0]
            for link in self._family.chain
            if not link.implicit
        ]
        return ", then ".join([titles[0], *(title[:1].lower() + title[1:] for title in titles[1:])])

    def _scenario(self) -> Scenario | None:
        patches = self._family.scenario.patches
        return (
            Scenario(language=self._language, patches=patches)
            if patches or self._language != "en"
            else None
        )

    def _related(self) -> Iterator[str]:
        own = {link.unit for link in self._family.chain}
        product = product_of(self._family)
        for name, unit in self._library.units.items():
            if name.startswith(f"{product}.") and name not in own:
                yield (unit.title.of(self._language) or unit.title.en)[0]

    def _available(self, fixtures: Sequence[FixtureUse]) -> list[str]:
        lines = []
        for use in fixtures:
            if not use.role or not use.told:
                continue
            titles = (use.variant.title if use.variant else use.fixture.title).of(self._language)
            if not titles:
                continue
            title = titles[0]
            forms = (
                ("已有{}。", "已准备好{}。")
                if self._language == "zh"
                else ("{} is available.", "{} exists in the account.")
            )
            line = self._random("available", use.id).choice(forms).format(title)
            lines.append(line[:1].upper() + line[1:])
        return lines

    def _rule(self, clauses: Mapping[str, Sequence[tuple[int, Clause]]]) -> RuleDocument:
        rule: RuleDocument = {
            "id": self._id,
            "version": 1,
            "title": self._title_en(),
            "delta_s": 5,
        }
        required = [clause for _, clause in clauses["all"]]
        alternatives = {position for position, _ in clauses["any"]}
        if len(alternatives) > 1:
            raise source_invalid(
                self._family.id,
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
        ordered = self._family.order
        if ordered is None:
            own = [self._library.units[link.unit].rule.order for link in self._family.chain]
            # When an unwritten step is done is the walker's choice, as far as the
            # console lets it.
            ordered = (
                own[0] if len(own) == 1 else not any(link.implicit for link in self._family.chain)
            )
        if ordered and len(required) > 1:
            rule["order"] = True
        return rule


class _Written:
    """One link of the chain, rendered."""

    def __init__(
        self, whole: _Composition, position: int, link: Link, unit: Unit, taken: set[str]
    ) -> None:
        self._whole = whole
        self._position = position
        self._link = link
        self._unit = unit
        self._product = link.unit.partition(".")[0]
        self._names = unique_names(unit, taken)
        self._plain = Renderer(whole._plain, self._product)
        self._shown = Renderer(whole._shown, self._product)
        self._scope = self._bound()

    def _bound(self) -> dict[str, Any]:
        """Parameters and roles as this unit names them."""
        whole = self._whole
        scope: dict[str, Any] = {"params": {}}
        values = Values(
            link=self._link,
            unit=self._unit,
            renderer=self._plain,
            number=whole._number,
            own=f"{whole._seed}/{whole._id}",
            common=f"{whole._seed}/{whole._family.id}/{self._position}",
        )
        for role in self._unit.on:
            family_role = self._link.on.get(role, role)
            if family_role not in whole._roles:
                raise source_invalid(
                    f"{whole._family.id}: {self._link.unit}",
                    f"nothing provides the role {family_role}",
                )
            scope[role] = whole._roles[family_role]
        for name in self._unit.params:
            known = {role: known.seen("text") for role, known in whole._roles.items()}
            scope["params"][name] = values.draw(name, {**known, **self._seen(scope, "text")})
        for role, made in self._unit.makes.items():
            family_role = self._link.on.get(role, role)
            name = self._plain.text(made.name, self._seen(scope, "text"))
            key = with_event_names(made.key, self._names)
            whole._roles[family_role] = scope[role] = Role(at_run_time=False, name=name, key=key)
            whole._made[family_role] = (made.type, name)
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
        whole, refs = self._whole, {}
        language = whole._language
        for role in (*self._unit.on, *self._unit.makes):
            family_role = self._link.on.get(role, role)
            made = whole._made.get(family_role)
            if made is not None:
                given = self._unit.makes[role].ref if role in self._unit.makes else None
                phrase = (
                    self._phrase(role, given.of(language))
                    if given and given.of(language)
                    else self._called(*made)
                )
                whole._binds.setdefault(re.sub(r"[`*]", "", phrase), made[1])
            else:
                wordings = self._unit.refs.get(role)
                if wordings is None:
                    continue
                phrase = self._phrase(role, wordings.of(language) or wordings.en)
                value = f"${{output.{whole._roles[family_role].name}}}"
                if not self._link.implicit:
                    if whole._binds.setdefault(phrase, value) != value:
                        raise source_invalid(
                            f"{whole._family.id}: {self._link.unit}",
                            f"{phrase!r} stands for two resources",
                        )
                    for further in (
                        self._unit.binds[role].of(language) if role in self._unit.binds else ()
                    ):
                        whole._binds.setdefault(further, value)
            refs[role] = phrase
        return refs

    def _phrase(self, role: str, wordings: Sequence[str]) -> str:
        return self._whole._random(self._position, "ref", role).choice(wordings)

    def _called(self, kind: str, name: str) -> str:
        product, _, resource = kind.partition(".")
        label = self._whole._plain.find(f"resources/{resource}", product=product).text
        if self._whole._language == "zh":
            return f"{label} `{name}`"
        return (
            f"the {' '.join(word.lower() if word.istitle() else word for word in label.split())}"
            f" `{name}`"
        )

    def text(self, template: str) -> str:
        """A sentence of the document."""
        return self._plain.text(template, self._seen(self._scope, "text"))

    def items(self, carried: Sequence[Action]) -> tuple[list[Item], list[Action]]:
        """The written steps, and what is left for the next unit's first step to do.
        `carried` is done before the first one."""
        before = list(carried)
        items: list[Item] = []
        vague = {self._step_of(name): self._unit.vague[name] for name in self._link.vague}
        where = f"{self._whole._family.id}: {self._link.unit}"
        for number, step in enumerate(self._unit.steps):
            do = [
                self._shown.action(
                    action, self._seen(self._scope, "do"), place=f"{where}.steps.{number}"
                )
                for action in step.do
            ]
            random = self._whole._random(self._position, "step", number)
            left_out = (
                step.optional
                and number not in vague
                and random.random() < 0.4
                and not self._whole._complete
            )
            if self._link.implicit or (left_out and not items):
                before += do
                continue
            if left_out:
                items[-1] = replace(items[-1], do=(*items[-1].do, *do))
                continue
            wordings = vague.get(number, step).of(self._whole._language)
            if not wordings:
                raise source_invalid(
                    f"{where}.steps.{number}", f"there is no wording in {self._whole._language!r}"
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
