"""Suites on disk.

    suites/<suite>/suite.yaml                                  id, version, seed, tasks: one line each, with its digest
    suites/<suite>/tasks/<product>/<task>.md|.rst|.html        the document
                                   <task>.meta.yaml .rule.yaml .script.yaml
                                   <task>.scenario.yaml        only where the session is not a plain English one
                                   <task>.events.json          only where a passing episode was recorded

A task that was evolved from another one has its origin in its line. A document's folder
works with `proofwalk verify` as it is. The index is the truth about
which tasks there are: a file that is missing or differs from its digest is an error
(`suite.damaged`), and so is a stray one. A suite whose index is committed without files
(`train`) is `suite.not_written` until they are made. Reading and writing block: a
service calls them in a thread.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.suites import recording
from proofwalk.suites.model import (
    SUFFIXES,
    Defect,
    Difficulty,
    Entry,
    Hardness,
    Origin,
    Scenario,
    Suite,
    Task,
    UnitUse,
    entry_of,
)

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_MEDIA_TYPES = {suffix: media_type for media_type, suffix in SUFFIXES.items()}
_SIDE_FILES = ("meta.yaml", "rule.yaml", "script.yaml", "scenario.yaml", "events.json")
_NAME = r"^[a-z0-9][a-z0-9-]{0,99}$"
_DIGEST = r"^[0-9a-f]{64}$"


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Expected(_Node):
    kind: str = Field(min_length=1)
    sentence: str = Field(min_length=1)
    line: int = Field(ge=1)
    path: str = ""


class _Unit(_Node):
    unit: str = Field(min_length=1)
    roles: dict[str, str] = {}


class _Origin(_Node):
    parent: str = Field(pattern=_NAME)
    digest: str = Field(pattern=_DIGEST)
    changes: tuple[str, ...]
    chain: tuple[_Unit, ...] = Field(min_length=1)


class _Line(_Node):
    id: str = Field(pattern=_NAME)
    family: str = Field(min_length=1)
    product: str = Field(pattern=_NAME)
    difficulty: Difficulty
    because: tuple[Hardness, ...] = ()
    language: str
    document: str
    digest: str = Field(pattern=_DIGEST)
    expected: _Expected | None = None
    origin: _Origin | None = None

    @field_validator("document")
    @classmethod
    def _a_document(cls, value: str) -> str:
        if "/" in value or value.rpartition(".")[2] not in _MEDIA_TYPES:
            raise ValueError(f"{value!r} is no file name that ends in {', '.join(_MEDIA_TYPES)}")
        return value


class _Index(_Node):
    id: str = Field(pattern=_NAME)
    version: int = Field(ge=1)
    seed: int
    tasks: tuple[_Line, ...]


class _ScenarioFile(_Node):
    language: str = "en"
    patches: tuple[dict[str, Any], ...] = ()


def load_index(folder: Path) -> tuple[str, int, int, tuple[Entry, ...]]:
    """Id, version, seed and entries of a suite, without its tasks. Raises
    `suite.unknown`, `suite.damaged`."""
    path = folder / "suite.yaml"
    if not path.is_file():
        raise not_found(
            "suite.unknown",
            f"{folder} holds no suite: there is no suite.yaml",
            hint="name a folder under suites/",
        )
    try:
        index = _Index.model_validate(yaml.load(_text(path), Loader=_LOADER))  # noqa: S506  # both are safe loaders
    except yaml.YAMLError as error:
        raise _damaged(
            path, f"it is not YAML: {getattr(error, 'problem', None) or error}"
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _damaged(path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    entries = tuple(map(_entry, index.tasks))
    ids = [entry.id for entry in entries]
    if len(set(ids)) != len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise _damaged(path, f"the task {twice} is listed twice")
    return index.id, index.version, index.seed, entries


def _entry(line: _Line) -> Entry:
    evolved = line.origin
    members = {
        **dict(line),
        "expected": None if line.expected is None else Defect(**dict(line.expected)),
    }
    if evolved is not None:
        members["origin"] = Origin(
            parent=evolved.parent, parent_digest=evolved.digest, changes=evolved.changes
        )
        members["chain"] = tuple(UnitUse(**dict(one)) for one in evolved.chain)
    return Entry(**members)


def load_suite(folder: Path) -> Suite:
    """The suite with all its tasks. Raises `suite.unknown`, `suite.damaged`,
    `suite.not_written`, `suite.recording_invalid`."""
    suite_id, version, seed, entries = load_index(folder)
    if entries and not (folder / "tasks").is_dir():
        raise not_found(
            "suite.not_written",
            f"the suite {suite_id} has an index and no files: it is made on demand",
            hint=f"run: proofwalk suites write {suite_id}",
        )
    tasks = tuple(_load(folder, suite_id, entry) for entry in entries)
    expected = {path for task in tasks for path in _files(task)}
    stray = sorted(
        path for path in _present(folder) - expected if not path.endswith(".events.json")
    )
    if stray:
        raise _damaged(folder / "tasks" / stray[0], "no task of the index owns this file")
    return Suite(id=suite_id, version=version, seed=seed, tasks=tasks)


def _load(folder: Path, suite_id: str, entry: Entry) -> Task:
    place = folder / "tasks" / entry.product
    base = entry.document.rpartition(".")[0]
    scenario = _scenario(place / f"{base}.scenario.yaml")
    events = place / f"{base}.events.json"
    task = Task(
        id=entry.id,
        suite=suite_id,
        family=entry.family,
        product=entry.product,
        difficulty=entry.difficulty,
        because=entry.because,
        language=entry.language,
        document_name=entry.document,
        media_type=_MEDIA_TYPES[entry.document.rpartition(".")[2]],
        document=_text(place / entry.document),
        meta_yaml=_text(place / f"{base}.meta.yaml"),
        rule_yaml=_text(place / f"{base}.rule.yaml"),
        script_yaml=_text(place / f"{base}.script.yaml"),
        scenario=scenario,
        expected=entry.expected,
        recording=(
            recording.from_json(_text(events), name=str(events)) if events.is_file() else None
        ),
        chain=entry.chain,
        origin=entry.origin,
    )
    if task.digest != entry.digest:
        raise _damaged(
            place / entry.document, "the task's files are not those that the index was written for"
        )
    return task


def _scenario(path: Path) -> Scenario | None:
    if not path.is_file():
        return None
    try:
        read = _ScenarioFile.model_validate(yaml.load(_text(path), Loader=_LOADER))  # noqa: S506  # both are safe loaders
    except (yaml.YAMLError, ValidationError) as error:
        raise _damaged(path, f"it is no scenario: {error}") from None
    return Scenario(language=read.language, patches=read.patches)


def _files(task: Task) -> Mapping[str, str]:
    """Paths below `tasks/` and their texts."""
    base = f"{task.product}/{task.document_name.rpartition('.')[0]}"
    files = {
        f"{task.product}/{task.document_name}": task.document,
        f"{base}.meta.yaml": task.meta_yaml,
        f"{base}.rule.yaml": task.rule_yaml,
        f"{base}.script.yaml": task.script_yaml,
    }
    if task.scenario is not None:
        members: dict[str, Any] = {"language": task.scenario.language}
        if task.scenario.patches:
            members["patches"] = [dict(patch) for patch in task.scenario.patches]
        files[f"{base}.scenario.yaml"] = dump(members)
    if task.recording is not None:
        files[f"{base}.events.json"] = recording.to_json(task.recording)
    return files


def _present(folder: Path) -> set[str]:
    root = folder / "tasks"
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def index_text(suite: Suite) -> str:
    """The text of `suite.yaml`."""
    lines = []
    for task in suite.tasks:
        entry = entry_of(task)
        line: dict[str, Any] = {
            "id": entry.id,
            "family": entry.family,
            "product": entry.product,
            "difficulty": str(entry.difficulty),
        }
        if entry.because:
            line["because"] = [str(reason) for reason in entry.because]
        line |= {"language": entry.language, "document": entry.document, "digest": entry.digest}
        if entry.expected is not None:
            found = entry.expected
            line["expected"] = {"kind": found.kind, "line": found.line, "sentence": found.sentence}
            line["expected"] |= {"path": found.path} if found.path else {}
        if entry.origin is not None:
            line["origin"] = {
                "parent": entry.origin.parent,
                "digest": entry.origin.parent_digest,
                "changes": list(entry.origin.changes),
                "chain": [{"unit": one.unit, "roles": dict(one.roles)} for one in entry.chain],
            }
        lines.append(line)
    head = dump({"id": suite.id, "version": suite.version, "seed": suite.seed})
    return head + "tasks:\n" + "".join(f"- {_flow(line)}\n" for line in lines)


def suite_files(suite: Suite) -> dict[str, str]:
    """Every file of the suite by its path inside the suite's folder."""
    files = {"suite.yaml": index_text(suite)}
    for task in suite.tasks:
        files |= {f"tasks/{path}": text for path, text in _files(task).items()}
    return files


