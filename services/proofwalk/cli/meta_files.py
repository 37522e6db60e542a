"""META records as files: a folder of `<id>.meta.yaml` with an index of what is known of
each, and back.

The index (`index.json`) has version, state, purpose and lineage, which a record's own
text does not. It counts for a file only while the file's content is the one that it was
written for. What is there already and was not written by an export is not replaced.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.resource_provisioner.meta import MAX_YAML_BYTES, read_meta

INDEX = "index.json"
ENDING = ".meta.yaml"
_INDEX_BYTES = 16 * 1024 * 1024


class Entry(BaseModel):
    """What an index says of a record."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    digest: str
    version: int
    state: str
    target_kind: str = ""
    product: str = ""
    document_digest: str = ""
    intent: str = ""
    writer: str = ""
    run: str = ""
    provider_version: str = ""


class _Index(BaseModel):
    metas: list[Entry]


@dataclass(frozen=True, kw_only=True)
class RecordFile:
    """A file that is to be a record."""

    path: Path
    entry: Entry | None = None

    def record(self) -> pb.Meta:
        """The record, as it is to be stored. Raises `meta.invalid`,
        `meta.unreadable`."""
        text = _read(self.path, MAX_YAML_BYTES)
        meta = read_meta(text)
        entry = self.entry
        if entry is None or entry.digest != meta.digest:
            return pb.Meta(id=meta.id, yaml=text, digest=meta.digest, state="proposed")
        return pb.Meta(
            id=meta.id,
            yaml=text,
            digest=meta.digest,
            state=entry.state,
            target_kind=entry.target_kind,
            product=entry.product,
            document_digest=entry.document_digest,
            intent=entry.intent,
            lineage=pb.MetaLineage(
                writer=entry.writer, run=entry.run, provider_version=entry.provider_version
            ),
        )


def record_files(paths: Sequence[Path]) -> list[RecordFile]:
    """The files of records that the paths name, folders searched for `*.meta.yaml`.
    Raises `meta.unreadable`, `meta.no_files`."""
    files = [file for path in paths for file in _files_in(path)]
    if not files:
        raise invalid(
            "meta.no_files",
            f"there is no file *{ENDING} in {', '.join(map(str, paths))}",
            hint="name the file itself, whatever it is called",
        )
    return files


def _files_in(path: Path) -> Iterator[RecordFile]:
    if not path.is_dir():
        yield RecordFile(path=path)
        return
    index = path / INDEX
    entries = _entries(index) if index.is_file() else {}
    for file in sorted(path.rglob(f"*{ENDING}")):
        yield RecordFile(path=file, entry=entries.get(file.name.removesuffix(ENDING)))


def _entries(index: Path) -> Mapping[str, Entry]:
    try:
        read = _Index.model_validate_json(_read(index, _INDEX_BYTES))
    except ValidationError:
        raise invalid(
            "meta.bad_index",
            f"{index} is not the index of exported records",
            hint="remove it: records are read without it, too",
        ) from None
    return {entry.id: entry for entry in read.metas}


def export(folder: Path, records: Sequence[pb.Meta]) -> list[Path]:
    """Write the records and their index; the files that changed. Raises `meta.exists`
    before anything is written, `meta.unwritable`."""
    index = folder / INDEX
    before = _entries(index) if index.is_file() else {}
    texts = {folder / f"{record.id}{ENDING}": record.yaml for record in records}
    for path in texts:
        if path.is_symlink() or (path.exists() and path.name.removesuffix(ENDING) not in before):
            raise invalid(
                "meta.exists",
                f"{path} is there, and no export wrote it",
                hint="move it, or name another folder",
            )
    entries = {**before, **{record.id: _entry(record) for record in records}}
    rows = [entries[name].model_dump() for name in sorted(entries)]
    texts[index] = json.dumps({"metas": rows}, ensure_ascii=False, indent=2) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [path for path, text in texts.items() if _write(path, text)]
    except OSError as error:
        raise invalid(
            "meta.unwritable",
            f"{folder} cannot be written to: {error.strerror}",
            hint="name a folder that can be written to",
        ) from None


def _write(path: Path, text: str) -> bool:
    """Whether the file had to be written."""
    content = text.encode()
    if path.is_file() and path.read_bytes() == content:
        return False
    path.write_bytes(content)
    return True


def _entry(record: pb.Meta) -> Entry:
    return Entry(
        id=record.id,
        digest=record.digest,
        version=record.version,
        state=record.state,
        target_kind=record.target_kind,
        product=record.product,
        document_digest=record.document_digest,
        intent=record.intent,
        writer=record.lineage.writer,
        run=record.lineage.run,
        provider_version=record.lineage.provider_version,
    )


def read_text(path: Path) -> str:
    """The text of a record's file. Raises `meta.unreadable`."""
    return _read(path, MAX_YAML_BYTES)


def _read(path: Path, at_most: int) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(at_most + 1)
        if len(content) > at_most:
            raise _unreadable(path, f"it is larger than {at_most} bytes")
        return content.decode()
    except UnicodeDecodeError:
        raise _unreadable(path, "it is not UTF-8") from None
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None


def _unreadable(path: Path, why: str) -> ProofwalkError:
    return invalid(
        "meta.unreadable",
        f"{path} cannot be read as a META record: {why}",
        hint="name a YAML file of at most 128 KiB",
    )
