"""Every command of README, CONTRIBUTING, the tutorial and the how-to's does what the
document says.

A command that is too heavy for a test stands in docs/held.yaml with the Makefile's
target that runs it.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.record import ROOT
from tests.docs.blocks import blocks, folder, says

HELD: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "docs" / "held.yaml").read_text(encoding="utf-8")
)
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/tutorial.md",
    *(f"docs/howto/{path.name}" for path in sorted((ROOT / "docs" / "howto").glob("*.md"))),
)
RUN = [
    name
    for name in DOCUMENTS
    if any(
        (name, block.first) not in {(one["document"], one["block"]) for one in HELD}
        for block in blocks(name)
    )
]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.terraform
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("document", RUN)
def test_the_blocks_of_a_document_print_what_it_says(document: str) -> None:
    held = {one["block"] for one in HELD if one["document"] == document}
    # A path that is short enough for sockets.
    with tempfile.TemporaryDirectory(prefix="pwd-") as path, folder(Path(path)) as here:
        for block in blocks(document):
            if block.first not in held:
                printed = here.run(block)
                assert says(printed, block.prints), (
                    f"{block.first}\nsaid:\n{block.prints}\nprinted:\n{printed}"
                )


@pytest.mark.parametrize(
    "entry", HELD, ids=lambda entry: f"{entry['document']}-{entry['block'][:20]}"
)
def test_a_held_block_is_there_and_its_target_too(entry: dict[str, Any]) -> None:
    assert [block for block in blocks(entry["document"]) if block.first == entry["block"]]
    assert re.search(
        rf"^{entry['target']}:.* ## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )


def test_documents_have_commands_that_are_run() -> None:
    assert {"README.md", "docs/tutorial.md"} <= set(RUN)


def test_an_output_that_differs_is_seen() -> None:
    assert says("┏━━┓\n│ a.md   │  verified │ 12.3 │\n└──┘", "│ a.md │ verified │ ... │")
    assert not says("│ a.md │ unproven │ 12.3 │", "│ a.md │ verified │ ... │")
    assert says("anything", "")
