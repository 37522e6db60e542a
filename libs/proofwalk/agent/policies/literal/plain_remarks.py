"""Remarks without a label whose form proves that they ask for nothing: what the vendor
does, what a setting is good for, what there has to be before one begins.

No label stands in them, so there is no control that they could mean. Each form takes
the whole sentence and ends at its first colon or semicolon. `whole_remarks` asks here.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.duties import obliges
from proofwalk.agent.policies.literal.remainders import asks_behind
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_TOLD = rf"[^;:{_L}]*$"
_ONE_CLAUSE = rf"[^,;:{_L}]*$"
_ACTS = (
    r"(?:click|select|choose|open|enter|create|add|use|set|configure|go|start|show|need|must|"
    r"recommend|suggest|advise)"
)
_WE = re.compile(
    r"^we(?:(?:['’]ll| will) (?:contact|email|notify|inform|review|answer|reply|send you|help|get "
    rf"back|let you know|charge)|(?: currently| do not| don['’]t| no longer| also)+ (?!{_ACTS}\b)"
    rf"[a-z]+| (?:hope|plan|aim|intend) to [a-z]+| (?:only )?(?:support|offer|charge))\b{_TOLD}"
    rf"|^you['’]re (?:still|already) (?:[a-z]+ed|in|on|at)\b{_ONE_CLAUSE}",
    re.I,
)
"""`We'll write to you about the pump.`, `We currently support two kinds of mills.`,
`You're still on the line with the mill.`"""
_BY_DOING = re.compile(
    r"^by (?!click|press|select|choos|us|tap|enter|go|open)[a-z]+ing [^,;:]+, "
    rf"(?:the|your|its|all|each|every|users?) [^,;:]*?\b(?:can|could|will|is|are|may)\b{_TOLD}",
    re.I,
)
"""`By enabling quiet hours, your millers can sleep.`"""
_IT_IS = re.compile(
    r"^(?:it|this|that|there|they)(?:['’]s|['’]re) (?:(?:still|now|already|also|only|not|no|"
    rf"always|case[- ]sensitive)\b){_ONE_CLAUSE}",
    re.I,
)
"""`It's case sensitive.`"""
_THIS = re.compile(
    r"^this (?:makes|lets|allows|enables|helps|ensures|saves|prevents|gives) "
    rf"(?:the|your|you|it|us|all|users?|others|an?) {_ONE_CLAUSE}"
    rf"|^this is (?:required|needed|necessary|useful|helpful) (?:to|for|if|so|when) {_ONE_CLAUSE}",
    re.I,
)
"""`This makes the mill available to others.`, `This is required to drain it.`"""
_HELP = re.compile(
    r"^(?:if (?:that|this|it|you|the)\b[^,;:]*, |for (?:help|assistance)[^,;:]*, )?"
    r"(?:please )?(?:contact|ask|reach out to|get in touch with) (?:your|our|the|[A-Z]\w+)\b"
    r"[^,;:]*? (?:for (?:help|assistance|support|details|advice|more information)|support"
    r"|team)\W*$",
    re.I,
)
"""`Ask your miller for help.`, `If that doesn't work, contact the support team.`"""
_ASKED_THEN = re.compile(
    r"^(?:before|when|once|after|if) [^,;:]+ you(?:['’]ll| will)(?: be)? "
    rf"(?:prompted|asked) (?:to|for) {_ONE_CLAUSE}",
    re.I,
)
"""`If you have no key yet you'll be asked for one.`"""
_MUST_HAVE = re.compile(
    r"^(?:to|for|before) [^,;:]+, (?!you\b|we\b)[\w -]+ (?:must|has to|have to|needs? to) have "
    rf"(?:an?|the|at least|enough|access|all)\b{_ONE_CLAUSE}",
    re.I,
)
"""`To plan a repair, the mill must have a picture of all its pumps.`"""
_AT_HAND = re.compile(
    r"^(?:please )?(?:make sure|ensure|be sure)(?: that)? (?:you have "
    r"(?:an?|the|your|enough|all|access to|sufficient) "
    rf"(?!.*\b(?:selected|chosen|set|enabled|checked|entered|saved|clicked|opened)\b){_ONE_CLAUSE}"
    r"|(?:the|your) [\w -]+ (?:is|are) (?:securely |properly |correctly )?(?:connected|plugged in|"
    rf"installed|up to date|charged)\b{_ONE_CLAUSE})",
    re.I,
)
"""`Make sure you have enough water for this.`"""
_CHANGED = re.compile(
    r"^(?:review and )?make (?:any|your|the)(?: (?:necessary|required|desired|needed|other|"
    r"appropriate))? (?:changes|edits|updates|modifications|adjustments)"
    rf"(?: (?:you|to|here|as|in)\b(?!.*\b(?:making sure|enter|click|select|choose)\b)[^,;:{_L}]*)?"
    r"\W*$",
    re.I,
)
"""`Make the required changes to the mill.` Its reader has none."""
_IN_THIS_EXAMPLE = re.compile(
    r"^in this (?:example|tutorial|guide|topic|article|walkthrough|section),? "
    rf"(?:we|you)(?:['’]ll| will| are going to|['’]re going to) {_ONE_CLAUSE}",
    re.I,
)
"""`In this example we'll build a mill.` The steps under it do."""
_FORMS = (
    _WE,
    _BY_DOING,
    _IT_IS,
    _THIS,
    _HELP,
    _ASKED_THEN,
    _MUST_HAVE,
    _AT_HAND,
    _CHANGED,
    _IN_THIS_EXAMPLE,
)
_FREE = frozenset({_WE, _THIS, _HELP, _MUST_HAVE, _AT_HAND, _CHANGED, _IN_THIS_EXAMPLE})
"""Forms that oblige somebody, but to nothing in the console."""


def is_plain_remark(bare: str) -> bool:
    """True if the folded sentence has one of these forms, and no other part asks."""
    if re.search(LABEL, bare):
        return False
    form = next((form for form in _FORMS if form.match(bare)), None)
    if form is None:
        return False
    return not asks_behind(bare) and (form in _FREE or not obliges(bare))
