"""What a console offers: products, the kinds of things in them, and what can be done to
these, in the words that the console shows.

A catalogue is made from whatever describes a console: the embedded cloud's product
files, or a vendor's OpenAPI metadata. It knows no document and no task. A *kind* is
named `product.type` (`vpc.vswitch`), as the inventory names what an account holds.
Labels stand in every language of the console. Where to read next: `dependencies`, which
walks a document through it, and `templates`, which makes what a document needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Values = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A value of a field, and what the console calls it."""

    value: str
    labels: frozenset[str]
    fits: Mapping[str, Values] = field(default_factory=dict)
    """Other field -> the values of it with which this choice can be taken."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A field's value names a thing of another kind."""

    kind: str
    states: Values = ()
    """States in which it may be named; empty for any."""
    same: Mapping[str, str] = field(default_factory=dict)
    """Own field -> field of the other thing that holds the same value."""
    by: str = "id"
    """The other thing's field that is the value."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a kind."""

    id: str
    labels: frozenset[str]
    parameter: str = ""
    """As the operation that creates the kind calls it; empty if it takes none."""
    required: bool = False
    default: str = ""
    choices: tuple[Choice, ...] = ()
    references: tuple[Reference, ...] = ()
    """More than one where another field says of which kind the thing is."""
    multiple: bool = False
    secret: bool = False
    pattern: str = ""
    patterns: Mapping[str, str] = field(default_factory=dict)
    """Value of the field `patterned_by` -> the pattern that the value has then."""
    patterned_by: str = ""
    example: str = ""
    """A value that the form itself gives as an example."""
    inside: tuple[str, str] = ("", "")
    """The field that names a thing, and the field of that thing: a network in which the
    value lies."""
    least: float | None = None
    shown_if: Mapping[str, Values] = field(default_factory=dict)
    words: Values = ()
    """How a boolean travels: the word for true, and that for false."""
    moment: bool = False
    """The value is a date with a time."""
    zoned: bool = False
    """The value is a zone of the region."""

    def choice(self, label: str) -> Choice | None:
        """The choice with this label or value."""
        wanted = plain(label)
        return next(
            (
                one
                for one in self.choices
                if wanted in {plain(name) for name in one.labels} | {plain(one.value)}
            ),
            None,
        )


@dataclass(frozen=True, kw_only=True)
class Action:
    """What can be done to a thing."""

    labels: frozenset[str]
    form: Values = ()
    """Fields that it asks for."""
    when: Mapping[str, Values] = field(default_factory=dict)
    """Field, or `status` -> values with which it can be done; `""` is an empty
    field."""
    to: str = ""
    """The state that it leads to, where it is known."""
    sets: Mapping[str, str] = field(default_factory=dict)
    """Values that it gives to fields without asking."""
    removes: bool = False


@dataclass(frozen=True, kw_only=True)
class Tab:
    """A part of a thing's page. `kind` is what its table lists; empty for none."""

    labels: frozenset[str]
    kind: str = ""
    tabs: tuple[Tab, ...] = ()

    def walk(self) -> Iterator[Tab]:
        """Itself and the tabs in it."""
        yield self
        for tab in self.tabs:
            yield from tab.walk()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of things."""

    id: str
    labels: frozenset[str]
    """What one of them is called, and several."""
    name: str = ""
    """The field that holds a thing's name."""
    id_from: Values = ()
    """Fields that are the thing's id together; empty where the cloud makes ids up."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    states: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """State -> what the console calls it."""
    settled: str = ""
    """The state in which a new one comes to rest."""
    creation: frozenset[str] = frozenset()
    """Labels of the button that makes one; empty if none does."""
    form: Values = ()
    """Fields that making one asks for."""
    actions: tuple[Action, ...] = ()
    tabs: tuple[Tab, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    """Own field -> kind of what it lies in (the project of a log store)."""
    listed: bool = True
    """The inventory counts it by itself, and not with what it lies in."""
    spawned_by: frozenset[str] = frozenset()
    """Kinds with which one comes into being."""
    standing: frozenset[str] = frozenset()
    """Names, in plain form, of those that every account has from the beginning."""

    @property
    def product(self) -> str:
        """The product that it belongs to."""
        return self.id.partition(".")[0]

    def action(self, label: str) -> Action | None:
        """The action with this label."""
        wanted = plain(label)
        return next(
            (one for one in self.actions if wanted in {plain(name) for name in one.labels}), None
        )

    def is_given(self, one: Field) -> bool:
        """Whether a new one is given the field; what later acts ask for is theirs."""
        return bool(one.parameter) or one.id in self.form

    def referring(self, other: Kind) -> Field | None:
        """The field that a new one names a thing of the other kind by."""
        return next(
            (
                one
                for one in self.fields.values()
                if self.is_given(one) and any(ref.kind == other.id for ref in one.references)
            ),
            None,
        )

    def in_order(self) -> Iterator[Field]:
        """The fields of the form first, in its order: later ones may hang on earlier
        ones."""
        yield from (self.fields[name] for name in self.form if name in self.fields)
        yield from (one for name, one in self.fields.items() if name not in self.form)

    def called(self, label: str, among: Sequence[str] = ()) -> Field | None:
        """The field with this label, of the form's first."""
        wanted = plain(label)
        order = [*among, *(name for name in self.fields if name not in among)]
        return next(
            (
                self.fields[name]
                for name in order
                if name in self.fields
                and wanted in {plain(one) for one in self.fields[name].labels}
            ),
            None,
        )


@dataclass(frozen=True, kw_only=True)
class MenuEntry:
    """A page of a product: its path through the menu, in each language, and the kind
    that it lists; empty for a page that lists none."""

    path: tuple[frozenset[str], ...]
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Product:
    """A product of the console."""

    id: str
    titles: frozenset[str]
    menu: tuple[MenuEntry, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """All of it."""

    products: Mapping[str, Product]
    kinds: Mapping[str, Kind]
    zones: Values = ()
    """Zones that every region has, without the region (`-h`), in the order in which
    they are tried."""

    def product(self, title: str) -> Product | None:
        """The product with this title, or with this short name."""
        wanted = plain(title)
        return next(
            (
                one
                for one in self.products.values()
                if wanted in {plain(name) for name in (one.id, *one.titles)}
            ),
            None,
        )


def plain(label: str) -> str:
    """A label without case and superfluous spaces."""
    return " ".join(label.casefold().split())
