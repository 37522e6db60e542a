"""`make bench-guides`: how many procedures of real guides the literal policy
understands whole, before any walk.

Each argument is a guide, `NAME=FOLDER`: documentation that lies somewhere, and is read
where it is. `--unseen NAME` says that no form was written with that guide at hand. A
procedure counts if a person would do it in a console: two sub-steps or more, at least
three in five of them with a gesture or a control, no code block and no word of a
terminal. It is understood whole if no sentence of it would stop a walk
(`policies.literal.readability`). Whether what was understood is right, `bench-readings`
says. Figures of each guide, and of the seen and the unseen ones: `procedures`, the
share `whole` of them and the share `stuck` of their sub-steps, with 95 % intervals.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import record
from proofwalk.agent.policies.literal.readability import Readability, readability
from proofwalk.chassis.readers import Readers
from proofwalk.procedures.model import BlockKind, Procedure
from proofwalk.procedures.tree.confined import TreeReader

_CONTROL = re.compile(
    r"\b(?:click|choose|select|navigate|open the|tab|button|dialog|menu|check ?box|field|"
    r"drop-?down|toggle)\b",
    re.I,
)
_TERMINAL = re.compile(
    r"\b(?:command|terminal|curl|kubectl|cli|powershell|ssh|yaml|json|code|function|import)\b",
    re.I,
)
_OF_CONTROLS = 0.6
"""Share of the sub-steps that name a gesture or a control."""


@dataclass(frozen=True, kw_only=True)
class Guide:
    """Documentation in a folder."""

    name: str
    folder: Path
    unseen: bool


def is_done_in_a_console(procedure: Procedure) -> bool:
    """True for a procedure that counts."""
    texts = [substep.text for substep in procedure.substeps]
    named = sum(_CONTROL.search(text) is not None for text in texts)
    if len(texts) < 2 or named < max(2, _OF_CONTROLS * len(texts)):
        return False
    blocks = (block for substep in procedure.substeps for block in substep.blocks)
    return not any(_TERMINAL.search(text) for text in texts) and not any(
        block.kind is BlockKind.CODE for block in blocks
    )


async def readings_of(guide: Guide, readers: Readers) -> list[Readability]:
    """Read every procedure of a guide that counts."""
    tree = await TreeReader(reading=readers).tree(guide.folder)
    return [
        readability(procedure)
        for page in tree.pages
        for _, procedure in page.procedures()
        if is_done_in_a_console(procedure)
    ]


def figures_of(readings: Sequence[Readability]) -> dict[str, Any]:
    """The shares of one guide, or of several."""
    substeps = sum(one.substeps for one in readings)
    return {
        "procedures": len(readings),
        "whole": record.share(sum(one.whole for one in readings), len(readings)),
        "substeps": substeps,
        "stuck": record.share(sum(one.stuck for one in readings), substeps),
    }


def guides_of(named: Sequence[str], unseen: Sequence[str]) -> Iterator[Guide]:
    """Yield the guides that the arguments name. Raises `ValueError` for others."""
    for one in named:
        name, sign, folder = one.partition("=")
        if not sign or not Path(folder).is_dir():
            raise ValueError(f"{one}: say NAME=FOLDER, with a folder that is there")
        yield Guide(name=name, folder=Path(folder), unseen=name in unseen)


async def measured(guides: Sequence[Guide]) -> dict[str, Any]:
    """The figures of all guides."""
    readings: dict[str, list[Readability]] = {}
    async with Readers() as readers:
        for guide in guides:
            readings[guide.name] = await readings_of(guide, readers)
            shares = figures_of(readings[guide.name])
            print(f"{guide.name}: {shares['whole']['count']} of {shares['procedures']} whole")
    groups = {
        "unseen": [one for guide in guides if guide.unseen for one in readings[guide.name]],
        "seen": [one for guide in guides if not guide.unseen for one in readings[guide.name]],
    }
    return {
        **{name: figures_of(group) for name, group in groups.items()},
        "by_guide": {
            guide.name: {"unseen": guide.unseen, **figures_of(readings[guide.name])}
            for guide in guides
        },
    }


def run(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guides")
    parser.add_argument("guides", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--unseen", action="append", default=[], metavar="NAME")
    options = parser.parse_args(arguments)
    try:
        guides = list(guides_of(options.guides, options.unseen))
    except ValueError as error:
        parser.error(str(error))
    figures = asyncio.run(measured(guides))
    n = sum(part["procedures"] for part in figures["by_guide"].values())
    content = {**asyncio.run(record.head("guides", n=n)), "figures": figures}
    print(f"Written: {record.write('guides', content).relative_to(record.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(run())
