"""References in declarative files: `${env:NAME}`, `${env:NAME:-default}` and
`${file:path}`.

A file that people copy, commit and mail must not hold a secret or an address of this
machine, so it refers to them. `resolve` replaces references anywhere inside strings of
a parsed document. The environment is an argument, and a file's path is relative to the
folder of the document. A reference that leads nowhere is an error that names the
reference, never its value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_REFERENCE = re.compile(r"\$\{(env|file):([^}]{0,1000})\}")
MAX_SECRET_BYTES = 64 * 1024
"""Most bytes of a secret, which is a key or a token. A larger file is a mistake."""


class UnresolvedReference(ValueError):
    """A reference that leads nowhere. The message says which one and why, and holds no
    value."""


@dataclass(frozen=True, kw_only=True)
class References:
    """Resolves the references of one document."""

    environment: Mapping[str, str]
    folder: Path

    def resolve(self, document: object) -> object:
        """Return a copy of `document` with every reference inside its strings replaced.
        Raises `UnresolvedReference`."""
        if isinstance(document, str):
            return _REFERENCE.sub(self._replace, document)
        if isinstance(document, Mapping):
            return {key: self.resolve(value) for key, value in document.items()}
        if isinstance(document, list):
            return [self.resolve(value) for value in document]
        return document

    def _replace(self, match: re.Match[str]) -> str:
        kind, argument = match.groups()
        return self._variable(argument) if kind == "env" else self._file(argument)

    def _variable(self, argument: str) -> str:
        name, separator, default = argument.partition(":-")
        value = self.environment.get(name, "")
        if value:
            return value
        if separator:
            return default
        raise UnresolvedReference(f"the environment variable {name} is not set")

    def _file(self, argument: str) -> str:
        path = Path(argument).expanduser()
        path = path if path.is_absolute() else self.folder / path
        try:
            content = path.read_bytes()
            if len(content) > MAX_SECRET_BYTES:
                raise UnresolvedReference(
                    f"the file {path} is larger than {MAX_SECRET_BYTES} bytes"
                )
            return content.decode("utf-8").strip()
        except OSError as error:
            raise UnresolvedReference(f"the file {path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UnresolvedReference(f"the file {path} is not UTF-8 text") from None
