"""`proofwalk init`: a folder of one's own to begin with.

`--target devcloud` writes a target of the embedded cloud, a first document, its META
and its rule; `proofwalk verify` in that folder walks it at once. `--target generic`
writes the commented target of a console of one's own, and its list of accounts. Nothing
that exists is written over: then nothing is written at all.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from proofwalk.cli import output
from proofwalk.cli.examples import example_files
from proofwalk.cli.running import run
from proofwalk.kernel.errors import invalid

_STARTER = Path(__file__).with_name("starter")
_DOCUMENT = "create-a-vswitch"


class Kind(StrEnum):
    """Which target a folder begins with."""

    DEVCLOUD = "devcloud"
    GENERIC = "generic"


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a new folder gets, and what is done with it."""

    files: Mapping[str, Path]
    """Sources by their place in the folder."""
    meaning: Mapping[str, str]
    """A word about each file."""
    next: str
    """Told after the folder's name."""


def init_command(
    folder: Annotated[
        Path, typer.Argument(help="Where to write; made if it is not there.")
    ] = Path(),
    target: Annotated[
        Kind,
        typer.Option(
            help="devcloud: the embedded cloud, works at once; generic: a console of your own."
        ),
    ] = Kind.DEVCLOUD,
) -> None:
    """Write a target, a document, its META and a rule into a folder of yours."""

    async def work() -> None:
        start = begin(folder, target)
        width = max(map(len, start.meaning))
        output.say(f"Written into {folder}:")
        for name, meaning in start.meaning.items():
            output.say(f"  {name:<{width}}  {meaning}")
        inside = "" if folder.resolve() == Path.cwd() else f"  cd {shlex.quote(str(folder))}\n"
        output.say(f"Next:\n{inside}{start.next}")

    run(work())


def begin(folder: Path, kind: Kind) -> Start:
    """Write the files. Raises `init.exists` before anything is written, and
    `init.unwritable`."""
    start = _embedded() if kind is Kind.DEVCLOUD else _generic()
    there = [
        name for name in start.files if (folder / name).exists() or (folder / name).is_symlink()
    ]
    if there:
        raise invalid(
            "init.exists",
            f"{', '.join(there)} in {folder} would be written over",
            hint="name another folder: proofwalk init FOLDER; or move what is there",
        )
    try:
        for name, source in start.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(source.read_bytes())
    except OSError as error:
        raise invalid(
            "init.unwritable",
            f"{folder} cannot be written into: {error.strerror}",
            hint="name a folder that can be written to: proofwalk init FOLDER",
        ) from None
    return start


def _embedded() -> Start:
    meaning = {
        "targets/devcloud.yaml": "the console: its address, the way in, what answers for its cloud",
        f"{_DOCUMENT}.md": "a document",
        f"{_DOCUMENT}.meta.yaml": "what has to exist before it is walked",
        f"{_DOCUMENT}.rule.yaml": "what the audit log must show afterwards",
    }
    target, *others = meaning
    return Start(
        files={
            target: Path(str(resources.files("proofwalk.cloud"))) / target,
            **{name: _STARTER / name for name in others},
        },
        meaning=meaning,
        next=f"  proofwalk verify {_DOCUMENT}.md --report report",
    )


def _generic() -> Start:
    meaning = {
        "targets/shop.yaml": "the console: address, way in, audit log; commented part by part",
        "targets/shop-accounts.yaml": "who may sign in; passwords lie in files of their own",
    }
    examples = example_files()
    return Start(
        files={name: examples / name for name in meaning},
        meaning=meaning,
        next=(
            "  change both to what your console is; write the passwords into targets/secrets/\n"
            "  proofwalk verify YOUR-DOCUMENT.md --target shop --report report"
        ),
    )
