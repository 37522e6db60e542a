"""Rewrites what documents say about a switch in a roundabout way.

As in `paraphrases`, each row is a form and what means the same: `Toggle the strict
switch so that it shows **On**` becomes `set the strict switch to **On**`. `switched`
reads the usual ways.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_SAME = rows(
    # `For **Strict**, turn the switch on to count drops`
    (
        rf"(?P<edge>(?:^|, |\band |\bthen )\W*)for (?:the )?(?P<switch>{LABEL}),? "
        r"(?:turn|switch|move|set|slide) (?:the|its|this) (?:toggle|switch|slider)(?: to)? "
        rf"(?P<way>on|off)(?: to [^,;.{_L}]*)?(?=\s*(?:[.;]|$))",
        r"\g<edge>turn \g<way> \g<switch>",
    ),
    # `Toggle the strict switch so that it shows **On**`
    (
        r"\b(?:toggle|turn|set|slide|move) the (?P<switch>[a-z][a-z -]*?) (?:toggle|switch|slider) "
        rf"so that it (?:displays|shows|reads|says|is) (?P<state>{LABEL})",
        r"set the \g<switch> switch to \g<state>",
    ),
    # `Go to the **Strict** section and toggle **On**`
    (
        rf"\b(?:go|scroll|navigate) to (?:the )?(?P<switch>{LABEL})(?: section| option| setting)? "
        rf"and (?:toggle|turn|switch) (?:it )?(?P<state>{LABEL}|on|off)(?=\s*(?:[.,;]|$))",
        r"set the \g<switch> switch to \g<state>",
    ),
)


def told_switches(piece: str) -> str:
    """Return the sentence with its switch set; unchanged if no row fits."""
    return reworded(piece, _SAME)
