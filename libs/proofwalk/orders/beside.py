"""What an order reads from files beside a document: META record, rule, script.

`stop.md` brings along `stop.meta.yaml`, `stop.rule.yaml` and, for the policy that plays
it, `stop.script.yaml`. Which options are read from files say their flags
(`orders.order.Flag.reads_file`). Used by the command line for documents of its own
machine, and by the inspection role for those of the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from proofwalk.kernel.errors import invalid
from proofwalk.orders.order import Order, flag_of


def texts_for(
    order: Order,
    document: Path | None,
    *,
    named: Mapping[str, Path] | None = None,
    links: bool = True,
) -> dict[str, str]:
    """The options of an order that files hold: those that are `named`, else those that
    lie beside `document`, links left out unless `links`. Raises
    `<option>.unreadable`, `<option>.not_text`."""
    texts: dict[str, str] = {}
    for option, field in Order.model_fields.items():
        flag = flag_of(field)
        if not flag.reads_file:
            continue
        path = (named or {}).get(option)
        if path is None and document is not None and flag.only_for_policy in ("", order.policy):
            path = _beside(document, option, links)
        if path is not None:
            texts[option] = read_text(path, option)
    return texts


def read_text(path: Path, what: str) -> str:
    """The text of a file. Raises `<what>.unreadable`, `<what>.not_text`."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise invalid(
            f"{what}.unreadable", f"{path} cannot be read: {error.strerror}", hint="check the path"
        ) from error
    except UnicodeDecodeError as error:
        raise invalid(
            f"{what}.not_text",
            f"{path} is not UTF-8 text",
            hint="convert it, or check that it is a document",
        ) from error


def _beside(document: Path, kind: str, links: bool) -> Path | None:
    path = document.with_name(f"{document.stem}.{kind}.yaml")
    return path if path.is_file() and (links or not path.is_symlink()) else None
