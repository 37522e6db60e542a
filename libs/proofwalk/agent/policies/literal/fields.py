"""Finds the field that an intent names, and brings it into sight: by waiting, adding an
entry, opening what is collapsed, or scrolling. `forms` fills it."""

from __future__ import annotations

import re

from proofwalk.agent.page import grounding, page_fields, regions
from proofwalk.agent.page.console_words import ADD, CANCEL, TO_CONFIRM, asked_to_confirm
from proofwalk.agent.page.grounding import TEXT_ROLES
from proofwalk.agent.page.page_fields import Field
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match, normalise, tokens
from proofwalk.agent.policies.literal import choices, findings, searches, seek
from proofwalk.agent.policies.literal.assignments import TAG_KEY
from proofwalk.agent.policies.literal.scene import DocumentScene, Skipped
from proofwalk.agent.reading.intents import Intent, ScopeKind
from proofwalk.console.actions import Click, Scroll
from proofwalk.console.observation import Element, Observation, State

COUNTED = re.compile(
    r"\b(?:threshold|number"
    r" of|count|size|weight|time-?out|interval|period|ttl|limit|after|days?|hours?|minutes?|seconds?|percent(?:age)?)\b"
    r"|阈值|数量|数目|大小|容量|权重|超时|间隔|周期|时长|天数|次数|带宽"
)
"""Words for what a number fills."""
_ANY_FIELD = frozenset(
    {"value", "text", "name", "id", "content", "string", "code", "reason", "remark", "comment"}
)
"""Nouns that may mean any text field."""
_TO_TYPE = r"(?:\b(?:enter|type|input|write)\b(?: in)?(?: the (?:word|text|phrase))?|输入|键入)"
_PLAIN_WORDS = re.compile(r"[A-Za-z]+(?: [a-z]+)*")
_COMMAND = re.compile(
    r"(?:permanently )?(?:delete|remove|confirm|destroy|terminate|release|revoke|deactivate|yes)"
    r"(?: me)?|(?:永久|确认)?(?:删除|释放|移除|注销)|确认",
    re.I,
)
"""What a window wants typed that is no thing's name."""
_COLLAPSED = 3
"""How many collapsed parts of a page are opened in search of a field."""
_A_LINE = 24.0
"""Pixels between the middles of two fields of one line."""
_SCROLLS = 6


def has_form(page: Observation) -> bool:
    """Return True if there is anything to fill in front."""
    return any(
        field.role not in ("checkbox", "searchbox") for field in page_fields.all_fields(page)
    )


def fresh_entry(scene: DocumentScene) -> Field | None:
    """Return the one empty text field that the last click made: `click **Add** and
    enter …` means it. A search box came with its page."""
    fresh = [
        field
        for field in page_fields.all_fields(scene.page)
        if field.first.new and not searches.is_search(field.first)
    ]
    return fresh[0] if len(fresh) == 1 and fresh[0].role in TEXT_ROLES and fresh[0].empty else None


_OF_ITS_THING = re.compile(r"^.*\w['’]s (?=\w)")
"""`the pump's name` is the name, on a form that is about a pump."""


def named(scene: DocumentScene, intent: Intent) -> list[Field]:
    """Return the fields on show that have the intent's name. `Select the alarm` does
    not mean the box *Find alarms*."""
    place = scene.place(intent)
    by_words = intent.noun == "words"
    found = page_fields.fields(scene.page, intent.label, place, by_words=by_words)
    if by_words and intent.chosen:
        found = [one for one in found if not searches.is_search(one.first)]
    own = _OF_ITS_THING.sub("", intent.label) if by_words else intent.label
    if found or own == intent.label:
        return found
    return page_fields.fields(scene.page, own, place, by_words=True)


