"""Rewrites sentences that tell how a window is confirmed by what is typed.

As in `paraphrases`, each row is a form and what means the same: `Confirm that you want
to drain it by typing the word `drain` in the field` becomes `type `drain` to confirm`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_BOX = r"(?: (?:in|into) the (?:text |input |text input )?(?:field|box))?"
_SAME = rows(
    # `read the warning and confirm that you want to drain it by typing `drain``
    (
        rf"\b(?:read the (?:warning|notice|message),? and )?confirm (?:that you (?:want|wish|"
        rf"would like) to [^,;.{_L}]*?|it|(?:the|your) [a-z]+)"
        r" by (?:typing|entering)(?: in)? "
        rf"(?:the (?:word|text|phrase) )?(?P<word>{LABEL}){_BOX}(?=\s*(?:[.,;]|$|and\b))",
        r"type \g<word> to confirm",
    ),
    # `confirm that you want to drain it by entering the name of the pump`
    (
        rf"\b(?:confirm|acknowledge) (?:that you (?:want|wish|would like) to [^,;.{_L}]*?|it|"
        rf"(?:the|your) [a-z]+) by (?:typing|entering)(?: in)? (?P<what>(?:the|its) "
        rf"(?:[a-z]+ )?(?:name|username|id)(?: of (?:the|your) [a-z]+)?){_BOX}"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"enter \g<what> to confirm",
    ),
    # `enter the user name in the text field to confirm the removal of the user`
    (
        rf"\b(?P<act>(?:enter|type)(?: in)? (?:the|its) (?:[a-z]+ )?(?:name|username|id))"
        rf"{_BOX} to confirm(?: (?:the|your) [a-z]+(?: of (?:the|this) [a-z]+)?)?"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"\g<act> to confirm",
    ),
    # `To confirm, type the name of the pump in the text field`
    (
        rf"\bto confirm(?: (?:it|the [a-z]+))?, (?P<act>(?:enter|type)(?: in)? (?:the|its) "
        rf"(?:[a-z]+ )?(?:name|username|id)(?: of (?:the|your) [a-z]+)?){_BOX}"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"\g<act> to confirm",
    ),
)


def told_confirmations(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
