"""Where the examples lie: the demo's documents, and a target for a console of one's
own.

They are one set of files, `examples/` of the repository. A wheel carries them as data
of this package (`pyproject.toml`, the wheel's `sources`); a working copy has them in
its root.
"""

from __future__ import annotations

from pathlib import Path

from proofwalk.kernel.errors import ProofwalkError, Status

_PACKAGED = Path(__file__).with_name("example_files")
_IN_REPOSITORY = Path(__file__).resolve().parents[3] / "examples"


def example_files() -> Path:
    """The folder with `docs` and `targets`; raises `examples.missing`."""
    for folder in (_PACKAGED, _IN_REPOSITORY):
        if (folder / "docs" / "index.yaml").is_file():
            return folder
    raise ProofwalkError(
        "examples.missing",
        "this installation has no example documents",
        status=Status.FAILED_PRECONDITION,
        hint="images leave them out; use `pip install` or a clone of the repository",
    )
