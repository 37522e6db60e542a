"""Every command says in one line of its own what it does."""

from __future__ import annotations

import pytest

from docs.writers.commands import commands


@pytest.mark.parametrize("name", commands())
def test_the_first_line_of_help_is_whole(name: str) -> None:
    first, _, rest = (commands()[name].help or "").strip().partition("\n")
    assert first.endswith("."), first
    assert not rest or rest.startswith("\n"), "a summary goes on into a second line"
