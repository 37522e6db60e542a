"""Pages of a site as they were fetched last, so that what does not change is not
fetched again.

One file a page, below a folder of its source: a line of JSON with what the server said,
and the body. A cache and nothing else: a file that cannot be read is a page that was
never fetched.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import TypeAdapter, ValidationError

from proofwalk.procedures.fetch import Validators

_MAX_HEAD = 16 * 1024


@dataclass(frozen=True, kw_only=True)
class StoredPage:
    """A page, and what was said of it."""

    url: str
    """The address that answered."""
    media_type: str
    validators: Validators
    changed: str
    """`lastmod` of the sitemap then."""
    fetched_at: float
    """Seconds of the clock."""
    content: bytes = b""

    @property
    def digest(self) -> str:
        """SHA-256 of the body."""
        return hashlib.sha256(self.content).hexdigest()


_HEAD = TypeAdapter(StoredPage)


class WebCache:
    """The pages of one source. Every call blocks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, folder: Path, source: str) -> WebCache:
        """The one of a source, by what tells it apart from others."""
        return cls(folder / hashlib.sha256(source.encode()).hexdigest()[:32])

    def get(self, address: str) -> StoredPage | None:
        """The page that was fetched from an address."""
        try:
            with self._path(address).open("rb") as file:
                head = file.readline(_MAX_HEAD)
                return replace(_HEAD.validate_json(head), content=file.read())
        except (OSError, ValidationError):
            return None

    def put(self, address: str, page: StoredPage) -> None:
        """Keep a page in the place of the one before."""
        self._folder.mkdir(parents=True, exist_ok=True)
        head = _HEAD.dump_json(replace(page, content=b""))
        with NamedTemporaryFile(dir=self._folder, delete=False) as file:
            file.write(head + b"\n" + page.content)
        os.replace(file.name, self._path(address))

    def keep_only(self, addresses: Collection[str]) -> None:
        """Forget every other page."""
        names = {self._path(address).name for address in addresses}
        if not self._folder.is_dir():
            return
        for path in self._folder.iterdir():
            if path.name not in names:
                path.unlink(missing_ok=True)
        if not names:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, address: str) -> Path:
        return self._folder / hashlib.sha256(address.encode()).hexdigest()
