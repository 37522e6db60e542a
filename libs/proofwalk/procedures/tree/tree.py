"""Reads a folder of documentation: its pages in sidebar order, each with its procedures
under ids that stay.

A page is every Markdown, reStructuredText or HTML file that no other page includes,
that no convention marks as a part (`_partials`, `includes/`, `snippets/`, `reusables/`)
and that no build made (`node_modules`, `_build`, hidden folders); collections of Jekyll
have pages (`jekyll`). Its key is the front
matter's `id`, `uid` or `slug`, else its path without ordering numbers, suffix and
`index`; a procedure's id is `key#procedure`, so neither another order nor another page
in between changes it. A page without a procedure, and one that cannot be read, stays in
the tree with its reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.procedures.loading import MAX_BYTES, load
from proofwalk.procedures.model import Document, Procedure
from proofwalk.procedures.tree.expansion import Expansion, Problem, expand
from proofwalk.procedures.tree.jekyll import collections_of
from proofwalk.procedures.tree.sidebar import ordered
from proofwalk.procedures.tree.variables import Variables, collect, front_matter

MAX_FILES = 20_000
MAX_TREE_BYTES = 256 * 1024 * 1024
PAGE_SUFFIXES = frozenset([".md", ".mdx", ".markdown", ".rst", ".rest", ".html", ".htm"])
READ_SUFFIXES = PAGE_SUFFIXES | {".yml", ".yaml", ".json", ".txt", ".inc", ".py"}
_SKIPPED = frozenset(["node_modules", "_build", "__pycache__", "venv", "site-packages", "target"])
_PARTS = frozenset(
    [
        "includes",
        "include",
        "snippets",
        "reusables",
        "partials",
        "_includes",
        "_partials",
        "_data",
        "shared-content",
    ]
)
_NAVIGATION = frozenset(
    [
        "summary.md",
        "_sidebar.md",
        "_navbar.md",
        "toc.md",
        "license.md",
        "changelog.md",
        "contributing.md",
    ]
)
_ORDERING_NUMBER = re.compile(r"^\d+[-_. ]+(?=\D)")
_SLUG = re.compile(r"[^\w./-]+")


@dataclass(frozen=True, kw_only=True)
class Draft:
    """An expanded page that was not parsed yet. `title` is its own, or its path."""

    path: str
    key: str
    title: str
    expansion: Expansion

    def page(self, document: Document) -> Page:
        """Return the page with its parsed document."""
        return Page(
            path=self.path,
            key=self.key,
            title=document.title,
            expansion=self.expansion,
            document=document,
        )

    def refused(self, error: ProofwalkError) -> Page:
        """Return the page with the reason why it was not parsed."""
        return Page(
            path=self.path,
            key=self.key,
            title=self.title,
            expansion=self.expansion,
            document=None,
            error=error,
        )


@dataclass(frozen=True, kw_only=True)
class Drafts:
    """A folder's pages in order, not parsed yet."""

    pages: tuple[Draft, ...]
    order_from: str


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page. `document` can be walked; without one, `error` says why."""

    path: str
    """Path in the tree, with `/`."""
    key: str
    title: str
    expansion: Expansion
    document: Document | None
    error: ProofwalkError | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.expansion.problems

    def procedures(self) -> Iterator[tuple[str, Procedure]]:
        """Yield each procedure with its id in the tree."""
        for procedure in self.document.procedures if self.document is not None else ():
            yield f"{self.key}#{procedure.id}", procedure


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A folder of documentation."""

    root: Path
    pages: tuple[Page, ...]
    order_from: str
    """The file that gave the order: `mkdocs.yml`, `SUMMARY.md`, …; empty for positions
    and names."""

    def find(self, procedure_id: str) -> tuple[Page, Procedure]:
        """Return the page and the procedure with the id `key#procedure`. Raises
        `tree.unknown_procedure`."""
        for page in self.pages:
            for name, procedure in page.procedures():
                if name == procedure_id:
                    return page, procedure
        raise not_found(
            "tree.unknown_procedure",
            f"no page of {self.root} has the procedure {procedure_id!r}",
            hint="`proofwalk procedures FOLDER` lists them",
        )


def read_tree(root: Path) -> Tree:
    """Return the tree below `root`. Raises `tree.not_a_folder`, `tree.empty`,
    `tree.too_large`. The error of one page stays with the page."""
    drafts = read_drafts(root)
    return Tree(
        root=root, pages=tuple(_page(draft) for draft in drafts.pages), order_from=drafts.order_from
    )


