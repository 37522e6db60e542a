"""Places that open a sentence and that no form knows: `In the **Guest** node of the
diagram, click **Configure**`.

Such a place narrows the search and decides nothing: it becomes a section, which
`page.grounding` prefers where the page has it and passes over where it does not. It has
to have an article or a label, and to say neither when something holds nor what lies
outside of the console. Everything else stays not understood.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.intents import Scope, ScopeKind
from proofwalk.agent.reading.marks import LABEL, Folded

_WHEN = re.compile(
    r"\b(?:(?:case|event|version|edition|mode|plan|tier|release|example|scenario|occasion|"
    r"situation|condition|circumstance|deployment|installation|environment|second|minute|hour|day|"
    r"week|month|year|moment)s?|meantime|future|past|end|beginning|hand|way|time|process|course|"
    r"order|default|production|context|hope|absence|presence|background|assumption|procedure|"
    r"guide|tutorial|test|run|steps?|sections? (?:above|below)|following|previous|next|first|"
    r"latter|former|same|either|both|each|every|any|all|others?|no|not|which|that|if)\b",
    re.I,
)
"""Words of a case, a time or a part of the document: not everyone takes the step, or it
is no place."""
_OUTSIDE = re.compile(
    r"(?:computer|machine|workstation|laptop|phone|device|host|shell|terminal|prompt|editor|IDE|"
    r"browser|client|server|account|website|site|application|app|portal|repository|e-?mail|mail|"
    r"inbox|PDF|file|CSV|spreadsheet|console|dashboard|product|command|code|script|folder|"
    r"directory|system|keyboard|documentation|docs|field|selector|drop-?down|combo box)s?",
    re.I,
)
"""What is not of the console, or is a field, as the noun of a place."""
_KINDS = (
    (ScopeKind.NAVIGATION, re.compile(r"\bnavigation\b|\bside ?bar\b", re.I)),
    (ScopeKind.TOP_BAR, re.compile(r"\b(?:top|header|upper)\b.*\bbar\b", re.I)),
    (ScopeKind.PAGE, re.compile(r"\bpage\W*$", re.I)),
    (ScopeKind.DIALOG, re.compile(r"\b(?:pop-?ups?|popover|flyout|pop-box)\b", re.I)),
)
"""The kinds of places by their words; a section else."""
_ARTICLE = r"(?:the|your|this|its|their)"
_MARKED = rf"(?:{_ARTICLE} )?(?:[a-z'-]+ ){{0,3}}?(?P<label>{LABEL})(?: (?P<noun>[\w'-]+)){{1,3}}?"
_UNDER = r"(?i:under|below|above|beneath|underneath)"
_PLAIN = rf"{_ARTICLE} (?P<plain>[a-z][a-z'-]*(?: [a-z][a-z'-]*){{0,4}}?)"
_OF = (
    rf"(?: (?:of|on|for|at) (?:{_ARTICLE} )?(?:[a-z'-]+ ){{0,3}}?"
    rf"(?:{LABEL}(?: [a-z'-]+)?|[\w'-]+))?"
)
_PLACE = re.compile(
    r"\W*?(?:(?i:now|then|next|finally),? )?"
    rf"(?:(?i:in|on|from|under|within|inside|at|below|above|beneath|underneath)"
    rf" (?:{_MARKED}|{_PLAIN}){_OF}|{_UNDER} {_ARTICLE}? ?(?P<head>{LABEL}))\s*,\s*(?:and )?"
)


def loose_place(folded: Folded, lead: str) -> tuple[Scope, tuple[str, ...]] | None:
    """Return the place that is all of a sentence's lead, and the labels in it; None if
    the lead says something else."""
    found = _PLACE.fullmatch(lead)
    if found is None or _WHEN.search(lead):
        return None
    marked = found["label"] or found["head"]
    noun = found["noun"] or (found["plain"] or "").rpartition(" ")[2]
    if _OUTSIDE.fullmatch(noun) or (not marked and noun == "box"):
        return None
    kind = next((one for one, words in _KINDS if words.search(lead)), ScopeKind.SECTION)
    name = folded.label(marked).parts[-1] if marked else ""
    if not marked and kind is ScopeKind.SECTION:
        name = found["plain"]
    return Scope(kind=kind, label=name), tuple(one.text for one in folded.labels_in(lead))
