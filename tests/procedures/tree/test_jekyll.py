"""Sites of Jekyll, whose collections lie in folders with an underscore."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.procedures.tree.tree import read_tree

STEPS = "1. Click **Create**.\n2. Click **OK**.\n"


@pytest.mark.parametrize(
    "configuration",
    [
        "collections:\n  pumps:\n    output: true\n",
        "collections: [pumps]\n",
        "collections: [pumps]\ncollections_dir: .\n",
    ],
)
def test_collections_of_jekyll_have_pages(tmp_path: Path, configuration: str) -> None:
    files = {"a.md": STEPS, "_pumps/b.md": STEPS, "_pumps/_part.md": STEPS, "_drafts/c.md": STEPS}
    for path, text in (files | {"_config.yml": configuration}).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert sorted(page.path for page in read_tree(tmp_path).pages) == ["_pumps/b.md", "a.md"]
    (tmp_path / "_config.yml").write_text("collections: 7\n", encoding="utf-8")
    assert [page.path for page in read_tree(tmp_path).pages] == ["a.md"]
