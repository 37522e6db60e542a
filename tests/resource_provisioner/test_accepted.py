"""What people write is accepted, for what it is and not for how it is named or ordered:
the templates of `accepted.yaml`, those of the shipped catalogue, and what is written
from documents.

A heredoc is none of them: Terraform ends one where a reader may not, so it is refused
and lines are joined. So are a `count` that is no number and a `validation` of a
variable that nobody sets."""

from __future__ import annotations

import asyncio
import os
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.holes.terraform_readings import REFUSED, Pair, Terraform, find_terraform
from proofwalk.authoring.records import draft, needs_of
from proofwalk.authoring.resources import World
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.hcl.reading import parse
from proofwalk.hcl.tree import Block, Body
from proofwalk.platform.devcloud_world import devcloud_world
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.resource_provisioner import guard
from proofwalk.resource_provisioner.alicloud_provider import schema
from proofwalk.resource_provisioner.alicloud_provider.servicer import LOOKUPS
from proofwalk.resource_provisioner.alicloud_warm import WarmProviders
from proofwalk.resource_provisioner.allowed_types import BUILT_IN, RESOURCE_TYPES
from proofwalk.resource_provisioner.meta import read_kept
from proofwalk.resource_provisioner.terraform_json import written
from tests.resource_provisioner.hostile import GOOD

ACCEPTED: dict[str, str] = yaml.safe_load(
    (Path(__file__).parent / "accepted.yaml").read_text(encoding="utf-8")
)
CATALOGUE = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["meta"]["create"]
    for path in Path("services/proofwalk/resource_provisioner/catalog").glob("*.yaml")
}
DOCUMENTS = [
    path
    for path in sorted(Path("examples/docs").iterdir())
    if path.suffix in (".md", ".rst", ".html") and path.name != "09-ecs-create-disk.rst"
]
"""All but one that needs nothing."""
CREDENTIALS = {
    "ALICLOUD_ACCESS_KEY": "none",
    "ALICLOUD_SECRET_KEY": "none",
    "ALICLOUD_REGION": "cn-hangzhou",
    "ALICLOUD_ENDPOINT_URL": "http://127.0.0.1:9",
}
"""Of no cloud: plans of resources ask the provider alone."""
WRITTEN = {**GOOD, **ACCEPTED, **CATALOGUE}


@pytest.mark.parametrize("name", [*ACCEPTED, *CATALOGUE])
def test_what_people_write_is_accepted_with_all_that_it_declares(name: str) -> None:
    template = guard.inspect(WRITTEN[name])
    text = WRITTEN[name]
    assert len(template.resources) == len(re.findall(r"^resource ", text, re.MULTILINE))
    assert len(template.outputs) == len(re.findall(r"^output ", text, re.MULTILINE))


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_names_only_what_the_provider_has(name: str) -> None:
    """So that it is what a user could apply, and not only what the guard lets pass."""
    lookups = {lookup.type_name: lookup.block for lookup in LOOKUPS}
    for block in parse(ACCEPTED[name]).blocks:
        if block.type == "resource" and block.labels[0] != BUILT_IN:
            _all_declared(block.body, schema.resource_block(block.labels[0]), block.labels[0])
        elif block.type == "data":
            _all_declared(block.body, lookups[block.labels[0]], block.labels[0])


@pytest.mark.terraform
@pytest.mark.timeout(240)
async def test_terraform_would_plan_it_as_it_was_judged() -> None:
    """But for those that ask a cloud while they are planned."""
    texts = {name: text for name, text in ACCEPTED.items() if "\ndata " not in text}
    pairs = [
        Pair(
            text=text,
            rewritten=written(guard.inspect(text)).text,
            local_names=[],
            variable_names=[],
        )
        for text in texts.values()
    ]
    async with WarmProviders() as warm:
        environment = {**CREDENTIALS, **await warm.attachment(CREDENTIALS)}
        terraform = Terraform(find_terraform(), os.environ, environment)
        read = await asyncio.to_thread(terraform.readings, pairs)
    apart = [name for name, (first, second) in zip(texts, read, strict=True) if first != second]
    refused = [name for name, (_, second) in zip(texts, read, strict=True) if second == REFUSED]
    assert (apart, refused, len(texts)) == ([], [], 38)


