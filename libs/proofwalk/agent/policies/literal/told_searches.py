"""Rewrites sentences that search and take what is found in one breath.

As in `paraphrases`, each row is a form and what means the same: `search for and select
**otter**` becomes `search for **otter**, and select **otter**`.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.rewording import reworded
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_TAKE = r"(?:select|choose|pick|add|open)"
_SAME: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form, re.I), words)
    for form, words in (
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
        # `Search in the **Name** field for the pump that you want`
        (
            rf"^(?P<edge>\W*)search (?:in|within|using) the (?P<field>{LABEL}) (?:field|box) for "
            r"(?=(?:the|an?|your) [a-z])",
            r"\g<edge>in the \g<field> field, enter ",
        ),
    )
)


def told_searches(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
