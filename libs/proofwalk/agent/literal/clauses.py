"""One rule per family of verbs: from a clause to its intents.

`RULES` pairs a pattern of verbs with the rule that reads what follows them; the first family that matches wins. A rule
returns an empty list when the clause asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from proofwalk.agent.literal.assignments import read_standing_value
from proofwalk.agent.literal.expectations import expectations
from proofwalk.agent.literal.intents import SEARCH, Intent, IntentKind, Origin, Scope, ScopeKind
from proofwalk.agent.literal.marks import LABEL, Folded, Label
from proofwalk.procedures.model import InlineRole


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A verb and what follows it, without scope phrases."""

    folded: Folded
    verb: str
    text: str
    scopes: tuple[Scope, ...]
    words: tuple[str, ...]
    """Labels that the scopes took."""
    origin: Origin

    @property
    def labels(self) -> list[Label]:
        return self.folded.labels_in(self.text)

    @property
    def field(self) -> str:
        """The field that a scope names, or nothing."""
        return next((scope.label for scope in self.scopes if scope.kind is ScopeKind.FIELD), "")

    def has(self, *kinds: ScopeKind) -> bool:
        return any(scope.kind in kinds for scope in self.scopes)

    @property
    def bar(self) -> ScopeKind | None:
        """The bar that the clause, or else the sentence, speaks of."""
        bars = (ScopeKind.NAVIGATION, ScopeKind.TOP_BAR)
        return next((scope.kind for scope in self.scopes if scope.kind in bars), None)

    def intent(
        self,
        kind: IntentKind,
        labels: list[Label] | None = None,
        *,
        path: tuple[str, ...] | None = None,
        value: str | None = None,
        checked: bool = True,
        noun: str = "",
        phrase: str = "",
        example: bool = False,
    ) -> Intent:
        """An intent of this clause; `labels` are the words that it accounts for."""
        used = labels or []
        return Intent(
            kind=kind,
            path=path if path is not None else tuple(part for label in used for part in label.parts),
            value=value,
            checked=checked,
            noun=noun,
            phrase=phrase,
            target=next((label.target for label in used if label.target), ""),
            scopes=self.scopes,
            example=example,
            words=tuple(label.text for label in used),
            origin=self.origin,
        )


Rule = Callable[[Clause], list[Intent]]

