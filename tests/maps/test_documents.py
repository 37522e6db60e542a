"""Which documents a change report asks to inspect."""

from __future__ import annotations

import pytest

from proofwalk.maps.changes import Change, ChangeKind, Subject
from proofwalk.maps.documents import mentions
from proofwalk.procedures.loading import load

_DOCUMENT = """# Keys

1. Open **Keys**, and click **Create Key**.
2. Tell the users; then close the New Window dialog.
"""


def _change(name: str, kind: ChangeKind = ChangeKind.GONE) -> Change:
    return Change(kind=kind, subject=Subject.CONTROL, role="button", name=name)


@pytest.mark.parametrize(
    ("name", "line"),
    [("create key", 3), ("Keys", 3), ("New Window", 4), ("Users", None), ("Window", None)],
)
def test_a_name_that_is_set_apart_or_long_is_a_mention(name: str, line: int | None) -> None:
    procedures = [("keys", one) for one in load("keys.md", _DOCUMENT.encode()).procedures]
    found = [one.line for one in mentions(procedures, [_change(name)])]
    assert found == ([] if line is None else [line])


def test_what_was_added_contradicts_nothing() -> None:
    procedures = [("keys", one) for one in load("keys.md", _DOCUMENT.encode()).procedures]
    assert not list(mentions(procedures, [_change("Keys", ChangeKind.ADDED)]))
