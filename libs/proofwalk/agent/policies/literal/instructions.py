"""Reads a sentence with imperatives, clause by clause.

The words before the first verb hold for the whole sentence; a field among them only for
the next verb. Each clause loses its scope phrases (`scopes`), the verb's rule (`verbs`)
reads the rest, and `accounting` checks that the rule read all of it. One clause that
was not read makes the sentence not understood: half an instruction is another
instruction.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page.words import DOTS, normalise
from proofwalk.agent.policies.literal import controls, verbs
from proofwalk.agent.policies.literal.accounting import lead_leftover, leftover
from proofwalk.agent.policies.literal.assignments import lead_fields, read_assignments, read_tag
from proofwalk.agent.policies.literal.clauses import Clause
from proofwalk.agent.policies.literal.cuts import OR, Cut, cuts_of
from proofwalk.agent.policies.literal.derived import derive
from proofwalk.agent.policies.literal.expectations import expectations
from proofwalk.agent.policies.literal.looks import only_looks
from proofwalk.agent.policies.literal.loose_places import loose_place
from proofwalk.agent.policies.literal.opening_fields import of_fields
from proofwalk.agent.policies.literal.purposes import without_goal, without_purpose
from proofwalk.agent.policies.literal.scopes import Scoped, take_scopes
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Scope, ScopeKind
from proofwalk.agent.reading.marks import LABEL, Folded, Label

_L = LABEL[1:-1]
_TAIL = re.compile(
    rf"(?:[,;.]|\b(?:and|then))\s*(?P<tail>(?:then )?(?:in|on|from|for|under|at|next to)\b(?!"
    rf" example|"
    rf" instance)(?:[^,;{_L}]|{LABEL})*?,?\s*(?:and |then )?)$",
    re.I,
)
_PAIRS = re.compile(
    rf"({LABEL})\s+(?:in|for|from|into) (?:the )?({LABEL})\s+(?:fields?|text"
    r" ?box|parameter|(?:drop-?down|"
    rf"drop down)(?: list)?)\b",
    re.I,
)
_PAIRS_BESIDE = re.compile(rf"({LABEL})\s+(?:next to|beside) (?:the )?({LABEL})", re.I)
"""`enter `drain` next to **Name**, `all` next to **Pattern**`"""
_FILLS = re.compile(r"(?:enter|type|put|set|specify|input|select|choose)\b", re.I)
_WITH_SELECTED = re.compile(rf"^\W*with\s+(?P<label>{LABEL})\s+(?:selected|chosen)\b", re.I)
_ROW_WITH = re.compile(
    rf"^\W*(?:in|on)\s+(?:the\s+{LABEL}\s+column\s+of|the\s+row\s+(?:with|of|for|that"
    rf" has))\s+(?:the\s+)?(?P<label>{LABEL})"
    rf"|^\W*(?:in|on)\s+the\s+(?P<row>{LABEL})\s+row(?=\s*,)",
    re.I,
)
_ROW_PHRASE = re.compile(r"\b(?:of|for|next to) ((?:the|your|an?) [^,]*)", re.I)
_WHILE = re.compile(rf"\b(?:when|once|after|before|if|while)\b[^{LABEL[1:-1]},]*,", re.I)
_CONSOLE = re.compile(rf"\b(?:in|on|of|to)\s+the\s+(?P<label>{LABEL})\s+console\b", re.I)
_ACTIONS = re.compile(r"(?:more )?actions?|更多(?:操作)?|操作", re.I)
_PASSING = (ScopeKind.FIELD, ScopeKind.MENU)
"""Scopes that hold for the next verb only. A menu closes when an entry is chosen."""
_LABELLED = re.compile(
    rf"^\W*(?P<label>{LABEL})\s*(?:\((?:optional|required|default)\))?\s*(?::|\s[-–—]+)\s*$", re.I
)
"""`**Recipients:** Enter the addresses`: the label is the field of the sentence."""
_FOUND_CONTROL = re.compile(
    rf"\b(?:find|locate|look for) (?P<what>(?:the )?{LABEL}"
    r"(?: (?:option|button|link|icon|tab|entry))?)"
    r" and (?:then )?click (?:on )?it\b",
    re.I,
)
"""`Look for the **Pumps** option and click on it`."""
_ON_A_PATH = re.compile(
    rf"^\W*(?P<act>(?:click|select|choose|enable|disable) (?:the )?{LABEL}"
    r"(?: button| tab| link| module| feature| plugin| extension)?)"
    rf" (?:in|on|from|under) (?P<path>{LABEL})\s*\.?\s*$",
    re.I,
)
_UNTIL = re.compile(r"\buntil\b.*$", re.I)
_WAITS = (verbs.wait, controls.refresh)
"""Rules that read an `until` themselves."""


class Instruction:
    """One sentence while it is read; `intents` and `rest` are the results."""

    def __init__(self, folded: Folded, piece: str, origin: Origin, *, conditional: bool) -> None:
        self.intents: list[Intent] = []
        self.condition = ""
        """The label on which a conditional sentence depends."""
        self._folded = folded
        self._origin = origin
        self._left: list[str] = []
        self._opening: list[Label] = []
        """The fields that open the sentence, until the first clause has used them."""
        self._coming: tuple[Scope, ...] = ()
        """The scopes of the next clause; `_standing` holds those of all clauses that
        follow."""
        self._standing: tuple[Scope, ...] = ()
        self._words: tuple[str, ...] = ()
        """The labels of those scope phrases."""
        self._read(piece, conditional)

    def _read(self, piece: str, conditional: bool) -> None:
        piece = _FOUND_CONTROL.sub(r"click \g<what>", _on_a_path(piece, self._folded))
        piece, cuts = self._without_row(piece)
        piece, cuts = self._with_field(piece, cuts)
        if not cuts:
            self._left = [piece]
            return
        self._read_lead(piece, cuts[0], conditional)
        for position, cut in enumerate(cuts):
            self._read_clause(piece, cut, cuts[position + 1] if position + 1 < len(cuts) else None)
        if self._words:
            self.intents.append(
                self._intent(IntentKind.MENTION, path=self._words, words=self._words)
            )

    @property
    def rest(self) -> str:
        """The words of the sentence that were not read; empty if all of it was."""
        return " ".join(part for part in self._left if part)

    def _intent(
        self,
        kind: IntentKind,
        *,
        path: tuple[str, ...] = (),
        words: tuple[str, ...] = (),
        phrase: str = "",
    ) -> Intent:
        return Intent(kind=kind, path=path, phrase=phrase, words=words, origin=self._origin)

    def _without_row(self, piece: str) -> tuple[str, list[Cut]]:
        """Turn the row that opens the sentence into an intent of its own: `In the row
        of **web**, click …`."""
        cuts = cuts_of(piece)
        found = _ROW_WITH.search(piece[: cuts[0].start]) if cuts else None
        if found is None:
            return piece, cuts
        name = self._folded.label(found["label"] or found["row"]).text
        said = tuple(label.text for label in self._folded.labels_in(found.group()))
        self.intents.append(self._intent(IntentKind.LOCATE, path=(name,), words=said, phrase=name))
        piece = f"{piece[: found.start()]}{piece[found.end() :]}"
        return piece, cuts_of(piece)

    def _with_field(self, piece: str, cuts: list[Cut]) -> tuple[str, list[Cut]]:
        """Note the fields that open the sentence. Rewrite a label with a colon as a
        field."""
        if not cuts:
            return piece, []
        lead = piece[: cuts[0].start]
        self._opening = lead_fields(self._folded, lead)
        labelled = _LABELLED.match(lead)
        if labelled is None:
            return piece, cuts
        if len(self._folded.label(labelled["label"]).parts) > 1:
            return piece, []
        piece = f"For {labelled['label']}, {piece[cuts[0].start :]}"
        return piece, cuts_of(piece)

    def _read_lead(self, piece: str, first: Cut, conditional: bool) -> None:
        text = piece[: first.start]
        lead = take_scopes(self._folded, "" if self._opening else text)
        self._coming = lead.scopes
        self._standing = tuple(scope for scope in lead.scopes if scope.kind not in _PASSING)
        self._words = lead.words
        self.intents += self._consoles(piece, first)
        asked = self._asked_before(lead, conditional)
        self.intents += asked
        left = lead_leftover(self._folded, lead.rest, asked, conditional=conditional)
        place = loose_place(self._folded, text) if left and not conditional else None
        if place is not None and all(one.kind is IntentKind.MENTION for one in asked):
            self._coming = self._standing = (place[0],)
            self._words, left = () if asked else place[1], ""
        self._left.append(left)
        if conditional:
            self.condition = next((label.parts[-1] for label in self._folded.labels_in(text)), "")

    def _read_clause(self, piece: str, cut: Cut, following: Cut | None) -> None:
        end = following.start if following else len(piece)
        body, tail = self._without_tail(piece[cut.end : end], following)
        verb = piece[cut.start : cut.end].lower()
        several = self._several(verb, body)
        if several:
            self.intents += several
            return
        until = _UNTIL.search(body) if cut.rule not in _WAITS else None
        seen = self._repeated_until(until.group()) if until else []
        scoped = take_scopes(self._folded, body[: until.start()] if until and seen else body)
        if self._opening:
            field = Scope(kind=ScopeKind.FIELD, label=self._opening[-1].parts[-1])
            scoped = replace(scoped, scopes=(*scoped.scopes, field))
        clause = Clause(
            folded=self._folded,
            verb=verb,
            text=(
                scoped.rest
                if cut.rule is controls.use
                else without_purpose(self._folded, scoped.rest)
            ),
            scopes=(*scoped.scopes, *self._coming),
            words=(*self._words, *scoped.words),
            origin=self._origin,
        )
        self.intents += [
            *self._in_each_field(self._ruled(cut, clause, piece[cut.start : end])),
            *seen,
        ]
        self._take_places(take_scopes(self._folded, tail))

    def _without_tail(self, body: str, following: Cut | None) -> tuple[str, str]:
        """Return the clause without the words at its end that belong to the next
        clause, and those words. An *or* before an alternative is dropped."""
        if following is None:
            return body, ""
        found = _TAIL.search(body)
        body, tail = (body[: found.start()], found["tail"]) if found else (body, "")
        return (OR.sub("", body) if following.alternative else body), tail

    def _several(self, verb: str, body: str) -> list[Intent]:
        """Read a clause with several fields, or the two fields of a tag; empty for
        others."""
        pairs = _PAIRS.findall(body)
        if not pairs and _FILLS.match(verb):
            pairs = _PAIRS_BESIDE.findall(body)
        if len(pairs) > 1:
            found = [
                self._assigned(self._folded.label(value), self._folded.label(name))
                for value, name in pairs
            ]
            self._left.append(leftover(self._folded, take_scopes(self._folded, body).rest, found))
            return found
        found = [
            one.intent(self._coming, self._origin)
            for one in read_assignments(self._folded, verb, body)
        ]
        return found or [
            Intent(
                kind=IntentKind.SET,
                path=(field,),
                value=value.text,
                scopes=self._coming,
                words=(value.text,),
                origin=self._origin,
            )
            for field, value in read_tag(self._folded, body)
        ]

    def _assigned(self, value: Label, name: Label) -> Intent:
        """`enter A in the X field and B in the Y field`."""
        return Intent(
            kind=IntentKind.SET,
            path=name.parts,
            value=value.text,
            scopes=(Scope(kind=ScopeKind.FIELD, label=name.parts[-1]), *self._coming),
            words=(name.text, value.text),
            origin=self._origin,
        )

    def _repeated_until(self, text: str) -> list[Intent]:
        """Return what the click is repeated for: `click **Next** until the **Advanced**
        step is shown`."""
        seen = [
            one
            for one in expectations(self._folded, text, self._origin)
            if one.kind is not IntentKind.MENTION
        ]
        return [
            replace(one, noun="until") if one.kind is IntentKind.EXPECT_TEXT else one
            for one in seen
        ]

    def _ruled(self, cut: Cut, clause: Clause, whole: str) -> list[Intent]:
        """Apply the verb's rule to the clause; `whole` is the clause with its verb and
        places."""
        if cut.alternative and self.intents:
            return self._mentioned(clause)  # One way is enough, and the first is it.
        read = cut.rule(clause)
        goal = whole.rstrip().endswith(":") and not self._folded.labels_in(whole)
        if not goal and not only_looks(whole):
            said = without_goal(clause.text) if cut.rule is controls.confirm else clause.text
            rest = leftover(self._folded, said, read) if read else whole
            other = derive(clause, cut.rule) if rest else None
            if other is not None:
                read, rest = other, ""
            self._left.append(rest)
        if not read:
            return self._mentioned(clause)
        if clause.words:
            read[-1] = replace(
                read[-1], words=tuple(dict.fromkeys((*read[-1].words, *clause.words)))
            )
        went = any(one.kind is IntentKind.NAVIGATE for one in self.intents)
        return [_of_menu(_on_the_page(intent) if went else intent) for intent in read]

    def _mentioned(self, clause: Clause) -> list[Intent]:
        return (
            [self._intent(IntentKind.MENTION, path=clause.words, words=clause.words)]
            if clause.words
            else []
        )

    def _in_each_field(self, read: list[Intent]) -> list[Intent]:
        """Repeat a value that is entered for two fields at once for each of them. An
        intent without a value only takes over the fields' words."""
        opening, self._opening = self._opening, []
        return of_fields(read, opening) if opening else read

    def _take_places(self, named: Scoped) -> None:
        """Take over the places that the words after a clause give to the next one. A
        label among them that is no place's is not passed over."""
        if self._folded.labels_in(named.rest):
            self._left.append(named.rest.strip(" ,"))
        self._standing = (
            *(scope for scope in named.scopes if scope.kind not in _PASSING),
            *self._standing,
        )
        self._coming = (
            *named.scopes,
            *(scope for scope in self._standing if scope not in named.scopes),
        )
        self._words = named.words

    def _consoles(self, piece: str, first: Cut) -> list[Intent]:
        """Open console X first: `In the X console, choose …`, `… in the navigation pane
        of the X console`."""
        found = _CONSOLE.search(piece)
        if found is None or (
            first.rule in (controls.log_on, controls.go) and found.start() >= first.start
        ):
            return []
        name = self._folded.label(found["label"])
        return [
            replace(
                self._intent(IntentKind.LOG_ON, path=name.parts, words=(name.text,)),
                conditional=True,
            )
        ]

    def _asked_before(self, scoped: Scoped, conditional: bool) -> list[Intent]:
        """Return what the words before the first verb ask for: finding a row, an option
        that is selected, or a mention."""
        lead = scoped.rest
        words = tuple(label.text for label in self._folded.labels_in(lead))
        selected = _WITH_SELECTED.search(lead)
        if selected:
            option = self._folded.label(selected["label"]).text
            return [replace(self._intent(IntentKind.SET, words=(option,)), value=option)]
        row = _ROW_PHRASE.search(_WHILE.sub(" ", lead))
        in_a_row = any(scope.kind is ScopeKind.COLUMN for scope in scoped.scopes) or re.search(
            r"\brow of\b|^\W*next to (?:the|your) [a-z][a-z -]*\W*$", lead, re.I
        )
        of_a_row = row and (
            in_a_row or re.search(r"\b(?:want to|created|instance|whose)\b", row.group(1), re.I)
        )
        if row and of_a_row and not conditional:
            return [
                self._intent(
                    IntentKind.LOCATE,
                    path=words,
                    words=words,
                    phrase=self._folded.plain(row.group(1)),
                )
            ]
        return [self._intent(IntentKind.MENTION, path=words, words=words)] if words else []


