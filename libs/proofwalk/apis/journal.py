"""What a construction has come to, as files: written before the next stage begins, so
that one which was ended goes on where it was.

A construction is one of its tasks, application and prompts (`key`); another one has a
folder of its own. `requirements.yaml` has the interfaces; `NAME.yaml` the tests of one
function and each code that was tried, with what came of it. What is in a catalogue is
the catalogue's to say; these files are notes, and may be deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.apis import prompts
from proofwalk.apis.model import FunctionTest, Interface, Trial, digest_of
from proofwalk.apis.storage import write_whole
from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml, write_yaml
from proofwalk.kernel.errors import invalid

FOLDER = "construction"
_BOUNDS = YamlBounds(max_bytes=1024 * 1024)
_KEY = 12


class _Node(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Requirements(_Node):
    """The outcome of the first stage."""

    tasks: tuple[str, ...]
    interfaces: tuple[Interface, ...]


class Attempt(_Node):
    """One implementation."""

    code: str
    trials: tuple[Trial, ...] = ()
    """What came of the tests; empty before they were run."""


class Work(_Node):
    """One function on its way."""

    interface: Interface
    tests: tuple[FunctionTest, ...] = ()
    test_rounds: int = 0
    """How often tests were written."""
    attempts: tuple[Attempt, ...] = ()
    """Implementations, oldest first."""


Note = TypeVar("Note", Requirements, Work)


class Journal:
    """The files of one construction. Its methods block."""

    def __init__(self, catalogue: Path, *, tasks: Sequence[str], application: str) -> None:
        self.folder = catalogue / FOLDER / key(tasks, application)

    def requirements(self) -> Requirements | None:
        """What the first stage came to, or None. Raises `apis.journal_unreadable`."""
        return self._read("requirements", Requirements)

    def keep_requirements(self, requirements: Requirements) -> None:
        self._write("requirements", requirements)

    def work(self, interface: Interface) -> Work:
        """How far a function is. Raises `apis.journal_unreadable`."""
        return self._read(f"function-{interface.name}", Work) or Work(interface=interface)

    def keep_work(self, work: Work) -> None:
        self._write(f"function-{work.interface.name}", work)

    def _read(self, name: str, form: type[Note]) -> Note | None:
        path = self.folder / f"{name}.yaml"
        if not path.exists():
            return None
        try:
            return form.model_validate(read_yaml(path.read_text(encoding="utf-8"), _BOUNDS))
        except (ValidationError, YamlRefused, UnicodeDecodeError) as error:
            raise invalid(
                "apis.journal_unreadable",
                f"{path} is no note of a construction: {str(error)[:200]}",
                hint="delete the file: its stage is then done again",
            ) from None

    def _write(self, name: str, note: BaseModel) -> None:
        write_whole(self.folder / f"{name}.yaml", write_yaml(note.model_dump(mode="json")))


def key(tasks: Sequence[str], application: str) -> str:
    """The name of a construction."""
    return digest_of([application, prompts.VERSION, list(tasks)])[:_KEY]
