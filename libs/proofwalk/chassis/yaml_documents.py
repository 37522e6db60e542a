"""YAML that somebody else wrote: rules, META, scripts, targets. Bounded before anything
is built from it.

The text is first read as a stream of events, which keeps nothing. Too many bytes or
nodes, too deep a nesting, an anchor or an alias end the reading there: 429 bytes of
aliases would otherwise become gigabytes. Only then the safe loader builds plain values
from it. There is one loader, so that no format of ours has looser bounds than another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

MAX_DIGITS = 100
"""Characters of a number."""
_LONG_NUMBER = re.compile(rf"[-+]?[0-9][0-9a-fA-FxXoO_.:]{{{MAX_DIGITS},}}\Z")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, kw_only=True)
class YamlBounds:
    """How large a text may be, in bytes, nodes (scalars, lists, mappings) and levels of
    nesting."""

    max_bytes: int = 128 * 1024
    max_nodes: int = 20_000
    max_depth: int = 32


class YamlRefused(ValueError):
    """Why a text is not read. `where` is `line 3`, or empty for the whole."""

    def __init__(self, what: str, *, where: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.where = where


def read_yaml(text: str, bounds: YamlBounds = YamlBounds()) -> Any:
    """The one document that `text` holds, as plain values; None for an empty text.
    Raises `YamlRefused`."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > bounds.max_bytes:
        raise YamlRefused(f"it has {size} bytes; at most {bounds.max_bytes} are read")
    try:
        _check(text, bounds)
        return yaml.load(text, Loader=_LOADER)  # noqa: S506  # a safe loader, see above
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise YamlRefused(f"it is not YAML: {problem}", where=where) from None
    except RecursionError:
        raise YamlRefused("it is nested too deeply") from None
    except (ValueError, OverflowError) as error:
        if isinstance(error, YamlRefused):
            raise
        raise YamlRefused(f"it holds a value that cannot be read: {error}") from None


def _check(text: str, bounds: YamlBounds) -> None:
    depth = nodes = 0
    for event in yaml.parse(text, Loader=_LOADER):
        where = f"line {event.start_mark.line + 1}" if event.start_mark is not None else ""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise YamlRefused(
                "anchors and aliases (&name, *name) are not read: write the value out", where=where
            )
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            depth += 1
            if depth > bounds.max_depth:
                raise YamlRefused(
                    f"it is nested deeper than {bounds.max_depth} levels", where=where
                )
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            depth -= 1
            continue
        elif not isinstance(event, yaml.ScalarEvent):
            continue
        if (
            isinstance(event, yaml.ScalarEvent)
            and event.implicit[0]
            and _LONG_NUMBER.match(event.value)
        ):
            # Python and YAML read such numbers in more than linear time, and write some
            # of them not at all.
            raise YamlRefused(
                f"it holds a number of more than {MAX_DIGITS} characters: quote it", where=where
            )
        nodes += 1
        if nodes > bounds.max_nodes:
            raise YamlRefused(f"it has more than {bounds.max_nodes} values", where=where)


class _PlainDumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def write_yaml(value: object, *, width: int = 150) -> str:
    """The value as YAML that `read_yaml` takes: what stands in it twice is written
    twice, without anchors."""
    return str(
        yaml.dump(value, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=width)
    )
