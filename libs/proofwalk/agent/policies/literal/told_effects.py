"""Drops the effect that a sentence names before the choice that has it: `To make the
pump **Strict**, select the **Check** box` becomes `select the **Check** box`.

As in `paraphrases`, each row is a form and what means the same. The label of an effect
is what somebody gets, and not what is used, but a value may stand there too (`To set
the depth to `3`, click **Edit**`). So an effect goes only before a choice that is
complete by itself (a box, a switch, an option of a field), and what is only to be seen
goes before any act.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_EDGE = rf"^(?P<edge>[^\w{_L}]*)"
_BOX = r"(?:check ?box|box|option|radio button)"
_PLACES = rf"(?:(?:for|under|in|on) (?:the )?{LABEL}(?: [a-z]+){{0,2}}, )"
_CHOICE = (
    rf"(?:{_PLACES}{{0,2}}(?:then |also )?(?:select|clear|check|uncheck|tick|untick|deselect|"
    rf"choose) (?:the )?(?:{LABEL} {_BOX}|{_BOX} (?:next to|beside|for|in front of))"
    rf"|{_PLACES}{{0,2}}(?:turn|switch|toggle) (?:on|off) (?:the )?{LABEL}"
    rf"|{_PLACES}{{0,2}}(?:enable|disable) (?:the )?{LABEL}"
    rf"|{_PLACES}{{1,3}}(?:select|choose) {LABEL})"
)
_SAME = rows(
    # `To make the pump **Strict**, select the **Check** box`
    (
        rf"{_EDGE}to (?!set\b)[a-z]+ [^,;:.{_L}]*{LABEL}(?: (?!to\b)[^,;:.{_L}]*)?, "
        rf"(?P<act>{_CHOICE})",
        r"\g<edge>\g<act>",
    ),
    # `To show the **Depth** column, click the gear icon, …`
    (
        rf"{_EDGE}to (?:display|show|view|see|hide|find|troubleshoot|monitor) [^,;:.{_L}]*"
        rf"{LABEL}(?: [^,;:.{_L}]*)?, (?=(?:click|choose|select|press|expand|open|go to)\b)",
        r"\g<edge>",
    ),
    # `Click **Details** for information about the pump`
    (
        rf"(?P<act>\b(?:click|choose|select|press|expand|open) (?:on )?(?:the )?{LABEL}"
        r"(?: [a-z]+)?) for (?:more )?(?:information|details) (?:about|on|of) "
        rf"[^;:.{_L}]*(?=\s*(?:[.]|$))",
        r"\g<act>",
    ),
    # `Click **Remove** for that valve`
    (
        rf"(?P<act>\b(?:click|choose|press) (?:on )?(?:the )?{LABEL}(?: (?:button|icon|link))?) "
        r"for (?=that (?:[a-z][a-z-]* ){0,3}?[a-z][a-z-]*"
        r"(?: (?:that )?you (?:want|need)\b[^,;:.]*)?\s*(?:[.]|$|,))",
        r"\g<act> next to ",
    ),
    # `For **Depth**, optionally enter a number`
    (
        rf"{_EDGE}(?P<place>(?:for|in|on|under) (?:the )?(?:[a-z]+ )?{LABEL}(?: [a-z]+)?,) "
        r"optionally,? (?=(?:enter|specify|type|provide|select|choose|add|set|enable|disable|"
        r"configure|change)\b)",
        r"\g<edge>Optional: \g<place> ",
    ),
    # `choose one of the usual schedules`
    (
        r"\b(?P<verb>select|choose|pick) (?:from )?one of (?:the|your|these) "
        r"(?!following\b|two\b)(?=[a-z])",
        r"\g<verb> the ",
    ),
    # `In the screen that opens, click **Restart**`
    (
        r"\b(?:in|on) the (?:next |new )?(?:screen|view|page|tab) (?:that|which) "
        r"(?:opens|appears|comes up|is (?:displayed|shown)|loads)(?=\s*,)",
        "on the page that opens",
    ),
    # `Check that **Strict** is selected`
    (
        rf"\b(?:check|verify|confirm) that (?P<box>(?:the )?{LABEL}(?: [a-z]+)?) is "
        r"(?P<state>selected|checked|ticked|chosen)(?=\s*(?:[.,;]|$|and\b))",
        r"make sure that \g<box> is \g<state>",
    ),
    # `Click **Make**, which opens the **Make a pump** window`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+)?), which (?:then )?"
        r"(?:opens|displays|shows|brings up|launches) "
        rf"(?:the |an? )?{LABEL}(?: [a-z]+){{0,3}}(?=\s*(?:[.;]|$))",
        r"\g<act>",
    ),
    # `For information about the mill, click **Details**`
    (
        rf"^(?P<edge>\W*)for (?:more )?(?:information|details) (?:about|on|of) [^,;:{_L}]*, "
        rf"(?=(?:click|choose|select|open|expand) (?:the )?{LABEL})",
        r"\g<edge>",
    ),
    # `Click the down-arrow to the left of the pump`
    (
        r"(?<!-)\b(?:down|right|up|left)[- ]arrow(?= (?:to|next|beside|before|in|at)\b)",
        "arrow",
    ),
)


def without_effects(piece: str) -> str:
    """Return the sentence without such effects; unchanged if no row fits."""
    return reworded(piece, _SAME)