def find(scene: DocumentScene, intent: Intent) -> Script[Field | None]:
    """Look for the intent's field everywhere. Return None where there is nothing to
    fill: the intent was passed over, or a click was the choice. Raises `Stuck`,
    `Skipped` or a finding when there is no such field."""
    fields = yield from _awaited(scene, intent)
    if not fields and intent.noun == "words":
        fields = meant_by_words(scene, intent)
        if not fields and intent.chosen and has_form(scene.page):
            scene.pass_over(intent, why="what to choose is left open, and no field has this name")
            scene.memory.left_open = intent.phrase or intent.label
            return None
        if not fields:
            scene.give_up(intent)
    if not fields and intent.value is not None:
        fields = yield from _added(scene, intent)
        if not fields and (yield from choices.click_named(scene, intent)):
            return None
    if not fields:
        fields = yield from _uncollapsed(scene, intent)
    if not fields:
        fields = yield from _scrolled(scene, intent)
    if not fields:
        raise _missing(scene, intent)
    return _unambiguous(scene, intent, fields)


def look_for(scene: DocumentScene, intent: Intent) -> Script[Field | None]:
    """Return the field if it is in sight or comes in sight. Opens and fills nothing."""
    fields = named(scene, intent)
    if not fields:
        yield from scene.settle()
        fields = named(scene, intent)
    if not fields:
        yield from scene.pause(
            f"I do not see the field “{intent.label}” yet; I wait.", 3, intent.label
        )
        fields = named(scene, intent) or (yield from _scrolled(scene, intent))
    return fields[0] if fields else None


def _awaited(scene: DocumentScene, intent: Intent) -> Script[list[Field]]:
    """Return the fields with the intent's name; wait for them unless plain words only
    hint at one. An entry of a list needs an empty field, which is added."""
    fields = named(scene, intent)
    if fields and intent.noun == "entry" and not any(field.empty for field in fields):
        fields = (yield from _added(scene, intent)) or fields
    if not fields:
        yield from scene.settle()
        fields = named(scene, intent)
    if not fields:
        fields = _of_the_thing(scene, intent)
    if not fields and not (intent.noun == "words" and intent.value is None):
        yield from scene.pause(
            f"I do not see the field “{intent.label}” yet; I wait.", 3, intent.label
        )
        fields = named(scene, intent)
    return fields


def _of_the_thing(scene: DocumentScene, intent: Intent) -> list[Field]:
    """Return the field that has the last word of the intent's name, where the first
    ones are what the page or window is about: `RIR Name` on *Add a new RIR*."""
    *kind, last = intent.label.split() or [""]
    about = {*tokens(scene.page.title), *tokens(scene.page.modal)}
    if not kind or not {*tokens(" ".join(kind))} <= about:
        return []
    return page_fields.fields(scene.page, last, scene.place(intent))


def meant_by_words(scene: DocumentScene, intent: Intent) -> list[Field]:
    """Return the fields that plain words can only mean: those that confirm an act, a
    slider, the one number (`the percentage`), or the one empty text field of a
    dialog."""
    fields = page_fields.all_fields(scene.page)
    texts = [field for field in fields if field.role in TEXT_ROLES]
    matching = _part_of_field(scene, intent)
    if intent.value is not None and normalise(intent.value) == normalise(scene.memory.row_value):
        matching = [field for field in texts if field.first.container]
    if intent.value is None and scene.page.modal:
        matching = [
            field
            for field in texts
            if TO_CONFIRM.search(f"{field.label} {field.first.name} {field.first.placeholder}")
        ]
    if not matching and normalise(intent.label) == "slider":
        matching = [field for field in fields if field.role == "slider"]
    if not matching and COUNTED.search(normalise(intent.label)):
        numbers = [field for field in fields if field.role in ("spinbutton", "slider")]
        typed = [field for field in numbers if field.role == "spinbutton"]
        # A slider often has a box that shows the same number: it is the easier to set.
        same = len({field.first.value for field in numbers}) == 1
        numbers = typed if typed and same else numbers
        matching = numbers if len(numbers) == 1 else []
    if not matching and intent.value is not None:
        alone = len(texts) == 1 and normalise(intent.label).endswith(" name")  # To be changed.
        fit = [one for one in texts if (one.empty or alone) and _may_be(one, intent.label)]
        matching = fit if len(fit) == 1 and scene.page.modal else []
    return matching


