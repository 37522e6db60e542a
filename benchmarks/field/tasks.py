"""Makes tasks of a console's procedures: the document with the procedure that stands at
the lines named, META, rule, and for each planted change the document with that change.

A document that differs from the one that the procedure was written for is refused, as
its lines would mean others (`field.other_document`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.field.process import base
from benchmarks.field.suite import FieldConsole, Planted, Procedure
from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.procedures import loading
from proofwalk.procedures.model import Document, Sentence
from proofwalk.suites.model import Difficulty, Task

SUITE = "field"
_DOCUMENTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "field-docs"


@dataclass(frozen=True, kw_only=True)
class FieldTask:
    """A walk to be made: of a procedure as it is, or with a planted change."""

    console: FieldConsole
    procedure: Procedure
    planted: Planted | None
    task: Task
    sentences: tuple[Sentence, ...]
    """Those of the procedure that was found; none where the document reader finds no
    procedure at the lines."""

    @property
    def is_frozen(self) -> bool:
        return self.console.is_frozen(self.procedure)

    @property
    def wrong_lines(self) -> tuple[int, ...]:
        """The lines that are not true of the console."""
        own = tuple(one.line for one in self.procedure.defects)
        return own if self.planted is None else (*own, self.planted.line)

    def says(self, line: int, wrong: int) -> bool:
        """Whether a finding at `line` is about the line `wrong`: the same one, or that
        of a sentence which goes on there."""
        return line == wrong or any(
            one.span.line == line and line <= wrong <= one.span.end_line for one in self.sentences
        )


def documents_folder(console: str) -> Path:
    """Where a console's documentation lies: what its installation brought along, else
    below the folder of all consoles'."""
    installed = base() / console / "docs"
    if installed.is_dir():
        return installed
    return Path(os.environ.get("PROOFWALK_FIELD_DOCS") or _DOCUMENTS) / console


def tasks_of(console: FieldConsole, *, planted: bool = True) -> Iterator[FieldTask]:
    """Every walk of a console, in the order of its file. Raises `field.*`."""
    for procedure in console.procedures:
        text = _text(console, procedure)
        yield _task(console, procedure, text, None)
        for change in procedure.planted if planted else ():
            yield _task(console, procedure, _changed(console, procedure, text, change), change)


def _text(console: FieldConsole, procedure: Procedure) -> str:
    path = documents_folder(console.console) / procedure.document
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise not_found(
            "field.no_document",
            f"{path} cannot be read: {error.strerror}",
            hint="PROOFWALK_FIELD_DOCS names the folder of the consoles' documentation",
        ) from None
    if not hashlib.sha256(raw).hexdigest().startswith(procedure.sha256):
        raise invalid(
            "field.other_document",
            f"{path} is not the document that {procedure.id} was written for",
            hint=f"it is at {console.documents.commit} of {console.documents.source}",
        )
    return raw.decode("utf-8")


def _changed(console: FieldConsole, procedure: Procedure, text: str, change: Planted) -> str:
    lines = text.splitlines(keepends=True)
    line = lines[change.line - 1] if change.line <= len(lines) else ""
    if line.count(change.label) != 1:
        raise invalid(
            "field.invalid",
            f"{console.console}/{procedure.id}: line {change.line} has {change.label!r}"
            f" {line.count(change.label)} times, not once",
        )
    lines[change.line - 1] = line.replace(change.label, change.instead)
    return "".join(lines)


def _task(
    console: FieldConsole, procedure: Procedure, text: str, planted: Planted | None
) -> FieldTask:
    name = procedure.document
    document = _read(name, text)
    chosen = _standing_at(document, procedure.lines) if document is not None else ("", ())
    suffix = f"-planted-{procedure.planted.index(planted) + 1}" if planted is not None else ""
    return FieldTask(
        console=console,
        procedure=procedure,
        planted=planted,
        sentences=chosen[1],
        task=Task(
            id=f"{console.console}-{procedure.id}{suffix}",
            suite=SUITE,
            family=procedure.id,
            product=console.console,
            difficulty=Difficulty.STANDARD,
            document_name=Path(name).name,
            media_type="",
            document=text,
            procedure_id=chosen[0],
            meta_yaml=yaml_of(procedure.meta),
            rule_yaml=yaml_of(procedure.rule),
            script_yaml="",
        ),
    )


def _read(name: str, text: str) -> Document | None:
    """The document; None when the reader finds no procedure in it at all."""
    try:
        return loading.load(Path(name).name, text.encode())
    except ProofwalkError as error:
        if error.code == "document.no_procedure":
            return None
        raise


def _standing_at(document: Document, lines: tuple[int, int]) -> tuple[str, tuple[Sentence, ...]]:
    """Id and sentences of the procedure that shares most lines with these."""
    best, most = None, 0
    for procedure in document.procedures:
        shared = min(procedure.span.end_line, lines[1]) - max(procedure.span.line, lines[0]) + 1
        if shared > most:
            best, most = procedure, shared
    if best is None:
        return "", ()
    return best.id, tuple(one for substep in best.substeps for one in substep.sentences)


def yaml_of(members: object) -> str:
    """META or a rule as the text that roles read; empty for none."""
    return yaml.safe_dump(members, allow_unicode=True, sort_keys=False) if members else ""
