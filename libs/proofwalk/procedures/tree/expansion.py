"""Includes and variables put in their places, line by line, each line with the file it
comes from.

The forms that documentation systems use: `--8<-- "file"` (MkDocs), `{!file!}`
(markdown-include), `{{#include file}}` (mdBook), `[!INCLUDE [title](file)]` (DocFX,
Microsoft Learn), `{% include file %}` and `{% include_relative file %}` (Jekyll), `{{%
include "file" %}}` (Hugo), `{% data reusables.a.b %}` (GitHub), `.. include:: file`
with its options (reStructuredText), and MDX partials (`import Part from './_part.mdx'`,
`<Part />`).

An include that stands alone on its line brings its lines, indented as it is; one inside
a sentence brings its text. Files outside the tree are not read, cycles and depth are
bounded, and what cannot be put in place stays as written and is told as a `Problem`.
GitBook's `{% hint %}` and MDX's `<Note>` become the callouts that the readers know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from proofwalk.procedures.tree.variables import Variables

MAX_DEPTH = 10
"""How deep includes may nest."""
MAX_LINES = 100_000
"""Most lines of one expanded page."""

_ALONE = (
    re.compile(r"^(?P<indent>\s*)-{1,}8<-{1,}\s+[\"'](?P<path>[^\"']+)[\"']\s*$"),
    re.compile(r"^(?P<indent>\s*)\{!\s*(?P<path>[^!]+?)\s*!\}\s*$"),
    re.compile(r"^(?P<indent>\s*)\{\{#(?:include|rustdoc_include)\s+(?P<path>[^\s}]+)\s*\}\}\s*$"),
    re.compile(
        r"^(?P<indent>\s*)\[!INCLUDE\s*\[[^\]]*\]\((?P<path>[^)\s]+)\)\]\s*$", re.IGNORECASE
    ),
    re.compile(
        r"^(?P<indent>\s*)\{%-?\s*include(?:_relative)?\s+[\"']?(?P<path>[^\s\"'%]+)[\"']?[^%]*%\}\s*$"
    ),
    re.compile(
        r"^(?P<indent>\s*)\{\{[%<]\s*(?:include|readfile|snippet)\s+(?:file=)?[\"'](?P<path>[^\"']+)[\"'][^}]*\}\}\s*$"
    ),
    re.compile(r"^(?P<indent>\s*)\{%-?\s*data\s+(?P<reusable>reusables\.[\w.-]+)\s*-?%\}\s*$"),
)
_WITHIN = (
    re.compile(r"\[!INCLUDE\s*\[[^\]]*\]\((?P<path>[^)\s]+)\)\]", re.IGNORECASE),
    re.compile(r"\{%-?\s*data\s+(?P<reusable>reusables\.[\w.-]+)\s*-?%\}"),
)
_RST = re.compile(r"^(?P<indent>\s*)\.\. include::\s*(?P<path>\S+)\s*$")
_RST_OPTION = re.compile(r"^\s+:(?P<name>[\w-]+):\s*(?P<value>.*?)\s*$")
_IMPORT = re.compile(
    r"^import\s+(?P<name>[A-Z]\w*)\s+from\s+[\"'](?P<path>[^\"']+\.mdx?)[\"'];?\s*$"
)
_COMPONENT = re.compile(r"^(?P<indent>\s*)<(?P<name>[A-Z]\w*)\s*/>\s*$")
_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?P<mark>`{3,}|~{3,})")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HINT = re.compile(r"^(?P<indent>\s*)\{%\s*hint(?:\s+style=[\"'](?P<style>\w+)[\"'])?\s*%\}\s*$")
_END_HINT = re.compile(r"^\s*\{%\s*endhint\s*%\}\s*$")
_BOX = re.compile(
    r"^(?P<indent>\s*)<(?P<end>/?)(?P<name>Note|Tip|Info|Warning|Caution|Important|Danger|Callout|Admonition)(?:\s[^>]*)?>\s*$"
)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Something that could not be expanded in a page. It stays as it was written."""

    code: str
    message: str
    file: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the expanded page, and its source: path in the tree, 1-based line."""

    text: str
    file: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Expansion:
    """A page with includes and variables expanded."""

    lines: tuple[Line, ...]
    included: frozenset[str]
    """Paths of the included files."""
    problems: tuple[Problem, ...]

    @property
    def text(self) -> str:
        """The text of the page as its readers get it."""
        return "".join(f"{line.text}\n" for line in self.lines)

    def origin(self, line: int) -> tuple[str, int]:
        """Return file and line of a 1-based line of `text`; the nearest one for a line
        beyond the end."""
        if not self.lines:
            return "", 1
        nearest = self.lines[min(max(line, 1), len(self.lines)) - 1]
        return nearest.file, nearest.line


Reader = Callable[[str], str | None]
"""Returns the text of a file of the tree by its path, or None. Raises nothing."""


@dataclass
class _Work:
    read: Reader
    variables: Variables
    folders: tuple[str, ...]
    included: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    count: int = 0


def expand(
    path: str, text: str, *, read: Reader, variables: Variables, folders: tuple[str, ...] = ()
) -> Expansion:
    """Return the page at `path` with includes and variables in place. Includes are
    looked for in the page's own folder and in `folders`."""
    work = _Work(read=read, variables=variables, folders=folders)
    lines = tuple(
        _callouts(_lines(path, text.splitlines(), work, (path,), variables.of_page(text)))
    )
    return Expansion(lines=lines, included=frozenset(work.included), problems=tuple(work.problems))