def _part_of_field(scene: DocumentScene, intent: Intent) -> list[Field]:
    """Of the parts that one field consists of, return the one that takes the value: a
    number is typed, a word chosen. Empty where that does not tell."""
    whole = intent.scope(ScopeKind.FIELD)
    if whole is None or not whole.label or not intent.value:
        return []
    parts = page_fields.fields(scene.page, whole.label, scene.place(intent))
    typed = intent.value.replace(".", "", 1).isdigit()
    fits = [one for one in parts if (one.role in TEXT_ROLES) == typed]
    return fits if len(parts) > 1 and len(fits) == 1 else []


def asking_for(scene: DocumentScene, words: str) -> Field | None:
    """Return the one text field that asks for these words: by its name, or by a text of
    the window in which it is alone."""
    wanted = normalise(words)
    texts = _writable(scene)
    asking = [field for field in texts if _wants(_told_by(field), wanted)]
    if asking:
        return asking[0] if len(asking) == 1 else None
    alone = scene.page.modal and len(texts) == 1
    told = [normalise(run.text) for run in scene.page.texts if run.container]
    return texts[0] if alone and any(_wants(text, wanted) for text in told) else None


def other_words(scene: DocumentScene, field: Field, words: str) -> str:
    """Return the words that the field wants typed to confirm, where they are others.
    Empty otherwise, and where both may be names of the same thing."""
    told = [field.label, field.first.name, field.first.placeholder]
    if scene.page.modal:
        told += [run.text for run in scene.page.texts if run.container]
    asked = next(filter(None, map(asked_to_confirm, told)), "")
    if not asked or normalise(asked) == normalise(words):
        return ""
    plain = all(_PLAIN_WORDS.fullmatch(one) for one in (asked, words))
    commands = sum(_COMMAND.fullmatch(one) is not None for one in (asked, words))
    return asked if plain or commands == 1 else ""


def meant_by_typing(scene: DocumentScene, words: str) -> Field | None:
    """Return the text field that words can only be meant for where none is named: the
    one that asks for them, the one in focus that the document has not filled, or the
    one empty field in front, a search box last. A window's only field need not be
    empty."""
    asking = asking_for(scene, words)
    if asking is not None:
        return asking
    texts = _writable(scene)
    set_before = {one.label for one in scene.memory.filled}
    focused = [field for field in texts if field.first.identity == scene.memory.entered] or [
        field
        for field in texts
        if State.FOCUSED in field.first.states and field.label not in set_before
    ]
    empty = [field for field in texts if field.empty]
    entries = [field for field in empty if not searches.is_search(field.first)]
    alone = texts if scene.page.modal else []
    found = focused or entries or empty or alone
    return found[0] if len(found) == 1 else None


def _writable(scene: DocumentScene) -> list[Field]:
    return [
        field
        for field in page_fields.all_fields(scene.page)
        if field.role in TEXT_ROLES and not {State.DISABLED, State.READONLY} & field.first.states
    ]


def _told_by(field: Field) -> str:
    return normalise(f"{field.label} {field.first.name} {field.first.placeholder}")


def _wants(told: str, words: str) -> bool:
    """True for `Type delete in the box`, `delete`: a text that asks for the words."""
    if told in (words, f"{words} {words}"):
        return True
    asked = re.search(rf"{_TO_TYPE}\W*{re.escape(words)}(?!\w)", told)
    return asked is not None


def _may_be(field: Field, words: str) -> bool:
    """True if plain words may mean a field: they share a word with its label, they
    would do for any field (`a value`), or it has none."""
    told = {*tokens(field.label), *tokens(field.first.placeholder)}
    wanted = tokens(words)
    return not told or bool(told & set(wanted)) or bool(_ANY_FIELD & set(wanted[-1:]))


def _added(scene: DocumentScene, intent: Intent) -> Script[list[Field]]:
    """Add an entry to a list that begins empty, and return its text field. The list's
    label has an *Add* button beside it; tags have *Add Tag*."""
    adders = page_fields.beside(
        scene.page,
        intent.label,
        lambda one: (
            one.role == "button"
            and ADD.match(normalise(one.name)) is not None
            and not _sends(scene.page, one)
        ),
    )
    if not adders and intent.label == TAG_KEY:
        adders = grounding.controls(scene.page, "Add Tag", scene.place(intent))
    if adders:
        before = scene.page
        yield from seek.press(
            scene, intent, adders[0], f"“{intent.label}” is a list; I add an entry."
        )
        fresh = [element for element in scene.appeared(before) if element.role in TEXT_ROLES]
        if fresh:
            return (
                named(scene, intent)
                if intent.label == TAG_KEY
                else [Field(label=intent.label, elements=(fresh[0],))]
            )
    return []


