"""What a task's script and rule take from META, and what may stand for it elsewhere.

The suite's outputs are `ROLE_id` and `ROLE_name`, and the record's `verify` says of
each role which kind of thing it is. Without META a name is that of the newest thing of
the kind in the account, one in the state that the record asks for before others: what a
person would take who reads "the instance" and sees a list. A part of a thing (the
database of an instance) is in no inventory: its name is lacking.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from proofwalk.chassis.yaml_documents import read_yaml
from proofwalk.cloud.ports import ResourceRef
from proofwalk.reward_service.rules import parse_rule
from proofwalk.suites.model import Task

_PLACEHOLDER = re.compile(r"\{\{\s*meta\.(\w+)\s*\}\}")
_OUTPUT = re.compile(r'output "(\w+)" \{\s*value = [^\n]*?(alicloud_\w+)')
_VERIFIED = re.compile(r"\$\{output\.(\w+)_id\}")
_CALLED_BY_ID = frozenset({"dns.domain", "ram.user"})
"""Kinds whose name in documents is the id: what the inventory calls their name is a
remark."""


@dataclass(frozen=True, kw_only=True)
class Name:
    """An output of META that the task uses."""

    output: str
    kind: str
    """As the inventory calls it, `product.type`."""
    state: str
    """In which the record has it; empty for any."""
    take: Literal["id", "name"]

    @property
    def absent(self) -> str:
        """A name that nothing has."""
        return f"absent-{self.output.replace('_', '-')}"

    def of(self, resources: Sequence[ResourceRef]) -> str:
        """What stands for it among what is there; empty for nothing."""
        alike = [one for one in resources if f"{one.product}.{one.type}" == self.kind]
        if not alike:
            return ""
        newest = max(
            alike,
            key=lambda one: (one.state == self.state, one.attributes.get("created", "")),
        )
        return newest.id if self.take == "id" else newest.name or newest.id


def names_of(task: Task, kinds: Mapping[str, str]) -> tuple[Name, ...]:
    """The names, of what stands on other things first. `kinds`: what a type of the
    provider makes, as the inventory calls it."""
    meta = read_yaml(task.meta_yaml)
    types = dict(_OUTPUT.findall(meta["create"]))
    used = {*_PLACEHOLDER.findall(task.script_yaml), *parse_rule(task.rule_yaml).meta_names}
    names = []
    for check in reversed(meta["verify"]):
        role = _VERIFIED.fullmatch(str(check["id"]))
        for take in ("id", "name"):
            output = f"{role[1]}_{take}" if role else ""
            if output not in used:
                continue
            used.discard(output)
            checked = f"{check['product']}.{check['type']}"
            kind = kinds[types[output]] if take == "name" else checked
            names.append(
                Name(
                    output=output,
                    kind=kind,
                    state=str(check.get("state", "")) if kind == checked else "",
                    take="id" if take == "id" or kind in _CALLED_BY_ID else "name",
                )
            )
    if used:
        raise ValueError(f"{task.id}: nothing says of what kind {', '.join(sorted(used))} is")
    return tuple(names)


def bound(names: Sequence[Name], resources: Sequence[ResourceRef]) -> Mapping[str, str]:
    """What stands for the names; without those of which there is nothing."""
    return {name.output: value for name in names if (value := name.of(resources))}