def test_there_are_sixty_of_them_with_every_type_and_no_two_alike() -> None:
    alike = {" ".join(text.split()) for text in WRITTEN.values()}
    assert len(alike) == len(WRITTEN) >= 60
    used = {
        resource.type for text in WRITTEN.values() for resource in guard.inspect(text).resources
    }
    # Two types have a newer name that is used in their place.
    assert RESOURCE_TYPES - used == {"alicloud_eip", "alicloud_db_account"}


@pytest.fixture(scope="module")
def world() -> World:
    return devcloud_world(indexing.load(PRODUCTS))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_what_is_written_from_a_document_is_accepted(document: Path, world: World) -> None:
    read = load(document.name, document.read_bytes(), None)
    things = needs_of(read, select(read, None), world.catalogue)
    drafted = draft(things, world, meta_id="written")
    template = guard.inspect(read_kept(drafted.yaml).create)
    assert template.resources
    assert template.outputs


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(WRITTEN)), st.randoms(use_true_random=False))
def test_neither_names_nor_order_nor_comments_change_that(name: str, chance: random.Random) -> None:
    text = WRITTEN[name]
    before = guard.inspect(text)
    names = _own_names(text, chance)
    after = guard.inspect(_reordered(_renamed(text, names), chance))
    renamed = {f"{one.type}.{names.get(one.name, one.name)}" for one in before.resources}
    assert {one.address for one in after.resources} == renamed
    assert after.outputs == {names.get(one, one) for one in before.outputs}
    taggable = {names.get(one.name, one.name) for one in before.resources if one.taggable}
    assert {one.name for one in after.resources if one.taggable} >= taggable


def _all_declared(body: Body, known: schema.Block, where: str) -> None:
    own = {"count", "for_each", "depends_on"}
    assert body.attributes.keys() - own <= known.attributes.keys(), where
    for block in body.blocks:
        if block.type in ("lifecycle", "timeouts"):
            continue
        kind = block.labels[0] if block.type == "dynamic" else block.type
        inner = block.body.blocks[0].body if block.type == "dynamic" else block.body
        _all_declared(inner, known.blocks[kind].block, f"{where}.{kind}")


def _own_names(text: str, chance: random.Random) -> dict[str, str]:
    """New names for what the template itself names, but for words that are names of
    arguments, blocks or types too."""
    blocks = parse(text).blocks
    labels = {block.labels[-1] for block in blocks if block.labels}
    used_otherwise = {word for block in blocks for word in _other_words(block)}
    return {
        label: f"n{number}_{chance.randint(0, 999)}"
        for number, label in enumerate(sorted(labels - used_otherwise))
    }


def _other_words(block: Block) -> set[str]:
    """Words of a block that are names of arguments, blocks and types."""
    words = {block.type, *block.labels[:-1], *block.body.attributes}
    if block.type == "dynamic":
        words |= set(block.labels)
    return words.union(*(_other_words(inner) for inner in block.body.blocks))


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with the names that it gives and refers to replaced."""
    for old, new in names.items():
        text = re.sub(
            rf'(^(?:resource|data) "\w+" "|^(?:output|variable) "){re.escape(old)}"',
            rf'\g<1>{new}"',
            text,
            flags=re.MULTILINE,
        )
        text = re.sub(
            rf"\b((?:alicloud_|terraform_)\w+|var)\.{re.escape(old)}\b", rf"\1.{new}", text
        )
    return text


def _reordered(text: str, chance: random.Random) -> str:
    """The text with its blocks in another order, comments and empty lines between."""
    blocks = parse(text).blocks
    lines = text.replace("\r\n", "\n").split("\n")
    bounds = [block.line - 1 for block in blocks] + [len(lines)]
    if any(first == second for first, second in pairwise(bounds)):
        return text  # two blocks on one line
    parts = ["\n".join(lines[first:second]) for first, second in pairwise(bounds)]
    chance.shuffle(parts)
    between = [chance.choice(["\n", "\n# resource\n", "\n/* data {} */\n", "\n\n"]) for _ in parts]
    return "".join(f"{part}{gap}" for part, gap in zip(parts, between, strict=True))
