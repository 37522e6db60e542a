"""Rewrites what a document leaves to its reader's wish, and the things that a reader
wished for.

As in `paraphrases`, each row is a form and what means the same. `Update pump details as
desired` becomes `optionally, fill in the form`: with what, the episode says. `Click the
desired pump` is the pump that the reader wants.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_WISHED = (
    r"(?:,? (?:as|if|where|wherever) "
    r"(?:desired|you (?:like|want|wish|prefer)|wished|preferred))"
)
_END = r"(?=\s*\.?\s*$)"
_ACTS_AGAIN = (
    r"\b(?:and|then|or) (?:enter|type|click|select|choose|set|add|press|save|go|open|enable)\b"
)
_SAME = rows(
    # `choose the pump, and right click to select **Drain**`
    (
        rf"\bright[- ]click to (?:select|choose|open|click)(?: on)? (?={LABEL})",
        "right-click it, and click ",
    ),
    # `From the **Pump store**, right-click the pump`: a page, and no field.
    (
        rf"^(?P<edge>\W*)from the (?P<page>{LABEL}), "
        r"(?=(?:right[- ])?click(?: on)? (?:an?|the|any|your)\b)",
        r"\g<edge>on the \g<page> page, ",
    ),
    # `Update the pump name as desired`
    (
        r"^(?P<edge>\W*)(?:fill(?: in| out)?|update|change|edit|set) (?:the|an?|your) "
        r"(?P<what>(?:[a-z][\w-]* ){1,2}(?:name|title|description|note|key|label|value))"
        rf"{_WISHED}{_END}",
        r"\g<edge>enter the \g<what>",
    ),
    # `Update pump details as desired`, `Toggle **Drain** and **Fill** as desired`
    (
        r"^(?P<edge>\W*)(?:fill(?: in| out)?|update|reconfigure|configure|edit|change|complete|"
        rf"set|reset|adjust|toggle|switch) (?:(?!{_ACTS_AGAIN})[^,;:.])+?{_WISHED}(?=\s*[.:]?\s*$)",
        r"\g<edge>optionally, fill in the form",
    ),
    # `Scroll down to **Pipes** and make any other adjustments or changes as desired`
    (
        r",? and make (?:any|the|your) (?:other |further |additional )?"
        r"(?:adjustments|configurations|changes|modifications|edits)"
        rf"(?: (?:or|and) [a-z]+)?{_WISHED}{_END}",
        "",
    ),
    # `Click on the desired pump to open the pump page`
    (
        r"\b(?P<act>click|tap|press)(?: on)? the desired (?P<thing>[a-z][\w-]*(?: [\w-]+)?)"
        rf"(?: to (?:open|view|see|go to) [^,;:.{_L}]+)?{_END}",
        r"\g<act> the \g<thing> you want",
    ),
    # `Select the desired pump to open its page`
    (
        r"\b(?:select|choose) the desired (?P<thing>[a-z][\w-]*(?: [\w-]+)?)"
        rf" to (?:open|view|see|go to) [^,;:.{_L}]+{_END}",
        r"click the \g<thing> you want",
    ),
    # `Choose a [kind](…) that drains from the sidebar`: which, the reader knows.
    (
        rf"\b(?P<what>(?:choose|select|pick) an? {LABEL} (?:that|which) [^,;:.{_L}]+?) "
        rf"(?:from|in) the (?:side ?bar|navigation(?: bar| pane| menu)?|menu){_END}",
        r"\g<what>",
    ),
    # `Enter one or more addresses, separated by a comma and a space`
    (
        r"^(?P<edge>\W*)(?P<act>enter|type|add|specify|provide) one or (?:more|several) "
        rf"(?P<what>[a-z][a-z -]*?)(?:,? separated by [^;:.{_L}]+)?{_END}",
        r"\g<edge>\g<act> the \g<what>",
    ),
    # `Type your message into the input box`
    (
        rf"\b(?P<act>(?:type|enter|write) [^,;:.{_L}]+?) (?:in|into) the "
        rf"(?:input|text|entry) (?:box|field|area){_END}",
        r"\g<act>",
    ),
    # `Click ⋮ to open the pump's menu`
    (
        rf"\b(?:click|select|press)(?: on)?(?: the)? (?P<sign>{LABEL})(?: icon| button)? to open "
        rf"the (?P<what>[a-z][a-z -]*?)['’]s (?:[a-z]+ )?menu{_END}",
        r"click \g<sign> for the \g<what>",
    ),
    # `click ↺ to take the values back and return to the pump's page`
    (
        rf"(?P<act>\b(?:click|press|select|choose) {LABEL}) to [a-z]+ [^,;:.{_L}]+? and "
        rf"(?:return|go back) to [^,;:.{_L}]+{_END}",
        r"\g<act>",
    ),
)


def wished(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
