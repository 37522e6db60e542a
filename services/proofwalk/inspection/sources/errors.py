"""Errors of sources that cannot be read.

A source that cannot be read ends the inspection, and says nothing of the documents: the
next inspection looks again. So none of these is retryable, whatever came of the wire.
`ENVIRONMENT` has those of which the surroundings are the cause and not the request.
"""

from __future__ import annotations

from proofwalk.kernel.errors import ProofwalkError, Status, invalid

UNREACHABLE = "source.unreachable"
REFUSED = "source.refused"
TOO_LARGE = "source.too_large"
TOO_SLOW = "source.too_slow"
REF_NOT_FOUND = "source.ref_not_found"
FOLDER_NOT_FOUND = "source.folder_not_found"
MALFORMED = "source.malformed"
NO_GIT = "source.no_git"

ENVIRONMENT = frozenset(
    {
        UNREACHABLE,
        REFUSED,
        TOO_LARGE,
        TOO_SLOW,
        REF_NOT_FOUND,
        FOLDER_NOT_FOUND,
        MALFORMED,
        NO_GIT,
    }
)


def unreadable(code: str, message: str, *, hint: str) -> ProofwalkError:
    """The source cannot be read now, for a reason outside of the request."""
    return ProofwalkError(code, message, status=Status.FAILED_PRECONDITION, hint=hint)


def bad_address(message: str, *, hint: str) -> ProofwalkError:
    """What is said of a source cannot be right."""
    return invalid("collection.bad_source", message, hint=hint)


def from_fetch(error: ProofwalkError) -> ProofwalkError:
    """What a fetch of a source's own page (its sitemap, its start page, its
    `robots.txt`) failed of, as the end of the inspection."""
    codes = {"fetch.too_large": TOO_LARGE, "fetch.timeout": TOO_SLOW}
    refused = error.code in ("fetch.blocked_address", "fetch.other_site", "fetch.disallowed")
    code = REFUSED if refused else codes.get(error.code, UNREACHABLE)
    return unreadable(code, error.message, hint=error.hint or "check the source's address")
