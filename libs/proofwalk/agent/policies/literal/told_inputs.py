"""Rewrites what a sentence says beside what is entered or chosen: its unit, its reason,
that it is optional, the pair that it is half of.

As in `paraphrases`, each row is a form and what means the same: `Enter the pressure, in
bar/s` becomes `Enter the pressure`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_SAME = rows(
    # `enter the pressure, in bar/s`
    (
        r"(?P<what>\b(?:enter|type|specify|provide|set|choose|select) (?:an?|the|your) "
        rf"[a-z][^;.{_L}]*?),? (?:specified |measured |expressed )?in [A-Za-z]{{1,12}}/[a-z]{{1,7}}"
        r"(?=\s*(?:[.;,]|$))",
        r"\g<what>",
    ),
    # `Select the plan, which is how it is paid`
    (
        r"(?P<act>\b(?:select|choose|enter|specify|provide|type) (?:the|an?|your) [a-z][a-z -]*?), "
        r"which (?:is|are|was|can|may|must|determines|defines|controls) "
        rf"[^,;:.{_L}]*(?=\s*\.?\s*$)",
        r"\g<act>",
    ),
    # `Enter a name and a description (optional) for the pump`
    (r"(?<=[a-z]) \(optional\)(?= (?:for|of|in|and)\b|\s*[.,;])", ""),
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
    # `Enter a value such as `7` for **Depth**`
    (
        r"\b(?:an?|the) (?:[a-z]+ ){0,2}?(?:name|value|title|label|description|key|number|text)"
        rf",? (?:like|such as|for example),? (?P<value>{LABEL}),? "
        rf"(?P<place>(?:for|in|into) (?:the )?{LABEL})",
        r"\g<value> \g<place>",
    ),
    # `Enter a number for **Depth**, such as `7``
    (
        r"\b(?P<verb>enter|type|specify|provide|input) (?:an?|the) (?:number|value|text|amount) "
        rf"for (?P<field>(?:the )?{LABEL}),? (?:such as|for example|like),? (?P<value>{LABEL})",
        r"\g<verb> \g<value> for \g<field>",
    ),
    # `a name like **otter**`
    (
        r"\b(?P<what>(?:an?|the|its) (?:[a-z]+ ){0,2}?(?:name|value|title|label|description|key|id|"
        rf"prefix|path|URL|address|number|text|tag|pattern|expression)) like (?={LABEL})",
        r"\g<what> such as ",
    ),
    # `a name (at most 20 characters)`, `a depth (in metres)`
    (
        r"(?P<what>\b(?:enter|type|specify|provide|choose|select) "
        r"(?:an?|the|your) [a-z][a-z -]*?)"
        rf" \((?:in|at most|at least|up to|max(?:imum)?|min(?:imum)?) [^(){_L}]{{1,40}}\)",
        r"\g<what>",
    ),
)


def told_inputs(piece: str) -> str:
    """Return the sentence with its entries alone; unchanged if no row fits."""
    return reworded(piece, _SAME)
