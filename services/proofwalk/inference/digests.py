"""A folder's digest: SHA-256 of what `sha256sum` writes of its files, sorted by path.

cd FOLDER && find . -type f -printf '%P\\n' | LC_ALL=C sort | xargs -d '\\n' sha256sum |
sha256sum
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from proofwalk.inference.domain import bad_weights, weights_not_found


def digest_of(folder: Path) -> str:
    """Hexadecimal. Blocks. Raises `inference.weights_not_found`,
    `inference.bad_weights`."""
    if not folder.is_dir():
        raise weights_not_found(folder)
    lines = []
    try:
        for path in sorted(
            (path for path in folder.rglob("*") if path.is_file()),
            key=lambda path: path.relative_to(folder).as_posix(),
        ):
            with path.open("rb") as file:
                lines.append(
                    f"{hashlib.file_digest(file, 'sha256').hexdigest()} "
                    f" {path.relative_to(folder).as_posix()}\n"
                )
    except OSError as error:
        raise bad_weights(folder, f"{type(error).__name__}: {error.strerror}") from error
    return hashlib.sha256("".join(lines).encode()).hexdigest()
