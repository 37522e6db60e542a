"""Rewrites what documents say about how one chooses: with a drop-down, one of several
kinds, at most so many, whichever way.

As in `paraphrases`, each row is a form and what means the same. `Use the drop-down list
to choose **Slow**` is the choice itself: whoever chooses opens the list. The place
before it stays, for it names the field.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_DROP_DOWN = (
    r"(?:drop[ -]?down|selection|select|pull[ -]?down)"
    r"(?:[ -](?:list|box|menu|arrow|button|selector|control|field))*"
)
_END = r"(?=\s*(?:[.,;]|$|\b(?:and|then)\b))"
_WH = r"(?:whether|how|which|what|when|where|who)"
_SAME = rows(
    # `Use the drop-down list to choose **Slow**`
    (
        rf"\buse the {_DROP_DOWN} to (?:select|choose|pick|specify|set) (?!either\b)"
        rf"(?=(?:the|an?|your|its|one|any) |{LABEL})",
        "choose ",
    ),
    # `Next, choose the mills you want using the drop-down`
    (
        rf"^(?P<edge>[^\w{_L}]*(?:(?:next|then|now),? )?)(?:select|choose|pick) "
        r"(?P<what>(?:the|an?|your) [a-z]+(?: (?!that|which|you|to|for|or|and)[a-z]+)?)"
        rf"(?: (?:(?:or [a-z]+ )?(?:that |which )?you|to|for) [^,;.:{_L}]*?)?,? "
        rf"(?:using|with|via|through) the {_DROP_DOWN}{_END}",
        r"\g<edge>specify \g<what>",
    ),
    # `choose the mill you just built`
    (
        r"\b(?P<verb>choose|select|pick) (?P<what>the [a-z]+(?: (?!that|which)[a-z]+)?) "
        r"(?:that |which )?you(?: have|['’]ve)?(?: just)? (?P<did>created|made|added"
        r"|built|set up|defined|saved)\b",
        r"\g<verb> \g<what> that you \g<did>",
    ),
    # `select the mills or pumps that you want to drain`: a page has one of the kinds.
    (
        r"\b(?P<verb>select|choose|pick|tick|find|locate) (?P<one>the [a-z]+s) or [a-z]+s "
        r"(?=(?:that |which )?you\b)",
        r"\g<verb> \g<one> ",
    ),
    # `choose up to five pumps`, `Select at least one pump`
    (
        r"\b(?P<verb>select|choose|pick|tick) (?:up to|at most|at least|a (?:maximum|minimum) of) "
        r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten) (?=[a-z])",
        r"\g<verb> the ",
    ),
    # `Click or tap **Drain**`
    (
        r"\b(?:click|tap|press|choose|select|touch) or "
        r"(?P<verb>(?:click|tap|press|choose|select)\b)(?P<on> on)?(?= )",
        r"\g<verb>\g<on>",
    ),
    # `For **Pace**, choose whether the pump runs by night`
    (
        rf"^(?P<edge>[^\w{_L}]*(?:(?:on|in) the {LABEL} (?:page|tab|step|dialog(?: box)?"
        rf"|window),? )?)"
        rf"(?:for|under|in|from) (?:the )?"
        rf"(?P<field>{LABEL})(?: (?:field|setting|option|list|box|menu|drop-?down))?,? "
        rf"(?:choose|select|specify|decide|set|pick) {_WH} [^.;:{_L}]*?"
        rf"(?: (?:{LABEL}(?:, {LABEL})*,? or )?{LABEL})?(?=\s*(?:[.;]|$))",
        r"\g<edge>specify the \g<field>",
    ),
    # `From **Pace** select either **Slow** or **Fast**`
    (
        rf"(?P<edge>^\W*|[,;] (?:and |then |and then )?)(?P<place>from (?:the )?{LABEL}) "
        rf"(?=(?:select|choose|pick) (?:either )?{LABEL})",
        r"\g<edge>\g<place>, ",
    ),
    # `Choose between **East** and **West**`, `select either **East** or **West**`
    (
        rf"\b(?P<verb>select|choose|pick) between (?P<one>(?:the )?{LABEL}(?:, {LABEL})*),?"
        rf" and (?P<other>{LABEL})",
        r"\g<verb> \g<one> or \g<other>",
    ),
    (rf"\b(?P<verb>select|choose|pick) either (?=(?:the )?{LABEL})", r"\g<verb> "),
    (
        rf"(?P<field>\b(?:select|choose|pick|specify) (?:the|an?|your) {LABEL})\s*(?:,|:|[-–—])"
        rf" (?:choosing |selecting )?(?:either )?(?:{LABEL},? )+or {LABEL}(?=\s*\.?\s*$)",
        r"\g<field>",
    ),
    # `Lower the **Depth** to `3``
    (
        rf"\b(?:lower|raise|increase|decrease|reduce) (?=(?:the )?{LABEL} to {LABEL})",
        "set ",
    ),
    # `From the **Kind** list, select a kind`
    (
        rf"(?P<edge>(?:^|, |\band |\bthen )\W*)from (?:the )?(?P<field>{LABEL})"
        r"(?: (?:drop-?down(?: (?:list|menu))?|list|menu|field))?, "
        r"(?P<act>(?:select|choose|pick) (?:an?|the|your|one) (?=[a-z]))",
        r"\g<edge>for \g<field>, \g<act>",
    ),
    # `select one or more of your pumps`
    (r"\b(?P<verb>select|choose) one or more of (?:your|these|those) ", r"\g<verb> the "),
    # `For the source pump, select **Otter** from the list`
    (
        r"(?P<edge>(?:^|, |\band |\bthen )\W*)(?P<field>for the [a-z][a-z -]{2,40}), "
        rf"(?P<act>(?:select|choose) (?:the )?{LABEL}) from the (?:drop-?down )?(?:list|menu)"
        r"(?=\s*(?:[.,;]|$))",
        r"\g<edge>\g<field>, \g<act>",
    ),
    # `select the pump or pumps that you want`
    (r"\b(?P<one>[a-z]{3,}) or (?P=one)e?s\b", r"\g<one>"),
    # `Use the **Plan** drop-down menu to select when the pump runs`
    (
        rf"\buse the (?P<field>{LABEL}) (?:drop-?down(?:[ -](?:menu|list|box))?|menu|selector) to "
        r"(?:select|set|choose|specify|define|control|decide) "
        rf"(?:how|which|what|when|whether|who|where|from|the|an?) [^,;:.{_L}]*(?=\s*(?:[.;]|$))",
        r"specify the \g<field>",
    ),
    # `Select the number of valves you want to make`
    (
        r"\b(?:select|choose) (?P<count>the number of [a-z][a-z -]*? (?:that )?you (?:want|need))",
        r"enter \g<count>",
    ),
)


def told_drop_downs(piece: str) -> str:
    """Return the sentence with its choice as such; unchanged if no row fits."""
    return reworded(piece, _SAME)
