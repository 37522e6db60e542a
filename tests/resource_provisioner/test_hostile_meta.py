"""META records that were written to exhaust who reads them."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator

import pytest

from proofwalk.chassis.readers import Readers
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.confined import MetaReader
from proofwalk.resource_provisioner.meta import read_meta

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
"""400 bytes that stand for 9⁹ values."""
GOOD = "id: a\ndescription: d\n"


@pytest.fixture
async def metas() -> AsyncIterator[MetaReader]:
    async with Readers(processes=1) as readers:
        yield MetaReader(reading=readers)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        f"{GOOD}attributes: {{a: &a {{b: 1}}, c: {{<<: *a}}}}\n",
        f"{GOOD}attributes: {'[' * 5000}",
        f"{GOOD}attributes: [{'a,' * 60_000}]",
        f"{GOOD}attributes: {{a: {'1:' * 60_000}1}}",
        GOOD + "x" * 200_000,
    ],
)
async def test_what_is_no_record_is_refused_at_once(metas: MetaReader, text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ProofwalkError) as caught:
            read_meta(text)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert caught.value.code == "meta.invalid"
    with pytest.raises(ProofwalkError) as there:
        await metas.check(text)
    assert (there.value.code, there.value.message) == (caught.value.code, caught.value.message)


async def test_a_record_that_takes_too_long_is_ended(metas: MetaReader) -> None:
    # Openings of references that nothing closes, each looked for to the end of the
    # text.
    text = f"{GOOD}binds: {{a: '{'${' * 60_000}'}}"
    with pytest.raises(ProofwalkError) as caught:
        await metas.check(text)
    assert caught.value.code == "meta.too_costly"
    assert await metas.check(GOOD) == read_meta(GOOD).digest
