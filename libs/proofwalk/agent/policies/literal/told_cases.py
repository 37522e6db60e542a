"""Rewrites what a sentence says in brackets about the case that it is for, and other
words around a field: `(Steam pumps only) For **Pressure**, enter a number` becomes `If
available, for **Pressure**, enter a number`.

Such words tell of a field or a button that the console shows in that case alone. So
what is not there is no defect.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_CASE = re.compile(
    r"^\W{0,3}[(\[](?P<case>(?:for|with|on|in|if using) [^()\[\]]{3,80}? only|"
    r"[^()\[\]]{2,80}?[ -]only|(?:only )?(?:for|with|on) [^()\[\]]{3,80}?|only [^()\[\]]{3,80}?|"
    r"(?:the )?(?:new|old|classic|previous|original|current|legacy) (?:console|version|"
    r"experience|UI|interface))[)\]]:?\s*"
    r"(?P<act>\S.*)$",
    re.I | re.S,
)
_SAME = rows(
    # `From the **Kind** list, select a kind`
    (
        rf"(?P<edge>(?:^|, |\band |\bthen )\W*)from (?:the )?(?P<field>{LABEL})"
        r"(?: (?:drop-?down(?: (?:list|menu))?|list|menu|field))?, "
        r"(?P<act>(?:select|choose|pick) (?:an?|the|your|one) (?=[a-z]))",
        r"\g<edge>for \g<field>, \g<act>",
    ),
    # `For **Strict**, turn the switch on to count drops`
    (
        rf"(?P<edge>(?:^|, |\band |\bthen )\W*)for (?:the )?(?P<switch>{LABEL}),? "
        r"(?:turn|switch|move|set|slide) (?:the|its|this) (?:toggle|switch|slider)(?: to)? "
        rf"(?P<way>on|off)(?: to [^,;.{_L}]*)?(?=\s*(?:[.;]|$))",
        r"\g<edge>turn \g<way> \g<switch>",
    ),
    # `enter the pressure, in bar/s`
    (
        r"(?P<what>\b(?:enter|type|specify|provide|set|choose|select) (?:an?|the|your) "
        rf"[a-z][^;.{_L}]*?),? (?:specified |measured |expressed )?in [A-Za-z]{{1,12}}/[a-z]{{1,7}}"
        r"(?=\s*(?:[.;,]|$))",
        r"\g<what>",
    ),
    # `In the filter box, enter `otter``
    (r"\bin(?:to)? the filter (?:field|box|bar|text box|input)\b", "in the search box"),
    # `select one or more of your pumps`
    (r"\b(?P<verb>select|choose) one or more of (?:your|these|those) ", r"\g<verb> the "),
    # `Expand **More**, and scroll down to **Valves**`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+){{0,2}}(?: (?:from|in|on) the [a-z ]+)?),? "
        r"(?:and (?:then )?|then )scroll (?:down |up |right |left )?"
        rf"(?:to|until you (?:see|reach|find)) (?:the )?{LABEL}(?: (?:section|area|heading|part|"
        r"field|option))?(?=\s*(?:[.;]|$))",
        r"\g<act>",
    ),
    # `From the mill console dashboard, click **Start**`
    (
        r"\b(?P<at>from|on|in) the (?:[A-Za-z0-9]+ ){0,4}?console (?:dashboard|home ?page|home)"
        r"(?=\s*,)",
        r"\g<at> the dashboard",
    ),
    (r"\b(?P<at>from|on|in) your dashboard(?=\s*,)", r"\g<at> the dashboard"),
    # `For the source pump, select **Otter** from the list`
    (
        r"(?P<edge>(?:^|, |\band |\bthen )\W*)(?P<field>for the [a-z][a-z -]{2,40}), "
        rf"(?P<act>(?:select|choose) (?:the )?{LABEL}) from the (?:drop-?down )?(?:list|menu)"
        r"(?=\s*(?:[.,;]|$))",
        r"\g<edge>\g<field>, \g<act>",
    ),
    # `Select the plan, which is how it is paid`
    (
        r"(?P<act>\b(?:select|choose|enter|specify|provide|type) (?:the|an?|your) [a-z][a-z -]*?), "
        r"which (?:is|are|was|can|may|must|determines|defines|controls) "
        rf"[^,;:.{_L}]*(?=\s*\.?\s*$)",
        r"\g<act>",
    ),
    # `Toggle the strict switch so that it shows **On**`
    (
        r"\b(?:toggle|turn|set|slide|move) the (?P<switch>[a-z][a-z -]*?) (?:toggle|switch|slider) "
        rf"so that it (?:displays|shows|reads|says|is) (?P<state>{LABEL})",
        r"set the \g<switch> switch to \g<state>",
    ),
    # `Go to the **Strict** section and toggle **On**`
    (
        rf"\b(?:go|scroll|navigate) to (?:the )?(?P<switch>{LABEL})(?: section| option| setting)? "
        rf"and (?:toggle|turn|switch) (?:it )?(?P<state>{LABEL}|on|off)(?=\s*(?:[.,;]|$))",
        r"set the \g<switch> switch to \g<state>",
    ),
    # `select the pump or pumps that you want`
    (r"\b(?P<one>[a-z]+) or (?P=one)s\b", r"\g<one>s"),
    # `Click your username at the top, and select **Profile**`
    (
        r"\b(?:click|select|choose|open) (?:on )?your (?:user ?name|avatar|initials|account name)"
        rf"(?: (?:at|in|on) [^,;.{_L}]*?)?(?=,? (?:and|then)\b)",
        "click your profile picture",
    ),
    # `Click the pump to see its depth`
    (
        r"\bclick (?:on )?(?P<thing>(?:the|an?|your) (?!same\b)[a-z][a-z -]*?)"
        r"(?<!dot)(?<!dots)(?<!icon)(?<!arrow)(?<!button)(?<!tab)(?<!link)(?<!badge) "
        r"(?=to (?:see|view) (?:its|their|the|more|all) )",
        r"open \g<thing> ",
    ),
    # `Use the **Plan** drop-down menu to select when the pump runs`
    (
        rf"\buse the (?P<field>{LABEL}) (?:drop-?down(?:[ -](?:menu|list|box))?|menu|selector) to "
        r"(?:select|set|choose|specify|define|control|decide) "
        rf"(?:how|which|what|when|whether|who|where|from|the|an?) [^,;:.{_L}]*(?=\s*(?:[.;]|$))",
        r"specify the \g<field>",
    ),
    # `Enter a name and a description (optional) for the pump`
    (r"(?<=[a-z]) \(optional\)(?= (?:for|of|in|and)\b|\s*[.,;])", ""),
    # `Click **Make**, which opens the **Make a pump** window`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+)?), which (?:then )?"
        r"(?:opens|displays|shows|brings up|launches) "
        rf"(?:the |an? )?{LABEL}(?: [a-z]+){{0,3}}(?=\s*(?:[.;]|$))",
        r"\g<act>",
    ),
    # `In the actions column, click **Drain**`
    (r"^(?P<edge>\W*)(?:in|from|under) the actions? column,\s*", r"\g<edge>"),
    # `Expand the sections to locate the pump`
    (
        r"\bexpand the (?:sections|groups|categories|nodes|entries) to (?:locate|find|look for) ",
        "find ",
    ),
    # `Click the down-arrow to the left of the pump`
    (r"\b(?:down|right|up|left)[- ]arrow(?= (?:to|next|beside|before|in|at)\b)", "arrow"),
    # `Select the number of valves you want to make`
    (
        r"\b(?:select|choose) (?P<count>the number of [a-z][a-z -]*? (?:that )?you (?:want|need))",
        r"enter \g<count>",
    ),
    # `In the **Reach** field, set the days that a pump stays open`
    (
        rf"^(?P<edge>[^\w{_L}]*(?:in|for|under) the {LABEL} (?:field|box|list|parameter), )set "
        rf"(?=(?:the|an?|your) )(?![^;.]*\bto (?:{LABEL}|\d))",
        r"\g<edge>specify ",
    ),
    # `If you have a name of your own, enter your name instead`
    (
        r"(?P<act>\b(?:enter|type|specify|provide|use) (?:the|your|an?|this|that) [a-z][a-z -]*?) "
        r"instead(?=\s*(?:[.;,]|$))",
        r"\g<act>",
    ),
    # `Click the pump's name to open its details page`
    (
        r"\b(?:click|choose|select) (?:on )?the (?P<thing>[a-z][a-z -]*?) name to (?:open|view|"
        r"display|show) (?:the |its )?details(?: page)?(?: (?:for|of) (?:the|that) [a-z -]+?)?"
        r"(?=\s*(?:[.;,]|$|and\b))",
        r"open the \g<thing>",
    ),
    # `For information about the mill, click **Details**`
    (
        rf"^(?P<edge>\W*)for (?:more )?(?:information|details) (?:about|on|of) [^,;:{_L}]*, "
        rf"(?=(?:click|choose|select|open|expand) (?:the )?{LABEL})",
        r"\g<edge>",
    ),
    # `Select a pump (for example, **otter**)`
    (
        r"(?P<what>\b(?:select|choose|pick|enter|type|specify|provide) (?:an?|the|your) "
        rf"[a-z][a-z -]*?) \((?:for example|for instance|such as|like|e\.g\.),? "
        rf"(?P<example>{LABEL})\)",
        r"\g<what>, for example \g<example>",
    ),
    # `Enter a key and value pair`
    (r"(?P<pair>\b(?:key and(?: an?)? value|name and(?: an?)? value)) pairs?\b", r"\g<pair>"),
    # `Enter the valve key and an optional value`
    (
        r"\b(?P<one>(?:enter|specify|type|provide|input) (?:an?|the|your) (?:[a-z]+ )?[a-z]+) and "
        r"(?:an? |the )?(?:optional )"
        r"(?:value|name|title|description|comment|label)(?=\s*(?:[.,;]|$))",
        r"\g<one>",
    ),
    (
        r"\b(?P<verb>enter|specify|type|provide|input) (?:the|an?|your) (?P<kind>[a-z]+) "
        r"(?P<one>key|name) and (?:an? )?"
        r"(?P<other>value|description|type)(?=\s*(?:[.,;]|$))",
        r"\g<verb> the \g<kind> \g<one>, and enter the \g<kind> \g<other>",
    ),
)


def told_cases(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    found = _CASE.match(piece)
    if found is not None:
        act = found["act"]
        piece = f"If available, {act[:1].lower()}{act[1:]}"
    return reworded(piece, _SAME)
