"""Drops what a sentence says beside its act: advice about it, its consequence, what is
done outside of the console.

As in `paraphrases`, each row is a form and what means the same: `Enter a name, so keep
it short`. Nothing that could be an act in the console goes: what is dropped has no
label, and a fact before an instruction (`The list is long, so type a part of it`) goes
only where its form proves that it is one (`prose.tells`). `advises` tells the sentences
that are nothing but advice.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.prose import tells
from proofwalk.agent.policies.literal.remainders import asks, may_be_imperative
from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL, begun

ADVICE = "it advises, and asks for nothing in the console"
"""Why such a sentence is prose."""
_L = LABEL[1:-1]
_PLAIN = rf"[^,;.:{_L}]"
_ACTS = r"(?:click|choose|select|press|tap|enter|type|go to|open|turn|set|close|pick)\b"
_ENDS = r"(?=\s*\.?\s*$)"
_OUTSIDE = (
    r"(?:applications?|apps?|programs?|clients?|code|scripts?|services?|servers?|deployments?|"
    r"pipelines?|devices?|tools?|SDKs?|environment variables?|configuration files?|workloads?)"
)
_SAME = rows(
    # `…, so keep it short`
    (
        r",? so (?:please )?(?:keep|make) (?:it|them|this|the [a-z]+) (?:as )?(?:short|brief|"
        r"simple|unique|memorable|descriptive|clear|concise|meaningful|easy|recognizable|long)"
        rf"{_PLAIN}*{_ENDS}",
        "",
    ),
    # `…, so make sure that you change the unit as well`
    (
        r",? so (?:make|be) sure (?:that you |to )?(?:change|select|set|choose|check) the "
        rf"units?(?: as well| too| first)?{_ENDS}",
        "",
    ),
    # `select **Amber**, which makes the banner yellow`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+){{0,2}}|\d), which (?!you\b|[^,;.]*\bdefault\b)"
        r"(?:also |then |now )?"
        rf"(?:[a-z]+s|will|would|can|may) {_PLAIN}*{_ENDS}",
        r"\g<act>",
    ),
    # `…, which you will notice in large pools`
    (rf", which you (?:will|can|may|might) (?:notice|see|find|feel) {_PLAIN}*{_ENDS}", ""),
    # `Choose **Weekly** rather than the hourly mode, which would be overkill`
    (
        rf"(?P<act>{LABEL}) (?:rather than|instead of) (?:the |an? )?[a-z]{_PLAIN}*"
        rf"(?:, which (?:would|is|was|may) {_PLAIN}*)?{_ENDS}",
        r"\g<act>",
    ),
    # `click **Next**, compare the page with the table, and click **Create**`
    (
        r", (?:compare|review|check|verify|read|inspect|look (?:at|over|through)) "
        rf"(?:the|your|all|what|that|whether|everything|it)\b{_PLAIN}*"
        rf"(?=,? and (?:then )?{_ACTS})",
        "",
    ),
    # `Write down the key, or download it, and click **Done**`
    (
        r"^(?P<edge>\W*)(?:write down|jot down|make (?:a )?note of|note(?: down)?|record|"
        rf"take down) (?!that\b)(?:(?:{_PLAIN}|,(?! and (?:then )?{_ACTS}))*?),? and (?:then )?"
        rf"(?={_ACTS})",
        r"\g<edge>",
    ),
    # `Copy the key, or download it, and click **Done**`
    (
        rf"(?P<copy>\bcopy {_PLAIN}*), or download (?:it|them|the {_PLAIN}+)(?=,? and\b)",
        r"\g<copy>",
    ),
    # `…, and send it to the user through a safe channel`
    (
        r",? and (?:then )?(?:send|give|pass|hand|forward|provide|tell|hand over) "
        rf"(?:it|them|this|these|the [a-z -]+?) to (?:the|your|an?|whoever|every)\b{_PLAIN}*"
        rf"{_ENDS}",
        "",
    ),
    # `make sure the correct mill is selected`
    (
        r"\b(?:make sure|ensure|check|verify)(?: that)? (?:the|your) (?:correct|right) [a-z ]+ "
        rf"(?:is|are) (?:selected|chosen|shown|open|active){_ENDS}",
        "review the selection",
    ),
    # `Use the toggle to turn on **Strict**`
    (
        r"\buse the (?:toggle|switch|slider)(?: button)? to "
        r"(?P<way>turn on|turn off|enable|disable"
        rf"|switch on|switch off) (?=(?:the )?{LABEL})",
        r"\g<way> ",
    ),
    # `Select **Add** again, this time in the dialog`
    (
        rf"^(?P<edge>\W*)(?P<act>(?:click|select|choose|press) {LABEL})(?: again)?,? "
        rf"this time (?P<place>in the (?:{LABEL} )?(?:dialog(?: box)?|window|panel|drawer|"
        rf"form)){_ENDS}",
        r"\g<edge>\g<place>, \g<act>",
    ),
    # `…, and make sure that `otter` has no second key`
    (
        rf",? and (?:make sure|check|verify|ensure)(?: that)? {LABEL} (?:has no|has only|does "
        rf"not have|doesn['’]t have|is not|isn['’]t) {_PLAIN}*{_ENDS}",
        "",
    ),
    # `For this example, use this option, and in **Depth**, enter 3`
    (
        r"^\W*(?:(?:for|in) this [a-z]+,? )?use this (?:option|one|way)(?: here)?,? and "
        r"(?:then )?",
        "",
    ),
    # `Clear **Fast**; with guards, each pump should be watched`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+){{0,4}}); (?:with|without|for|in) {_PLAIN}+, "
        rf"(?:the|an?|it|they|each|every|all) (?!.*\byou\b){_PLAIN}*{_ENDS}",
        r"\g<act>",
    ),
    # `Users then find it in the folder`: what others do.
    (
        r"^(?P<edge>\W*)(?P<who>users|clients|members|customers|consumers|visitors|people|"
        r"others|colleagues|administrators|applications) then (?=[a-z])",
        r"\g<edge>\g<who> ",
    ),
    # `**Modes**: Keep **Fast**, and add **Slow**`
    (rf"\bkeep {LABEL},? and (?=(?:add|also select|select) {LABEL}{_ENDS})", ""),
    # `…, and do not close the page before the end`
    (
        rf",? and (?:do not|don['’]t|never) (?:close|leave|reload|share|lose) {_PLAIN}*{_ENDS}",
        "",
    ),
)
_FACT = re.compile(
    rf"^[^\w{_L}]*(?P<fact>{_PLAIN}+?)(?P<join>;|,? so(?! (?:that|as|far|long|much|many)\b)|"
    r"\s[-–—])\s+(?P<act>\S.*)$",
    re.I | re.S,
)
"""`The list is long; type a part of the name`."""
_GOAL = re.compile(rf"to [a-z]+ [^,;:{_L}]*, ", re.I)
_ADVICE = re.compile(
    r"^(?:(?:for|in) this [a-z]+,? )?use this (?:option|one|way)(?: here)?(?:, because [^;]*)?$|"
    rf"^(?:please )?(?:do not|don['’]t|never|avoid) [^;:]*\bunless\b[^;{_L}]*$"
    r"|^(?:please )?(?:be sure|make sure|ensure|take care|be careful)(?: that)?"
    rf"(?: you (?:do not|don['’]t|have not|haven['’]t)| not to| you never) [^;{_L}]*$"
    rf"|^we (?:strongly |highly |also )?recommend (?:setting|using|choosing) an? [^;:{_L}]*$"
    r"|^(?:now|next|finally|then),? for the [a-z ]+$"
    rf"|^(?:write|describe|say|tell|mention|use) (?:what|how|why|whom|who|whatever|something "
    rf"that|a name that|an? [a-z]+ that)\b[^;:{_L}]*$"
    rf"|^(?:keep|make) (?:it|the [a-z]+) (?:short|brief|simple|descriptive|concise)\b[^;:{_L}]*$"
    rf"|^(?:update|reconfigure|redeploy|change|configure|adapt|switch|restart|test) "
    rf"(?:(?:the|all)(?: [a-z]+)? (?:configuration|settings|credentials|code) (?:of|in|for) )?"
    rf"(?:your |all your )(?:[a-z]+ )?{_OUTSIDE}\b[^;:{_L}]*$"
    rf"|^(?:update|reconfigure|redeploy|change|configure|adapt|switch) (?:all|every|each|any) "
    rf"{_OUTSIDE}\b[^;:{_L}]* (?:to use|with|so that)\b[^;:{_L}]*$"
    rf"|^(?:if|when) [^,;{_L}]* (?:fails?|failed|is wrong|goes wrong|does not work), (?:then )?"
    rf"(?:fix|correct|resolve|try|contact|look|see|read|check) [^;{_L}]*$"
    rf"|^(?:if|in case) [^,;{_L}]*\b(?:in your|your own) {_OUTSIDE}\b[^;:{_L}]*$"
    rf"|^(?:to [a-z]+ [^,;{_L}]*, )?you would (?!need|have|like|want)[^;:{_L}]*$"
    rf"|^(?:do|use|choose|select|enable|set) (?:this|it)(?: option| setting)? only "
    rf"(?:if|when|where|for) [^;:{_L}]*$"
    rf"|^(?:the|an?) (?:value|setting|number) of {LABEL} (?!to\b)[a-z]+s\b[^;:{_L}]*$"
    rf"|^with (?:this|these|such an?|an?) (?:[a-z-]+ ){{0,2}}[a-z-]+, (?:[a-z-]+ ){{1,6}}?"
    rf"(?:can|may|might|will|is|are|has|have|becomes?|gets?) [^;:{_L}]*$",
    re.I,
)
"""`Never select **Purge** unless you know why.`, `Update all programs of the mill.`"""

_BEHIND_WITH = re.compile(r"with [^,]*, (?P<word>[a-z-]+)", re.I)


def without_advice(piece: str) -> str:
    """Return the sentence without what it says beside its act; unchanged if it says
    nothing."""
    piece = reworded(piece, _SAME)
    found = _FACT.match(piece)
    if found is None or not _asks_plainly(found["act"]):
        return piece
    return begun(found["act"]) if tells(found["fact"].strip()) else piece


def _asks_plainly(act: str) -> bool:
    act = _GOAL.sub("", act, count=1)
    return re.search(LABEL, act) is not None and asks(act, of_a_thing=True, or_with=True)


def advises(bare: str, *, opens: bool) -> bool:
    """True if a sentence is nothing but advice, or about what is done elsewhere.
    `opens`: it is the first of its item; advice follows what it is about."""
    found = _ADVICE.match(bare.rstrip(" .!"))
    if found is None:
        return False
    behind = _BEHIND_WITH.match(bare)
    if behind is not None and may_be_imperative(behind["word"]):
        return False
    about_a_value = re.match(
        r"(?:write|describe|say|tell|mention|use|keep|make (?!sure))", bare, re.I
    )
    return about_a_value is None or not opens
