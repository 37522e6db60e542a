"""Statements with a label whose form proves that they ask for nothing.

`**Name** gets `web`` is an instruction in the form of a fact, so a label in a sentence
leaves it unproven (`prose`). The forms here are none: what a part of the console shows
or does, what an act has as its effect, what a name stands for, what must not be done.
Each still has to have no instruction behind it (`remainders`) and to oblige nobody
(`duties`).
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.duties import obliges
from proofwalk.agent.policies.literal.finite_verbs import full_verb, has_bare_subject
from proofwalk.agent.policies.literal.remainders import asks_behind, may_be_imperative
from proofwalk.agent.policies.literal.whole_remarks import is_remark
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_EFFECT = (
    r"(?:displays?|lists?|shows?|contains?|opens|closes|appears?|disappears?|refreshes|describes?|"
    r"explains?|includes?|sees?|indicates?|removes|deletes|reuses|replaces|keeps|hides|"
    r"(?:doesn['’]t|does not|won['’]t|will not) [a-z]+|"
    r"counts?|tells?|loads?|restarts|starts|reloads|updates|creates|saves|returns?|"
    r"uses?|provides?|becomes? (?:available|visible|active|editable|enabled)|"
    r"will(?: now| then| also| automatically)? (?:"
    r"auto-?populate|cause|open|show|appear|display|take|contain|list|change|become)|"
    r"(?:is|are|was|were|will be)(?: now| then| also| not| only| automatically)*"
    r" (?:displayed|shown|listed|marked|created|updated|closed|opened|explained|supported|removed|"
    r"moved|copied|sent|installed|generated|deployed|restored|archived|started|stopped|assigned|"
    r"deleted|hidden|visible|available|reserved|redirected|notified|applied|lost|saved|"
    r"for [a-z]+ only))"
)
_PART = re.compile(
    rf"^(?:the|a|an|this|each|every|only the|your|all|any) [^,;:.]*?\b{_EFFECT}\b", re.I
)
"""`The **Owner** list shows all roles.`, `The banner **Unpublished** disappears.`"""
_OF_A_CONTROL = re.compile(
    rf"^{LABEL}(?: option| setting| button| switch)? "
    r"(?:hides|shows|displays|opens|closes|lists|removes|deletes|replaces|enables|disables|"
    r"allows|prevents|controls|determines|limits|adds) (?:the|an?|all|any|your|its|how|whether|"
    rf"which|what|when|users?)\b[^{_L}]*$",
    re.I,
)
"""`**Hide drained** hides the pumps that are drained.`"""
_OF_A_PART = re.compile(rf"^(?:the|a|an|this|each|every|only the|your|all|any) |^{LABEL} ", re.I)
_ASKING = re.compile(
    r"(?:has|gets?|wants?|needs?|goes|becomes?|belongs?|takes?|holds?|reads?|says?|equals?|"
    r"requires?|expects?|awaits?|calls?|stands?|asks?|prompts?|lets?|suffices?|does|deserves?|"
    r"receives?|offers?|leaves?|remains?|ends?|finish(?:es)?|completes?|concludes?|follows?|"
    r"comes?|waits?|starts?|begins?|sets?|means?)",
    re.I,
)
"""Verbs that give a value, or ask for an act: `The form awaits a **Name**`."""
_BY_HAND = re.compile(
    r"\b(?:clicks?|press(?:es)?|taps?|hits?|push(?:es)?|ticks?|choices?|choosing|selections?|"
    r"visits?|steps?|tasks?|jobs?|moves?|turns?|ways?|paths?|routes?)\b|\d"
    r"|\bstays? (?:on|off|empty|blank|as|(?:un)?(?:selected|checked|ticked|set))\b",
    re.I,
)
"""Nouns of acts, numbers, which may be values, and states that a reader sees to."""
_IN_A_STATE = re.compile(rf" (?:with|in) (?:the|a) (?:state|status)(?: of)? {LABEL}", re.I)
_LABEL_AND = re.compile(rf"^{LABEL}\s*(?::|\s[-–—])\s+")
_LASTS = re.compile(
    r"^(?:(?:the|an?|this|each|every)\b[^,;:]*?|[^,;:]*?s|[a-z]+ing\b[^,;:]*?) takes? "
    r"(?:(?:about|around|up to|at most|at least|only|roughly|less than|more than|usually) )*"
    r"(?:(?:an?|some|several|two|three|four|five|ten|\d+)(?: (?:few|couple of))? )?"
    r"(?:seconds?|minutes?|hours?|days?|moments?|while|time)\b[^,;:]*$",
    re.I,
)
"""`A **Restart** takes about two minutes.`"""
_OTHERS_ALONE = re.compile(
    r"^(?!.*\b(?:until|before|unless|without|you)\b)"
    r"(?:nobody|no one|no other [a-z]+|only (?:the|an?|[a-z]+s)\b)[^,;:]*? "
    r"(?:can|may|is able to|are able to)\b[^,;:]*$",
    re.I,
)
"""`Nobody but the harbour master can choose **Override**.`"""
_WHEN_OTHERS_ACT = re.compile(
    r"^(?:when(?:ever)?|once|as soon as) (?:the|an?|any|another|some) [a-z][^,;:]*? "
    r"(?:selects|clicks|presses|chooses|opens|enters|ticks|accepts|submits|confirms|approves)"
    r"\b[^,;:]*, "
    rf"(?:the|an?|it|they|nothing|everything|every|all) [^,;:{_L}]*$",
    re.I,
)
"""`When a courier selects **Delivered**, the customer gets a message.`"""
_AT_A_PLACE = re.compile(
    rf"\b(?:in|on|under|at|into|from) (?:the |an? )?{LABEL} "
    r"(?:column|section|tab|page|list|view|panel|pane|tree|area|header|table|window|dialog)\b",
    re.I,
)
_WHICH = re.compile(r"\s*(?:how|whether|which|what|when|where|who)\b", re.I)
_AN_ACT = re.compile(
    rf"{LABEL} (?:button|link|icon|command|action|entry|item|key)s? [\w-]+ "
    r"(?:the|an?|all|any|every|each|your|its|it|them)\b"
    rf"|\b(?:with|via|by|through|using|on|upon|after|from) (?:the |an? )?{LABEL}",
    re.I,
)
"""`The **Purge** button empties the queue`, `The queue empties with **Purge**`: what is
told may be meant to be done."""
_ACT = re.compile(
    r"^(?!(?:during|nothing|something|anything|everything|bring|ring|string|ping)\b)[a-z]+ing "
    rf"(?:(?!\bto\b)[^,;:.])*?{_EFFECT}\b",
    re.I,
)
"""`Clicking **Preview** opens the page.`"""
_QUESTION = re.compile(
    r"^(?:what|why|whether|how|who|which)\b[^,;:]*? (?:is|are|does|do|was) "
    r"(?:explained|described|told|shown|written|listed|decided|determined|a matter of|"
    r"not matter)\b",
    re.I,
)
"""`What the **Bounce** column counts is explained below.`"""
_MEANS = re.compile(
    rf"^{LABEL}\s*(?:\([^()]*\)\s*)?(?::|\s[-–—])\s+(?:how|whether|what|which|when|why)\b[^{_L}]*$",
    re.I,
)
"""`**Tier** – how fast the cellar answers.` A noun (`the name of it`) may be a field
that is to be filled."""
_NOT = re.compile(
    r"^(?:please )?(?:do not|don['’]t|never|avoid) (?!(?:leav|keep|forget|skip|miss|omit|neglect|"
    r"overlook|hesitat|fail|go |going|continu|proceed|mov)\w*)"
    r"(?!.*\b(?:but|instead|until|without|before|unless|other than|except)\b)",
    re.I,
)
"""`Do not close the window.` What must not be left out has to be done."""
_NAMED = re.compile(
    rf"^(?:{LABEL}|[A-Z][\w-]*(?: [A-Z][\w-]*)*)(?: field)? will "
    r"(?:automatically |then |now |also )?(?:auto-?populate|be (?:auto-?)?populated|"
    r"appear|disappear)\b"
)
"""`Device Type will auto-populate.`"""
_SEEN = re.compile(
    r"^(?:(?:on|in|at|under|depending on) [^,]+?,? )?"
    r"(?:you (?:will|should|can|may|might)(?: now| also| then)? "
    r"(?:see|find|notice)|there (?:is|are) (?:an?|also|several|two|three|some|the))\b",
    re.I,
)
"""`There is a check box for **Private**.`"""
_CHECKED = re.compile(
    rf"^(?:verify|confirm) that (?:the )?{LABEL}[^,;:]*? "
    r"(?:shows|displays|lists|contains|reads|says)\b(?! an? )",
    re.I,
)
"""`Confirm that **Used in** shows 0 projects`: the reader looks."""
_ASKS = re.compile(
    r"\bto (?:be )?(?:click|press|hit|tap|tick|push|select|choose|pick|use|open|enter|type|toggle|"
    r"go|turn|set|fill)|[,;:] (?:so|then|and then)\b|\bbefore (?:you|going|continuing|moving)\b|"
    r"\bwants? |[,;:] [a-z]+ it\b",
    re.I,
)
"""`There is a **Stop** button to press.`, `The list shows it before you go on.`"""
_HAND = re.compile(
    r"^(?:an? (?:double-)?click|an? (?:press|tap|push|hit) (?:of|on)\b|"
    r"(?:(?:double-)?click|press|hitt?|tapp?|select|choos|tick|check|clear|turn|"
    r"switch|toggl|open|enter|typ|push|us)ing)\b",
    re.I,
)
_OF_TWO = re.compile(r"^(?:this example|verify|confirm|when(?:ever)?)\b", re.I)
"""Where a second label is none that has to be entered."""
_TITLE = 6
"""Most words of a title."""
_CONTROLS = frozenset({"button", "link", "icon", "tab", "checkbox", "switch", "toggle", "box"})
_NOTED = re.compile(
    rf"^(?:please )?(?:(?:write|jot) down|make (?:a )?note of) [^,;:{_L}]*$"
    rf"|^(?:please )?(?:record|save|store|keep) "
    rf"(?:(?:the|this|your|its) [^,;:{_L}]*?|both|them|these) "
    r"(?:in a (?:safe|secure) place|somewhere safe|"
    r"in (?:a|your|the) (?:secrets? (?:manager|store)|password (?:manager|safe)|vault)|"
    r"for (?:later|future)(?: use| reference)?)\W*$"
    r"|^(?:please )?(?:keep|leave) (?:this|the|your) (?:page|window|tab|browser) open\W*$"
    rf"|^as (?:shown|illustrated|seen|pictured) (?:in|by|below|above)\b[^,;:{_L}]*$",
    re.I,
)
"""`Write down the ID.`, `Save the key in a safe place.`: beside the console."""
_YOU_HAVE_DONE = re.compile(
    rf"^you(?: have|['’]ve)?(?: now| just| successfully)* (?!need\b)[a-z]+ed (?!to\b)[^,;:{_L}]*$",
    re.I,
)
"""`You created a pump.`"""
_BY_DOING = re.compile(
    rf"^(?!(?:during|nothing|something|anything|everything|following|using|depending)\b)"
    rf"[a-z]+ing (?:an?|the|your|this|any|all) [^,;:.{_L}]*? (?:is|are|cannot|can['’]t|may|might|"
    rf"will|does(?: not|n['’]t)|requires?) [^,;:{_L}]*$",
    re.I,
)
"""`Draining a pump is permanent and cannot be undone.`"""
_MADE_OF_ENTRIES = re.compile(
    r"^(?:your|the|these) (?:entries|choices|settings|selections|values)(?: [^,;:]*?)? "
    r"(?:generates?|results? in|produces?|makes? up)\b",
    re.I,
)
"""`Your entries in the **Pump** dialog generate a command.`"""
_WHEN_SET = re.compile(
    rf"^(?:when(?:ever)?|if) (?:the |this )?(?:{LABEL} )?"
    r"(?:switch|option|toggle|setting|box|check ?box) is "
    rf"(?:(?:set|turned|switched) (?:to )?)?(?:[a-z]+|{LABEL}),? (?:then )?"
    rf"(?!(?:you|click|select|choose|enter)\b)(?:the |each |all |an? |any )?[a-z][^,;:{_L}]*?\b"
    r"(?:will|is|are|has|have|does|do)\b",
    re.I,
)
"""`When the **Strict** switch is set to True, the pump will count.`"""
_IF_SO_NOT = re.compile(
    r"^if (?:you|it|the|this|an?) [^,;]+, (?:you|it|they|this|(?:the|an?) [a-z -]+|[a-z][\w-]+) "
    r"(?:cannot|can['’]t|will not|won['’]t|does not|do not|may not|are not|is not)\b",
    re.I,
)
"""`If you name this, you cannot name the other.`"""
_DOES = re.compile(
    rf"^{LABEL}\s*(?::|\s[-–—])\s+(?:\(default\)\s*)?(?!this\b|always\b|[a-z]+ss\b)[a-z]+s "
    rf"(?:the|an?|all|any|your|its|each|every|how|whether|which|what|when)\b[^{_L}]*$",
    re.I,
)
"""`**flag**: Adds a flag to the message.` An imperative has no *s*."""
_IF_THEN = re.compile(
    rf"^if (?:you (?:have|had)|the|an?|there) [^,;{_L}]+, (?:they|it|these|those) "
    r"(?:will(?: be)?|are|is) (?:show|appear|listed|shown|displayed|visible|marked)\b",
    re.I,
)
"""`If you have made pumps, they will show in the **Own** section.`"""
_FORMS = (
    _PART,
    _OF_A_CONTROL,
    _ACT,
    _QUESTION,
    _MEANS,
    _NOT,
    _NAMED,
    _SEEN,
    _CHECKED,
    _MADE_OF_ENTRIES,
    _WHEN_SET,
    _DOES,
    _IF_THEN,
    _LASTS,
    _OTHERS_ALONE,
    _WHEN_OTHERS_ACT,
    _BY_DOING,
    _NOTED,
    _YOU_HAVE_DONE,
)


def tells_of_an_act(text: str) -> bool:
    """True for `Clicking **Preview** opens the page`, which explains an act if the act
    is asked for beside it, and asks for it if it is not."""
    return _HAND.match(text.strip()) is not None


def _names_what_follows(bare: str) -> bool:
    """True for a title without a verb, `Validation and Configuration Snippet`, or `IP
    Addresses:`: no word of it begins an imperative."""
    words = bare.rstrip(" .:").split()
    if not 0 < len(words) <= _TITLE or not all(word.isalpha() for word in words):
        return False
    if words[-1].casefold() in _CONTROLS:
        return False
    joints = ("and", "or", "of", "for", "the", "with")
    return not any(may_be_imperative(word) for word in words[:1]) and all(
        word in joints or word[:1].isupper() for word in words
    )


def _tells_of_a_part(bare: str) -> bool:
    """True for `The deal sits in the **Offers** column`: a part of the console, and a
    verb that neither gives it a value nor asks for an act."""
    bare = _IN_A_STATE.sub("", bare)
    labels = list(re.finditer(LABEL, bare))
    if not _OF_A_PART.match(bare) or len(labels) > 1:
        return False
    verb = full_verb(bare)
    if verb is None or _ASKING.fullmatch(verb.group()):
        return False
    if _BY_HAND.search(bare) or _AN_ACT.search(bare):
        return False
    if labels and labels[0].start() > verb.start():
        return _AT_A_PLACE.search(bare) is not None
    by_label = re.search(rf"{LABEL} $", bare[: verb.start()])  # `A final **OK** seals it`
    return by_label is None or _WHICH.match(bare[verb.end() :]) is not None


def _explains_its_label(bare: str) -> bool:
    """True for `**Own spaces**: Rules only apply in spaces that …`"""
    lead = _LABEL_AND.match(bare)
    if lead is None or re.search(LABEL, bare[lead.end() :]):
        return False
    told = bare[lead.end() :]
    return not may_be_imperative(re.split(r"\W", told)[0]) and has_bare_subject(told)


def states(bare: str) -> bool:
    """True if the folded sentence has one of these forms and asks for nothing."""
    if _names_what_follows(bare) or is_remark(bare):
        return True
    if _ASKS.search(bare):
        return False
    if _IF_SO_NOT.match(bare):
        return not asks_behind(bare, coordinated=True)
    told = any(form.match(bare) for form in _FORMS) or _explains_its_label(bare)
    if not told and not _tells_of_a_part(bare):
        return False
    forbids = _NOT.match(bare)
    if forbids and re.search(LABEL, asks_behind(bare[forbids.end() :], coordinated=True)):
        return False  # *not* may hold for the first act alone
    # A second label may be the value that the first one is to have.
    if len(re.findall(LABEL, _IN_A_STATE.sub("", bare))) > 1 and not _OF_TWO.match(bare):
        return False
    return not obliges(bare) and not asks_behind(bare, coordinated=True)
