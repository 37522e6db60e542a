"""Documents parsed in processes of their own: the same result, hostile ones refused,
and nobody waits for them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from proofwalk.chassis.readers import Bounds, Readers
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.confined import DocumentReader
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.procedures.tree.confined import TreeReader
from proofwalk.procedures.tree.tree import read_tree

EXAMPLES = sorted(Path(__file__).parents[2].joinpath("examples", "docs").glob("*.[mrh][dst]*"))
SMALL = b"# Stop\n\n1. Click **Stop**.\n"
HOSTILE = b"# T\n\n1. Click it.\n\n" + b"Words of a document, and more words.\n\n" * 120_000
"""Five megabytes of nothing but words, which no count in advance refuses."""


@pytest.fixture
async def reader() -> AsyncIterator[DocumentReader]:
    async with Readers(processes=2) as readers:
        yield DocumentReader(reading=readers, bounds=Bounds(wall_s=60, cpu_s=1))


async def test_a_document_is_what_it_is_here(reader: DocumentReader) -> None:
    assert EXAMPLES
    for path in EXAMPLES:
        here = load(path.name, path.read_bytes())
        assert await reader.document(path.name, path.read_bytes()) == here
        chosen = await reader.procedure(path.name, path.read_bytes())
        assert (chosen.title, chosen.media_type, chosen.procedure) == (
            here.title,
            here.media_type,
            select(here),
        )


@pytest.mark.parametrize(
    ("body", "procedure_id", "code"),
    [
        (b"# Words\n", None, "document.no_procedure"),
        (SMALL, "none", "document.unknown_procedure"),
        (b"%PDF-1.7", None, "document.bad_media_type"),
        (b"1. a\n" * 20_000, None, "document.too_many_items"),
        (b"x" * 2000, None, "document.too_large"),
    ],
)
async def test_a_refusal_is_what_it_is_here(
    reader: DocumentReader, body: bytes, procedure_id: str | None, code: str
) -> None:
    limit = 1000 if body[:1] == b"x" else 5_000_000
    with pytest.raises(ProofwalkError) as caught:
        await reader.procedure("a.md", body, procedure_id=procedure_id, max_bytes=limit)
    assert caught.value.code == code


async def test_others_are_answered_while_the_worst_document_is_read(reader: DocumentReader) -> None:
    await reader.procedure("small.md", SMALL)
    worst = asyncio.create_task(reader.procedure("worst.md", HOSTILE))
    longest, accepted = 0.0, 0
    while not worst.done():
        before = time.monotonic()
        await reader.procedure("small.md", SMALL)
        longest, accepted = max(longest, time.monotonic() - before), accepted + 1
        await asyncio.sleep(0)
    with pytest.raises(ProofwalkError) as caught:
        await worst
    assert caught.value.code == "document.too_costly"
    assert accepted >= 5, "one after the other, while the worst one was under way"
    assert longest < 10, "none waited for the worst one"


async def test_a_folder_is_what_it_is_here_and_one_page_takes_none_along(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"# A\n\n{!parts/b.md!}\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "b.md").write_bytes(SMALL)
    (tmp_path / "words.md").write_bytes(b"# Words\n")
    (tmp_path / os.fsdecode(b"odd\xff.md")).write_bytes(SMALL)
    (tmp_path / "mkdocs.yml").write_text("extra: {a: &a {b: c}, d: *a}\nnav: [words.md, a.md]\n")
    async with Readers(processes=2) as readers:
        found = await TreeReader(reading=readers).tree(tmp_path)
        here = read_tree(tmp_path)
        assert (found.root, found.order_from) == (here.root, here.order_from)
        for page, same in zip(found.pages, here.pages, strict=True):
            assert (page.path, page.key, page.title, page.expansion, page.document) == (
                same.path, same.key, same.title, same.expansion, same.document,
            )  # fmt: skip
            assert (page.error.code if page.error else "") == (
                same.error.code if same.error else ""
            )
        with pytest.raises(ProofwalkError) as caught:
            await TreeReader(reading=readers).tree(tmp_path / "none")
        assert caught.value.code == "tree.not_a_folder"


async def test_aliases_of_a_sites_configuration_are_counted(tmp_path: Path) -> None:
    names = "abcdefghi"
    laughs = "a: &a {x: 1, y: 2, z: 3}\n" + "".join(
        f"{new}: &{new} {{p: *{old}, q: *{old}, r: *{old}, s: *{old}, t: *{old}, u: *{old}}}\n"
        for old, new in pairwise(names)
    )
    (tmp_path / "_config.yml").write_text(laughs)
    (tmp_path / "a.md").write_bytes(SMALL + b"\n{{ site.a.x }}\n")
    page = read_tree(tmp_path).pages[0]
    assert [problem.code for problem in page.problems] == ["tree.unknown_variable"]
    (tmp_path / "_config.yml").write_text(laughs.splitlines()[0] + "\nb: *a\n")
    assert not read_tree(tmp_path).pages[0].problems
