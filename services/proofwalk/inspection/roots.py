"""Which folders of the server collections may read, be they documents or repositories.

A folder is allowed if it lies under a root of the settings once every link in both is
followed, so that no link leads out. It is looked at again before each inspection: links
may have changed since.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.orders.collection import Source


def allowed_folder(source: Source, roots: Sequence[Path]) -> Path:
    """The folder that a source names, its links followed. Raises
    `collection.outside_roots`, in the same words whether or not it exists, and
    `collection.bad_source`."""
    given = Path(source.address)
    if not given.is_absolute():
        raise invalid(
            "collection.bad_source",
            f"the folder {source.address[:200]!r} is not an absolute path of the server",
        )
    try:
        folder = given.resolve(strict=True)
        inside = folder.is_dir() and any(folder.is_relative_to(root.resolve()) for root in roots)
    except (OSError, RuntimeError):
        inside = False
    if not inside:
        raise _outside(source.address)
    return folder


def _outside(address: str) -> ProofwalkError:
    return invalid(
        "collection.outside_roots",
        f"{address[:200]!r} is no folder under a root that this installation allows",
        hint="the operator allows folders by PROOFWALK_INSPECTION__ROOTS",
    )
