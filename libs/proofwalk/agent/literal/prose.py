"""Which sentences ask for nothing, and why.

A sentence is prose only where its form proves it: it has a subject and a finite verb, it points to other
text, or it introduces the list under it. What is neither read nor proven to be prose is not understood
(`grammar`). So a verb that this module does not know, or a misspelt one, never makes a sentence prose.
"""

from __future__ import annotations

import re

from proofwalk.agent.literal.marks import LABEL

_L = LABEL[1:-1]
_AUXILIARY = (
    r"is|are|was|were|isn't|aren't|will|won't|would|can|cannot|can't|could|may|might|must|should|has|have|had|does|"
    r"doesn't|do not|don't|did|'s|'re"
)
_THIRD_PERSON = (
    r"accepts|adds|affects|allows|appears?|applies|asks|associates|becomes?|begins?|belongs?|changes?|closes?|comes?|completes|"
    r"consists?|contains?|continues?|controls?|corresponds?|covers|creates|defaults|defines?|deletes|depends?|"
    r"describes?|determines?|disables|disappears?|displays?|enables|ends|enters|evaluates|exists?|expires?|explains|"
    r"fails|finishes|gets?|gives|goes|grants|grows|happens?|helps|hides|holds|identifies|includes?|indicates?|keeps|"
    r"lasts|leads|lets|limits|lists?|loads|logs|looks|makes|marks|matches|means|names|needs|occurs?|offers|opens?|"
    r"pops|prevents|prompts|provides?|reads|receives?|records|redirects|refers|refreshes|remains?|removes|represents|"
    r"requires?|restarts|restores|returns?|rotates|runs|says|selects|sends|serves|sets|shows?|specifies|stands|"
    r"starts|stays|stops|stores?|succeeds|supports?|takes?|tells|trusts|turns|uses|varies|verifies|waits|works"
)
_FINITE = re.compile(rf"(?<![\w-])(?:{_AUXILIARY}|{_THIRD_PERSON})(?![\w-])", re.I)
_SUBJECT = re.compile(
    rf"^(?:the|an?|this|that|these|those|it|its|they|their|there|you|your|we|our|each|every|all|any|some|no|none|both|"
    rf"one|other|another|what|who|whoever|by default|here|everything|nothing|in this \w+|most|only|"
    rf"from then on|at (?:this|that) point|later|now|afterwards|meanwhile|after(?: a| that)?|within|for (?:a|some))\b|^{LABEL}",
    re.I,
)
_SUBORDINATE = re.compile(
    r"^(?:if|when|whenever|once|after|while|until|before|because|as soon as|although|since)\b", re.I
)
_VERB = rf"(?:{_AUXILIARY}|{_THIRD_PERSON})"
_BARE_SUBJECT = re.compile(
    r"^[A-Za-z][\w/'-]*(?:\s+(?!(?:the|an?|your|its?|on|this|that|these)\b)[\w/'-]+){0,4}"
    rf"(?:\s+(?:that|which)\s+{_VERB}(?:\s+[\w-]+){{0,3}})?\s+{_VERB}(?![\w-])",
    re.I,
)
"""A subject without an article: `Names cannot contain spaces`. What an imperative asks for mostly has one."""
_PLACED = re.compile(
    r"^(?:in|on|under|at|from|within|for)\b[^,]*,\s*"
    r"|^[^.:–—]{1,40}?(?::|\s[–—-])\s+(?=(?:The|A|An|This|These|If|When|[A-Z]\w+ (?:only )?\w+)\b)",
    re.S,
)
_SEES = re.compile(
    r"^(?:(?:in|on|under|at)\b.{1,60}?\b)?(?:you (?:should|will)(?: now)? (?:see|find|be)|we|they|there)\b"
    r"|^(?:you|we|they|it)['’](?:ll|re|ve)\b",
    re.I,
)
_MAIN_OFFER = re.compile(r",\s*you (?:can|may|could)\b(?! (?:also )?(?:see|view|find)\b)", re.I)
_OF_A_STATE = re.compile(rf"{LABEL}\s+(?:state|status)\b|\b(?:state|status)\b[^{_L}]*\bto\s+{LABEL}", re.I)
"""`it can be used when it is in the **Running** state`: the label is no control."""
_ASKS_BY_STATING = re.compile(
    r"\b(?:(?:is|are) to be|wants?|gets?|goes|becomes|is (?:given|what|due|all that)|it is|is the (?:state|choice|entry|value)|"
    r"has been|belongs?|let|so that|ends? up|is now|needs?|takes?)\b",
    re.I,
)
"""`**Name** gets `web``: told as a fact, and meant as an instruction."""
_ASKS_ALL_THE_SAME = re.compile(
    r"^we (?:now |then |first )?(?:open|click|press|select|choose|enter|type|go|pick|use)\b|"
    r"\b(?:must|ha(?:s|ve) to|needs? to|should|is to|are to) be (?:clicked|pressed|selected|chosen|opened|entered|typed|"
    r"ticked|checked|filled|set|turned|enabled|disabled|confirmed|uploaded|dragged|toggled|expanded|hit|tapped)\b|"
    r"^you (?:open|click|press|select|choose|enter|type)\b|^(?:after|once|upon|on) (?:clicking|selecting|choosing|pressing|tapping)\b|"
    rf"(?:\bto|[,;]|\bso|\band|\bthen)\s+(?:click|press|hit|tap|push|select|choose|pick|use|open|enter|type|toggle|go|fire)\b"
    rf"\s+(?:[\w-]+\s+){{0,3}}?(?:{LABEL}|it\b)",
    re.I,
)
"""`It is time to hit **Stop**`, `it has a **Stop** action, so use it`."""
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|whom|where|whether|how|what)\s*$", re.I)
_POINTS = re.compile(
    r"^(?:(?:for|to (?:learn|find out|get|read))\b[^.;]*?"
    r"\b(?:information|details?|more|instructions|examples?|list)\b.*"
    r"\b(?:see|refer|visit|read|go to|check out|consult)\b"
    r"|(?:please )?(?:see(?! (?:to it|that)\b)|refer|consult)\b|(?:learn|read) more\b|to learn (?:more|how)\b)",
    re.I,
)
REMARK = "it is a remark"
_REMARK = re.compile(
    r"^(?:note|tip|important|caution|warning|example|remember|be aware|keep in mind)\b(?: that\b)?",
    re.I,
)
_OFFER = re.compile(
    r"^(?:(?:alternatively|optionally|also|later|then|now),? )?you (?:can|may|could)\b(?: (?:also|then|now))?",
    re.I,
)
_GOES_ON = re.compile(r"^(?:then|now),? you can\b|^you can (?:then|now)\b", re.I)
_LOOKING = re.compile(
    r"^(?:then,? |next,? |carefully )*(?:review|note|read(?! and accept)|observe|examine|inspect|check(?= the configuration)|look at|"
    r"take note of|decide|understand)\b",
    re.I,
)


