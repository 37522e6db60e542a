"""A decision rests on what an error says in its fields, and not on how its code is
spelt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofwalk.kernel.errors import ProofwalkError, caused_by, exhausted, unavailable
from proofwalk.kernel.outcomes import EnvCause

ROOT = Path(__file__).parents[2]
VENDORS = (
    Path("services/proofwalk/resource_provisioner/alicloud_provider"),
    Path("libs/proofwalk/cloud/alicloud"),
    Path("libs/proofwalk/cloud/sdk_calls.py"),
)
"""Where a code is the cloud vendor's."""
MAY_SPELL = re.compile(r"code[\s)\\]*\.\s*(?:starts|ends)with")


def test_a_cause_is_added_where_the_error_names_none() -> None:
    for raised, cause in (
        (unavailable("a.b", ""), "model"),
        (exhausted("a.b", "", cause=EnvCause.QUOTA), "quota"),
    ):
        with pytest.raises(ProofwalkError) as caught, caused_by(EnvCause.MODEL):
            raise raised
        assert caught.value is raised
        assert raised.cause == cause


def spellings(source: str) -> Iterator[int]:
    """Lines that look at how a code begins or ends."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in ("startswith", "endswith"):
            value = node.value
            name = (
                value.attr
                if isinstance(value, ast.Attribute)
                else value.id
                if isinstance(value, ast.Name)
                else ""
            )
            if name in ("code", "error_code"):
                yield node.lineno


def test_what_a_code_begins_or_ends_with_is_found() -> None:
    text = (
        'if error.code.startswith("a."):\n    pass\nif code.endswith(("b",)):\n   '
        ' name.endswith("c")\n'
    )
    assert list(spellings(text)) == [1, 3]
    assert MAY_SPELL.search("error.error_code.startswith('a')")
    assert MAY_SPELL.search("(\n    error.code\n    .endswith('a'))")
    assert MAY_SPELL.search("(error.code).endswith('a')")


def test_no_decision_hangs_on_the_spelling_of_a_code() -> None:
    found = []
    for folder in ("libs", "services"):
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT)
            if not any(name.is_relative_to(vendor) for vendor in VENDORS):
                text = path.read_text(encoding="utf-8")
                # Parsing all of the source takes seconds, and hardly a file has this.
                if MAY_SPELL.search(text):
                    found += [f"{name}:{line}" for line in spellings(text)]
    assert found == [], "give the error a field that says it (kernel.errors)"
