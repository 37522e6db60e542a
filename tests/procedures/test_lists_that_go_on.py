"""Lists that go on behind words, and marks that only renderers read."""

from __future__ import annotations

import pytest

from proofwalk.procedures import loading
from tests.procedures.reading import read, step


@pytest.mark.parametrize(
    ("between", "numbers"),
    [
        ("Once on the page to edit the pump:", ["1", "2", "3"]),
        ("Fill in the required fields for the pump:", ["1", "2", "3"]),
        ('![A page](page.png){ .on-glb }\n[//]: # "a note"\n\nThen:', ["1", "2", "3"]),
        ("To delete a pump:", ["1", "2"]),
        ("After that, you can drain the pump:", ["1", "2"]),
        ("The pump is made.\n\nOnce it runs:", ["1", "2"]),
    ],
)
def test_a_list_goes_on_behind_words_that_lead_on(between: str, numbers: list[str]) -> None:
    document = loading.load("d.md", f"# A\n\n1. One.\n2. Two.\n\n{between}\n\n1. Three.\n".encode())
    assert [one.number for one in document.procedures[0].substeps] == numbers
    assert len(document.procedures) == 1 + (len(numbers) == 2)


def test_attributes_and_comments_of_renderers_are_no_text() -> None:
    document = read("""
        1. Click **Next**.
           ![A page](page.png){ .on-glb }
           [//]: # "https://example.com/"
        2. Run `echo {.items}`.
    """)
    assert "on-glb" not in step(document, "1").text
    assert "example.com" not in step(document, "1").text
    assert step(document, "2").text == "Run echo {.items}."
