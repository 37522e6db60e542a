"""The labelled sets, where they are, and how often each was looked at item by item.

`real` is the development set of real documentation. It does not belong to the project:
it is read from the folder that `PROOFWALK_READINGS` names, else from
`../shared/data/readings` beside the repository, and is absent where that folder is.
`own` and `own_frozen` lie beside this module. Nothing shows an item of `own_frozen`: it
has no place in `SHOWN`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from benchmarks.readings.labels import Item, read_items
from benchmarks.record import ROOT

HERE = Path(__file__).resolve().parent
VARIABLE = "PROOFWALK_READINGS"
SHOWN = ("real", "own")
"""The sets whose items may be printed."""
FROZEN = "own_frozen"
LOOKS = HERE / "looks.json"
"""How often each shown set was printed; committed with the rules that came of it."""


def folder(environment: Mapping[str, str] = os.environ, root: Path = ROOT) -> Path:
    """Where the sets of real sentences are looked for; it need not be there."""
    given = environment.get(VARIABLE)
    return Path(given) if given else root.parent / "shared" / "data" / "readings"


def path_of(name: str) -> Path:
    """The file of a set."""
    return folder() / "development.jsonl" if name == "real" else HERE / f"{name}.jsonl"


def items_of(name: str) -> tuple[Item, ...] | None:
    """The items of a set; None where its file is absent."""
    path = path_of(name)
    return read_items(path) if path.is_file() else None


def digest(name: str) -> str:
    """The SHA-256 of a set's file, its first 16 digits."""
    return hashlib.sha256(path_of(name).read_bytes()).hexdigest()[:16]


def looks(name: str) -> int:
    """How often the items of a set were printed."""
    if not LOOKS.is_file():
        return 0
    counted: dict[str, int] = json.loads(LOOKS.read_text(encoding="utf-8"))
    return counted.get(name, 0)


def look(name: str) -> None:
    """Count a look at the items of a shown set."""
    if name not in SHOWN:
        raise ValueError(f"the items of {name} are never looked at")
    counted = {shown: looks(shown) for shown in SHOWN}
    counted[name] += 1
    LOOKS.write_text(json.dumps(counted, indent=2) + "\n", encoding="utf-8")
