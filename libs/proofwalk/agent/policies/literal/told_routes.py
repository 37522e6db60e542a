"""Rewrites sentences that tell the way to a page: from which menu, in which step of a
wizard, back to which list.

As in `paraphrases`, each row is a form and what means the same: `Navigate back to
**Pumps**` becomes `go back to **Pumps**`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_SAME = rows(
    # `On the portal menu or from the **Home** page, select **Pumps**`
    (
        r"^(?P<edge>\W*)(?:on|from|in) the (?:(?:[a-z]+ )?menu or (?:on |from |in )?the "
        rf"{LABEL} page|(?:portal |console )?home ?page|notification),\s*",
        r"\g<edge>",
    ),
    # `In the second step, choose **Deep**`
    (
        r"^(?P<edge>\W*)(?:in|on) "
        r"(?:step \d+|the (?:first|second|third|fourth|next|last|final) "
        r"(?:step|page|screen)(?: of the [a-z]+)?),\s*(?=[a-z]+ )",
        r"\g<edge>",
    ),
    # `In the sidebar, click **Pumps** under **Mill**`
    (
        r"^(?P<bar>\W*(?:in|on|from) the (?:left |side |main |left-hand )?"
        r"(?:sidebar|navigation(?: (?:pane|menu|bar))?|menu)), "
        r"(?P<act>click|select|choose|open) "
        rf"(?P<what>{LABEL}) under (?P<under>{LABEL})(?=\s*(?:[.,;]|$|and\b))",
        r"\g<bar>, under \g<under>, \g<act> \g<what>",
    ),
    # `Open `otter` from the list of pumps`
    (
        rf"\bopen (?P<what>(?:the )?{LABEL}) (?:from|in) the list of "
        r"(?P<of>[a-z]+(?: [a-z]+)?)(?=\s*(?:[.,;]|$|\band\b))",
        r"go to the \g<of> page, and open \g<what>",
    ),
    # `In the service menu, open the **Safety** group`
    (
        r"^(?P<menu>\W*(?:in|on|from) the [a-z -]*(?:menu|sidebar|navigation)), "
        rf"(?:open|expand|unfold) the (?P<group>{LABEL}) (?:group|section|category)",
        r"\g<menu>, expand \g<group>",
    ),
    # `Go back to the list of pumps`, `Navigate back to **Pumps**`
    (
        r"(?<!you )\b(?:go|return|navigate|switch)(?: back)? to the list of "
        r"(?:all )?(?:the |your )?"
        r"(?P<what>[a-z]+(?: (?!and\b)[a-z]+){0,3})(?=\s*(?:[.,;]|$|\band\b))",
        r"go to the \g<what> page",
    ),
    (
        rf"\b(?:navigate|head|switch|move|jump) back to (?=(?:the )?(?:{LABEL}|[a-z]))",
        "go back to ",
    ),
)


def told_routes(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