def _sends(page: Observation, button: Element) -> bool:
    """True for a button that sends the form: on its line is the one that leaves it."""
    return any(
        one.role == "button"
        and CANCEL.fullmatch(normalise(one.name)) is not None
        and abs(one.box.center[1] - button.box.center[1]) <= _A_LINE
        for one in regions.reachable(page, page.elements)
    )


def _uncollapsed(scene: DocumentScene, intent: Intent) -> Script[list[Field]]:
    """Open collapsed parts of the page, one after the other, until one has the
    field."""
    place = scene.place(intent)
    collapsed = [
        element
        for element in regions.reachable(scene.page, scene.page.elements)
        if State.COLLAPSED in element.states
        and element.role != "combobox"
        and not element.row
        and not regions.in_navigation(scene.page, element)
        and not regions.in_top_bar(element)
    ]
    for element in collapsed[:_COLLAPSED]:
        yield from scene.act(
            f"“{intent.label}” may be in the collapsed “{element.name}”.", Click(id=element.mark)
        )
        fields = page_fields.fields(scene.page, intent.label, place)
        if fields:
            return fields
    return []


def _scrolled(scene: DocumentScene, intent: Intent) -> Script[list[Field]]:
    """Scroll down until the field is in sight or the page ends."""
    height = scene.page.viewport[1]
    for _ in range(_SCROLLS):
        _, offset, _, total = scene.page.scroll
        if offset + height >= total - 4:
            return []
        yield from scene.act(
            f"“{intent.label}” may be further down; I scroll.", Scroll(dy=height * 0.8)
        )
        fields = named(scene, intent)
        if fields:
            return fields
    return []


def _missing(scene: DocumentScene, intent: Intent) -> Exception:
    """Return what to raise for a field that was not found anywhere."""
    if intent.optional or intent.conditional:
        return Skipped()
    if any(
        match(intent.label, run.text) is not Match.NONE
        if run.role == "label"
        else normalise(run.text) == normalise(intent.label)
        for run in regions.texts_in_front(scene.page)
        # What heads a column of a list, or stands in it, is no field.
        if not run.row and not run.column and run.role not in ("columnheader", "cell")
    ):
        return Stuck(f"“{intent.label}” is there, and I do not know how it is filled")
    if intent.label.islower():
        # `Choose an **operator**`: words that are set off, and not a name on the page.
        return Stuck(f"no field is called “{intent.label}”, which may only describe it")
    return findings.no_field(scene, intent, intent.label)


def _beside_last(scene: DocumentScene, intent: Intent, fields: list[Field]) -> Field | None:
    """Return the one of these fields on the line of the field that the same sentence
    filled last: `In the new row, enter the label `a` and select the operator `=``."""
    last = scene.memory.filled[-1] if scene.memory.filled else None
    if last is None or last.origin.sentence != intent.origin.sentence:
        return None
    lines = [
        one.first.box.center[1]
        for one in page_fields.all_fields(scene.page)
        if one.label == last.label and normalise(one.first.value) == normalise(last.value)
    ]
    near = [
        one
        for one in fields
        if len(lines) == 1 and abs(one.first.box.center[1] - lines[0]) <= _A_LINE
    ]
    return near[0] if len(near) == 1 else None


def _unambiguous(scene: DocumentScene, intent: Intent, fields: list[Field]) -> Field:
    """Return the one field. Of several in one place, or text fields, take the first
    empty one; raise a finding for others."""
    if len(fields) == 1:
        return fields[0]
    beside = _beside_last(scene, intent, fields)
    if beside is not None:
        return beside
    same_place = (
        len({(field.first.container, field.first.row.split(" | ", 1)[0]) for field in fields}) == 1
    )
    if same_place or intent.noun == "words" or all(field.role in TEXT_ROLES for field in fields):
        return next((field for field in fields if field.empty), fields[0])
    raise findings.ambiguous(intent, intent.label, [field.first for field in fields])
