"""Removes the words that stand before an imperative and ask for nothing themselves.

`Be sure to click **Save**` becomes `click **Save**`. Only a gesture that a rule knows
may follow: `Be sure to bring a key` is left as it is, and so are words that say who
else does it or that it may not be done. Words that offer become an offer.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.rewording import reworded
from proofwalk.agent.reading.marks import LABEL

_EDGE = rf"(?P<edge>(?:^|[,:])[^\w{LABEL[1:-1]}]*(?:(?:and|then|now|next|first|finally)\b,?\s+)*)"
_GESTURES = (
    r"click|select|choose|press|tap|pick|open|go|navigate|enter|type|set|tick|untick|check|"
    r"uncheck|clear|turn (?:on|off)|switch (?:on|off)|enable|disable|add|upload|change|accept|"
    r"toggle|paste|specify|expand|search for|use|copy"
)
_ACT = rf"(?=(?:{_GESTURES})\b(?! (?:that|this|if|whether)\b))"
_OPENINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"{_EDGE}(?:{words})\s+{_ACT}", re.I), rf"\g<edge>{instead}")
    for words, instead in (
        # `Don't forget to click **Save**`
        (
            r"(?:please )?(?:remember|be sure|be certain|make sure|take care|"
            r"do(?: not|n['’]t) forget|be so kind as) to",
            "",
        ),
        # `Make sure you click **Save**`
        (r"(?:please )?(?:make sure|be sure|ensure)(?: that)? you", ""),
        # `You will need to click **Save**`, `you're going to open **Pumps**`
        (r"you(?: will|['’]ll)(?: (?:then|now|also))? (?:need|want|have) to", ""),
        (r"you(?: are|['’]re) (?:now )?going to", ""),
        # `You then press **Drain**`
        (r"you (?:then|now|next)", ""),
        (r"let(?: us|['’]s)(?: (?:then|now|first))?", ""),
        # `It is necessary to set the **Depth**`, `Time to press **Drain**`
        (r"it(?: is|['’]s) (?:necessary|best|time|required) to", ""),
        (r"time to|it remains to|what remains is to|all that(?: is|['’]s) left is to", ""),
        (r"the (?:next|first|last|final) (?:thing|step) is to", ""),
        (r"at this point,? you (?:should|must|need to|have to)", ""),
        # `Simply choose **Drain all**`
        (r"(?:simply|just)", ""),
        # `Meanwhile, open **Pumps**`
        (
            r"(?:meanwhile|instead|in the meantime|at the same time|after that|afterwards?|"
            r"likewise|once more|to (?:begin|start)(?: with)?|for now),",
            "",
        ),
        # `Feel free to change the **Depth**`
        (r"feel free to", "you can "),
        (r"you may(?: also)?", "you can "),
    )
)

_WE = re.compile(
    rf"^(?P<edge>[^\w{LABEL[1:-1]}]*)(?:(?:and|then|now|next|first|finally),?\s+)*we\s+"
    r"(?:(?:then|now|next|first)\s+)?"
    r"(?=(?:click|press|tap|select|choose|pick|enter|type|go to|navigate to|open)\b)",
    re.I,
)
"""`Now we click **Drain**`. Within a sentence, `we stop the pump` may tell what the
vendor does, and so may another verb."""
_TURNED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^(?P<edge>[^\w{LABEL[1:-1]}]*){form}", re.I), words)
    for form, words in (
        # `Back on **Pumps**, click **Drain**`
        (rf"back (?:on|in) (?P<page>{LABEL}),", r"\g<edge>go back to \g<page>, and"),
        (r"back (?=(?:on|in|at|under) )", r"\g<edge>"),
        # `Before clicking **Create**, tick **Strict**`: the click is told of itself.
        (
            r"before (?:clicking|you click|pressing|you press|selecting|you select) "
            rf"(?:the )?{LABEL}(?: button)?, (?:please )?{_ACT}",
            r"\g<edge>",
        ),
        # `You might need to click **Refresh**`
        (
            r"you (?:might|may) (?:also )?(?:need|have) to "
            rf"(?=(?:click|select|press|refresh|choose) {LABEL})",
            r"\g<edge>optionally, ",
        ),
        # `Should the list be empty, click **Clear**`
        (
            rf"should (?P<what>(?:(?:the|an?|your|this|any|no) [a-z -]+?|{LABEL}|it)) be "
            r"(?=[^,]*,)",
            r"\g<edge>if \g<what> is ",
        ),
        (r"should (?P<who>you|they) (?=[a-z]+\b[^,]*,)", r"\g<edge>if \g<who> "),
        (
            r"should (?P<what>(?:the|an?|your|this|any) [a-z -]+?) "
            r"(?P<verb>ask|appear|fail|show|open|need|want|prompt|display|say|report)\b(?=[^,]*,)",
            r"\g<edge>if \g<what> \g<verb>s",
        ),
    )
)
"""Sentences whose order is turned around, and what they say in the usual one."""


def without_opening(piece: str) -> str:
    """Return the sentence without such words; unchanged if it has none."""
    piece = reworded(reworded(piece, _TURNED), _OPENINGS)
    return _WE.sub(r"\g<edge>", piece)
