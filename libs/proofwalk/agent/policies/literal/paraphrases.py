"""Rewrites a folded sentence into the words that the clause rules read.

Each row of `_SAME` is a form and what means the same: `In **A** > **B**, click **C**`
becomes `Go to **A** > **B**, and click **C**`. A row adds no act and drops none, apart
from an entry that the document itself leaves to the reader (`and optionally a
description`). `ways` does this for goals before their way.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.marks import LABEL, Folded

_L = LABEL[1:-1]
_SAME: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form, re.I), words)
    for form, words in (
        # `locate and click on **Add**`: what is clicked was found.
        (
            r"\b(?:find|locate|look for) and (?:then )?(?=(?:click|select|choose|press|open)\b)",
            "",
        ),
        # `a name and optionally a description`
        (
            r",?\s+and,?\s+(?:optionally,?\s+(?:(?:an?|the|your)\s+)?|an?\s+optional\s+)"
            r"[a-z][a-z ]*(?=\s*(?:[.,;]|$|\bfor\b))",
            "",
        ),
        # `Add more rules if needed, and click **Save**`
        (
            rf"^(?P<edge>[^\w{_L}]*)add\s+(?:more|additional|other|further|another)\s+"
            rf"[^,;.{_L}]*\bif\s+(?:needed|necessary|required|you (?:like|want|wish|need))\b,?\s+"
            r"(?:and\s+)?(?:then\s+)?(?=click\b)",
            r"\g<edge>",
        ),
        # `go to the flag's page`: the page of a thing is what opens with it.
        (
            r"\b(?P<go>(?:go|navigate)(?: back)? to|open|visit)\s+(?P<thing>(?:the|your|that)\s+"
            r"[a-z][\w -]*?)['’]s\s+(?:details?\s+|own\s+|main\s+|overview\s+)?page\b",
            r"\g<go> \g<thing>",
        ),
        # `go to the flag and the environment that you want to change`
        (
            r"\b(?P<go>(?:go|navigate) to) (?P<thing>the [a-z][a-z -]*?) and "
            r"(?P<inside>the [a-z][a-z-]*) (?=(?:containing|that|which|where|with|you)\b)",
            r"\g<go> \g<thing>, and select \g<inside> ",
        ),
        # `give the role a name and description`
        (
            r"\bgive\s+(?:it|them|(?:the|your|this)\s+[a-z][\w -]*?)\s+"
            r"(?P<what>(?:an?\s+)?(?:unique\s+|descriptive\s+|short\s+)?"
            r"(?:name|title|description)(?:\s+and\s+(?:an?\s+)?description)?\b)",
            r"enter \g<what>",
        ),
        # `populate a **Name** of `web``
        (
            rf"\b(?:enter|specify|populate|provide|select|choose)\s+an?\s+(?P<field>{LABEL})\s+"
            rf"of\s+(?P<value>{LABEL})",
            r"set \g<field> to \g<value>",
        ),
        # `look for the row with the disk that you want`
        (
            r"\b(?P<verb>find|locate|look for) the row "
            r"(?:with|of|for|containing|that (?:has|contains)) (?=(?:the|your)\b)",
            r"\g<verb> ",
        ),
        # `use the **Enabled** toggle to turn the rule on`
        (
            rf"\buse the (?P<switch>{LABEL}) (?:toggle|switch|slider|check ?box|flag|option) to "
            rf"(?:enable|activate|turn on|switch on|turn [^,;.{_L}]* on(?! or off)\b)[^,;.{_L}]*"
            r"(?=[.,;]|$)",
            r"turn on \g<switch>",
        ),
        (
            rf"\buse the (?P<switch>{LABEL}) (?:toggle|switch|slider|check ?box|flag|option) to "
            rf"(?:disable|deactivate|turn off|switch off|"
            rf"turn (?![^,;.]* on or off\b)[^,;.{_L}]* off\b)[^,;.{_L}]*"
            r"(?=[.,;]|$)",
            r"turn off \g<switch>",
        ),
        # `make a selection from the **Tenant** drop-down menu selector`
        (
            rf"\bmake (?:a|your) (?:selection|choice) (?:from|in) the (?P<field>{LABEL})"
            r"(?: (?:drop-?down|list|menu|selector|box|field))*",
            r"specify the \g<field>",
        ),
        # `select the **Tenant** from the drop-down list`
        (
            rf"\b(?:select|choose|pick) (?:the|an?|your) (?P<field>{LABEL}) from (?:the|its)"
            r" drop-?down(?: (?:list|menu|selector|box))*(?=\s*(?:[.;]|$|and\b))",
            r"specify the \g<field>",
        ),
        # `scroll down to the **Danger zone** section and click **Delete**`
        (
            rf"\bscroll (?:down |up )?to (?:the )?(?P<part>{LABEL})(?: section| area)?"
            r"(?=,? and\b)",
            r"go to the \g<part> section",
        ),
        # `select one or more flags`
        (
            r"\b(?P<verb>select|choose|add|pick) (?:one or more|one or several) "
            rf"(?:(?:of )?the )?(?=[a-z{_L}])",
            r"\g<verb> the ",
        ),
        # `From there, click **Add**`
        (r"^(?P<edge>\W*)from (?:there|here),\s*", r"\g<edge>"),
        # `In this example, we are going to create several, so click **Bulk**`
        (
            rf"^\W*in this (?:example|tutorial|guide|topic),?\s+(?:we|you)(?:\s+are\s+going\s+to|"
            rf"\s+will|['’](?:re going to|ll))\s[^;.{_L}]*?,\s*so\s+"
            r"(?=(?:click|select|choose|open|go to)\b)",
            "",
        ),
        # `For the first milestone, click **Add**`: of several, the walk says so.
        (r"^(?P<edge>\W*)for the first [a-z][a-z -]*,\s*(?=(?:click|select)\b)", r"\g<edge>"),
    )
)
_PLACE_FIRST = re.compile(
    rf"^(?P<edge>[^\w{_L}]*)(?:in|under|from)\s+(?:the\s+)?(?P<path>{LABEL})\s*,\s*"
    r"(?P<act>[a-z].*)$",
    re.I | re.S,
)


_FOUND = re.compile(
    rf"\b(?:find|locate|look for) (?:the )?(?P<found>{LABEL})(?: [a-z]+)?(?:,| and)\s+(?:then )?"
    rf"(?=click (?:on )?(?:the )?(?P<clicked>{LABEL}))",
    re.I,
)
"""`find **Pumps**, and click on **Pumps**`."""


def said_plainly(piece: str, folded: Folded) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    for form, words in _SAME:
        piece = form.sub(words, piece, count=1)
    twice = _FOUND.search(piece)
    if twice and folded.label(twice["found"]).text == folded.label(twice["clicked"]).text:
        piece = f"{piece[: twice.start()]}{piece[twice.end() :]}"
    found = _PLACE_FIRST.match(piece)
    if found is None or len(folded.label(found["path"]).parts) < 2:
        return piece
    act = f"{found['act'][:1].lower()}{found['act'][1:]}"
    return f"{found['edge']}Go to {found['path']}, and {act}"
