"""Chooses which procedure of a document is walked.

A caller may name one by its id. Without a name the choice is fixed, so that the same
document gives the same walk: ordered lists before other steps; then procedures whose
heading says that they are the procedure, last those under *What to do next*, *FAQ* and
the like, and among equals the first in the document.
"""

from __future__ import annotations

import re

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.procedures.loading import no_procedure
from proofwalk.procedures.model import Document, Procedure

_MAIN = re.compile(
    r"procedure|\bsteps?\b|how to|use the (?:web )?console|in the console|操作步骤|步骤|控制台",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"what to do next|next steps?|related|references?\b|see"
    r" also|faq|troubleshoot|appendix|api\b|examples?\b|clean ?up"
    r"|后续|常见问题|相关|附录",
    re.IGNORECASE,
)


def select(document: Document, procedure_id: str | None = None) -> Procedure:
    """Return the procedure with that id, or the one that the document is about."""
    if not document.procedures:
        raise no_procedure()
    if procedure_id is not None:
        for procedure in document.procedures:
            if procedure.id == procedure_id:
                return procedure
        known = ", ".join(procedure.id for procedure in document.procedures)
        raise ProofwalkError(
            "document.unknown_procedure",
            f"the document has no procedure {procedure_id!r}",
            status=Status.NOT_FOUND,
            hint=f"it has {known}",
            details={"procedures": known},
        )
    return min(document.procedures, key=_rank)


def _rank(procedure: Procedure) -> tuple[bool, int]:
    found = not procedure.is_numbered
    if any(_ASIDE.search(heading) for heading in procedure.headings[1:] or procedure.headings):
        return found, 2
    return found, 0 if any(_MAIN.search(heading) for heading in procedure.headings[-1:]) else 1
