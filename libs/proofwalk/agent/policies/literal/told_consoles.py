"""Rewrites where a sentence says one works and with whose account: in which product, at
which address, on which part of the page.

As in `paraphrases`, each row is a form and what means the same. `In Pump Works, choose
**Mills**` has the name of a product without markup, and becomes the opening of its
console, so that what is told of another product is not looked for in this one. With
which account one logs on is settled before a walk begins: a label in it names a right
and no console.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_LOGS_ON = r"(?:log|sign)(?:ged)?[ -]?(?:in|on)(?: ?to)?|(?:log|sign) into"
_NO_OTHER_ACT = (
    r"(?!.*\b(?:click|choose|select|open|go to|navigate|enter|press|tap|type|expand|then)\b)"
)
_ACTS = r"(?:choose|select|click|press|tap|open|go to|navigate to|expand|enter)"
_PRODUCT = re.compile(
    rf"^(?P<edge>[^\w{_L}]*)(?:[Ii]n|[Ww]ithin|[Ff]rom) "
    r"(?P<name>(?!(?:Settings|Options|Preferences|Details|Step|Figure|Table|Section)\b)"
    r"[A-Z][\w-]*(?: [A-Z][\w-]*){0,3}),? "
    rf"(?=(?:in|on|from|under|at) (?:the|your) |{_ACTS} )"
)
"""`In Pump Works, on the navigation menu, choose **Mills**`"""
_SAME = rows(
    # `Log on to the pump console with an account that may edit **Mills**`
    (
        rf"(?P<on>\b(?:{_LOGS_ON})\b[^,;.{_L}]*?),? (?:with|as|using) (?:an?|the|your) "
        r"(?:(?!and\b|in\b)[a-z-]+ ){0,4}(?:account|user|role|administrator|admin|owner"
        r"|member|profile|credentials)\b"
        rf"{_NO_OTHER_ACT}[^;]*$",
        r"\g<on>",
    ),
    # `On the Pump Works navigation menu, choose **Mills**`
    (
        r"\b(?P<at>(?:on|in|from|using) the )(?-i:[A-Z][\w-]*(?: [A-Z][\w-]*){0,3}) "
        r"(?P<part>(?:left |main |side )?navigation (?:menu|pane|panel|bar))\b",
        r"\g<at>\g<part>",
    ),
    # `Scroll down the page and choose **Drain**`
    (
        r"\bscroll (?:all the way )?(?:down|up) (?:the|this) (?:page|list|screen|window"
        r"|form|menu),?"
        rf" (?:and|then|and then) (?={_ACTS}\b)",
        "",
    ),
    # `Go to the row that has the pump, and choose **Drain**`
    (
        r"\bgo to (?=the (?:row|line) (?:that has|with|of|for|containing) (?:the|your) )",
        "find ",
    ),
    # `Find the pump and choose **Drain** at the end of the row`, `… to its right`
    (
        rf"(?P<act>\b(?:find|locate|look for)\b[^;.]*?{LABEL}(?: (?:button|link|icon))?) "
        r"(?:(?:at|on) the (?:far )?(?:end|right|left|right side|left side) of (?:the|its"
        r"|that|this)"
        r" (?:row|line)|(?:to|on) its (?:far )?(?:right|left)(?: side)?)(?=\s*(?:[.,;]|$|and\b))",
        r"\g<act> in its row",
    ),
    # `select **Drain** on the same row as the mill`
    (
        rf"(?P<act>{LABEL}(?: (?:button|link|icon))?) (?:on|in) the same (?:row|line) as "
        r"(?=(?:the|your) )",
        r"\g<act> next to ",
    ),
    # `Enter the address in the given field`, `in the fields provided`
    (
        r"\s+(?:in|into) the (?:(?:provided|given|respective|corresponding|appropriate) "
        r"(?:text )?(?:fields?|box|boxes|space|spaces)"
        r"|(?:text )?(?:fields?|box|boxes|space|spaces) (?:provided|given))(?=\s*(?:[.,;]"
        r"|$|and\b))",
        "",
    ),
    # `paste your key into the box`
    (
        r"\b(?:paste|copy) (?:in )?(?P<what>(?:the|your) (?!following\b|this\b)[a-z][\w ]*?) "
        r"(?:in|into) the (?:text )?(?:box|field|space|area)(?=\s*(?:[.,;]|$|and\b))",
        r"enter \g<what>",
    ),
    # `To open and drain the mills, …`: the aim of the act, told with two verbs.
    (
        r"^(?P<aim>\W*(?:in order )?to [a-z]+)(?:, [a-z]+)*,? (?:and|or) "
        r"(?!(?:the|an?|your|its|to)\b)[a-z]+ "
        rf"(?=(?:the|an?|your|its|this|that|these|all|any|[a-z]+s?)\b[^,:.{_L}]*, )",
        r"\g<aim> ",
    ),
    # `From the mill console dashboard, click **Start**`
    (
        r"\b(?P<at>from|on|in) the (?:[A-Za-z0-9]+ ){0,4}?console (?:dashboard|home ?page|home)"
        r"(?=\s*,)",
        r"\g<at> the dashboard",
    ),
    (r"\b(?P<at>from|on|in) your dashboard(?=\s*,)", r"\g<at> the dashboard"),
    # `Click your username at the top, and select **Profile**`
    (
        r"\b(?:click|select|choose|open) (?:on )?your (?:user ?name|avatar|initials|account name)"
        rf"(?: (?:at|in|on) [^,;.{_L}]*?)?(?=,? (?:and|then)\b)",
        "click your profile picture",
    ),
    # `In the actions column, click **Drain**`
    (r"^(?P<edge>\W*)(?:in|from|under) the actions? column,\s*", r"\g<edge>"),
)


def told_consoles(piece: str) -> str:
    """Return the sentence with its product opened and its places as the rules read
    them; unchanged if no row fits."""
    return reworded(_PRODUCT.sub(r"\g<edge>Open the \g<name> console, and ", piece), _SAME)
