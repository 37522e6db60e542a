"""Makes the secrets of docker-compose.yml, once: `python3 deploy/compose/credentials.py
[FOLDER]`. Needs nothing but Python.

What is there is kept, so that it can be run before every start: a stored credential
cannot be read without the encryption key that it was stored with, nor a database
without its password. The files can be read by everybody, because a container's user is
nobody on this machine; the folder can be entered by its owner alone.
"""

from __future__ import annotations

import base64
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".proofwalk" / "compose"
_MADE: Mapping[str, Callable[[], str]] = {
    "postgresql-password": lambda: secrets.token_urlsafe(32),
    "redis-password": lambda: secrets.token_urlsafe(32),
    "encryption-key": lambda: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "webhook-key": lambda: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "gateway-api-key": lambda: f"pw_{secrets.token_urlsafe(32)}",
    "devcloud-admin-token": lambda: secrets.token_urlsafe(32),
}
_FOLLOWS: Mapping[str, tuple[str, str]] = {
    "database-url": ("postgresql-password", "postgresql://proofwalk:{}@postgres:5432/proofwalk"),
    "redis-url": ("redis-password", "redis://:{}@redis:6379/0"),
}
"""What is said once more in another form: from which secret, and how."""


def ensure(folder: Path) -> list[str]:
    """Make what is missing; gives its names. A URL always follows its password."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    made = []
    for name, make in _MADE.items():
        if not (folder / name).exists():
            _write(folder / name, make())
            made.append(name)
    for name, (password, form) in _FOLLOWS.items():
        text = form.format((folder / password).read_text(encoding="ascii").strip())
        if not (folder / name).exists() or (folder / name).read_text(encoding="ascii") != text:
            _write(folder / name, text)
            made.append(name)
    return made


def _write(path: Path, text: str) -> None:
    """In one step: a file that is cut off would be a secret that nobody knows."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="ascii")
    draft.chmod(0o644)
    draft.replace(path)


def main() -> None:
    """The command; says what it made, and never what it is."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    made = ensure(folder)
    print(f"{folder}: {', '.join(made)} made" if made else f"{folder}: nothing was missing")


if __name__ == "__main__":
    main()
