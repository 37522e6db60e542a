"""Variables of a documentation tree: where systems keep them, and how a text names
them.

Kept in: `extra:` of `mkdocs.yml`, `_config.yml` (Jekyll), YAML and JSON files under
`_data/` or `variables/` or named `variables.*`, `rst_prolog`/`rst_epilog` of Sphinx's
`conf.py`, and a page's own front matter. Named as: `{{ name }}`, `{{ a.b }}`, `{{
site.a }}`, `{{ page.a }}`, `{{ site.data.file.key }}`, `{% data variables.file.key %}`,
`{{< var name >}}`, `[!VAR name]`, and `|name|` in reStructuredText. A name that nothing
defines stays as written and is reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import yaml

_USE = re.compile(
    r"\{\{-?\s*(?P<plain>[A-Za-z_][\w.-]*)\s*-?\}\}"
    r"|\{%-?\s*data\s+(?P<data>variables\.[\w.-]+)\s*-?%\}"
    r"|\{\{[<%]\s*(?:var|param)\s+[\"']?(?P<short>[\w.-]+)[\"']?\s*[>%]\}\}"
    r"|\[!VAR\s+(?P<docfx>[\w.-]+)\]"
)
_SUBSTITUTION = re.compile(r"^\.\. \|(?P<name>[^|]+)\| replace:: (?P<value>.+?)\s*$", re.MULTILINE)
_PROLOG = re.compile(
    r"^rst_(?:prolog|epilog)\s*=\s*[rf]?(?P<quote>\"\"\"|'''|\"|')(?P<text>.*?)(?P=quote)",
    re.MULTILINE | re.DOTALL,
)
_RST_USE = re.compile(r"\|(?P<name>[^|\s][^|]{0,60}?)\|(?!\w)")
_FRONT_MATTER = re.compile(r"\A---\n(?P<text>.*?)\n---\n", re.DOTALL)
MAX_YAML = 1_000_000
"""Most characters of a YAML text."""
MAX_VALUES = 100_000
"""Most values of a YAML text, with each alias written out."""
MAX_VALUE = 2000
"""Most characters of a value. A longer one is text, which belongs into an include."""


class LenientLoader(yaml.SafeLoader):
    """Loads YAML of other people's tools. An unknown tag (`!ENV`, `!!python/name:…`)
    gives its plain value or nothing, and runs nothing."""


def _plain(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return node.value
    return loader.construct_sequence(node) if isinstance(node, yaml.SequenceNode) else None


LenientLoader.add_multi_constructor("!", _plain)
LenientLoader.add_multi_constructor("tag:yaml.org,2002:python/", _plain)


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML text; None if it is not YAML, or is too large with its
    aliases written out.

    Configurations of sites use anchors for good reasons, so aliases are allowed here,
    unlike in what callers send.
    """
    if len(text) > MAX_YAML:
        return None
    try:
        loader = LenientLoader(text)
        try:
            node = loader.get_single_node()
            if node is None or _values(node, {}) > MAX_VALUES:
                return None
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return None


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """Count the values of a node with its aliases written out. A node that contains
    itself counts as more than allowed."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in known:
        known[id(node)] = MAX_VALUES + 1  # while it is counted, it holds itself
        below = (
            [part for pair in node.value for part in pair]
            if isinstance(node, yaml.MappingNode)
            else node.value
        )
        known[id(node)] = 1 + sum(_values(part, known) for part in below)
    return known[id(node)]


def front_matter(text: str) -> Mapping[str, Any]:
    """Return a page's front matter; empty without one."""
    found = _FRONT_MATTER.match(text)
    value = parse_yaml(found["text"]) if found else None
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Variables:
    """Values by dotted name."""

    values: Mapping[str, str] = field(default_factory=dict)
    substitutions: Mapping[str, str] = field(default_factory=dict)
    """Substitutions of reStructuredText from Sphinx's configuration. docutils handles a
    page's own."""

    def of_page(self, text: str) -> Variables:
        """Return these variables, overridden by the page's front matter."""
        own = dict(_flat(front_matter(text)))
        if not own:
            return self
        return Variables(
            {**self.values, **own, **{f"page.{name}": value for name, value in own.items()}},
            self.substitutions,
        )

    def put(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the text with values in place of names, and the names that nothing
        defines."""
        unknown: list[str] = []

        def value(found: re.Match[str]) -> str:
            name = next(group for group in found.groups() if group)
            known = self.values.get(name)
            if known is None:
                unknown.append(name)
            return found.group() if known is None else known

        replaced = _USE.sub(value, text) if "{" in text or "[!VAR" in text else text
        if self.substitutions and "|" in replaced:
            replaced = _RST_USE.sub(
                lambda found: self.substitutions.get(found["name"], found.group()), replaced
            )
        return replaced, tuple(unknown)


def collect(files: Iterable[tuple[str, str]]) -> Variables:
    """Return the variables that a tree's files define; `files` are (path, text)."""
    values: dict[str, str] = {}
    substitutions: dict[str, str] = {}
    for path, text in files:
        name = PurePosixPath(path)
        if name.name in ("mkdocs.yml", "mkdocs.yaml"):
            config = parse_yaml(text)
            extra = config.get("extra") if isinstance(config, dict) else None
            values.update(
                {k: v for key, v in _flat(extra) for k, v in ((key, v), (f"config.extra.{key}", v))}
            )
            if isinstance(config, dict) and isinstance(config.get("site_name"), str):
                values["config.site_name"] = config["site_name"]
        elif name.name in ("_config.yml", "_config.yaml"):
            values.update({f"site.{key}": value for key, value in _flat(parse_yaml(text))})
        elif name.name == "conf.py":
            for found in _PROLOG.finditer(text):
                substitutions.update(
                    {each["name"]: each["value"] for each in _SUBSTITUTION.finditer(found["text"])}
                )
        elif name.suffix in (".yml", ".yaml", ".json"):
            values.update(_data(name, text))
    return Variables(values, substitutions)


def _data(name: PurePosixPath, text: str) -> dict[str, str]:
    parts = name.parts
    content = _json(text) if name.suffix == ".json" else parse_yaml(text)
    if name.stem in ("variables", "_variables"):
        return {key: value for key, value in _flat(content)} | {
            f"variables.{key}": value for key, value in _flat(content)
        }
    if "_data" in parts:
        inner = ".".join((*parts[parts.index("_data") + 1 : -1], name.stem))
        return {f"site.data.{inner}.{key}": value for key, value in _flat(content)}
    if "variables" in parts[:-1]:
        inner = ".".join((*parts[parts.index("variables") + 1 : -1], name.stem))
        return {f"variables.{inner}.{key}": value for key, value in _flat(content)}
    return {}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _flat(value: Any, prefix: str = "", depth: int = 0) -> Iterable[tuple[str, str]]:
    if not isinstance(value, dict) or depth > 8:
        return
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, dict):
            yield from _flat(inner, f"{name}.", depth + 1)
        elif (
            isinstance(inner, (str, int, float))
            and not isinstance(inner, bool)
            and len(str(inner)) <= MAX_VALUE
        ):
            yield name, str(inner)
