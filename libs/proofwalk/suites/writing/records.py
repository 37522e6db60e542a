"""A draft's META record, rule and script as the files that `proofwalk verify` and the
oracle read.

META: the fixtures' HCL with their variants, one output `<role>_name` and `<role>_id`
for each role (further fixtures only `<id>_id`), assertions over the inventory, and
binds. Rule: the clauses of the chain. Script: a list aligned with the document's
sub-steps; each entry is the list of actions for that sub-step, in which `{{meta.X}}`
stands for an output.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from proofwalk.suites.rules.documents import groups_of
from proofwalk.suites.storage import BlockText, OneLine, dump, dump_record
from proofwalk.suites.writing.drafts import Draft
from proofwalk.suites.writing.provision import FixtureUse
from proofwalk.suites.writing.rendering import Action, Scope, plain_render
from proofwalk.suites.writing.source_errors import source_invalid

REGION = "cn-hangzhou"
"""Where the tasks of all suites play."""

_BLOCK = re.compile(r'^resource\s+"(?P<type>[\w-]+)"\s+"(?P<name>[^"]+)"\s*\{\s*$')


def meta_yaml(draft: Draft) -> str:
    """META's record. Raises `suite.source_invalid` for HCL that cannot take a variant's
    attribute."""
    blocks, outputs, verify = [], [], []
    for use in draft.fixtures:
        scope = {"id": use.id, "name": use.name, "needs": dict(use.needs)}
        key = plain_render(use.fixture.key, scope, place=f"{use.kind}.key")
        blocks.append(_hcl(use, scope, key))
        if use.role:
            outputs.append(
                (f"{use.id}_name", plain_render(use.fixture.name, scope, place=f"{use.kind}.name"))
            )
        outputs.append((f"{use.id}_id", key))
        product, _, kind = use.fixture.type.partition(".")
        assertion: dict[str, Any] = {
            "product": product,
            "type": kind,
            "id": f"${{output.{use.id}_id}}",
        }
        state = (
            use.variant.state
            if use.variant and use.variant.state is not None
            else use.fixture.state
        )
        assertion |= {"state": state} if state else {}
        attributes = {**use.fixture.attributes, **(use.variant.attributes if use.variant else {})}
        assertion |= {"attributes": attributes} if attributes else {}
        verify.append(OneLine(assertion))
    written = [f'output "{name}" {{\n  value = {value}\n}}' for name, value in outputs]
    record = {
        "id": draft.id,
        "description": _description(draft),
        "attributes": {"region": REGION, "resources": [use.kind for use in draft.fixtures]},
        "create": BlockText("\n\n".join([*blocks, *written]) + "\n") if blocks else "",
        "verify": verify,
        "destroy": "auto",
        "binds": dict(draft.binds),
    }
    return dump_record(record)


def _description(draft: Draft) -> str:
    titles = []
    for use in draft.fixtures:
        wording = use.variant.title if use.variant else use.fixture.title
        if use.role:
            titles.append((wording.en or wording.zh or (use.kind,))[0])
    if not titles:
        return "Nothing; the procedure creates all that it needs"
    text = "; ".join(titles)
    return text[:1].upper() + text[1:]


def _hcl(use: FixtureUse, scope: Scope, key: str) -> str:
    lines = plain_render(use.fixture.hcl, scope, place=f"{use.kind}.hcl").rstrip().split("\n")
    if use.variant is None:
        return "\n".join(lines)
    main = re.search(r"(alicloud_\w+|terraform_data)\.", key)
    starts = [
        number
        for number, line in enumerate(lines)
        if (found := _BLOCK.match(line)) and main and found["type"] == main[1]
    ]
    if not starts:
        raise source_invalid(
            f"{use.kind}.hcl", f"there is no resource block of the kind that the key {key!r} names"
        )
    first = starts[0]
    last = next(number for number in range(first, len(lines)) if lines[number].rstrip() == "}")
    for name in (*use.variant.set, *use.variant.remove):
        last -= _take_out(lines, first, last, name, use.kind)
    added = [
        f"  {name} = {_expression(value, scope, use.kind)}"
        for name, value in use.variant.set.items()
    ]
    lines[last:last] = added
    further = plain_render(use.variant.hcl, scope, place=f"{use.kind}.hcl").rstrip()
    return "\n".join(lines) + (f"\n\n{further}" if further else "")


def _take_out(lines: list[str], first: int, last: int, name: str, place: str) -> int:
    """Remove the attribute from the block's own level; returns how many lines went."""
    depth = 0
    for number in range(first + 1, last):
        line = lines[number]
        if depth == 0 and re.match(rf"\s*{re.escape(name)}\s*=", line):
            if (
                line.count("{") != line.count("}")
                or line.count("[") != line.count("]")
                or "<<" in line
            ):
                raise source_invalid(
                    place, f"a variant cannot replace {name}, which is written over several lines"
                )
            del lines[number]
            return 1
        depth += line.count("{") + line.count("[") - line.count("}") - line.count("]")
    return 0


def _expression(value: object, scope: Scope, place: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return plain_render(str(value), scope, place=place)


def rule_yaml(draft: Draft) -> str:
    """The rule."""
    rule: dict[str, object] = {**draft.rule}
    for group, clauses in groups_of(draft.rule).items():
        if group in rule:
            rule[group] = [
                {**clause, "where": list(map(OneLine, clause["where"]))}
                if "where" in clause
                else clause
                for clause in clauses
            ]
    return dump(rule)


def script_yaml(script: Sequence[Sequence[Action]]) -> str:
    """The oracle's script, one entry for each sub-step."""
    return dump([[OneLine(dict(action)) for action in entry] for entry in script])