def write_suite(suite: Suite, folder: Path, *, index_only: bool = False) -> None:
    """Write the suite. Tasks that are no longer in it lose their files; the recording
    of a task that did not change stays."""
    former = (
        {entry.id: entry for entry in load_index(folder)[3]}
        if (folder / "suite.yaml").is_file()
        else {}
    )
    files = {"suite.yaml": index_text(suite)} if index_only else suite_files(suite)
    kept = {
        f"tasks/{task.product}/{task.document_name.rpartition('.')[0]}.events.json"
        for task in suite.tasks
        if _same(task, former)
    }
    if not index_only and (folder / "tasks").is_dir():
        for path in _present(folder):
            if f"tasks/{path}" not in files and f"tasks/{path}" not in kept:
                (folder / "tasks" / path).unlink()
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != text.encode():
            partial = target.with_name(f".{target.name}.partial")
            partial.write_bytes(text.encode())
            os.replace(partial, target)


def _same(task: Task, former: Mapping[str, Entry]) -> bool:
    return task.id in former and former[task.id].digest == task.digest


def write_recording(folder: Path, task: Task, made: recording.Recording) -> Path:
    """Keep a passing episode of the task beside its files."""
    path = folder / "tasks" / task.product / f"{task.document_name.rpartition('.')[0]}.events.json"
    path.write_text(recording.to_json(made), encoding="utf-8")
    return path