def _lines(
    path: str, source: list[str], work: _Work, trail: tuple[str, ...], variables: Variables
) -> Iterator[Line]:
    parts = {found["name"]: found["path"] for line in source if (found := _IMPORT.match(line))}
    fence = ""
    index = 0
    while index < len(source):
        text, number = source[index], index + 1
        index += 1
        if not _counted(work, path, number):
            return
        mark = _FENCE.match(text)
        if mark and (not fence or text.strip().startswith(fence)):
            fence = "" if fence else mark["mark"]
        include = None if fence and not mark else _include(text, parts)
        if (
            include is None
            and not fence
            and (rst := _RST.match(text))
            and path.endswith((".rst", ".rest", ".txt", ".inc"))
        ):
            options: dict[str, str] = {}
            while index < len(source) and (option := _RST_OPTION.match(source[index])):
                options[option["name"]] = option["value"]
                index += 1
            brought = _brought(path, number, rst["path"], work, trail)
            if brought is not None:
                target, lines = brought
                yield from _indented(
                    _lines(target, _cut(lines, options), work, (*trail, target), variables),
                    rst["indent"],
                    work,
                )
                continue
        if include is not None:
            indent, target_path = include
            brought = _brought(path, number, target_path, work, trail)
            if brought is not None:
                target, lines = brought
                yield from _indented(
                    _lines(target, lines, work, (*trail, target), variables), indent, work
                )
                continue
        if not fence:
            text = _inline(path, number, text, work, trail)
        if _IMPORT.match(text) and path.endswith(".mdx"):
            text = ""
        replaced, unknown = (text, ()) if fence else variables.put(text)
        for name in unknown:
            work.problems.append(
                Problem(
                    code="tree.unknown_variable",
                    message=f"no variable is called {name!r}",
                    file=path,
                    line=number,
                )
            )
        yield Line(text=replaced, file=path, line=number)


def _counted(work: _Work, path: str, number: int) -> bool:
    """Count a line of the page. Return False, with a problem for the first one, if
    there are too many. Lines that only bring others count too: includes of includes
    multiply."""
    work.count += 1
    if work.count <= MAX_LINES:
        return True
    if work.count == MAX_LINES + 1:
        problem = (
            f"the page has more than {MAX_LINES} lines with its includes; the rest is left out"
        )
        work.problems.append(
            Problem(code="tree.page_too_long", message=problem, file=path, line=number)
        )
    return False


def _include(text: str, parts: Mapping[str, str]) -> tuple[str, str] | None:
    """Return indentation and path of an include that has the line to itself."""
    component = _COMPONENT.match(text)
    if component:
        return (
            (component["indent"], parts[component["name"]]) if component["name"] in parts else None
        )
    for form in _ALONE:
        found = form.match(text)
        if found:
            groups = found.groupdict()
            return found["indent"], groups.get("path") or groups["reusable"]
    return None


