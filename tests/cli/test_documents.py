"""What `verify` sends for files and folders, and how a finding finds its way home."""

from __future__ import annotations

from pathlib import Path

from proofwalk.cli.documents import requests
from proofwalk.cli.order_options import Given
from proofwalk.orders.order import Order
from proofwalk.orders.verification import VerdictBody
from proofwalk.procedures.tree.tree import read_tree
from tests.fixtures.reading import InPlace

PLAIN = Given(order=Order(target="devcloud"))
STEPS = "1. Click **Create**.\n2. Click **OK**.\n"


def ordering(**options: str) -> Given:
    return Given(order=Order(target="devcloud", **options))


def written(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


async def test_a_file_brings_what_lies_beside_it(tmp_path: Path) -> None:
    written(
        tmp_path,
        stop_md=STEPS,
        stop_meta_yaml="id: m",
        stop_rule_yaml="id: r",
        stop_script_yaml="s",
    )
    document = str(tmp_path / "stop.md")
    (literal,) = await requests([document], PLAIN, InPlace())
    assert literal.asked is not None
    assert (literal.asked.meta, literal.asked.rule, literal.asked.script) == ("id: m", "id: r", "")
    (scripted,) = await requests([document], ordering(policy="scripted"), InPlace())
    assert scripted.asked is not None
    assert scripted.asked.script == "s"


async def test_a_folder_is_a_request_for_each_page_that_can_be_walked(tmp_path: Path) -> None:
    written(
        tmp_path,
        SUMMARY_md="[b](b.md) [a](a.md)",
        a_md=STEPS,
        b_md=STEPS,
        b_rule_yaml="id: r",
        words_md="# Words\n",
    )
    found = await requests([str(tmp_path)], PLAIN, InPlace())
    assert [Path(request.name).name for request in found] == ["b.md", "a.md"]
    assert [request.asked and request.asked.rule for request in found] == ["id: r", ""]


async def test_one_procedure_of_a_folder(tmp_path: Path) -> None:
    written(tmp_path, a_md=f"# Shop\n\n## Open\n\n{STEPS}\n## Close\n\n{STEPS}")
    wanted = [name for name, _ in read_tree(tmp_path).pages[0].procedures()][1]
    (request,) = await requests([str(tmp_path)], ordering(procedure_id=wanted), InPlace())
    assert request.asked is not None
    assert request.asked.procedure_id == wanted.removeprefix("a#")
    (unknown,) = await requests([str(tmp_path)], ordering(procedure_id="a#none"), InPlace())
    assert unknown.error is not None
    assert unknown.error.code == "tree.unknown_procedure"


async def test_a_finding_in_an_included_file_is_told_there(tmp_path: Path) -> None:
    written(
        tmp_path,
        a_md="# A\n\nBefore.\n\n{!parts/steps.md!}\n",
        parts__steps_md=f"Intro.\n\n{STEPS}",
    )
    (request,) = await requests([str(tmp_path)], PLAIN, InPlace())
    verdict: VerdictBody = {
        "outcome": "doc_defect",
        "finding": {
            "kind": "missing",
            "file": request.name,
            "line": 8,
            "sentence": "Click OK.",
        },
        "substeps": [{"number": "1", "line": 7}, {"number": "2", "line": 8}],
    }
    moved = request.at_home(verdict)
    assert moved["finding"] == {
        "kind": "missing",
        "file": str(tmp_path / "parts/steps.md"),
        "line": 4,
        "sentence": "Click OK.",
    }
    assert [substep["line"] for substep in moved["substeps"]] == [3, 4]
    (plain,) = await requests([str(tmp_path / "a.md")], PLAIN, InPlace())
    assert plain.at_home(verdict) is verdict


async def test_what_cannot_be_read_stands_in_its_place(tmp_path: Path) -> None:
    written(tmp_path, docs__words_md="# Words\n", a_md=STEPS)
    found = await requests(
        [str(tmp_path / "none.md"), str(tmp_path / "docs"), str(tmp_path / "a.md")],
        PLAIN,
        InPlace(),
    )
    assert [request.error.code if request.error else None for request in found] == [
        "document.unreadable",
        "tree.no_procedure",
        None,
    ]