_EXAMPLE = re.compile(r"\b(?:for example|for instance|such as|e\.g\.?|example:)[,:]?\s*", re.I)
_ONE_THAT = re.compile(
    r"\b(?:the|your|an?)\s+(?:[A-Z]+\s+)?(?!(?:button|link|tab|icon|option|entry|control|menu)\b)[a-z]+\s+"
    r"(?:(?:to|for|on|in|of|from|with)\s+)?(?:that|which|whose|whom)\b"
)
"""`the user for which …`, `the ECS instance that …`: a capital in it or behind it names nothing that is clicked."""
_CAPITALS = re.compile(r"\b(?:[A-Z][\w()&/-]*)(?:\s+(?:[A-Z][\w()&/-]*|and|of|&)(?=\s|$|[.,;]))*")
_THE = re.compile(r"\b(?:the|your|a|an|this|its)\s+(?P<phrase>[^,;.]+)", re.I)
_PURPOSE = re.compile(r"\s+(?:to (?:[a-z]+)|in order to|so that|as needed|based on|according to)\b.*$", re.I)
_ROW_OF = re.compile(
    r"\b(?P<of>of|for|next to|beside|corresponding to|that corresponds to)\s+(?P<phrase>(?:the|your|an?)\s+[^,;.]*)", re.I
)
_ROW_OF_LABEL = re.compile(rf"{LABEL}\s+(?P<of>of)\s+(?P<phrase>{LABEL})", re.I)
_LISTED_OBJECTS = re.compile(
    r"\s*(?:the|your|an?)\s+(?P<list>(?:[\w -]+?,\s*)+(?:and|or)\s+[\w -]+?)(?P<rest>\s+(?:that|which|you|for|in|from)\b[^,.;]*|\s*[,.;]|\s*$)",
    re.I,
)
_ID_OF = re.compile(r"\b(?:id|name)s?(?:\s*(?:/|or)\s*(?:id|name))?\b(?:\s+link)?", re.I)
_SEVERAL_AS = re.compile(
    rf"(?P<values>{LABEL}(?:(?:\s*,)?\s*(?:and\s+)?{LABEL})+)\s+(?:as|for|from|in|under)\s+(?:the |your )?(?P<field>{LABEL})",
    re.I,
)
"""`**GET** and **PUT** as **Allowed Methods**`: each is a choice of the same field."""
_FOR_BOTH = re.compile(rf"(?P<value>{LABEL})\s+(?:as|for)\s+both\s+(?P<fields>{LABEL}\s+and\s+{LABEL})", re.I)
_MEANS_A_ROW = re.compile(
    r"\b(?:want to|created|you|instance|vpc|group|disk|(?:that|which|whose)\b.*\bto (?:open|go to|view)|to open its (?:details )?page)\b",
    re.I,
)
_TURNED = re.compile(
    rf"(?P<label>{LABEL})(?:\s+(?:tab|option|toggle|switch|check ?box))?\s+(?:is|are)\s+(?:(?:turned|switched)\s+)?(?P<way>on|off|selected|enabled|ticked|cleared)\b", re.I
)
_FOR_A_ROW = re.compile(
    rf"\s*{LABEL}\s+for (?:the|your|an?) (?:[\w -]+ (?:that|which|whose|in which|to which) |[a-z][\w -]* {LABEL}\s*\.?\s*$)", re.I
)
"""`choose **Delete** for the secret that you want to delete`, `choose **Mute** for the alert rule `name``."""
_DESCRIBED_AS = re.compile(
    rf"\s*(?P<what>(?:the|your|an?)\s+[^,;.{LABEL[1:-1]}]+?)\s+(?:as|for)\s+(?:the |your )?(?P<field>{LABEL})", re.I
)
"""`select the project that collects the logs as **Project**`."""
_IN_THE_ROW = re.compile(rf"{LABEL}\s+(?:in|from) the row (?:of|for|with|that)\b", re.I)
_IT_TO_OPEN = re.compile(r"\s*it\s+to (?:open|go to|view|see)\b", re.I)
_BY_ITS_LINK = re.compile(r"\s*\bby (?:clicking|selecting|choosing) (?:it|(?:its|the) (?:id|name))\b", re.I)
_NOUN = re.compile(
    rf"{LABEL}\s+(?P<noun>buttons?|tab|link|icon|check ?box(?:es)?|switch|radio button|option|menu|card|toggle|key)\b", re.I
)
_WAYS = {"on": True, "yes": True, "true": True, "enabled": True, "off": False, "no": False, "false": False, "disabled": False}
_KEY = re.compile(r"^\s*(?:the\s+)?(?P<key>enter|return|esc(?:ape)?|tab)(?:\s+key)?\s*[.,]?\s*(?:and|then|\s)*$", re.I)
_BARE_NAME = re.compile(r"^\s*(?P<name>[a-z]+|ok)\s*[.,]?\s*(?:(?:and|then)\s*)*$", re.I)
"""`Click save.`: one word without an article is the control's name."""
_ONE_OF_A_LIST = re.compile(r"^\s*(?:on\s+)?(?P<phrase>an?\s+[a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s*[.,]?\s*(?:(?:and|then)\s*)*$")
_ARROW = re.compile(r"\s*(?:>|→|»)\s*")
_PLAIN_PATH = re.compile(r"^\s*(?:the\s+)?(?P<path>[A-Z][\w&/ -]*?(?:\s*(?:>|→|»)\s*[A-Z][\w&/ -]*?)+)\s*(?:[.,;]|\band\b|$)")
_PLAIN_NAME = re.compile(r"\s*(?P<name>[A-Z][\w-]*(?:\s+[A-Z][\w-]*)+)\s*(?:[.,;]|\bto\b|\band\b|$)")
"""`Select New Filter to create a rule`: two words with capitals and no article are a control's name."""
_AS_A_NAME = re.compile(rf"\s*(?P<value>{LABEL})\s+as\s+(?:an?|the|your)\s+(?P<field>[a-z][\w -]*?)\s*[.,]?\s*(?:(?:and|then)\s*)*$", re.I)
_ITS_FIELD = re.compile(r"\s*(?:the|your)\s+(?P<field>[\w -]+?)\s+(?:text )?(?:field|box)\s*[.,]?\s*(?:(?:and|then)\s*)*$", re.I)
_PLAIN_PLACE = re.compile(
    r"\s*(?:the\s+)?(?P<name>[A-Z]\w*(?:\s+(?:and\s+)?\w+){0,3}?)(?:\s+(?:section|page|tab|screen))?"
    r"\s*[.,]?\s*(?:(?:and|then)\s*)*$"
)
_PLAIN_FIELD = re.compile(
    r"\b(?:in|into)\s+(?:the\s+)?(?P<field>(?!text\b|input\b)[\w-]+(?:\s+[\w-]+){0,4}?)\s+(?:text\s+|input\s+)?(?:field|box|textbox)\b", re.I
)
_PARAMETERS = re.compile(
    r"\b(?:parameters?|settings|configurations?|fields|information|options|basic|following|table|as described|items)\b", re.I
)


