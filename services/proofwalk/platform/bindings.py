"""What a document's phrases stood for in an episode: by META's outputs, or by its
template and what was listed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from proofwalk.cloud.steps.placeholders import filled
from proofwalk.resource_provisioner.meta import Meta, read_meta
from proofwalk.suites.model import Task
from proofwalk.suites.writing.records import REGION

_NAMED = re.compile(r"pw[0-9a-f]{6}-")
"""How the names of provisioned resources begin (`resource_provisioner`)."""
_PREFIX = 8
_VARIABLE = re.compile(r"\$\{var\.(\w+)\}")
_BLOCK = re.compile(r'^resource "([\w-]+)" "([^"]+)" \{\n(.*?)^\}', re.M | re.S)
_OUTPUT = re.compile(r'^output "(\w+)" \{\s*value\s*=\s*(\w+)\.(\w+)\.(\w+)\s*\}', re.M)


def binds_of(
    task: Task, outputs: Mapping[str, str] | None, listed: Sequence[str]
) -> Mapping[str, str] | None:
    """What the document's phrases stood for; None when that cannot be told.

    `outputs` are META's, as the judge was given them. Where nothing was judged, they
    follow from the template, whose names begin as those of the resources that
    provisioning listed (`product type id name state`), and ids from that list, as far
    as META's assertions say which is which.
    """
    meta = read_meta(task.meta_yaml)
    if not meta.binds:
        return {}
    if any("${var.name_prefix}" in value for value in meta.binds.values()):
        return None
    known = _outputs_listed(meta, listed) if outputs is None else outputs
    found = {
        phrase: filled(value, outputs=known, variables={"region": REGION})
        for phrase, value in meta.binds.items()
    }
    return found if all(found.values()) else None


def _outputs_listed(meta: Meta, listed: Sequence[str]) -> dict[str, str]:
    rows = [line.split(" ") for line in listed]
    found: dict[str, str] = {}
    kinds = [(one.product, one.type) for one in meta.verify]
    for one in meta.verify:
        output = re.fullmatch(r"\$\{output\.(\w+)_id\}", one.id)
        those = [row[2] for row in rows if row[:2] == [one.product, one.type] and len(row) > 2]
        if output is not None and kinds.count((one.product, one.type)) == len(those) == 1:
            found[f"{output[1]}_id"] = those[0]
    prefixes = {word[:_PREFIX] for row in rows for word in row[3:] if _NAMED.match(word)}
    variables = {
        "region": REGION,
        **({"name_prefix": prefixes.pop()} if len(prefixes) == 1 else {}),
    }
    return found | _outputs_written(meta.create, variables)


def _outputs_written(template: str, variables: Mapping[str, str]) -> dict[str, str]:
    """The outputs that stand for an attribute which the template gives a plain text."""
    blocks = {(one[1], one[2]): one[3] for one in _BLOCK.finditer(template)}
    found: dict[str, str] = {}
    for declared in _OUTPUT.finditer(template):
        name, kind, resource, attribute = declared.groups()
        written = re.search(
            rf'^\s*{attribute}\s*=\s*"([^"]*)"\s*$', blocks.get((kind, resource), ""), re.M
        )
        if written is not None:
            value = _VARIABLE.sub(lambda one: variables.get(one[1], one[0]), written[1])
            found |= {name: value} if "${" not in value else {}
    return found
