"""Of a page of several procedures, the steps of one."""

from __future__ import annotations

import pytest

from proofwalk.authoring.documents import text_about
from proofwalk.kernel.errors import ProofwalkError

PAGE = """# Tanks

A tank holds 40 litres.

## Add a tank

1. Enter `north-7`.
2. Click **OK**.

## Drain a tank

1. Enter `south-9`.
2. Click **Drain**.
"""


def about(procedure_id: str) -> str:
    return text_about(PAGE, name="tanks.md", media_type="", procedure_id=procedure_id)


def test_the_steps_of_the_others_are_left_out() -> None:
    told = about("tanks/drain-a-tank")
    assert "south-9" in told
    assert "north-7" not in told
    assert "40 litres" in told


def test_without_an_id_it_is_the_procedure_that_the_page_is_about() -> None:
    assert "north-7" in about("")


def test_a_procedure_that_is_not_there_is_refused() -> None:
    with pytest.raises(ProofwalkError) as caught:
        about("paint-a-tank")
    assert caught.value.code == "document.unknown_procedure"
