"""The folder of a static bundle, written so that whoever reads it meanwhile finds whole
files and an index whose pages are there.

`manifest.json` has the rows of the index and the digest of every file. It makes a
folder ours: a folder that has something in it and no manifest is refused. A further run
adds and replaces: pictures and assets are named by their digests, pages are replaced
one by one, then the index, then the manifest; files that nothing names any longer go
last. Every replacement is a rename.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.cli.bundle_pages import ASSETS, PAGES, PICTURES, Row, index_page, page_of
from proofwalk.kernel.errors import conflict

MANIFEST = "manifest.json"
_FORMAT = "proofwalk-bundle/1"
_OWN = ("bundle.css", "bundle.js")


class FileFacts(BaseModel):
    """A file of a bundle."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    size: int

    @classmethod
    def of(cls, content: bytes) -> Self:
        """The facts of a content."""
        return cls(sha256=hashlib.sha256(content).hexdigest(), size=len(content))


class PageFacts(BaseModel):
    """A verification of a bundle: its row, and the files that its page names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    row: Row
    names: tuple[str, ...]


class Manifest(BaseModel):
    """What a bundle holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: str = _FORMAT
    made_at: str = ""
    verifications: tuple[PageFacts, ...] = ()
    files: Mapping[str, FileFacts] = {}


@dataclass(frozen=True, kw_only=True)
class Page:
    """A verification to put into a bundle."""

    row: Row
    html: str
    files: Mapping[str, bytes]


class BundleFolder:
    """A folder that is a bundle, or becomes one. Calls block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self) -> Manifest:
        """What the folder holds; an empty or missing one becomes a bundle. Raises
        `bundle.foreign_folder`."""
        path = self._folder / MANIFEST
        if not path.exists() and not (self._folder.is_dir() and any(self._folder.iterdir())):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._put(MANIFEST, _encoded(Manifest()))
        try:
            manifest = Manifest.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            manifest = Manifest(format="")
        if manifest.format != _FORMAT:
            raise conflict(
                "bundle.foreign_folder",
                f"{self._folder} has something in it that is no bundle of Proofwalk",
                hint="name a folder that is empty, or is a bundle already",
            )
        return manifest

    def add(self, page: Page) -> PageFacts:
        """Write a verification's page and the files that it names."""
        for name, content in page.files.items():
            if not (self._folder / name).exists():
                self._put(name, content)
        self._put(page_of(page.row), page.html.encode())
        return PageFacts(row=page.row, names=tuple(sorted(page.files)))

    def close(self, before: Manifest, added: Sequence[PageFacts], *, made_at: str) -> Manifest:
        """Write the index over what was there and what was added, and forget what
        nothing names."""
        pages = {one.row.verification_id: one for one in (*before.verifications, *added)}
        for name in _OWN:
            self._put(f"{ASSETS}/{name}", Path(__file__).with_name(name).read_bytes())
        rows = [one.row for one in pages.values()]
        self._put("index.html", index_page(rows, made_at=made_at).encode())
        names = {"index.html", *(f"{ASSETS}/{name}" for name in _OWN)}
        names |= {page_of(row) for row in rows}
        names |= {name for one in pages.values() for name in one.names}
        manifest = Manifest(
            made_at=made_at,
            verifications=tuple(pages.values()),
            files={
                name: FileFacts.of((self._folder / name).read_bytes()) for name in sorted(names)
            },
        )
        self._put(MANIFEST, _encoded(manifest))
        for folder in (PICTURES, ASSETS, PAGES):
            for path in (self._folder / folder).glob("*"):
                if f"{folder}/{path.name}" not in names:
                    path.unlink()
        return manifest

    def _put(self, name: str, content: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            file.write(content)
            os.fchmod(file.fileno(), 0o644)
        os.replace(file.name, path)


def _encoded(manifest: Manifest) -> bytes:
    return json.dumps(manifest.model_dump(), ensure_ascii=False, indent=1).encode() + b"\n"
