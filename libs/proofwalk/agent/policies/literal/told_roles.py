"""Rewrites sentences that tell which role somebody gets, and which rights a thing has.

As in `paraphrases`, each row is a form and what means the same: `Grant the user the
**Viewer** role` becomes `select **Viewer** as the role`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_PERSON = r"(?:user|member|account|person|team|group|contact|colleague|key|principal)"
_END = r"(?=\s*(?:[.,;]|$|\band\b|\bthen\b))"
_SAME = rows(
    # `Assign the **Viewer** role to the user`, `Grant the user the **Viewer** role`
    (
        rf"\b(?:assign|grant|give) (?:the )?(?P<role>{LABEL}) role to (?:the|your|this|each) "
        rf"(?:new )?{_PERSON}{_END}",
        r"select \g<role> as the role",
    ),
    (
        rf"\b(?:assign|grant|give) (?:the|your|this) (?:new )?{_PERSON} the "
        rf"(?P<role>{LABEL}) role{_END}",
        r"select \g<role> as the role",
    ),
    # `Give the key the **read** and **write** permissions`
    (
        rf"\b(?:give|grant|assign) (?:it|(?:the|your) [a-z][a-z -]*?) the "
        rf"(?:(?:permissions|rights|scopes) )?"
        rf"(?P<rights>{LABEL}(?:(?:, | and |, and ){LABEL})+)"
        rf"(?: (?:permissions|rights|scopes))?{_END}",
        r"tick \g<rights>",
    ),
)


def told_roles(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
