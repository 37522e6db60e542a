"""Rewrites what is said of the menu of a row: `Open the overflow menu of `otter` and
click **Drain**` becomes `in the row of `otter`, click the three dots, and click
**Drain**`.

As in `paraphrases`, each row is a form and what means the same.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

DOTS = r"(?:three|3)[- ](?:vertical )?dots?"
_SAME = rows(
    # `From the row's menu, choose **Drain**`
    (
        r"^(?P<edge>\W*)(?:from|in) the (?:row|line|card|entry|item)['’]s (?:[a-z]+ )?menu, "
        rf"(?:click|select|choose) (?P<entry>{LABEL})",
        r"\g<edge>click the three dots, and click \g<entry>",
    ),
    # `Open the overflow menu of the failed pump, `otter`, and click **Drain**`
    (
        r"\b(?:open|click|select) the (?:overflow|kebab|three[- ]dots?|options) menu "
        r"(?:of|for|next to|beside) (?P<what>(?:the|your) [a-z][a-z -]*?|(?:the )?"
        rf"(?:[a-z ]+,? )?(?P<name>{LABEL})),? and (?:then )?"
        rf"(?:click|select|choose) (?P<entry>{LABEL})",
        r"in the row of \g<what>, click the three dots, and click \g<entry>",
    ),
    # `Select the ellipsis next to **Otter**, and then select **Drain**`
    (
        rf"^(?P<edge>\W*)(?:click|select) the (?:ellipsis|{DOTS})(?: (?:icon|button|menu))? "
        rf"(?:next to|beside|for) (?P<what>{LABEL}),? and (?:then )?"
        rf"(?:click|select|choose) (?P<entry>{LABEL})",
        r"\g<edge>in the row of \g<what>, click the three dots, and click \g<entry>",
    ),
    # `Select **...** at the end of the row, and then select **Drain**`
    (
        rf"\b(?:click|select) (?:the )?{LABEL}(?: (?:icon|button|menu))? at the (?:end|right) "
        rf"of the row,? and (?:then )?(?:click|select|choose) (?P<entry>{LABEL})",
        r"click the three dots, and click \g<entry>",
    ),
    # `From its **Options** menu, choose **Drain**`
    (
        rf"^(?P<edge>\W*)(?:from|in) its (?P<menu>{LABEL}) menu, "
        rf"(?:click|select|choose) (?P<entry>{LABEL})",
        r"\g<edge>click \g<menu>, and click \g<entry>",
    ),
    # `From the overflow menu of the pump, select **Drain**`
    (
        r"^(?P<edge>\W*)(?:from|in) the (?:overflow|kebab|three[- ]dots?) menu of (?:the|its) "
        rf"(?:row|line), (?:click|select|choose) (?P<entry>{LABEL})",
        r"\g<edge>click the three dots, and click \g<entry>",
    ),
    (
        r"^(?P<edge>\W*)(?:from|in) the (?:overflow|kebab|three[- ]dots?) menu "
        r"(?:of|for|next to) "
        rf"(?P<what>(?:the|your) [a-z][a-z -]*?|(?:the )?{LABEL}), "
        rf"(?:click|select|choose) (?P<entry>{LABEL})",
        r"\g<edge>in the row of \g<what>, click the three dots, and click \g<entry>",
    ),
    # `Open the overflow menu and click **Drain**`
    (
        rf"\bthe (?:{DOTS}|overflow|kebab|hamburger|meatballs?|ellipsis)[- ]?"
        r"menu(?: button| icon)?(?=\s*(?:[.,;]|$|and\b))",
        "the three dots",
    ),
)


def told_menus(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