def _on_a_path(piece: str, folded: Folded) -> str:
    """`Click **Add** in **Mill** > **Pumps**` → `Go to **Mill** > **Pumps**, and click
    **Add**`: the path comes first."""
    found = _ON_A_PATH.match(piece)
    if found is None or len(folded.label(found["path"]).parts) < 2:
        return piece
    return f"Go to {found['path']}, and {found['act'][:1].lower()}{found['act'][1:]}"


def _on_the_page(intent: Intent) -> Intent:
    """Return what is chosen after an entry of the navigation and stands on the page
    that opened: a thing in words, or the menu of its actions. `In the navigation pane,
    choose **Pumps**, and then choose **Actions**, **Drain**`."""
    opens_menu = intent.kind is IntentKind.NAVIGATE and _ACTIONS.fullmatch(intent.path[0])
    if not opens_menu and (intent.kind is IntentKind.NAVIGATE or not intent.phrase):
        return intent
    scopes = tuple(one for one in intent.scopes if one.kind is not ScopeKind.NAVIGATION)
    return replace(intent, kind=IntentKind.CLICK if opens_menu else intent.kind, scopes=scopes)


def _of_menu(intent: Intent) -> Intent:
    """`⋮ > Release`: click the entry, in the menu that the dots open."""
    if (
        intent.kind is not IntentKind.CLICK
        or len(intent.path) < 2
        or normalise(intent.path[0]) not in DOTS
    ):
        return intent
    return replace(
        intent,
        path=intent.path[1:],
        scopes=(*intent.scopes, Scope(kind=ScopeKind.MENU, label=intent.path[0])),
    )
