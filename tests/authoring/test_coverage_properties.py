"""A record is judged by what it makes and not by how it is spelled, and nothing of a
right one can be left out."""

from __future__ import annotations

import re
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.authoring.test_coverage import DOCUMENTS, changed, held, right

LABELS = st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True)


@settings(max_examples=60, deadline=None)
@given(
    steps=st.sampled_from(DOCUMENTS),
    labels=st.lists(LABELS, min_size=12, max_size=12, unique=True),
    reverse=st.booleans(),
    description=st.text(min_size=1, max_size=60),
)
def test_a_record_is_judged_by_what_it_makes_and_not_by_how_it_is_spelled(
    steps: str, labels: list[str], reverse: bool, description: str
) -> None:
    def respelled(members: dict[str, Any]) -> None:
        text = yaml.safe_dump(members, sort_keys=False, allow_unicode=True, width=10_000)
        names = iter(labels)
        for type_, label in re.findall(r'resource "(\w+)" "(\w+)"', members["create"]):
            new = next(names)
            text = re.sub(rf"\b{type_}\.{label}\b", f"{type_}.{new}x", text)
            text = text.replace(f'resource "{type_}" "{label}"', f'resource "{type_}" "{new}x"')
            text = text.replace(
                f'resource \\"{type_}\\" \\"{label}\\"', f'resource \\"{type_}\\" \\"{new}x\\"'
            )
        members.update(yaml.safe_load(text))
        blocks = members["create"].strip().split("\n\n")
        members["create"] = "\n\n".join(reversed(blocks) if reverse else blocks) + "\n# as it is\n"
        members["verify"].reverse()
        members["description"] = description

    assert held(changed(right(steps), respelled), steps).failures == ()


@settings(max_examples=80, deadline=None)
@given(steps=st.sampled_from(DOCUMENTS), data=st.data())
def test_no_line_of_a_record_can_be_left_out(steps: str, data: st.DataObject) -> None:
    """What can be left out without being missed was nothing that the document needs."""
    members = yaml.safe_load(right(steps))
    lines = members["create"].splitlines()
    idle = re.compile(
        r"^$|^[ }]*\}$|output|value|force_destroy|zone_id|cidr|_name|tank_type|^  pump"
    )
    said = [at for at, line in enumerate(lines) if not idle.search(line)]
    if not said:
        return
    gone = data.draw(st.sampled_from(said))
    block = lines[gone].startswith("resource")
    end = next(at for at in range(gone, len(lines)) if not block or lines[at] == "}")
    members["create"] = "\n".join([*lines[:gone], *lines[end + 1 :]]) + "\n"
    assert held(yaml.safe_dump(members, sort_keys=False, allow_unicode=True), steps).failures