def _noun(text: str) -> str:
    found = _NOUN.search(text)
    return (
        found.group("noun").lower().rstrip("s").replace("checkboxe", "check box").replace("checkbox", "check box")
        if found
        else ""
    )


def _object(clause: Clause) -> str:
    """The clause's object in plain words: `a name`, `the instance that you want to stop`."""
    text = _EXAMPLE.split(clause.text)[0]
    found = _THE.search(text)
    plain = clause.folded.plain(found.group() if found else text)
    return re.sub(r"\s+(?:and|then)$", "", plain.strip(" ,.;:")).strip(" ,.;:")


def _head(phrase: str) -> str:
    """`a name for the VPC` → `name`."""
    bare = re.sub(r"^(?:the|your|a|an|this|its)\s+", "", phrase, flags=re.I)
    return _PURPOSE.sub("", re.split(r"\b(?:for|of|that|which|whose|where|in|from|with)\b", bare, maxsplit=1)[0]).strip(" ,.;")


def click(clause: Clause) -> list[Intent]:
    """Click, press, or choose something that is no value."""
    labels, text = clause.labels, clause.text
    if clause.bar is ScopeKind.NAVIGATION and labels:
        return [clause.intent(IntentKind.NAVIGATE, labels)]
    row = _ROW_OF.search(text) or _ROW_OF_LABEL.search(text)
    about = clause.folded.plain(row.group("phrase")) if row else ""
    before = text[: row.start("of")] if row else text
    acts = clause.folded.labels_in(before)
    if _IT_TO_OPEN.match(text):
        return [clause.intent(IntentKind.OPEN_ROW, [], phrase="it")]
    id_of = _ID_OF.search(re.sub(LABEL, " ", text))
    if id_of and not acts:
        return [clause.intent(IntentKind.OPEN_ROW, labels, phrase=about or _object(clause))]
    key = _KEY.match(text) if clause.verb in ("press", "hit") else None
    if key is not None and not labels:
        return [clause.intent(IntentKind.CLICK, [], path=(key["key"].capitalize(),), noun="key")]
    bare = _BARE_NAME.match(text)
    if bare is not None and not labels:
        return [clause.intent(IntentKind.CLICK, [], path=(bare["name"],))]
    path = _PLAIN_PATH.match(text)
    if path is not None and not labels:
        return [clause.intent(IntentKind.CLICK, [], path=tuple(part.strip() for part in _ARROW.split(path["path"])))]
    one_of = _ONE_OF_A_LIST.match(text)
    if one_of is not None and not labels:
        return [clause.intent(IntentKind.OPEN_ROW, [], phrase=one_of["phrase"])]
    if not labels:
        capitals = _CAPITALS.search(text)
        means_a_row = _MEANS_A_ROW.search(text)
        one = _ONE_THAT.search(text) if means_a_row else None
        if capitals and (one is None or capitals.start() < one.start()):
            return [clause.intent(IntentKind.CLICK, [], path=(capitals.group(),), noun=_noun_after(text, capitals.end()))]
        if means_a_row and _THE.search(text):
            return [clause.intent(IntentKind.OPEN_ROW, [], phrase=_object(clause))]
        return []
    intents: list[Intent] = []
    if row and acts:
        named = clause.folded.labels_in(row.group("phrase"))
        intents.append(clause.intent(IntentKind.LOCATE, named, phrase=about))
    noun = _noun(text)
    chosen = acts or labels
    if re.search(rf"{LABEL}(?:\s+[a-z]+)?\s+or\s+(?:the\s+)?{LABEL}", text):
        chosen = chosen[:1]
    if clause.verb.startswith("press") and (noun == "key" or chosen[0].parts[-1].casefold() in ("enter", "esc", "escape", "tab")):
        noun = "key"
    for label in chosen:
        intents.append(clause.intent(IntentKind.CLICK, [label], noun=noun))
    return intents


