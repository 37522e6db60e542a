"""Messages that no well-meaning caller sends, for any request of the contract.

Every field has, beside what its type allows, what breaks programs: numbers at the ends
of their range, NaN, times of no calendar, words of no release, texts that are paths,
documents or nothing that prints. `messages` makes whole messages of such fields;
`mutated` puts a few into one that is good, so that calls get further than their first
check.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

PRINCIPAL = "ann"
_DEEPEST = 4
_TEXTS = (
    "",
    " ",
    "\x00",
    "\u202e\ufeff",
    "a" * 5000,
    "../../etc/passwd",
    "/dev/stdin",
    "' OR 1=1 --",
    "%s%n{0}${env:HOME}",
    "http://127.0.0.1:1/",
    "http://[::1",
    "file:///etc/passwd",
    "[1, 2",
    "{}",
    "null",
    "NaN",
    "a: &a [*a, *a]",
    "id: x\nversion: 1\nall: [{event: A, where: [[request.x, matches, '(a+)+$']]}]",
    'id: x\ndescription: y\ncreate: |\n  resource "a" "b" {\n',
    "policy:\n  - [" + "[" * 200,
    "* * * * *",
    "0 0 31 2 *",
    "2026-11-28T00:00:00Z",
    "1\n2",
)
_LIKELY: Mapping[str, tuple[str, ...]] = {
    "principal": (PRINCIPAL,),
    "target": ("devcloud",),
    "document": ("# Stop\n\n1. Click **Stop**.\n",),
    "name": ("stop.md",),
    "policy": ("literal", "scripted", "llm"),
    "lease_id": ("lease_1",),
    "request_id": ("r_1",),
    "verification_id": ("ver_1",),
    "collection_id": ("col_1",),
    "url": ("https://example.com/hook",),
    "events": ("finding.opened",),
    "kind": ("folder", "git", "site", "sitemap", "trajectory"),
    "state": ("open", "queued"),
    "act": ("accept", "reject", "comment"),
}
_BITS = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
}


def messages(about: Descriptor, *, depth: int = 0) -> st.SearchStrategy[Message]:
    """Messages of this form, each field there or not."""
    fields = {} if depth > _DEEPEST else {field.name: field for field in about.fields}
    made = {name: _field(field, depth) for name, field in fields.items()}
    # Without a caller every answer would be the same.
    sure = {name: one for name, one in made.items() if name in ("caller", "principal")}
    rest = {name: one for name, one in made.items() if name not in sure}
    form: Any = GetMessageClass(about)
    return st.fixed_dictionaries(sure, optional=rest).map(lambda given: form(**given))


def mutated(good: Message) -> st.SearchStrategy[Message]:
    """Messages that differ from a good one in at most two fields."""
    about: Any = good.DESCRIPTOR  # typed as either of two classes that are one
    made = {field.name: _changed(field, good) for field in about.fields}
    names = (
        st.lists(st.sampled_from(sorted(made)), max_size=2, unique=True) if made else st.just([])
    )

    def with_fields(given: Mapping[str, Any]) -> Message:
        changed: Any = type(good)()
        changed.CopyFrom(good)
        for name in given:
            changed.ClearField(name)
        changed.MergeFrom(type(good)(**given))
        return changed  # type: ignore[no-any-return]

    return names.flatmap(
        lambda chosen: st.fixed_dictionaries({name: made[name] for name in chosen})
    ).map(with_fields)


def _changed(field: FieldDescriptor, good: Message) -> st.SearchStrategy[Any]:
    if field.message_type is None or field.is_repeated or not good.HasField(field.name):
        return _field(field, 0)
    return st.one_of(mutated(getattr(good, field.name)), _field(field, 0))


def _field(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        key, value = (message.fields_by_name[name] for name in ("key", "value"))
        return st.dictionaries(_one(key, depth), _one(value, depth), max_size=3)
    return st.lists(_one(field, depth), max_size=3) if field.is_repeated else _one(field, depth)


def _one(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        return messages(field.message_type, depth=depth + 1)
    if field.enum_type is not None:
        return st.sampled_from([*(value.number for value in field.enum_type.values), 999, -1])
    if field.type in _BITS:
        least, most = _BITS[field.type]
        ends = st.sampled_from([0, 1, least, most, 2**31 - 1])
        return st.one_of(ends, st.integers(least, most))
    if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
        return st.floats(width=64 if field.type == FieldDescriptor.TYPE_DOUBLE else 32)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return st.booleans()
    if field.type == FieldDescriptor.TYPE_BYTES:
        return st.one_of(st.sampled_from([b"", b"\xff\xfe\x00", b"\x1f\x8b"]), st.binary())
    likely = _LIKELY.get(field.name, ())
    if field.name == "principal":
        return st.sampled_from(likely)
    return st.one_of(st.sampled_from([*likely * 8, *_TEXTS]), st.text(max_size=40))
