"""Decides which sentences ask for nothing, and why.

A sentence is prose only where its form proves it: it has a subject and a finite verb,
points to other text, or introduces the list under it. The reason must hold for the
whole sentence: if a later clause may be an instruction (`remainders`), or the fact is a
duty (`duties`), nothing is proven. A sentence that is neither read nor proven to be
prose is not understood (`grammar`). Verbs are found in a dictionary (`finite_verbs`),
so one that it lacks, or a misspelt one, never makes a sentence prose.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.contractions import spelled_out
from proofwalk.agent.policies.literal.duties import obliges
from proofwalk.agent.policies.literal.finite_verbs import (
    AUXILIARY,
    finite_verbs,
    has_bare_subject,
)
from proofwalk.agent.policies.literal.remainders import (
    asks,
    asks_behind,
    is_plural,
)
from proofwalk.agent.policies.literal.statements import states
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_TIMELY = re.compile(
    r"only|early|daily|hourly|weekly|monthly|yearly|nightly|quarterly|likely|friendly", re.I
)
"""Adjectives that look like adverbs: `Cancel nightly jobs`."""
_SUBJECT = re.compile(
    rf"^(?:the|an?|this|that|these|those|it|its|they|their|there|your|our|each|every|all|any|some|no|none|both|"
    rf"one|other|another|what|who|whoever|everything|nothing|most)\b|^{LABEL}",
    re.I,
)
_SINCE_WHEN = re.compile(
    r"^(?:by default|here|there(?=,)|only|from then on|at (?:this|that)"
    r" point|later|now|then|afterwards|meanwhile|after that|"
    r"in this \w+|(?:after|within|for) (?:an?|some|that|the) \w+)\b,?\s*",
    re.I,
)
"""Words before a subject; an imperative may follow them too."""
_SPANS = tuple(
    re.compile(rf"^(?:after|within|for) (?:an?|some|that|the) (?:\w+ ){{{more}}}\w+\b,?\s*", re.I)
    for more in (1, 2)
)
_SUBORDINATE = re.compile(
    r"^(?:if|when|whenever|once|after|while|until|before|because|as soon as|although|since|"
    r"as (?:you|the|it|they))\b",
    re.I,
)
_OF_A_PERSON = re.compile(
    rf"^(?:you|we)\s+(?:(?:\w+ly|also|now|then|first|next|just|only|still|always|never|already|both|all)\s+)*"
    rf"(?:{AUXILIARY}|am|have|need|want|get|see|find|know|pay|own|recommend)(?![\w-])",
    re.I,
)
_PLACED = re.compile(
    r"^(?i:in|on|under|at|from|within|for|regardless of|depending on|based on|during|unlike|"
    r"despite|besides|because of|due to|along with)\b[^,]*,\s*"
    r"|^[^.:–—]{1,40}?(?::|\s[–—-])\s+(?=(?:The|A|An|This|These|If|When|[A-Z]\w+ (?:only )?\w+)\b)",
    re.S,
)
_SEES = re.compile(
    r"^(?:(?:in|on|under|at)\b.{1,60}?\b)?"
    r"(?:you (?:should|will)(?: now)? (?:see|find|be)|there (?:now"
    r" )?(?:is|are|was|were|will|should|may|must|can|has|have|appears?))\b"
    r"|^(?:they|it)['’](?:ll|re|ve)\b|^(?:you|we)['’](?:re|ve)\b|^(?:you|we)['’]ll (?:now |then"
    r" |also )?(?:see|find|be|get|notice|need|use)\b",
    re.I,
)
_MAIN_OFFER = re.compile(r",\s*you (?:can|may|could)\b(?! (?:also )?(?:see|view|find)\b)", re.I)
_OF_A_STATE = re.compile(
    rf"{LABEL}\s+(?:state|status)\b|\b(?:state|status)\b[^{_L}]*\b(?:to|of)\s+{LABEL}", re.I
)
"""`it can be used when it is in the **Running** state`: the label is not a control."""
_ASKS_BY_STATING = re.compile(
    r"\b(?:(?:is|are) to be|wants?|gets?|goes|becomes|is (?:given|what|due|all that)|it is|is the"
    r" (?:state|choice|entry|value)|"
    r"is (?:enough|fine|best)|will do|suffices?|has been|belongs?|let|so that|ends? up|is"
    r" now|needs?|takes?)\b",
    re.I,
)
"""`**Name** gets `web``: an instruction in the form of a fact."""
_ASKS_ALL_THE_SAME = re.compile(
    r"^we (?:now |then |first )?(?:open|click|press|select|choose|enter|type|go|pick|use)\b|"
    r"\b(?:must|ha(?:s|ve) to|needs? to|should|is to|are to) be"
    r" (?:clicked|pressed|selected|chosen|opened|entered|typed|"
    r"ticked|checked|filled|set|turned|enabled|disabled|confirmed|uploaded|dragged|toggled|expanded|hit|tapped)\b|"
    r"^you (?:open|click|press|select|choose|enter|type)\b|^(?:after|once|upon|on)"
    r" (?:clicking|selecting|choosing|pressing|tapping)\b|"
    rf"(?:\bto|[,;]|\bso|\band|\bthen)\s+(?:click|press|hit|tap|push|select|choose|pick|use|open|enter|type|toggle|go|fire)\b"
    rf"\s+(?:[\w-]+\s+){{0,3}}?(?:{LABEL}|it\b)",
    re.I,
)
"""Facts that mean an instruction: `It is time to hit **Stop**`, `it has a **Stop**
action, so use it`."""
_YOU_ACT = re.compile(
    rf"^(?!.*\b(?:if|when|whenever|once|after|unless|until|while|because)\b)[^{_L}]*"
    r"(?:\band|\bthen|[,;](?:\s*where)?)\s+you (?:then |now |also )?"
    rf"(?:click|press|hit|tap|select|choose|open|enter|type|tick|toggle)\b[^,;]*{LABEL}",
    re.I,
)
"""`Review the terms, and you click **Save**.`"""
_COMMA = re.compile(r",\s*")
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|whom|where|whether|how|what)\s*$", re.I)
_POINTS = re.compile(
    r"^(?:(?:for|to (?:learn|find out|get|read))\b[^.;]*?"
    r"\b(?:information|details?|more|instructions|examples?|list|help|guidance)\b.*"
    r"\b(?:see|refer|visit|read|go to|check out|consult)\b"
    r"|(?:if|in case) [^,;.:]*, (?:see|refer to|read)\b"
    r"|to learn (?:about|which|what|why)\b[^,;.]*, (?:see|refer|visit|read)\b"
    r"|(?:please )?(?:see(?! (?:to (?:it|the|that)|that)\b)|refer|consult)\b|(?:learn|read)"
    r" more\b|to learn (?:more|how)\b)",
    re.I,
)
ELSEWHERE = "it points to other text"
REMARK = "it is a remark"
LOOK = "it asks to look"
_JOINT = re.compile(
    r"^(?:however|in addition|additionally|moreover|furthermore|typically|usually|generally|"
    r"initially|in general|in other words|in this case|as a result|in most cases),\s+",
    re.I,
)
"""Words that join a fact to the one before: `However, it cannot be undone`."""
EXAMPLE = "it gives an example of what the sentence before asks for"
_EXAMPLE = re.compile(r"^(?:for (?:example|instance)|e\.g\.)[,:]? ", re.I)
INTRODUCES = "it introduces the list under it"
ANOTHER_WAY = "it offers another way"
_REMARK = re.compile(
    r"^(?P<word>note|tip|important|caution|warning|example|remember|notice|be aware"
    r"|keep in mind)\b(?:[\s,:–—-]*that\b)?[\s,:–—-]*",
    re.I,
)
_OFFER = re.compile(
    r"^(?:(?:alternatively|optionally|also|later|then|now|(?:from|on) (?:this|that) page),? )?"
    r"you (?:can|may|could)\b(?!['’]t)(?:"
    r" (?:also|then|now))?",
    re.I,
)
_ALTERNATIVELY = re.compile(r"^alternatively\b", re.I)
"""`Alternatively, click **Drain**`: beside what was told before."""
_ENDS_WITH = re.compile(
    rf"\band (?:then )?(?:confirm (?:(?:it|this|them|the|your) [^,;.{_L}]*)?(?:with|by)|"
    rf"(?:click|press|save|submit|apply)\b)[^,;.{_L}]*{LABEL}",
    re.I,
)
_GOES_ON = re.compile(r"^(?:then|now),? you can\b|^you can (?:then|now)\b", re.I)
_ADVISES = re.compile(
    rf"^(?:however,? )?(?:we|it is|it['’]s)(?: strongly| highly| also)? recommend(?:ed)? (?:that )?"
    rf"(?:you )?(?:verify|check|review|read)(?:ing)?\b[^{_L}]*$",
    re.I,
)
"""`We recommend that you verify that nobody uses it.`"""
_PROMPTS = re.compile(
    r"^(?i:(?:this|next) time,? )?(?:[A-Z][\w-]*(?: [A-Z][\w-]*)*|[Tt]he [a-z]+(?: [a-z]+)?) "
    r"(?:asks|prompts) you (?:for|to confirm|to enter|to provide) "
    rf"[^,;:.{_L}]*\.?\s*$"
)
"""`The console asks you to confirm the removal.` The answer is asked for beside it."""
_LOOKING = re.compile(
    r"^(?:then,? |next,? |carefully )*(?:review|note|read(?! and accept)|view|write down|"
    r"make (?:a )?note of|"
    rf"(?:ensure|make sure|verify|check|confirm)(?: that)? you(?: are|['’]re| have|['’]ve| "
    rf"won['’]t| will not| do not| don['’]t)(?=[^{_L}]*$)(?!.*\b(?:selected|chosen|set|enabled|"
    r"checked|entered|saved|clicked|opened|ticked|turned)\b)|"
    r"(?:check|verify) that(?= (?:the|your|an?|all|every|no) [a-z])|"
    r"observe|examine|inspect|check(?= (?:the|your|all|that) (?:configuration|"
    r"settings|values|entries|details|information|summary|results?)\b)|"
    r"look at|look over|double-check|"
    r"take note of|decide|understand|scroll(?: (?:down|up))?(?= to\b| ?\W*$))\b",
    re.I,
)
_LEADS = re.compile(
    r"^(?:this|it|you)(?: will|'ll)? (?:takes?|brings?|leads?|be (?:taken|brought|led|redirected))"
    r"(?: you)?(?: back)? to\b"
    r"|^here (?:is|are)\b"
    r"|^(?:in|on|from|using|with|through) the (?:[\w-]+ ){0,3}?"
    r"(?:ui|gui|console|dashboard|portal|(?:web |user |admin )?interface)[ .:]*$",
    re.I,
)
"""`This takes you to the **Pumps** page.`, `Here is a sample:`, `In the web UI:`"""
_ONE_OF = re.compile(
    rf"^(?:define|choose|specify|decide|set|select|describe|say|tell) "
    rf"(?:what|how|which|who|whom|when|where|whether) [^;:{_L}]*:\s*$|"
    rf"^(?:{LABEL}\s*[—–:-]\s*)?"
    r"(?:(?:(?:on|in|under|from|for|at) (?:the |each )?"
    rf"(?:{LABEL}|[a-z]+)(?: [a-z]+){{0,3}},? ){{1,3}}|"
    rf"(?:to|when|while|if|after|before) [a-z]+ [^,;:{_L}]*, )?"
    r"(?:then )?(?:follow|perform|take|complete|do|choose|select|use) "
    r"(?:these|the following|one of the following|either of the following)"
    r"(?: (?:steps|actions|tasks|options|methods|ways))?"
    rf"(?:,? (?:depending on|based on|according to|as) [^;:.{_L}]*| to [a-z][^;:.{_L}]*)?"
    r"\s*[:.]\s*$|"
    rf"^(?:(?:on|in|under) (?:the )?{LABEL}(?: [a-z]+)?, )?"
    r"(?:turn on|enable|set|select|configure) "
    rf"(?:both|all|these|the two) [a-z ]+(?: and [a-z]+ (?:their|the) [a-z]+)?:\s*$|"
    r"^(?:these|the following) (?:fields|settings|values|options) (?:are|must be) "
    r"(?:required|mandatory|optional|available|set|filled in)\s*:\s*$|"
    rf"^(?:(?:under|in|on|for) (?:the )?{LABEL}(?: [a-z]+){{0,2}}, )?(?:then )?"
    r"(?:do|choose|select|use|pick) "
    r"(?:one|either) of (?:the following|these)(?: [a-z]+)?(?: [a-z]+)?\s*:?\s*$"
    rf"|^(?:complete|fill in|fill out) the (?:first |new |next |last )?row (?:under|in|of) "
    rf"(?:the )?{LABEL}\s*:\s*$",
    re.I,
)
"""`Under **Key**, do one of the following:`"""
_DEFAULTS = re.compile(r"^(?:(?:it )?defaults to|the default(?: value)? is)\b[^,;:]*$", re.I)
_PLACED_LOOK = re.compile(
    rf"^(?:for (?:each|every|the) [^,;:{_L}]+,\s*)?"
    rf"(?:(?:in|on|under|at) (?:the )?(?:{LABEL}|(?:[a-z]+ ){{1,2}}(?=pane|panel|page|section|tab|"
    r"list|table|view|column|summary))"
    r" ?(?:page|tab|section|dialog(?: box)?|panel|pane|screen|column|list|table|view|summary)?,"
    r"\s*)*"
    r"(?=(?:review|read|observe|examine|inspect|view|note|take note of|make (?:a )?note of|"
    r"write down|(?:check|verify) that)\b)",
    re.I,
)
"""`On the **Summary** page, review the settings`."""


def why_prose(piece: str, *, opens: bool) -> str:
    """Return why the folded sentence asks for nothing; empty if that is not proven.
    `opens`: the sentence is the first of its item."""
    bare = without_edges(piece)
    if not re.search(rf"[\w{_L}]", bare):
        return "it has no words"
    bare = _JOINT.sub("", bare)
    plain = spelled_out(bare)
    why = _why_prose(bare, opens=opens)
    return why or (_why_prose(plain, opens=opens) if plain != bare else "")


def _why_prose(bare: str, *, opens: bool) -> str:
    if _YOU_ACT.match(bare):
        return ""
    points = _POINTS.match(bare)
    if points:
        asked = asks_behind(bare[points.end() :], coordinated=True)
        return "" if asked else ELSEWHERE
    remark = _REMARK.match(bare)
    if remark:
        return REMARK if _only_remarks(bare, remark) else ""
    offer = _OFFER.match(bare)
    if offer and ((_GOES_ON.match(bare) and re.search(LABEL, bare)) or asks_behind(bare)):
        return ""
    if offer:
        return _why_offered(bare, offer, opens=opens)
    looking = _PLACED_LOOK.sub("", bare)
    beside = _why_beside(bare, opens=opens)
    if beside:
        return beside
    leads = _LEADS.match(bare) or (not opens and _DEFAULTS.match(bare))
    if (leads and not asks_behind(bare)) or states(bare) or _advises_or_prompts(bare):
        return "it tells what is so"
    if _LOOKING.match(looking):
        return "" if asks_behind(looking, coordinated=True) else LOOK
    return "" if _may_offer_or_ask(bare, opens=opens) or not tells(bare) else "it tells what is so"


def _why_beside(bare: str, *, opens: bool) -> str:
    """Return why a sentence that leads to the list under it, or offers another way than
    the sentence before, asks for nothing itself; empty for others."""
    if _ONE_OF.match(bare):
        return INTRODUCES
    return ANOTHER_WAY if not opens and _ALTERNATIVELY.match(bare) else ""


def gives_an_example(piece: str) -> bool:
    """True if a sentence says that it gives an example."""
    return _EXAMPLE.match(without_edges(piece)) is not None


def _may_offer_or_ask(bare: str, *, opens: bool) -> bool:
    """True if a fact may be meant as an offer, or with its label as an instruction."""
    if opens and _SUBORDINATE.match(bare) and _MAIN_OFFER.search(bare):
        return True
    labelled = re.search(LABEL, _OF_A_STATE.sub(" ", bare)) is not None
    return labelled and (opens or _ASKS_BY_STATING.search(bare) is not None)


def _why_offered(bare: str, offer: re.Match[str], *, opens: bool) -> str:
    """Return why what the reader *can* do asks for nothing. `You can turn some on, and
    confirm with **Save**` is the step itself, and no other way."""
    offered = bare[offer.end() :]
    asked = asks_behind(offered, coordinated=True)
    if not re.match(r"\s+(?:view|see|find|check|review)\b", offered, re.I):
        is_other = re.search(r"\b(?:also|instead|alternatively|another|either)\b", bare, re.I)
        ends = _ENDS_WITH.search(offered)
        if opens or (ends and not is_other and not re.search(LABEL, offered[: ends.start()])):
            return ""
        return ANOTHER_WAY
    return "" if re.search(LABEL, asked) else "it says what can be seen"


def _advises_or_prompts(bare: str) -> bool:
    """True if a sentence recommends a look, or says what a window asks, and no more."""
    told = _ADVISES.match(bare) or _PROMPTS.match(bare)
    return told is not None and not asks_behind(bare, coordinated=True)


def tells(bare: str) -> bool:
    """True if the whole sentence tells a fact: no clause asks for anything, and nobody
    is obliged to act."""
    if not declares(bare) or _ASKS_ALL_THE_SAME.search(bare):
        return False
    if re.search(LABEL, asks_behind(bare, coordinated=True)):
        return False
    return not obliges(bare) and not asks_behind(bare)


def _only_remarks(bare: str, remark: re.Match[str]) -> bool:
    """True if the text of a remark asks for nothing: `Note that …`, but not `Remember
    to …` nor `Note: stop it first`."""
    rest = bare[remark.end() :]
    if remark["word"].casefold() == "note" and re.match(LABEL, rest) and ":" not in remark.group():
        return not asks_behind(bare, coordinated=True)
    if states(rest):
        return True
    if re.match(r"to\b", rest, re.I) or obliges(rest) or asks_behind(rest, coordinated=True):
        return False
    parts = [rest, *(rest[found.end() :] for found in re.finditer(",", rest))]
    return declares(rest) or not any(asks(part, of_a_thing=False) for part in parts)


def remarks(piece: str) -> bool:
    """True if a sentence begins like a remark. Its text may still ask for something."""
    return _REMARK.match(without_edges(piece)) is not None


def without_edges(piece: str) -> str:
    """Return the sentence without the punctuation before its first word or label."""
    if re.match(rf"\W*{LABEL}", piece):
        return piece.strip(" *()-–—")
    return re.sub(r"^[\s\W_]+", "", piece)


def asks_by_stating(piece: str) -> bool:
    """True if a sentence that tells a fact can be meant as an instruction."""
    return _ASKS_BY_STATING.search(piece) is not None


def declares(bare: str) -> bool:
    """True if the sentence has a subject before its first finite verb outside of
    relative clauses."""
    verdicts: dict[str, bool] = {}
    for comma in reversed(list(_COMMA.finditer(bare))):  # The shortest end first: no depth.
        _declares(bare[comma.end() :], verdicts)
    return _declares(bare, verdicts)


def _declares(bare: str, verdicts: dict[str, bool]) -> bool:
    """Decide a sentence by what is behind its commas. `verdicts`: what was decided of
    such ends before, for several ways lead to each of them."""
    if bare not in verdicts:
        verdicts[bare] = _has_subject(bare, verdicts)
    return verdicts[bare]


def _has_subject(bare: str, verdicts: dict[str, bool]) -> bool:
    if _SUBORDINATE.match(bare):
        mains = [bare[found.end() :] for found in _COMMA.finditer(bare)]
        if not mains:
            return bare.casefold().startswith("while")
        return any(_declares(re.sub(r"^then\s+", "", main), verdicts) for main in mains)
    placed = _PLACED.match(bare)
    if placed and _declares(bare[placed.end() :], verdicts):
        return True
    if _SEES.match(bare) or _OF_A_PERSON.match(bare):
        return True
    if _SINCE_WHEN.match(bare):
        return any(_declares(bare[found.end() :], verdicts) for found in _since_when(bare))
    if not _SUBJECT.match(bare) and not is_plural(re.split(r"\W", bare)[0]):
        by_adverb = re.match(r"^\w+ (?P<adverb>\w+ly) \w+s\b", bare)
        if by_adverb and not _TIMELY.fullmatch(by_adverb["adverb"]):
            return True
        return has_bare_subject(bare)
    return any(not _RELATIVE.search(bare[:start]) for start in finite_verbs(bare) if start)


def _since_when(bare: str) -> list[re.Match[str]]:
    """Match the words before a subject, in each length that they may have: `within a
    short while | the pool | is`."""
    ways = (_SINCE_WHEN, *_SPANS)
    return [found for way in ways if (found := way.match(bare))]