def _noun_after(text: str, end: int) -> str:
    found = re.match(r"\s+(button|tab|link|icon)\b", text[end:], re.I)
    return found.group(1).lower() if found else ""


def choose(clause: Clause) -> list[Intent]:
    """Choose or select: a menu path, a region, a check box, an option, a row."""
    labels, text = clause.labels, clause.text
    if clause.bar is ScopeKind.NAVIGATION and labels:
        return [clause.intent(IntentKind.NAVIGATE, labels)]
    region = re.search(r"\bregions?\b", text, re.I)
    in_top_bar = clause.bar is ScopeKind.TOP_BAR or (clause.has(ScopeKind.CORNER) and region)
    if in_top_bar and not clause.field and (region or labels):
        place = labels[0].parts[-1] if labels and not (region and labels[0].role is InlineRole.LINK) else None
        return [clause.intent(IntentKind.REGION, labels[:1], value=place)]
    menu = next((scope.label for scope in clause.scopes if scope.kind is ScopeKind.MENU and scope.label), "")
    if menu and labels:
        return [clause.intent(IntentKind.CLICK, labels[:1], path=(menu, *labels[0].parts))]
    noun = _noun(text)
    if noun == "check box":
        return [clause.intent(IntentKind.CHECK, [label], checked=not clause.verb.startswith("de")) for label in labels]
    of_a_row = labels and (clause.has(ScopeKind.COLUMN) or _IN_THE_ROW.search(text) or _FOR_A_ROW.match(text))
    if noun in ("tab", "button", "link", "icon", "menu", "card") or of_a_row or any(len(label.parts) > 1 for label in labels):
        return click(clause)
    if (
        re.search(r"\bcheck ?box\b", text, re.I)
        or (not labels and re.search(r"\b(?:want to|row|instances?\b.*\bthat)\b", text, re.I))
    ) and not clause.field:
        if labels and not re.search(r"\b(?:of|next to|before) the\b", text, re.I):
            return [clause.intent(IntentKind.CHECK, [label], checked=not clause.verb.startswith("de")) for label in labels]
        return [clause.intent(IntentKind.SELECT_ROW, labels, phrase=_object(clause))]
    both = _FOR_BOTH.search(text)
    if both:
        given = clause.folded.label(both["value"])
        fields = clause.folded.labels_in(both["fields"])
        return [clause.intent(IntentKind.SET, [one, given], path=one.parts, value=given.text) for one in fields]
    several = _SEVERAL_AS.search(text)
    if several:
        name = clause.folded.label(several["field"])
        values = clause.folded.labels_in(several["values"])
        return [clause.intent(IntentKind.SET, [name, one], path=name.parts, value=one.text) for one in values]
    path = _PLAIN_PATH.match(text)
    if path is not None and not labels and not clause.field:
        return [clause.intent(IntentKind.CLICK, [], path=tuple(part.strip() for part in _ARROW.split(path["path"])))]
    named = _PLAIN_NAME.match(text)
    if named is not None and not labels and not clause.field:
        return [clause.intent(IntentKind.CLICK, [], path=(named["name"],))]
    if clause.field and not labels and re.match(r"\s*this (?:option|check ?box)\b", text, re.I):
        return [clause.intent(IntentKind.CHECK, [], path=(clause.field,))]
    if any(label.role is InlineRole.LINK and label.target and not label.target.startswith("#") for label in labels) and re.match(
        r"\s*(?:an?|one of|the)\b", text, re.I
    ):
        return []
    pair = re.search(rf"(?P<a>{LABEL})\s+(?:as|for|from|in|under)\s+(?:the |your )?(?P<b>{LABEL})", text, re.I)
    if pair:
        wanted, name = clause.folded.label(pair.group("a")), clause.folded.label(pair.group("b"))
        return [clause.intent(IntentKind.SET, [name, wanted], path=name.parts, value=wanted.text)]
    described = _DESCRIBED_AS.match(text)
    if described:
        name = clause.folded.label(described["field"])
        return [clause.intent(IntentKind.SET, [name], path=name.parts, phrase=clause.folded.plain(described["what"]))]
    return _set(clause, options=True)


