"""Walks a procedure through a catalogue, without a console: which pages it comes to,
which things it opens, and what it does to them.

The reading of the sentences is the literal policy's, so that both understand a document
alike. A trace knows where it is (a list, the page of a thing, a form) and resolves a
label there: a tab, the button that makes a thing, an action of the thing in hand, a
field. What it cannot place asks for nothing: a document that needs it then is walked in
vain, and the proof says so. Where to read next: `things`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from proofwalk.agent.page.words import Match, match, normalise
from proofwalk.agent.policies.literal.substeps import read_procedure
from proofwalk.agent.reading.intents import Intent, IntentKind, ScopeKind
from proofwalk.authoring.catalogue import (
    Action,
    Catalogue,
    Field,
    Kind,
    Product,
    Tab,
    Values,
    plain,
)
from proofwalk.authoring.forms import Form, applies, lie_within, reference_of
from proofwalk.authoring.prerequisites import described
from proofwalk.authoring.things import STATUS, Thing, Things, own_words
from proofwalk.procedures.model import Procedure

_ITS_OWN = re.compile(r"^(?:it|the (?:id|name)|(?:its|their) (?:[\w-]+ )?(?:id|name))$", re.I)
_LONGEST = 300
"""Characters of a phrase that are read."""
_TYPED_NAME = re.compile(r"^the (?:name of the [a-z][\w -]*|(?:instance|resource) name)$", re.I)
"""What a dialog box has people type so that they are sure."""
_TO_DO = re.compile(
    r"\b(?:(?:that|which|whose|for which) .*?)?you (?:want|need|have) to .*$"
    r"|(?:要|需要|需|待|想要)(?=[\u4e00-\u9fff]).*?的"
)
"""What a phrase says that is to be done to a thing, and not how it is."""
_ANY = re.compile(r"^(?:an?|any|one of)\b", re.I)
_FILL_IN = frozenset({IntentKind.SET, IntentKind.CHECK, IntentKind.UPLOAD})
_NAME_A_FIELD = frozenset({ScopeKind.FIELD, ScopeKind.SECTION})
"""Places by which a sentence may name a field: `from the **Key** list`."""
_OFF = frozenset({"off", "disabled", "no", "false", "关闭", "停用", "否"})


def visited(procedure: Procedure, catalogue: Catalogue) -> tuple[str, ...]:
    """The products to which a procedure goes, in its order."""
    return tuple(
        product.id
        for reading in read_procedure(procedure)
        for intent in reading.intents
        if intent.kind is IntentKind.LOG_ON
        for label in intent.path
        if (product := catalogue.product(label))
    )


def trace(procedure: Procedure, catalogue: Catalogue, things: Things) -> Things:
    """Add the things of a procedure to those that its document tells of."""
    tracer = _Tracer(catalogue, things)
    for reading in read_procedure(procedure):
        for intent in reading.intents:
            tracer.follow(intent)
    tracer.close()
    return tracer.things


class _Tracer:
    def __init__(self, catalogue: Catalogue, things: Things) -> None:
        self._catalogue = catalogue
        self.things = things
        self._product: Product | None = None
        self._table: Kind | None = None
        self._opened: Thing | None = None
        """The thing whose page is in front."""
        self._row: Thing | None = None
        """The thing that the sentence has found in a list."""
        self._form: Form | None = None

    def follow(self, intent: Intent) -> None:
        """Do what one intent says."""
        if intent.optional and intent.kind is not IntentKind.CLICK:
            return
        self._go_to_tab(intent)
        match intent.kind:
            case IntentKind.LOG_ON:
                self._log_on(intent)
            case IntentKind.NAVIGATE:
                self._navigate(intent)
            case IntentKind.LOCATE | IntentKind.SELECT_ROW | IntentKind.OPEN_ROW:
                self._find(intent)
            case IntentKind.CLICK if self._at_the_menu() and self._entry(intent.path):
                self._navigate(intent)
            case IntentKind.CLICK:
                for label in intent.path:
                    self._press(label)
            case kind if kind in _FILL_IN:
                self._set(intent)
            case _:
                pass

    def _at_the_menu(self) -> bool:
        """Whether a product has been opened and nothing of it yet."""
        return self._product is not None and self._table is None and self._opened is None

    def _go_to_tab(self, intent: Intent) -> None:
        """The tab on which the sentence says that something is: whoever walks opens it,
        unless a part of it is open."""
        if intent.kind in _FILL_IN:
            return
        for scope in intent.scopes:
            tab = self._tab(scope.label) if scope.kind is ScopeKind.TAB else None
            if tab and self._table not in [
                self._catalogue.kinds.get(one.kind) for one in tab.walk()
            ]:
                self._open_tab(scope.label)

    def close(self) -> None:
        """The form in front is sent off."""
        form, self._form = self._form, None
        if form is None:
            return
        for name in form.names:
            one = form.kind.fields.get(name)
            if one and one.required and name not in form.values and name not in form.refers:
                self._fill_unasked(form, one)
        lie_within(form)
        if form.subject is None:
            names = (form.kind.name, *form.kind.id_from)
            name = next((form.values[one] for one in names if form.values.get(one)), "")
            thing = self.things.make(form.kind, name)
            thing.refers |= form.refers
            if self._opened is not None:
                self._lies_in(thing, self._opened)
        else:
            self._act(form)

    def _act(self, form: Form) -> None:
        subject, action = form.subject, form.action
        assert subject is not None
        assert action is not None
        for name, value in {**form.values, **action.sets}.items():
            subject.avoid(name, value)
        for name in {*form.values, *form.refers, *action.sets}:
            subject.touch(name)
        if action.to:
            subject.touch(STATUS)

    def _fill_unasked(self, form: Form, one: Field) -> None:
        """What a form demands and the document leaves out must be there to be taken."""
        if one.default or one.choices or not applies(one, form) or not one.references:
            return
        kind = self._catalogue.kinds.get(reference_of(one, form).kind)
        if kind is not None and not kind.standing:
            form.refers[one.id] = self.things.resolve(kind)

    def _log_on(self, intent: Intent) -> None:
        product = next(
            (found for label in intent.path if (found := self._catalogue.product(label))), None
        )
        if product is None:
            return
        self.close()
        self._product, self._table, self._opened, self._row = product, None, None, None

    def _navigate(self, intent: Intent) -> None:
        self.close()
        found = self._entry(intent.path)
        if found is None:
            for label in intent.path:
                self._press(label)
            return
        self._table, self._opened, self._row = found, None, None

    def _entry(self, path: Sequence[str]) -> Kind | None:
        """The kind that a menu's page lists."""
        products = [self._product] if self._product else self._catalogue.products.values()
        for entry in (entry for product in products for entry in product.menu):
            shown = entry.path[-len(path) :]
            if (
                entry.kind
                and len(shown) == len(path)
                and all(_is_label(one, labels) for one, labels in zip(path, shown, strict=True))
            ):
                return self._catalogue.kinds[entry.kind]
        return None

    def _find(self, intent: Intent) -> None:
        """A row, or the page of its thing."""
        opens = intent.kind is IntentKind.OPEN_ROW
        own = not intent.path and (not intent.phrase or _ITS_OWN.match(own_words(intent.phrase)))
        if own and self._row is not None:
            if opens:
                self._enter(self._row)
            return
        if (one := self._scoped_field(intent)) and self._form is not None:
            self._fill(self._form, one, intent)
            return
        self.close()
        kind = self._listed(intent.phrase) or self._table or self._named_kind(intent.phrase)
        if kind is None:
            return
        self._row = self.things.resolve(
            kind,
            intent.phrase,
            intent.path[0] if intent.path else "",
            says=_told_by(kind, intent.phrase),
            place=self._opened,
        )
        if self._opened is not None:
            self._lies_in(self._row, self._opened)
        if opens:
            self._enter(self._row)

    def _enter(self, thing: Thing) -> None:
        self._opened, self._row = thing, thing
        tables = [tab.kind for tab in _tabs(thing.kind.tabs) if tab.kind]
        self._table = self._catalogue.kinds.get(tables[0]) if tables else None

    def _lies_in(self, thing: Thing, other: Thing) -> None:
        """The thing stands in the other one's page: the field that refers to such a
        thing names it."""
        for one in thing.kind.fields.values():
            if one.id in thing.refers:
                continue
            if any(ref.kind == other.kind.id for ref in one.references):
                thing.refers[one.id] = other
                return

    def _listed(self, phrase: str) -> Kind | None:
        """The kind that the phrase names, of those that the page of the thing lists."""
        if self._opened is None:
            return None
        words = normalise(phrase)
        found = [
            (len(label), kind)
            for tab in _tabs(self._opened.kind.tabs)
            if tab.kind
            for kind in (self._catalogue.kinds[tab.kind],)
            for label in kind.labels
            if re.search(rf"(?<![a-z]){re.escape(normalise(label))}(?![a-z])", words)
        ]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    def _named_kind(self, phrase: str) -> Kind | None:
        """The kind of the product that a phrase names, by the longest of its labels."""
        words = normalise(phrase)
        found = [
            (len(label), kind)
            for kind in self._catalogue.kinds.values()
            if self._product is None or kind.product == self._product.id
            for label in kind.labels
            if normalise(label) in words
        ]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    def _press(self, label: str) -> None:
        """A tab, a button that makes something, or an action."""
        if self._open_tab(label):
            return
        form = self._form
        if kind := self._creation(label):
            again = form is not None and form.subject is None and form.kind is kind
            self.close()
            if not again:
                self._form = Form(kind=kind, names=kind.form, subject=None)
                if self._opened is not None:
                    self._within(self._form, self._opened)
            return
        if found := self._action(label):
            self.close()
            thing, action = found
            self._begin(thing, action)

    def _open_tab(self, label: str) -> bool:
        """Go to a tab of the page in front; False where it has none with the label."""
        tab = self._tab(label)
        if tab is None:
            return False
        self.close()
        listed = next((one.kind for one in tab.walk() if one.kind), "")
        self._table = self._catalogue.kinds.get(listed, self._table)
        return True

    def _within(self, form: Form, opened: Thing) -> None:
        for one in form.kind.fields.values():
            if any(ref.kind == opened.kind.id for ref in one.references):
                form.refers[one.id] = opened
                return

    def _begin(self, thing: Thing, action: Action) -> None:
        for name, values in action.when.items():
            thing.want(name, values)
        form = Form(kind=thing.kind, names=action.form, subject=thing, action=action)
        self._form = form
        if not action.form:
            self.close()

    def _tab(self, label: str) -> Tab | None:
        tabs = list(_tabs(self._opened.kind.tabs)) if self._opened else []
        return next((one for one in tabs if _is_label(label, one.labels)), None)

    def _creation(self, label: str) -> Kind | None:
        return next((kind for kind in self._near() if _is_label(label, kind.creation)), None)

    def _near(self) -> Iterator[Kind]:
        """The kinds whose buttons may be in front, nearest first."""
        if self._table is not None:
            yield self._table
        for tab in _tabs(self._opened.kind.tabs) if self._opened else ():
            if tab.kind:
                yield self._catalogue.kinds[tab.kind]
        yield from (
            kind
            for kind in self._catalogue.kinds.values()
            if self._product is None or kind.product == self._product.id
        )

    def _action(self, label: str) -> tuple[Thing, Action] | None:
        for thing in (self._row, self._opened):
            if thing is not None and (action := thing.kind.action(label)):
                return thing, action
        if self._form is None and self._table is not None and self._row is None:
            action = self._table.action(label)
            if action is not None:
                return self.things.resolve(self._table), action
        return None

    def _set(self, intent: Intent) -> None:
        form, label, value = self._form, intent.label, intent.value or ""
        if form is None or (not label and value and self._action(value)):
            pressed = next((one for one in (label, value) if one and self._is_button(one)), "")
            if pressed:
                self._press(pressed)
            elif self._row is not None and _TYPED_NAME.match(intent.phrase):
                self._row.call(intent.phrase)
            return
        one = form.kind.called(label or value, form.names) or self._scoped_field(intent)
        if one is not None:
            self._fill(form, one, intent)

    def _scoped_field(self, intent: Intent) -> Field | None:
        """The field of the form in front that the sentence names as a place."""
        if self._form is None:
            return None
        places = [scope.label for scope in intent.scopes if scope.kind in _NAME_A_FIELD]
        called = [self._form.kind.called(name, self._form.names) for name in places if name]
        return next((one for one in called if one is not None), None)

    def _is_button(self, label: str) -> bool:
        return any((self._creation(label), self._action(label), self._tab(label)))

    def _fill(self, form: Form, one: Field, intent: Intent) -> None:
        value = intent.value or ""
        if intent.kind is IntentKind.CHECK:
            value = "true" if intent.checked else ""
        if one.references and (value or intent.phrase) and not one.choice(value):
            kind = self._catalogue.kinds[reference_of(one, form).kind]
            if plain(value) in kind.standing or (one.choices and _ANY.match(intent.phrase)):
                form.values[one.id] = value
                return
            name = value if value and value != intent.phrase else ""
            form.refers[one.id] = self.things.resolve(
                kind,
                intent.phrase if not name or name in intent.phrase else "",
                name,
                says=_told_by(kind, intent.phrase),
                besides=form.subject,
            )
            for state in (
                (reference_of(one, form).states,) if reference_of(one, form).states else ()
            ):
                form.refers[one.id].want(STATUS, state)
            return
        choice = one.choice(value)
        form.values[one.id] = choice.value if choice else "" if normalise(value) in _OFF else value


def _told_by(kind: Kind, phrase: str) -> Mapping[str, Values]:
    """How a phrase says that a thing is: `the stopped instance`."""
    return dict(described(kind, _TO_DO.sub(" ", phrase[:_LONGEST])))


def _is_label(told: str, labels: Set[str]) -> bool:
    """True if a document may mean one of the labels, as a walk would."""
    return any(match(told, label) >= Match.VARIANT for label in labels)


def _tabs(tabs: Sequence[Tab]) -> Iterator[Tab]:
    for tab in tabs:
        yield from tab.walk()
