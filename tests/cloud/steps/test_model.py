"""What META may say of steps, and what is refused before anything is begun."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from proofwalk.cloud.steps.model import Preparation

DELETE = {"http": "DELETE", "path": "/a/${output.id}"}


def test_a_step_refers_to_earlier_outputs_and_what_follows_it_to_its_own() -> None:
    read = Preparation.model_validate(
        {
            "steps": [
                {"do": {"http": "POST", "path": "/a", "json": [1]}, "outputs": {"id": "x.0.id"}},
                {
                    "do": {"command": "tell", "arguments": ["${output.id}", "${var.name_prefix}"]},
                    "verify": {"http": "GET", "path": "/a?of=${output.id}", "expect": [200, 206]},
                    "undo": DELETE,
                },
            ],
            "leftovers": [DELETE],
        }
    )

    assert read.outputs == {"id"}
    assert [where for where, _ in read.calls()] == [
        "steps.0.do",
        "steps.1.do",
        "steps.1.verify",
        "steps.1.undo",
        "leftovers.0",
    ]
    assert not Preparation()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"steps": [{"do": DELETE, "outputs": {"id": "id"}}]}, "steps.0.do: there is no output"),
        ({"steps": [{"do": {"http": "POST", "path": "/${env:HOME}"}}]}, "is neither"),
        ({"steps": [{"do": {"http": "POST", "path": "/${name_prefix}"}}]}, "is written ${var."),
        ({"leftovers": [DELETE]}, "leftovers.0: there is no output 'id' here (there is: none)"),
        ({"steps": [{"do": {"path": "/a"}}]}, "a call is {http: METHOD, path: …}, {command"),
        ({"steps": [{"do": {"http": "POST", "path": "https://other.example"}}]}, "begins with one"),
        ({"steps": [{"do": {"http": "POST", "path": "//other.example"}}]}, "begins with one /"),
        ({"steps": [{"do": {"http": "POST", "path": "/a", "expect": 7}}]}, "expect is an HTTP"),
        ({"steps": [{"do": {"http": "POST", "path": "/a", "body": 1, "x": 2}}]}, "not permitted"),
        (
            {"steps": 2 * [{"do": {"http": "POST", "path": "/a"}, "outputs": {"id": "id"}}]},
            "an output is called 'id' already",
        ),
        ({"steps": [{"do": {"command": "rm -rf"}}]}, "match pattern"),
    ],
)
def test_what_nothing_could_carry_out_is_refused(content: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Preparation.model_validate(content)

    assert complaint in str(caught.value)
