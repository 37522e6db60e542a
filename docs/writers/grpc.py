"""The reference of the gRPC contract: services, calls, messages and enums, with their
comments.

`protoc` describes the files with the places of their comments; nothing is parsed here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)
from grpc_tools import protoc  # type: ignore[import-untyped]

from docs.writers.markdown import plain, table
from docs.writers.sources import ROOT
from proofwalk.chassis.rpc.callers import CALLERS

_SCALARS = {
    number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()
}


@cache
def files() -> tuple[FileDescriptorProto, ...]:
    """The contract's files, with comments."""
    proto = ROOT / "proto"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "contract.binpb"
        names = sorted(str(path) for path in proto.rglob("*.proto"))
        google = Path(protoc.__file__).parent / "_proto"
        order = [
            f"-I{proto}",
            f"-I{google}",
            "--include_source_info",
            f"--descriptor_set_out={out}",
            *names,
        ]
        wrong = protoc.main(["protoc", *order])
        if wrong:
            raise RuntimeError("protoc could not read the contract")
        return tuple(FileDescriptorSet.FromString(out.read_bytes()).file)


def page() -> str:
    """The reference."""
    return _HEAD + "".join(part for file in files() for part in _file(file))


_HEAD = """# gRPC

Roles talk to each other by this contract (`proto/`). Each call says whether it is idempotent, its
deadline, its errors, and who may call it where roles have certificates
([security](../security.md#calls-between-roles)).
"""


def _file(file: FileDescriptorProto) -> Iterator[str]:
    comments = {
        tuple(place.path): place.leading_comments for place in file.source_code_info.location
    }
    yield f"\n## {file.package}\n\n{plain(_of_file(file))}\n"
    for number, service in enumerate(file.service):
        yield f"\n### {service.name}\n"
        for at, method in enumerate(service.method):
            streamed = "stream of " if method.server_streaming else ""
            asked = "stream of " if method.client_streaming else ""
            types = (
                f"{asked}`{_short(method.input_type)}` → {streamed}`{_short(method.output_type)}`"
            )
            yield (
                f"\n`{method.name}`\n: {types}\n:"
                f" {plain(comments.get((6, number, 2, at), '')) or 'No comment.'}"
                f"{_callers(f'{file.package}.{service.name}/{method.name}')}\n"
            )
    for number, message in enumerate(file.message_type):
        yield from _message(message, (4, number), comments)
    for number, enum in enumerate(file.enum_type):
        yield _enum(enum, (5, number), comments)


def _callers(method: str) -> str:
    """Who may call it; Terraform's contract has no callers among the roles."""
    if method not in CALLERS:
        return ""
    names = ", ".join(f"`{name}`" for name in sorted(CALLERS[method]))
    return f"\n: Callers: {names or 'nobody'}."


def _of_file(file: FileDescriptorProto) -> str:
    """What stands above `syntax`."""
    for place in file.source_code_info.location:
        if tuple(place.path) == (12,):
            return place.leading_comments or " ".join(place.leading_detached_comments)
    return ""


def _message(
    message: DescriptorProto,
    path: tuple[int, ...],
    comments: dict[tuple[int, ...], str],
    outer: str = "",
) -> Iterator[str]:
    name = f"{outer}{message.name}"
    entries = {one.name: one for one in message.nested_type if one.options.map_entry}
    rows = []
    for at, field in enumerate(message.field):
        comment = comments.get((*path, 2, at), "")
        rows.append((f"`{field.name}`", _type(field, entries), plain(comment)))
    yield f"\n### {name}\n\n{plain(comments.get(path, ''))}\n\n" + (
        table(("field", "type", "meaning"), rows) if rows else "No fields.\n"
    )
    for number, nested in enumerate(message.nested_type):
        if not nested.options.map_entry:
            yield from _message(nested, (*path, 3, number), comments, f"{name}.")
    for number, enum in enumerate(message.enum_type):
        yield _enum(enum, (*path, 4, number), comments, f"{name}.")


def _enum(
    enum: EnumDescriptorProto,
    path: tuple[int, ...],
    comments: dict[tuple[int, ...], str],
    outer: str = "",
) -> str:
    rows = [
        (f"`{value.name}`", str(value.number), plain(comments.get((*path, 2, at), "")))
        for at, value in enumerate(enum.value)
    ]
    return (
        "\n###"
        f" {outer}{enum.name}\n\n{plain(comments.get(path, ''))}\n\n{table(('value', 'number', 'meaning'), rows)}"
    )


def _type(field: FieldDescriptorProto, entries: dict[str, DescriptorProto]) -> str:
    entry = entries.get(_short(field.type_name))
    if entry is not None:
        key, value = (_type(one, {}) for one in entry.field)
        return f"map of {key} to {value}"
    name = f"`{_short(field.type_name) or _SCALARS[field.type]}`"
    return f"list of {name}" if field.label == FieldDescriptorProto.LABEL_REPEATED else name


def _short(name: str) -> str:
    return name.rsplit(".", 1)[-1]
