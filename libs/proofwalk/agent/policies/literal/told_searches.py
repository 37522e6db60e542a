"""Rewrites sentences that search and take what is found in one breath.

As in `paraphrases`, each row is a form and what means the same: `search for and select
**otter**` becomes `search for **otter**, and select **otter**`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_TAKE = r"(?:select|choose|pick|add|open)"
_SAME = rows(
    # `In the portal's search box, enter `otter``
    (
        r"\bin the [a-z]+['’]s (?P<box>search (?:box|bar|field))",
        r"in the \g<box>",
    ),
    # `search for and select **otter**`
    (
        rf"\bsearch for,? and (?:then )?(?P<take>{_TAKE}) (?:the )?(?P<what>{LABEL})",
        r"search for \g<what>, and \g<take> \g<what>",
    ),
    # `use the search box to filter for the **otter** pump and select it`
    (
        r"\buse the (?:search|filter)(?: (?:box|bar|field))? to "
        rf"(?:filter|search|look) for (?:the )?(?P<what>{LABEL})(?: [a-z]+)?"
        rf"(?:,? and (?:then )?(?P<take>{_TAKE}) it)(?=\s*(?:[.,;]|$))",
        r"search for \g<what>, and \g<take> \g<what>",
    ),
    # `Type `ann` and select **anna** from the suggestions`
    (
        rf"(?P<taken>\b(?:select|choose|pick|click) (?:on )?{LABEL}) (?:from|in|among) the "
        r"(?:suggestions|matches|(?:search )?results|suggested [a-z]+|list of suggestions)"
        r"(?=\s*(?:[.,;]|$|\band\b))",
        r"\g<taken>",
    ),
    # `Search for `anna` and pick the match`
    (
        rf"(?P<search>\bsearch for (?:the )?(?P<what>{LABEL})[^,;.]*?),? and (?:then )?"
        rf"(?P<take>{_TAKE}) (?:it|the (?:first |only )?(?:match|result|entry|hit))"
        r"(?: (?:from|in) the (?:list|results|suggestions))?(?=\s*(?:[.,;]|$))",
        r"\g<search>, and \g<take> \g<what>",
    ),
    # `Start typing the name and select it`
    (r"\b(?:start|begin) (?:typing|entering) (?=(?:the|an?|its|your) )", "type "),
    # `Type **Pumps** and select it from the results`
    (
        rf"(?P<typed>\b(?:type|enter) (?P<what>{LABEL})(?: in the search (?:box|bar|field))?),?"
        rf" and (?:then )?(?P<take>{_TAKE}) it(?: (?:from|in) the [a-z -]+?)?(?=\s*(?:[.;]|$))",
        r"\g<typed>, and \g<take> \g<what>",
    ),
    # `Enter *otter* and select the pump under **Resources**`
    (
        rf"(?P<typed>\b(?:type|enter|search for) (?P<what>{LABEL})),? and (?:then )?"
        rf"(?P<take>{_TAKE}|click) (?:the|your) [a-z]+(?: [a-z]+)? (?:under|from|in) (?:the )?"
        rf"(?:{LABEL}|(?:search )?results|list)(?: section| group)?(?=\s*(?:[.;]|$))",
        r"\g<typed>, and \g<take> \g<what>",
    ),
    # `Search for the pump that you want, such as the pump `otter`, and open it`
    (
        rf"\bsearch for (?:the|an?) [^,;.{_L}]*, (?:such as|for example,?) (?:the [a-z ]+ )?"
        rf"(?P<what>{LABEL}),? and (?:then )?(?:open|select|choose) it(?=\s*(?:[.;]|$))",
        r"search for \g<what>, and select \g<what>",
    ),
    # `Type the name and select it from the list`: what is typed is what is taken.
    (
        r"(?P<typed>\b(?:type|enter) (?:the|its|an?|your) [a-z ]+?),? and (?:then )?"
        r"(?:select|choose|pick) it (?:from|in) the [a-z -]+?(?=\s*(?:[.;]|$))",
        r"\g<typed>",
    ),
    # `search for the pump `otter``
    (
        rf"\b(?P<verb>search|look) for the (?!{LABEL})[a-z]+(?: [a-z]+)? (?P<what>{LABEL})"
        r"(?=\s*(?:[.,;]|$|\band\b))",
        r"search for \g<what>",
    ),
    (
        r"\buse the (?:search|filter)(?: (?:box|bar|field))? to (?:find|locate) "
        rf"(?:the )?(?:[a-z]+ )?(?P<what>{LABEL})(?=\s*(?:[.,;]|$|\band\b))",
        r"search for \g<what>",
    ),
    # `Filter by the status **Failed**`
    (
        r"\bfilter (?:the (?:list|table|view) )?by (?:the )?(?P<field>status|state|type|"
        rf"region|severity|role|category|kind) (?P<value>{LABEL})(?=\s*(?:[.,;]|$|\band\b))",
        r"select \g<value> as the \g<field>",
    ),
    # `Search in the **Name** field for the pump that you want`
    (
        rf"^(?P<edge>\W*)search (?:in|within|using) the (?P<field>{LABEL}) (?:field|box) for "
        r"(?=(?:the|an?|your) [a-z])",
        r"\g<edge>in the \g<field> field, enter ",
    ),
)


def told_searches(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