def read_drafts(root: Path) -> Drafts:
    """Return the pages below `root`, not parsed yet. Raises as `read_tree` does."""
    if not root.is_dir():
        raise not_found(
            "tree.not_a_folder",
            f"{root} is no folder",
            hint="name the folder that holds the documents",
        )
    files = _files(root)
    # The configuration of a site often lies above its `docs` folder; everything is read
    # once.
    texts = {path: text for path in files if (text := _text(root / path)) is not None}
    variables = collect(texts.items())
    collections = collections_of(texts)
    candidates = {path: text for path, text in texts.items() if _is_page(path, collections)}
    expansions = {
        path: _expanded(path, text, texts, variables) for path, text in candidates.items()
    }
    included = frozenset(part for expansion in expansions.values() for part in expansion.included)
    pages = {path: text for path, text in candidates.items() if path not in included}
    if not pages:
        raise invalid(
            "tree.empty",
            f"{root} holds no page: no Markdown, reStructuredText or HTML file outside include"
            " folders",
            hint="name the folder that holds the documents",
        )
    order, source = ordered(pages, texts.get)
    keys = _keys(pages)
    return Drafts(
        pages=tuple(
            Draft(
                path=path,
                key=keys[path],
                title=str(front_matter(pages[path]).get("title") or path),
                expansion=expansions[path],
            )
            for path in order
        ),
        order_from=source,
    )


def _files(root: Path) -> list[str]:
    files: list[str] = []
    size = 0
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED
        )
        for name in sorted(names):
            path = Path(folder) / name
            if (
                path.suffix.lower() not in READ_SUFFIXES
                or name.startswith(".")
                or path.is_symlink()
            ):
                continue
            size += path.stat().st_size
            files.append(path.relative_to(root).as_posix())
            if len(files) > MAX_FILES or size > MAX_TREE_BYTES:
                raise invalid(
                    "tree.too_large",
                    f"{root} has more than {MAX_FILES} files or {MAX_TREE_BYTES >> 20} MiB of text",
                    hint="name a folder further down",
                )
    return files


def _text(path: Path) -> str | None:
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError):
        return None


def _is_page(path: str, collections: frozenset[str]) -> bool:
    parts = path.split("/")
    name = parts[-1]
    if Path(name).suffix.lower() not in PAGE_SUFFIXES or name.lower() in _NAVIGATION:
        return False
    own = name.startswith("_") and not name.startswith("_index.")
    return not own and not any(
        part in _PARTS or (part.startswith("_") and "/".join(parts[: at + 1]) not in collections)
        for at, part in enumerate(parts[:-1])
    )


def _expanded(path: str, text: str, texts: dict[str, str], variables: Variables) -> Expansion:
    folders = (
        "includes",
        "_includes",
        "snippets",
        "docs",
        "docs/snippets",
        "docs/includes",
        "content",
        "src",
    )
    if path.endswith((".html", ".htm")):
        # A built page has everything in it; braces in it are its own.
        return expand(path, text, read=lambda _: None, variables=Variables())
    return expand(path, text, read=texts.get, variables=variables, folders=folders)


def _page(draft: Draft) -> Page:
    try:
        return draft.page(load(draft.path, draft.expansion.text.encode()))
    except ProofwalkError as error:
        return draft.refused(error)


def _keys(pages: dict[str, str]) -> dict[str, str]:
    """Return a key per page. If two pages had the same key, each has its whole path."""
    short = {path: _key(path, text) for path, text in pages.items()}
    counts: dict[str, int] = {}
    for key in short.values():
        counts[key] = counts.get(key, 0) + 1
    return {path: key if counts[key] == 1 else path for path, key in short.items()}


def _key(path: str, text: str) -> str:
    fields = front_matter(text)
    parts = [_ORDERING_NUMBER.sub("", part) for part in path.rpartition(".")[0].split("/")]
    for name in ("uid", "slug", "id"):
        value = fields.get(name)
        if isinstance(value, str) and value.strip("/ "):
            # Docusaurus' ids count within their folder; a slug that starts with `/`
            # counts from the root.
            whole = (
                value
                if name == "uid" or value.startswith("/") or "/" in value
                else "/".join((*parts[:-1], value))
            )
            return _SLUG.sub("-", whole.strip("/ ").lower())
    if parts[-1].lower() in ("index", "readme", "_index"):
        parts = parts[:-1] or ["index"]
    return _SLUG.sub("-", "/".join(parts).lower())
