"""Errors of the files that units and families are written in."""

from __future__ import annotations

from proofwalk.kernel.errors import ProofwalkError, invalid


def source_invalid(where: str, what: str, *, hint: str = "") -> ProofwalkError:
    """`suite.source_invalid`: a unit or a family does not make sense."""
    return invalid(
        "suite.source_invalid",
        f"{where}: {what}",
        hint=hint or "see suites/README.md for the format",
        details={"where": where},
    )
