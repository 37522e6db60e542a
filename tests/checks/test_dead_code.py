"""What nothing calls is found; what a framework or the list names is not."""

from __future__ import annotations

from pathlib import Path

from checks.dead_code import complaints, unused

SOURCE = """
def called() -> int:
    return 1

def dead() -> int:
    return called()

@app.command("x")
def command() -> None: ...

class Model:
    unread: int = 0

    def never(self) -> None: ...
"""


def test_what_nothing_names_is_found_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    found = unused([tmp_path])
    assert sorted(found) == ["Model", "dead", "never"]
    assert found["dead"] == [f"{tmp_path / 'a.py'}:5: function dead"]
    (tmp_path / "b.py").write_text("from a import Model, dead\nModel().never()\n")
    assert "never" not in unused([tmp_path])


def test_it_is_said_what_is_dead_and_what_is_listed_for_nothing() -> None:
    found = {"dead": ["a.py:5: function dead"], "kept": ["a.py:9: function kept"]}
    assert complaints(found, ["kept", "gone"]) == [
        "a.py:5: function dead is called by nothing",
        "checks/dead_code.py lists gone, which is not there or is called",
    ]