def why_prose(piece: str, *, opens: bool) -> str:
    """Why the folded sentence asks for nothing; empty when that is not proven. `opens`: it is the first of its item."""
    bare = without_edges(piece)
    if not re.search(rf"[\w{_L}]", bare):
        return "it has no words"
    if _POINTS.match(bare):
        return "it points to other text"
    if _REMARK.match(bare):
        return REMARK
    offer = _OFFER.match(bare)
    if offer and _GOES_ON.match(bare) and re.search(LABEL, bare):
        return ""
    if offer:
        looks = re.match(r"\s+(?:view|see|find|check|review)\b", bare[offer.end() :], re.I)
        return "it says what can be seen" if looks else "" if opens else "it offers another way"
    if _LOOKING.match(bare):
        return "it asks to look"
    if opens and _SUBORDINATE.match(bare) and _MAIN_OFFER.search(bare):
        return ""
    if re.search(LABEL, _OF_A_STATE.sub(" ", bare)) and (opens or _ASKS_BY_STATING.search(bare)):
        return ""
    if declares(bare) and not _ASKS_ALL_THE_SAME.search(bare):
        return "it tells what is so"
    return ""


def without_edges(piece: str) -> str:
    """The sentence without the marks before its first word or label."""
    if re.match(rf"\W*{LABEL}", piece):
        return piece.strip(" *()-–—")
    return re.sub(r"^[\s\W_]+", "", piece)


def asks_by_stating(piece: str) -> bool:
    """Whether a sentence that tells a fact can be meant as an instruction."""
    return _ASKS_BY_STATING.search(piece) is not None


def declares(bare: str) -> bool:
    """Whether the sentence has a subject before its first finite verb that is not of a relative clause."""
    if _SUBORDINATE.match(bare):
        if bare.casefold().startswith("while"):
            return True
        return any(
            declares(re.sub(r"^then\s+", "", bare[found.end() :]))
            for found in re.finditer(r",\s*", bare)
        )
    placed = _PLACED.match(bare)
    if placed and declares(bare[placed.end() :]):
        return True
    if _SEES.match(bare):
        return True
    if not _SUBJECT.match(bare):
        return (
            _BARE_SUBJECT.match(bare) is not None
            or re.match(r"^\w+ \w+ly \w+s\b", bare) is not None
        )
    return any(
        not _RELATIVE.search(bare[: found.start()])
        for found in _FINITE.finditer(bare)
        if found.start()
    )
