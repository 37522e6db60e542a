"""The order in which readers meet the pages: what the sidebar of each documentation
system says.

Known, the first that is there wins: `nav` of `mkdocs.yml`; `SUMMARY.md` (mdBook,
GitBook); `toc.yml` (DocFX, nested files followed); `sidebars.json` (Docusaurus; a
`sidebars.js` is a program and not read); the `toctree` of an `index.rst` (Sphinx,
followed from page to page); the `<nav>` of an `index.html`. Pages that the sidebar does
not name follow, folder by folder: by `sidebar_position`, `weight`, `nav_order` or
`order` of the front matter or of a folder's `_category_.json`, then by name, numbers
counted as numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from proofwalk.procedures.tree.expansion import Reader
from proofwalk.procedures.tree.variables import front_matter, parse_yaml

_LINK = re.compile(r"\[[^\]]*\]\(\s*<?(?P<path>[^)\s>]+)>?\s*\)")
_TOCTREE = re.compile(r"^(?P<indent>\s*)\.\. toctree::\s*$")
_TITLED = re.compile(r"^.*<(?P<path>[^<>]+)>\s*$")
_NUMBERS = re.compile(r"(\d+)")
_POSITIONS = ("sidebar_position", "weight", "nav_order", "order")
_SUFFIXES = (
    "",
    ".md",
    ".mdx",
    ".rst",
    ".markdown",
    ".html",
    "/index.md",
    "/index.mdx",
    "/index.rst",
    "/README.md",
    "/index.html",
)
MAX_ENTRIES = 20_000


def ordered(pages: Mapping[str, str], read: Reader) -> tuple[tuple[str, ...], str]:
    """Return the pages (path → text) in reading order, and the name of the file that
    gave it (`mkdocs.yml`, …; empty: names and positions alone)."""
    for source, entries in (
        ("mkdocs.yml", _mkdocs),
        ("SUMMARY.md", _summary),
        ("toc.yml", _docfx),
        ("sidebars.json", _docusaurus),
        ("index.rst", _sphinx),
        ("index.html", _site),
    ):
        named = list(
            dict.fromkeys(found for entry in entries(read) if (found := _page(entry, pages)))
        )
        if named:
            rest = [path for path in _by_position(pages, read) if path not in set(named)]
            return (*named, *rest), source
    return tuple(_by_position(pages, read)), ""


def _page(entry: str, pages: Mapping[str, str]) -> str | None:
    """Return the page that an entry means, or None. The suffix and a `docs` or `src`
    folder may be missing."""
    path = unquote(urlsplit(entry).path).strip("/") if "://" not in entry else ""
    for base in ("", "docs/", "src/", "source/"):
        for suffix in _SUFFIXES:
            candidate = f"{base}{path}{suffix}" if path else ""
            if candidate in pages:
                return candidate
    return None


def _mkdocs(read: Reader) -> Iterator[str]:
    config = parse_yaml(read("mkdocs.yml") or read("mkdocs.yaml") or "")
    if isinstance(config, dict):
        yield from _leaves(config.get("nav"))


def _leaves(node: Any, depth: int = 0) -> Iterator[str]:
    if depth > 20:
        return
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for each in node:
            yield from _leaves(each, depth + 1)
    elif isinstance(node, dict):
        for each in node.values():
            yield from _leaves(each, depth + 1)


def _summary(read: Reader) -> Iterator[str]:
    for base in ("", "src/", "docs/"):
        text = read(f"{base}SUMMARY.md")
        if text is not None:
            yield from (f"{base}{found['path']}" for found in _LINK.finditer(text))


def _docfx(read: Reader, path: str = "toc.yml", trail: tuple[str, ...] = ()) -> Iterator[str]:
    if path in trail or len(trail) > 10:
        return
    content = parse_yaml(read(path) or "")
    folder = str(PurePosixPath(path).parent)
    pending = content.get("items", []) if isinstance(content, dict) else content
    yield from _docfx_items(read, pending, folder, (*trail, path))


def _docfx_items(read: Reader, items: Any, folder: str, trail: tuple[str, ...]) -> Iterator[str]:
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            continue
        for key in ("href", "topicHref", "tocHref"):
            target = item.get(key)
            if not isinstance(target, str) or "://" in target:
                continue
            joined = str(PurePosixPath(folder) / target.split("#", 1)[0].split("?", 1)[0])
            if joined.endswith(("toc.yml", "toc.yaml", "/")):
                yield from _docfx(
                    read, joined.rstrip("/") + ("/toc.yml" if joined.endswith("/") else ""), trail
                )
            else:
                yield joined
        yield from _docfx_items(read, item.get("items"), folder, trail)


def _docusaurus(read: Reader) -> Iterator[str]:
    try:
        content = json.loads(read("sidebars.json") or "null")
    except (ValueError, RecursionError):
        return
    yield from _docusaurus_items(content)


def _docusaurus_items(node: Any, depth: int = 0) -> Iterator[str]:
    if depth > 20:
        return
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for each in node:
            yield from _docusaurus_items(each, depth + 1)
    elif isinstance(node, dict):
        if isinstance(node.get("id"), str) and node.get("type") in (None, "doc", "ref"):
            yield node["id"]
            return
        link = node.get("link")
        if isinstance(link, dict) and isinstance(link.get("id"), str):
            yield link["id"]
        inner = (
            node["items"]
            if "items" in node
            else [v for k, v in node.items() if k not in ("type", "label", "link", "href")]
        )
        yield from _docusaurus_items(inner, depth + 1)


def _sphinx(read: Reader) -> Iterator[str]:
    for base in ("", "docs/", "source/", "doc/"):
        if read(f"{base}index.rst") is not None:
            yield from _toctree(read, f"{base}index", {f"{base}index"})
            return


def _toctree(read: Reader, page: str, seen: set[str]) -> Iterator[str]:
    yield page
    text = read(f"{page}.rst")
    if text is None:
        return
    folder, inside = PurePosixPath(page).parent, -1
    for line in text.splitlines():
        found = _TOCTREE.match(line)
        if found:
            inside = len(found["indent"])
            continue
        if inside < 0 or not line.strip():
            continue
        if len(line) - len(line.lstrip()) <= inside:
            inside = -1
            continue
        entry = line.strip()
        if entry.startswith(":"):
            continue
        titled = _TITLED.match(entry)
        name = (titled["path"] if titled else entry).removesuffix(".rst").removesuffix(".md")
        target = str(folder / name) if not name.startswith("/") else name.lstrip("/")
        if target not in seen and len(seen) < MAX_ENTRIES:
            seen.add(target)
            yield from _toctree(read, target, seen)


def _site(read: Reader) -> Iterator[str]:
    text = read("index.html")
    if text is None:
        return
    for link in LexborHTMLParser(text).css("nav a[href]"):
        yield link.attributes.get("href") or ""


def _by_position(pages: Mapping[str, str], read: Reader) -> list[str]:
    positions = {path: _position(front_matter(text)) for path, text in pages.items()}

    def key(path: str) -> list[tuple[float, list[tuple[int, int, str]]]]:
        parts = path.split("/")
        steps: list[tuple[float, list[tuple[int, int, str]]]] = []
        for depth, name in enumerate(parts[:-1]):
            steps.append((_folder_position("/".join(parts[: depth + 1]), read), _natural(name)))
        # A folder's own page comes before what lies in the folder.
        own = parts[-1].rpartition(".")[0].lower() in ("index", "readme", "_index")
        steps.append((-1.0 if own else positions[path], _natural(parts[-1])))
        return steps

    return sorted(pages, key=key)


def _position(fields: Mapping[str, Any]) -> float:
    for name in _POSITIONS:
        value = fields.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    return float("inf")


def _folder_position(folder: str, read: Reader) -> float:
    for name in ("_category_.json", "_category_.yml", "_category_.yaml"):
        value = parse_yaml(read(f"{folder}/{name}") or "")  # JSON is YAML
        if isinstance(value, dict) and isinstance(value.get("position"), (int, float)):
            return float(value["position"])
    for name in ("_index.md", "index.md", "README.md"):
        text = read(f"{folder}/{name}")
        if text is not None:
            return _position(front_matter(text))
    return float("inf")


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts `2-b` before `10-a`."""
    pieces: Iterable[str] = (piece for piece in _NUMBERS.split(name.lower()) if piece)
    return [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in pieces]
