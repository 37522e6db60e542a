"""Which procedures of a guide count, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import guides
from proofwalk.procedures.loading import load

CLICKS = "# A\n\n1. Click **Pumps**.\n2. Select `otter`.\n3. Wait for the mill.\n"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (CLICKS, True),
        ("# A\n\n1. Click **Pumps**.\n2. Wait for the mill.\n", False),
        ("# A\n\n1. Click **Pumps**.\n2. Select `otter`.\n3. Run the command.\n", False),
        ("# A\n\n1. Click **Pumps**.\n2. Select `otter`.\n\n   ```\n   drain\n   ```\n", False),
    ],
)
def test_what_is_done_in_a_console_counts(text: str, counts: bool) -> None:
    [procedure] = load("doc.md", text.encode()).procedures
    assert guides.is_done_in_a_console(procedure) is counts


def test_a_guide_is_a_folder_that_is_there(tmp_path: Path) -> None:
    [guide] = guides.guides_of([f"mill={tmp_path}"], ["mill"])
    assert (guide.name, guide.folder, guide.unseen) == ("mill", tmp_path, True)
    with pytest.raises(ValueError, match="NAME=FOLDER"):
        list(guides.guides_of(["mill=nowhere"], []))


async def test_the_unseen_guides_are_counted_apart(tmp_path: Path) -> None:
    for name, verb in (("mill", "Wait for"), ("pool", "Frobnicate")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "drain.md").write_text(CLICKS.replace("Wait for", verb))
    named = [f"mill={tmp_path / 'mill'}", f"pool={tmp_path / 'pool'}"]
    figures = await guides.measured(list(guides.guides_of(named, ["pool"])))
    assert figures["seen"]["whole"]["count"] == figures["seen"]["procedures"] == 1
    assert (figures["unseen"]["whole"]["count"], figures["unseen"]["stuck"]["count"]) == (0, 1)
    assert figures["by_guide"]["pool"]["unseen"] is True
