"""Sentences about what is done beside the console: at a provider, in a terminal, by
giving something to somebody.

They ask for nothing that a walk could do, so `whole_remarks` takes them for remarks.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_OUTSIDE = (
    r"(?:DNS|DNS provider|(?:domain )?registrar|terminal|shell|command line|application|code|"
    r"client|(?:own )?(?:machine|computer|phone|server)|router|identity provider|provider)"
)
_DONE_ELSEWHERE = re.compile(
    rf"^(?:at|in|on|from|with) your {_OUTSIDE}, [^;:{_L}]*(?:(?:listed|shown|given|told) "
    rf"(?:on|in|under) (?:the )?{LABEL}(?: [a-z]+)?)?:?\W*$"
    r"|^(?:add|create|use|run|paste|set|enter|update|replace|configure|delete|remove) "
    rf"[^;:,{_L}]* (?:at|in|on|with) your {_OUTSIDE}"
    r"(?: (?:when|once|if|after|before) [a-z ]+)?\W*$"
    r"|^(?:share|send|give|pass|hand) (?:the|this|your) (?:[a-z]+ )?"
    r"(?:link|key|password|address|token|code|URL|invitation)(?: over)? (?:to|with) (?:the|your) "
    rf"[^;:,{_L}]*$",
    re.I,
)
"""`Add the record at your DNS provider.`"""


def is_done_elsewhere(bare: str) -> bool:
    """True if the folded sentence tells of such an act and of nothing else."""
    return _DONE_ELSEWHERE.match(bare) is not None