class _Dumper(_DUMPER):  # type: ignore[misc,valid-type]
    """Writes what is wrapped in `OneLine` on one line."""


class OneLine:
    """A value that YAML writes on one line."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _one_line(dumper: Any, wrapped: OneLine) -> Any:
    node = dumper.represent_data(wrapped.value)
    node.flow_style = True
    return node


_Dumper.add_representer(OneLine, _one_line)


def dump(value: Any) -> str:
    """YAML as all files of a suite are written."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=150))


class BlockText(str):
    """A text that `dump_record` writes as a block."""


def dump_record(record: Mapping[str, object]) -> str:
    """A META record with its HCL as a block, which is how people write it."""
    parts = []
    for key, value in record.items():
        if isinstance(value, BlockText):
            lines = value.rstrip("\n").split("\n")
            parts.append(f"{key}: |\n" + "".join(f"  {one}\n" if one else "\n" for one in lines))
        else:
            parts.append(dump({key: value}))
    return "".join(parts)


def _flow(value: Any) -> str:
    return str(
        yaml.dump(
            value,
            Dumper=_DUMPER,
            sort_keys=False,
            allow_unicode=True,
            width=100_000,
            default_flow_style=True,
        )
    ).strip()


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        raise _damaged(path, "the file is missing") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(path, f"it cannot be read: {error}") from None


def _damaged(path: Path, why: str) -> ProofwalkError:
    return invalid(
        "suite.damaged",
        f"{path}: {why}",
        hint="restore the files or generate the suite again: make suites",
        details={"path": str(path)},
    )