def _set(clause: Clause, *, options: bool) -> list[Intent]:
    """A field and a value out of what the clause has."""
    text, labels = clause.text, clause.labels
    parts = _EXAMPLE.split(text, maxsplit=1)
    example = parts[1] if len(parts) > 1 else ""
    main = clause.folded.labels_in(parts[0])
    shown = clause.folded.labels_in(example)
    bare = "" if shown else re.split(r"[\s,;]", example.strip(" ."), maxsplit=1)[0].strip(" .,;")
    value = shown[0].text if shown else bare or None
    if clause.field:
        fields: tuple[str, ...] = (clause.field,)
        if value is None and main:
            value = main[0].text
            if options and len(main) > 1 and not re.search(rf"{LABEL}\s*(?:,\s*)?or\s+{LABEL}", parts[0]):
                return [clause.intent(IntentKind.SET, [label], path=fields, value=label.text) for label in main]
        return [clause.intent(IntentKind.SET, labels, path=fields, value=value, phrase=_object(clause), example=bool(example))]
    if not main:
        listed = _LISTED_OBJECTS.match(text) if value is None else None
        if listed:
            rest = " ".join(listed.group("rest").split()).strip(" ,.;")
            rest = re.sub(r"\s*,?\s*(?:and|then)$", "", rest)
            ones = [
                re.sub(r"^(?:and|or|the|an?|your)\s+", "", one.strip(), flags=re.I)
                for one in re.split(r",|\band\b", listed.group("list"))
            ]
            return [
                clause.intent(IntentKind.SET, [], path=(one,), noun="words", phrase=f"the {one} {rest}".strip())
                for one in ones
                if one and one != "then"
            ]
        phrase = _object(clause)
        head = _head(phrase)
        if not head and value is None:
            return []
        heads = [part.strip() for part in re.split(r"\s+and\s+", head)] if value is None else [head]
        return [
            clause.intent(
                IntentKind.SET, shown, path=(one,) if one else (), value=value, noun="words", phrase=phrase, example=bool(example)
            )
            for one in heads
        ]
    if value is not None:
        return [clause.intent(IntentKind.SET, [*main[:1], *shown], path=main[0].parts, value=value, example=True)]
    if len(main) > 1 and re.search(rf"{LABEL}\s*(?:,\s*)?(?:or)\s+{LABEL}", text, re.I):
        main = main[:1]
    codes = [label for label in main if label.role is InlineRole.CODE]
    names = [label for label in main if label.role is not InlineRole.CODE]
    if not options and len(codes) == 1 and len(names) == 1:
        return [clause.intent(IntentKind.SET, [*names, *codes], path=names[0].parts, value=codes[0].text)]
    if options:
        return [clause.intent(IntentKind.SET, [label], path=(), value=label.text) for label in main]
    if codes:
        head = _head(re.sub(LABEL, " ", clause.text))
        return [clause.intent(IntentKind.SET, codes[:1], path=(head,) if head else (), value=codes[0].text, noun="words")]
    return [clause.intent(IntentKind.SET, [label], path=label.parts) for label in names]


def enter(clause: Clause) -> list[Intent]:
    """Enter, type, specify."""
    pair = re.search(rf"(?P<a>{LABEL})\s+(?:as|for)\s+(?:the |your )?(?P<b>{LABEL})", clause.text, re.I)
    if pair and not clause.field:
        value, name = clause.folded.label(pair.group("a")), clause.folded.label(pair.group("b"))
        return [clause.intent(IntentKind.SET, [name, value], path=name.parts, value=value.text)]
    if not clause.labels and not clause.field and _PARAMETERS.search(clause.text):
        return [clause.intent(IntentKind.CONFIGURE)]
    its_field = _ITS_FIELD.match(clause.text)
    if its_field is not None and not clause.field:
        return [clause.intent(IntentKind.SET, [], path=(its_field["field"],), noun="words", phrase=_object(clause))]
    as_name = _AS_A_NAME.match(clause.text)
    if as_name is not None and not clause.field:
        entered = clause.folded.label(as_name["value"])
        return [clause.intent(IntentKind.SET, [entered], path=(as_name["field"],), value=entered.text, noun="words")]
    plain_field = _PLAIN_FIELD.search(clause.text)
    if plain_field is not None and not clause.field and len(clause.labels) <= 1:
        given = clause.labels[0].text if clause.labels else None
        rest = clause.text[: plain_field.start()] + clause.text[plain_field.end() :]
        phrase = "" if clause.labels else _object(replace(clause, text=rest))
        return [
            clause.intent(
                IntentKind.SET, clause.labels, path=(plain_field["field"],), value=given, noun="words", phrase=phrase
            )
        ]
    return _set(clause, options=False)