def _inline(path: str, number: int, text: str, work: _Work, trail: tuple[str, ...]) -> str:
    for form in _WITHIN:
        for found in list(form.finditer(text)):
            groups = found.groupdict()
            brought = _brought(path, number, groups.get("path") or groups["reusable"], work, trail)
            if brought is not None:
                text = text.replace(
                    found.group(), " ".join(line.strip() for line in brought[1] if line.strip())
                )
    return text


def _brought(
    path: str, number: int, wanted: str, work: _Work, trail: tuple[str, ...]
) -> tuple[str, list[str]] | None:
    """Return path and lines of an included file, those of its front matter emptied.
    Return None, and add a problem, if it cannot be included."""

    def refused(code: str, message: str) -> None:
        work.problems.append(Problem(code=code, message=message, file=path, line=number))

    candidates = list(_candidates(path, wanted, work.folders))
    if not candidates:
        refused("tree.include_outside", f"the included file {wanted!r} lies outside the tree")
        return None
    for candidate in candidates:
        text = work.read(candidate)
        if text is None:
            continue
        if candidate in trail:
            refused(
                "tree.include_cycle", f"{candidate} includes itself by way of {' → '.join(trail)}"
            )
            return None
        if len(trail) > MAX_DEPTH:
            refused("tree.include_depth", f"includes nest more than {MAX_DEPTH} deep")
            return None
        work.included.add(candidate)
        matter = _FRONT_MATTER.match(text)
        body = text[matter.end() :] if matter else text
        return candidate, (
            ["" for _ in matter.group().splitlines()] + body.splitlines()
            if matter
            else body.splitlines()
        )
    refused("tree.include_missing", f"the included file {wanted!r} is not in the tree")
    return None


def _candidates(path: str, wanted: str, folders: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths of the tree at which an included file may lie: beside the page,
    in the include folders, at the root."""
    name = wanted.split("#", 1)[0].split(":", 1)[0]
    if name.startswith("reusables."):
        names = [f"data/{name.replace('.', '/')}.md", f"{name.replace('.', '/')}.md"]
    else:
        names = [name.removeprefix("@site/").removeprefix("~/")]
    own = str(PurePosixPath(path).parent)
    if names[0].startswith("/"):
        bases = ["."]
    elif ".." in names[0].split("/"):
        bases = [own]
    else:
        bases = [own, *folders, "."]
    for one in names:
        for base in bases:
            joined = _normal(f"{base}/{one.lstrip('/')}")
            if joined is not None:
                yield joined


def _normal(path: str) -> str | None:
    """Return the path without `.` and `..`; None if it leaves the tree."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _indented(lines: Iterator[Line], indent: str, work: _Work) -> Iterator[Line]:
    for line in lines:
        yield Line(
            text=f"{indent}{line.text}" if line.text.strip() else line.text,
            file=line.file,
            line=line.line,
        )


def _cut(lines: list[str], options: Mapping[str, str]) -> list[str]:
    """Return the part of an included file that docutils' options name. Lines that are
    left out are emptied, so that line numbers stay."""
    first = int(options["start-line"]) if options.get("start-line", "").isdigit() else 0
    last = int(options["end-line"]) if options.get("end-line", "").isdigit() else len(lines)
    if "start-after" in options:
        first = max(
            first,
            next(
                (i + 1 for i, line in enumerate(lines) if options["start-after"] in line),
                len(lines),
            ),
        )
    if "end-before" in options:
        last = min(
            last,
            next(
                (i for i, line in enumerate(lines) if i >= first and options["end-before"] in line),
                len(lines),
            ),
        )
    return [line if first <= index < last else "" for index, line in enumerate(lines)]


def _callouts(lines: Iterator[Line]) -> Iterator[Line]:
    """Rewrite GitBook hints and MDX boxes as `:::` containers, which the Markdown
    reader knows."""
    for line in lines:
        hint, box = _HINT.match(line.text), _BOX.match(line.text)
        text = line.text
        if line.file.endswith((".md", ".mdx", ".markdown")):
            if hint:
                text = f"{hint['indent']}::: {hint['style'] or 'note'}"
            elif _END_HINT.match(text):
                text = f"{text[: len(text) - len(text.lstrip())]}:::"
            elif box:
                text = f"{box['indent']}:::" + ("" if box["end"] else " note")
        yield Line(text=text, file=line.file, line=line.line)
