"""What the ratchets count, and that what has grown is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks import ratchets
from checks.circles import circles
from checks.copies import copies
from checks.figures import Figure, figures_of, over
from checks.source import Source

LOOSE = (
    "from collections.abc import Mapping\nfrom typing import Any\n\ndef f(x: Mapping[str, Any]) ->"
    " dict[str, Any]: ...\n"
)


@pytest.fixture
def counted(tmp_path: Path) -> dict[str, Figure]:
    long = "def told() -> None:\n" + "    pass\n" * 61
    files = [
        Source("libs/proofwalk/a/one.py", "from proofwalk.a import two\n" + long),
        Source("libs/proofwalk/a/two.py", "from proofwalk.a.one import told\n" + LOOSE),
        Source("services/proofwalk/edge/wire.py", LOOSE),
        Source("tests/test_long.py", "\n" * 401),
    ]
    return figures_of(files, root=tmp_path, edges=["services/proofwalk/edge/"], words=["told"])


def test_each_habit_is_counted_where_it_is(counted: dict[str, Figure]) -> None:
    assert counted["long_functions"].places == ("libs/proofwalk/a/one.py:2 told",)
    assert counted["long_files"].places == ("tests/test_long.py: 401",)
    assert counted["vague_names"].places == ("libs/proofwalk/a/one.py:2 told",)
    assert counted["loose_mappings"].places == ("libs/proofwalk/a/two.py: 1",)
    assert counted["loose_dicts"].places == ("libs/proofwalk/a/two.py: 1",)
    assert counted["circle_of_imports"] == Figure(
        value=2, places=("proofwalk.a.one proofwalk.a.two",)
    )


def test_a_block_that_stands_twice_is_told_with_both_places() -> None:
    block = "".join(f"total = total * {factor} + more\n" for factor in range(7))
    imports = "".join(f"from proofwalk.part import name_{number}\n" for number in range(7))
    files = [
        Source("libs/proofwalk/a.py", imports + "total = 1\n" + block + "print(total)\n"),
        Source("libs/proofwalk/b.py", imports + "more = 3\ntotal = more\n" + block),
        Source("libs/proofwalk/c.py", "more = 5\n" + block[: block.rindex("total = ")]),
    ]
    assert copies(files) == ("7 lines: libs/proofwalk/a.py:8 libs/proofwalk/b.py:9",)


def test_lines_and_prose_are_counted_by_ruff(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.ruff.lint.pycodestyle]\nmax-line-length = 100\nmax-doc-length = 88\n"
    )
    (tmp_path / "long.py").write_text(f'"""{"a " * 45}"""\n\nX = "{"b" * 100}"\n')
    counted = figures_of([], root=tmp_path, edges=[], words=[])
    assert counted["long_prose"].places == ("long.py:1",)
    assert counted["long_lines"].places == ("long.py:3",)


def test_what_has_grown_or_has_no_bound_is_told() -> None:
    figures = {
        "more": Figure(value=3),
        "same": Figure(value=2),
        "less": Figure(value=1),
        "new": Figure(value=0),
    }
    bounds = {"more": 2, "same": 2, "less": 2}
    assert over(bounds, figures) == ["more", "new"]
    told = ratchets.table(bounds, figures).splitlines()
    assert [" ".join(line.split()) for line in told[1:]] == [
        "more 3 2 has grown",
        "same 2 2",
        "less 1 2 can be lowered",
        "new 0 none has grown",
    ]


def test_circles_are_the_groups_in_which_each_reaches_each() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert circles(graph) == [["a", "b", "c"], ["d", "e"]]
    assert circles({"a": {"b"}, "b": set()}) == []