def assign(clause: Clause) -> list[Intent]:
    """Set or change X to Y; configure the parameters."""
    text = clause.text
    found = re.search(rf"(?P<a>{LABEL})[^{LABEL[1:-1]}]*?\b(?:to|as|=)\s+(?:the )?(?P<b>{LABEL})", text, re.I)
    if found:
        name, value = clause.folded.label(found.group("a")), clause.folded.label(found.group("b"))
        return [clause.intent(IntentKind.SET, [name, value], path=name.parts, value=value.text)]
    plain = re.search(rf"(?P<a>{LABEL})(?: [a-z-]+){{0,2}}\s+to\s+(?P<b>[\w./:-]+)", text, re.I)
    if plain and re.match(r"[A-Z\d]", plain.group("b")):
        name = clause.folded.label(plain.group("a"))
        return [clause.intent(IntentKind.SET, [name], path=name.parts, value=plain.group("b").rstrip("."))]
    words = re.search(rf"\bthe (?P<head>[\w -]+?)\s+to\s+(?P<b>{LABEL})", text, re.I)
    if words:
        value = clause.folded.label(words.group("b"))
        return [clause.intent(IntentKind.SET, [value], path=(words.group("head"),), value=value.text, noun="words")]
    if clause.field and clause.labels:
        return [clause.intent(IntentKind.SET, clause.labels[:1], path=(clause.field,), value=clause.labels[0].text)]
    if not clause.labels:
        return [clause.intent(IntentKind.CONFIGURE, [])] if clause.verb in ("configure", "complete", "set") else []
    if _PARAMETERS.search(text):
        return [clause.intent(IntentKind.CONFIGURE, [])]
    if clause.verb in ("complete", "drag", "move") and not re.search(r"\bslider\b", text, re.I):
        return []
    return [clause.intent(IntentKind.SET, [label], path=label.parts) for label in clause.labels]


def tick(clause: Clause) -> list[Intent]:
    """Turn on, turn off, enable, disable, clear; `turn X on`; `accept` terms."""
    checked = re.match(r"(?:turn on|switch on|enable|check|tick|toggle on|read and accept|accept|agree)", clause.verb) is not None
    labels = clause.labels
    way = re.search(rf"{LABEL}(?:\s+(?:switch|toggle|option))?\s+(?P<way>on|off)\b", clause.text, re.I)
    to = re.search(rf"(?P<label>{LABEL})(?:\s+(?:switch|toggle|option))?\s+to\s+(?P<way>{LABEL}|\w+)", clause.text, re.I)
    if clause.verb == "toggle":
        if to is None:
            return []
        state = clause.folded.plain(to["way"]).casefold()
        if state not in _WAYS:
            return []
        switch = clause.folded.label(to["label"])
        words = [switch, *clause.folded.labels_in(to["way"])]
        return [clause.intent(IntentKind.CHECK, words, path=switch.parts, checked=_WAYS[state])]
    if clause.verb in ("turn", "switch"):
        if way is None:
            return go(clause)
        checked = way.group("way").lower() == "on"
        labels = labels[:1]
    if clause.field and not labels:
        return [clause.intent(IntentKind.CHECK, [], path=(clause.field,), checked=checked)]
    return [clause.intent(IntentKind.CHECK, [label], checked=checked, noun=_noun(clause.text)) for label in labels]


def search(clause: Clause) -> list[Intent]:
    """`search for **x**`: the one search box in view, which the field of that name is."""
    labels = clause.labels
    if len(labels) != 1 or not re.match(rf"\s*(?:the\s+)?{LABEL}", clause.text):
        return []
    return [clause.intent(IntentKind.SET, labels, path=(SEARCH,), value=labels[0].text)]


def find(clause: Clause) -> list[Intent]:
    """Find or locate a row."""
    return [clause.intent(IntentKind.LOCATE, clause.labels, phrase=_object(clause))]


