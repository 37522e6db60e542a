"""Which failures say that a META record no longer works. Pure.

A record is stale where the cloud, or what may be run by now, refuses what it says.
Trouble that passes (throttling, a server's failure, an interruption), a full quota, an
empty account, a lost lease and a role that is away say nothing of a record: it is left
as it is, and looked at again. So does a failed step of a record without Terraform: of a
refusal it is not known whether it is of the record or of the target's login.
"""

from __future__ import annotations

from proofwalk.kernel.errors import ProofwalkError

LONGEST_REASON = 500
"""Characters of a reason."""
BLAMING = frozenset(
    {
        "meta.invalid",
        "meta.left_behind",
        "provision.create_failed",
        "provision.no_stock",
        "provision.verify_failed",
    }
)
"""Codes. What is not listed is the environment's."""


def blames_the_record(error: ProofwalkError) -> bool:
    """Whether a failure to make a record says that the record no longer works."""
    return error.code in BLAMING


def reason_of(error: ProofwalkError) -> str:
    """A failure as the reason why a record is stale: in one line that is kept."""
    line = " ".join(f"{error.code}: {error.message}".split())
    return "".join(filter(str.isprintable, line))[:LONGEST_REASON]
