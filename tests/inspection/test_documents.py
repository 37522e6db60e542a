"""What a collection's folder holds: procedures in order, what lies beside them, and
nothing from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.inspection.documents import Listing, Sources
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.maps import storage
from proofwalk.maps.graph import ConsoleMap, Control, Entry, Surface
from proofwalk.orders.collection import Source, SourceKind
from tests.fixtures.reading import InPlace
from tests.inspection.kit import listed, spec_of

STOP = "# Stop\n\n## Procedure\n\n1. Click **Stop**.\n\n## What to do next\n\n1. Click **Back**.\n"


class Folder:
    """A folder of documents under an allowed root."""

    def __init__(self, root: Path) -> None:
        self.root, self.path = root, root / "docs"
        self.path.mkdir()

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")

    async def read(self, *, most: int = 99, all_procedures: bool = False) -> Listing:
        sources = Sources(reading=InPlace(), roots=[self.root], max_procedures=most)
        source = Source(kind=SourceKind.FOLDER, address=str(self.path))
        return await sources.read(spec_of(source=source, all_procedures=all_procedures))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


async def refusal(folder: Folder, *, most: int = 99) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await folder.read(most=most)
    return caught.value.code


async def test_procedures_come_in_the_sidebars_order_with_ids_that_stay(folder: Folder) -> None:
    folder.write("02-stop.md", STOP)
    folder.write("01-start.md", STOP.replace("Stop", "Start"))
    folder.write("concept.md", "# A word\n\nNothing to do.\n")
    found = await folder.read()
    assert [one.page for one in found.procedures] == ["01-start.md", "02-stop.md"]
    assert [one.procedure_id.partition("#")[0] for one in found.procedures] == ["start", "stop"]
    assert found.refused == ()
    everything = await folder.read(all_procedures=True)
    assert len(everything.procedures) == 4
    request = found.procedures[1].request
    assert (request.document.name, request.target) == ("02-stop.md", "devcloud")
    assert await refusal(folder, most=1) == "collection.too_many"


async def test_what_lies_beside_goes_along_and_its_change_is_told(folder: Folder) -> None:
    folder.write("stop.md", STOP)
    folder.write("stop.meta.yaml", "id: a\n")
    (before,) = (await folder.read()).procedures
    assert before.request.meta == "id: a\n"
    folder.write("stop.meta.yaml", "id: b\n")
    folder.write("stop.rule.yaml", "id: r\n")
    (after,) = (await folder.read()).procedures
    assert after.inputs.changed_since(before.inputs) == ("meta", "rule")
    folder.write("stop.md", STOP + "\nMore.\n")
    (edited,) = (await folder.read()).procedures
    assert edited.inputs.changed_since(after.inputs) == ("document",)


async def test_nothing_outside_the_folder_is_read(folder: Folder, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text(STOP, encoding="utf-8")
    folder.write("stop.md", STOP)
    (folder.path / "link.md").symlink_to(secret)
    (folder.path / "stop.meta.yaml").symlink_to(secret)
    found = await folder.read()
    assert [one.page for one in found.procedures] == ["stop.md"]
    assert found.procedures[0].request.meta == ""


async def test_a_folder_that_became_a_link_to_elsewhere_is_no_longer_read(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a.md").write_text(STOP, encoding="utf-8")
    folder.path.rmdir()
    folder.path.symlink_to(elsewhere)
    assert await refusal(folder) == "collection.outside_roots"


async def test_a_file_that_cannot_be_read_keeps_its_own_page_out_alone(folder: Folder) -> None:
    folder.write("stop.md", STOP)
    folder.write("start.md", STOP)
    folder.write("start.meta.yaml", "x" * 300_000)
    found = await folder.read()
    assert [one.page for one in found.procedures] == ["stop.md"]
    assert [(one.page, one.error.code) for one in found.refused] == [
        ("start.md", "request.malformed")
    ]


def test_another_order_makes_a_procedure_due() -> None:
    before, after = (listed("a#p", policy=policy).inputs for policy in ("literal", "llm"))
    assert after.changed_since(before) == ("order",)


def mapped(folder: Folder, *names: str, way: str = "Instances") -> None:
    """Write the console's map: one page with these buttons."""
    page = Surface(address="/instances", heading="Instances")
    controls = frozenset(Control(role="button", name=name) for name in names)
    console = ConsoleMap(console="c", surfaces={page: Entry(path=(way,), controls=controls)})
    storage.write(console, folder.path / "console-map.json")


async def map_input(folder: Folder) -> str | None:
    return (await folder.read()).procedures[0].inputs.map


async def test_what_a_procedure_names_on_the_map_is_an_input_of_it(folder: Folder) -> None:
    folder.write("stop.md", STOP)
    assert await map_input(folder) is None
    mapped(folder, "Stop")
    first = await map_input(folder)
    mapped(folder, "Stop", "Release")
    assert await map_input(folder) == first
    mapped(folder, "Stop", way="Compute")
    moved = await map_input(folder)
    mapped(folder, "Halt")
    gone = await map_input(folder)
    assert len({first, moved, gone, None}) == 4


async def test_a_map_that_is_none_is_told(folder: Folder) -> None:
    folder.write("stop.md", STOP)
    folder.write("console-map.json", "[]")
    assert await refusal(folder) == "map.not_a_map"


async def test_a_map_from_elsewhere_is_not_read(folder: Folder) -> None:
    folder.write("stop.md", STOP)
    outside = folder.root / "map.json"
    outside.write_text("[]", encoding="utf-8")
    (folder.path / "console-map.json").symlink_to(outside)
    assert await map_input(folder) is None