def go(clause: Clause) -> list[Intent]:
    """Go to, open, switch to, expand, return to."""
    labels, text = clause.labels, clause.text
    noun = _noun(text)
    if re.search(r"\bdetails? page\b", text, re.I) and not any(scope.label for scope in clause.scopes):
        row = _ROW_OF.search(text)
        return [clause.intent(IntentKind.OPEN_ROW, labels, phrase=clause.folded.plain(row.group("phrase")) if row else "")]
    by_link = _BY_ITS_LINK.search(text)
    if by_link and not labels:
        return [clause.intent(IntentKind.OPEN_ROW, [], phrase=clause.folded.plain(text[: by_link.start()]).strip())]
    path = _PLAIN_PATH.match(text)
    if path is not None and not labels:
        return [clause.intent(IntentKind.NAVIGATE, [], path=tuple(part.strip() for part in _ARROW.split(path["path"])))]
    if labels and len(labels[0].parts) > 1:
        return [clause.intent(IntentKind.NAVIGATE, labels[:1])]
    if re.search(r"\bconsole\b", clause.folded.plain(text), re.I) or (labels and labels[0].role is InlineRole.LINK):
        return log_on(clause)
    page = next((scope.label for scope in clause.scopes if scope.kind in (ScopeKind.PAGE, ScopeKind.TAB) and scope.label), "")
    if noun in ("tab", "icon", "button", "link", "menu"):
        return click(clause)
    if labels:
        kind = IntentKind.CLICK if clause.verb.startswith("expand") else IntentKind.NAVIGATE
        return [clause.intent(kind, labels, noun=noun)]
    if page:
        return [clause.intent(IntentKind.NAVIGATE, [], path=(page,))]
    named = _PLAIN_PLACE.match(text)
    if named is None or not clause.verb.startswith(("go", "navigate")):
        return []
    return [clause.intent(IntentKind.NAVIGATE, [], path=(named["name"],))]


def log_on(clause: Clause) -> list[Intent]:
    """Log on to a product's console."""
    labels = clause.labels
    found = re.search(r"\bto (?:the |your )?(?P<name>[\w ()-]+?)\s*console\b", clause.text, re.I)
    name = labels[0].parts[-1] if labels else (found.group("name") if found else "")
    name = re.sub(r"\s*\bconsole$", "", name, flags=re.I).strip()
    return [clause.intent(IntentKind.LOG_ON, labels, path=(name,) if name else ())]


def upload(clause: Clause) -> list[Intent]:
    """Upload a file that is named; `Upload an object.` over a list of steps asks for nothing by itself."""
    if not clause.labels and not clause.field:
        return []
    value = next((label.text for label in clause.labels if label.role is InlineRole.CODE), None)
    rest = [label.text for label in clause.labels if label.text != value]
    return [
        clause.intent(
            IntentKind.UPLOAD, clause.labels, path=tuple(rest) or ((clause.field,) if clause.field else ()), value=value
        )
    ]


def wait(clause: Clause) -> list[Intent]:
    """Wait, or check: an expectation in a subordinate clause. What has to be turned on is turned on where it is not."""
    turned = _TURNED.search(clause.text) if clause.verb in ("make sure", "ensure", "verify") else None
    if turned:
        switch = clause.folded.label(turned["label"])
        if _noun(clause.text) == "tab":
            return [clause.intent(IntentKind.CLICK, [switch], noun="tab")]
        return [clause.intent(IntentKind.CHECK, [switch], checked=turned["way"].casefold() not in ("off", "cleared"))]
    found = expectations(clause.folded, clause.text, clause.origin)
    if any(intent.kind is not IntentKind.MENTION for intent in found):
        return found
    labels = clause.labels
    if clause.verb.startswith("wait"):
        return [clause.intent(IntentKind.WAIT, labels)]
    return [clause.intent(IntentKind.MENTION, labels)] if labels else []


def hover(clause: Clause) -> list[Intent]:
    return [clause.intent(IntentKind.HOVER, clause.labels[:1])] if clause.labels else []


def refresh(clause: Clause) -> list[Intent]:
    """Refresh, and what is then to be seen: `Refresh the list until the disk is in the **Available** state`."""
    seen = expectations(clause.folded, clause.text, clause.origin)
    states = [one for one in seen if one.kind is IntentKind.EXPECT_STATUS]
    return [clause.intent(IntentKind.REFRESH, [] if states else clause.labels), *states]


