"""Drops what a sentence says about doing an act again for other things: `Click **Add**
for each further valve`.

As in `paraphrases`, each row is a form and what means the same. The reader of a
procedure has the things that it names, and no others, so the act is done once. *Each*
of the things that are there (`For each pump, select …`) stays, for there it means all
of them (`each_row`). `is_again` tells the sentences that are about nothing else.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_PLAIN = rf"[^,;.:{_L}]"
_MORE = r"(?:additional|further|new|other|extra|subsequent)"
_TO_MAKE = (
    r"(?:(?:that )?you (?:want|need|wish|would like|plan)(?: to [a-z]+)?|"
    r"to (?:add|create|include|attach|specify|define|set|purchase|allow))"
)
_OF_OTHERS = (
    rf"(?:each|every|any|all) (?:{_MORE} [a-z][a-z0-9 -]*?|(?:of the )?[A-Za-z][A-Za-z0-9 -]*? "
    rf"{_TO_MAKE}(?: {_PLAIN}*?)?)"
)
_SAME = rows(
    # `Click **Add** again for each further valve`
    (
        rf"(?P<act>\b(?:click|choose|select|press|use) (?:on )?(?:the )?{LABEL}(?: [a-z]+)?)"
        rf"(?: again)? for {_OF_OTHERS}(?=\s*(?:[.:;]|,? and\b|$))",
        r"\g<act>",
    ),
    # `For each valve that you want to add, click **Add**`
    (
        rf"^(?P<edge>[^\w{_L}]*)for {_OF_OTHERS}, "
        r"(?=(?:click|choose|select|press|enter|type|specify|provide|set)\b)",
        r"\g<edge>",
    ),
    # `click **Add**, and repeat the steps for the other valves`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+)?),? and (?:then )?repeat "
        r"(?:this step|these steps|the (?:previous |above )?steps?|steps? \d+[^,;]*?|this) "
        rf"(?:for|until|as|to)\b{_PLAIN}*(?=\s*(?:[.;]|$))",
        r"\g<act>",
    ),
)
_AGAIN = re.compile(
    rf"^(?:(?:to|for each|for every|if you|for any|for all) {_PLAIN}*, )?"
    r"(?:then |now |you can )?repeat (?:(?:this step|these steps|this|the (?:previous |above |"
    r"preceding )?(?:steps?|process|procedure)|this (?:process|procedure)|"
    r"steps? \d+(?:(?: ?[-–—] ?| (?:and|to|through) )\d+)?|(?:this|it) again) )?"
    rf"(?:for (?:{_OF_OTHERS}|(?:more|other) [a-z]+)|until\b|as (?:needed|necessary|many)|"
    rf"if (?:needed|necessary|required)|to (?:add|create) (?:more|another|additional|other))"
    rf"{_PLAIN}*\W*$",
    re.I,
)
"""`To add more valves, repeat this step until all of them are there.`"""


def without_repeats(piece: str) -> str:
    """Return the sentence with its act done once; unchanged if it has no such words."""
    return reworded(piece, _SAME)


def is_again(bare: str) -> bool:
    """True if the folded sentence only asks for what is behind to be done again."""
    return _AGAIN.match(bare) is not None
