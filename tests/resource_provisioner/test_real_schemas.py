"""The schemas that templates are held to are the real provider's, and every committed
record is of their types.

`real_schema_digests.json` has a digest per type of `terraform providers schema -json`
of aliyun/alicloud 1.246.0 from the registry: names, types, flags, nesting and limits.
A record is checked here without Terraform: names, what may be set, what must be, how
often blocks may stand, and the types of constants. What only a plan tells, as values
that go together, is not.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.holes.guard import committed_templates
from proofwalk.hcl.reading import parse
from proofwalk.hcl.tree import (
    Body,
    Constant,
    Expression,
    Number,
    Object,
    Text,
    Tuple,
)
from proofwalk.resource_provisioner.alicloud_provider import schema

REAL = json.loads((Path(__file__).parent / "real_schema_digests.json").read_text())
NOT_EMBEDDED = {"alicloud_actiontrail_trail"}
META = frozenset({"count", "depends_on", "for_each", "lifecycle", "provider"})


def canonical(block: schema.Block) -> dict[str, Any]:
    return {
        "attributes": {
            name: [one.type, "".join(flag for flag in "rocsd" if flag in one.flags)]
            for name, one in block.attributes.items()
        },
        "blocks": {
            name: [one.nesting, one.least, one.most, canonical(one.block)]
            for name, one in block.blocks.items()
        },
    }


def test_the_embedded_schemas_are_the_real_providers() -> None:
    types = {name for names in schema.types_by_product().values() for name in names}
    assert set(REAL) - types == NOT_EMBEDDED
    for name in types:
        text = json.dumps(canonical(schema.resource_block(name)), sort_keys=True)
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == REAL[name], name


def fits(value: Expression, wanted: Any) -> bool:
    """Whether a constant may be of the type, by Terraform's conversions; what is
    computed may be anything."""
    kind = wanted[0] if isinstance(wanted, list) else wanted
    if isinstance(value, Constant) and value.text == "null":
        return True
    if isinstance(value, Tuple):
        return kind in ("list", "set") and all(fits(one, wanted[1]) for one in value.items)
    if isinstance(value, Object):
        of = wanted[1] if kind == "map" else None
        return kind == "object" or (of is not None and all(fits(v, of) for _, v in value.items))
    if isinstance(value, Number):
        return kind in ("number", "string")
    if isinstance(value, Constant):
        return kind in ("bool", "string")
    if isinstance(value, Text):
        plain = value.plain
        if kind == "string" or plain is None:
            return kind in ("string", "number", "bool")
        return (kind == "bool" and plain in ("true", "false")) or (
            kind == "number" and plain.lstrip("-").replace(".", "", 1).isdigit()
        )
    return True


def complaints(body: Body, known: schema.Block, *, free: frozenset[str]) -> Iterator[str]:
    """What the schema has against a block; `free` are Terraform's own words there."""
    for name, item in body.attributes.items():
        fact = known.attributes.get(name)
        if name in free:
            continue
        if fact is None or not set("ro") & set(fact.flags):
            yield f"{name} cannot be set"
        elif not fits(item.value, fact.type):
            yield f"{name} is no {fact.type}"
    for name, fact in known.attributes.items():
        if "r" in fact.flags and name not in body.attributes:
            yield f"{name} is missing"
    yield from _blocks(body, known, free)


def _blocks(body: Body, known: schema.Block, free: frozenset[str]) -> Iterator[str]:
    generated = {block.labels[0] for block in body.blocks if block.type == "dynamic"}
    counts = Counter(block.type for block in body.blocks)
    for block in body.blocks:
        name, inner = block.type, block.body
        if name == "dynamic":
            name, inner = block.labels[0], block.body.blocks[0].body
        if name in known.blocks:
            yield from complaints(inner, known.blocks[name].block, free=frozenset())
        elif name not in free:
            yield f"{name} is no block"
    for name, nested in known.blocks.items():
        most = 1 if nested.nesting == "single" else nested.most or counts[name]
        if name not in generated and not nested.least <= counts[name] <= most:
            yield f"{counts[name]} blocks {name}"


def objections(template: str) -> list[str]:
    """What the real schemas have against a template's resources."""
    return [
        f"{item.labels[0]}.{item.labels[1]}: {what}"
        for item in parse(template).blocks
        if item.type == "resource" and item.labels[0] in REAL
        for what in complaints(item.body, schema.resource_block(item.labels[0]), free=META)
    ]


def test_every_committed_record_is_of_the_real_types() -> None:
    checked = 0
    for template in committed_templates():
        assert objections(template) == [], template
        checked += template.count('resource "alicloud_')
    assert checked > 1000


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ('vpc_nam = "x"', "vpc_nam cannot be set"),
        ('create_time = "now"', "create_time cannot be set"),
        ('enable_ipv6 = "maybe"', "enable_ipv6 is no bool"),
        ("vpc_name = [1]", "vpc_name is no string"),
        ('tags = ["a"]', "tags is no"),
        ("odd {\n  }", "odd is no block"),
        ("timeouts {\n  }\n  timeouts {\n  }", "2 blocks timeouts"),
    ],
)
def test_what_the_real_schema_refuses_is_found(body: str, what: str) -> None:
    text = f'resource "alicloud_vpc" "main" {{\n  {body}\n}}\n'
    assert any(what in one for one in objections(text)), objections(text)


def test_what_is_required_is_missed() -> None:
    missed = objections('resource "alicloud_db_instance" "main" {\n}\n')
    assert "alicloud_db_instance.main: engine is missing" in missed