def keep(clause: Clause) -> list[Intent]:
    """Keep or leave something as it is: what it says about a value is looked at."""
    standing = read_standing_value(clause.folded, clause.text)
    if standing is not None:
        field, kept = standing
        return [clause.intent(IntentKind.EXPECT_VALUE, [field, kept], path=field.parts, value=kept.text)]
    way = re.search(
        rf"(?P<label>{LABEL})[^{LABEL[1:-1]}]*\b(?P<way>(?:turned|switched) (?:on|off)|selected|enabled|cleared)\b",
        clause.text,
        re.I,
    )
    if way is not None:
        checked = not way.group("way").lower().endswith(("off", "cleared"))
        return [clause.intent(IntentKind.CHECK, [clause.folded.label(way.group("label"))], checked=checked)]
    return [clause.intent(IntentKind.MENTION, clause.labels)] if clause.labels else []


def confirm(clause: Clause) -> list[Intent]:
    """`Confirm the rule with OK`, `confirm the operation by clicking OK`, `skip the settings with Next`."""
    by = re.search(rf"\b(?:with|by (?:clicking|pressing|choosing|selecting))\s+(?:the\s+)?(?P<label>{LABEL})", clause.text, re.I)
    if by is None:
        return [clause.intent(IntentKind.MENTION, clause.labels)] if clause.labels else []
    return [clause.intent(IntentKind.CLICK, [clause.folded.label(by.group("label"))])]


def add(clause: Clause) -> list[Intent]:
    """`add x to the A list`; other things that are added are the business of the clicks that the document names."""
    found = re.search(
        rf"(?P<values>{LABEL}(?:\s*(?:,|and)\s*{LABEL})*)\s+(?:to|under)\s+(?:the\s+)?(?P<field>{LABEL})", clause.text, re.I
    )
    if found is None and not (clause.field and clause.labels):
        return [clause.intent(IntentKind.MENTION, clause.labels)] if clause.labels else []
    if found is None:
        return [clause.intent(IntentKind.SET, [one], path=(clause.field,), value=one.text, noun="entry") for one in clause.labels]
    field = clause.folded.label(found.group("field"))
    values = clause.folded.labels_in(found.group("values"))
    return [clause.intent(IntentKind.SET, [field, value], path=field.parts, value=value.text, noun="entry") for value in values]


def use(clause: Clause) -> list[Intent]:
    """`use the **Stop** button`, `use the **Name** field to enter a name`."""
    labels = clause.labels
    if len(labels) == 1 and _noun(clause.text) in ("button", "icon", "link", "tab"):
        return click(clause)
    if clause.field and not labels and re.match(r"\s*(?:the\s*)?to (?:enter|specify|add|provide|select|choose|set)\b", clause.text):
        return [clause.intent(IntentKind.SET, [], path=(clause.field,))]
    return []


RULES: tuple[tuple[str, Rule], ...] = (
    (r"wait(?:ing)?|make sure|ensure|verify|confirm that|check (?:that|whether|if)|view|note that", wait),
    (r"(?:move|hover)(?: (?:the|your) (?:pointer|mouse|cursor))? over|hover", hover),
    (
        r"turn on|turn off|switch on|switch off|toggle (?:on|off)|toggle|enable|disable|uncheck|untick|tick|"
        r"clear|deselect|check(?! ?box)|read and accept|accept|agree to|turn(?! to)|switch(?! to)",
        tick,
    ),
    (r"click on|click|press|tap(?: on)?|hit|push", click),
    (r"choose|select|pick", choose),
    (r"log on|log in|sign in|sign on|login|log onto", log_on),
    (r"go(?: back)? to|navigate to|open|visit|return to|switch to|expand|access|go", go),
    (r"search for", search),
    (r"find|locate", find),
    (r"(?:re-?)?(?:enter|type)|input|fill in|specify|paste|provide|fill out", enter),
    (r"set|change|configure|complete|modify|drag|move|adjust", assign),
    (r"upload", upload),
    (r"refresh|reload", refresh),
    (r"keep|leave", keep),
    (r"confirm|skip|save", confirm),
    (r"add", add),
    (r"use", use),
)
