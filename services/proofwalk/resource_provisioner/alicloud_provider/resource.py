"""What a resource type has to say, and how a change is planned; the protocol around it
is in `servicer`.

A class names its type, the attributes whose change replaces the resource, those that an
update may change behind the plan's back, defaults, and aliases (the deprecated name of
an attribute and its present one). Life is `create` (returns the id as soon as there is
one, so that a failure afterwards leaves a tainted resource in the state and nothing
lost), `settle` (waits and finishes), `read` (None when it is gone), `update`, `delete`.
State is a plain mapping of attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.schema import Block, resource_block
from proofwalk.resource_provisioner.alicloud_provider.values import (
    UNKNOWN,
    known,
    seconds_of,
    shaped,
)

State = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A diagnostic about one attribute, or about the whole."""

    summary: str
    detail: str = ""
    path: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The planned state, and the attributes that force a replacement."""

    state: State
    replaced_by: Sequence[str] = field(default=())


class Resource(ABC):
    """One resource type."""

    type_name: ClassVar[str]
    replaced_by: ClassVar[frozenset[str]] = frozenset()
    """A change of one of these makes a new resource."""
    follows: ClassVar[Mapping[str, frozenset[str]]] = {}
    """Computed attribute → the attributes whose update changes it behind the plan's
    back."""
    defaults: ClassVar[Mapping[str, Any]] = {}
    aliases: ClassVar[Mapping[str, str]] = {}
    """Deprecated name → present name."""
    needed: ClassVar[Sequence[str]] = ()
    """Attributes that the schema calls optional, for old templates' sake, and the cloud
    wants (under either name)."""
    choices: ClassVar[Mapping[str, Sequence[Any]]] = {}
    """The values that the cloud accepts, for a message before anything is made."""

    @property
    def block(self) -> Block:
        return resource_block(self.type_name)

    def validate(self, config: Mapping[str, Any]) -> list[Problem]:
        """What is wrong with a configuration; unknown values are not judged."""
        problems = []
        for name in self.needed:
            others = [old for old, new in self.aliases.items() if new == name]
            if all(config.get(each) is None for each in (name, *others)):
                problems.append(
                    Problem(
                        summary="Missing required argument",
                        detail=f"The argument {name!r} is required.",
                    )
                )
        for name, allowed in self.choices.items():
            value = config.get(name)
            if value is not None and value is not UNKNOWN and value not in allowed:
                listed = ", ".join(map(str, allowed))
                detail = f"expected {name} to be one of [{listed}], got {value}"
                problems.append(
                    Problem(summary=f"Invalid value for {name}", detail=detail, path=[name])
                )
        for old, new in self.aliases.items():
            if config.get(old) is not None and config.get(new) is not None:
                detail = f"{old!r} is the deprecated name of {new!r}; only one of them may be set."
                problems.append(
                    Problem(
                        summary="Conflicting configuration arguments", detail=detail, path=[old]
                    )
                )
        return problems

    def plan(self, prior: State | None, proposed: State, config: Mapping[str, Any]) -> Plan:
        """What the resource will be. `proposed` is the configuration merged with the
        prior state by Terraform."""
        planned = dict(proposed)
        if prior is None:
            for name, attribute in self.block.attributes.items():
                if planned.get(name) is None:
                    planned[name] = self.defaults.get(name, UNKNOWN if attribute.computed else None)
        else:
            for name, default in self.defaults.items():
                if planned.get(name) is None:
                    planned[name] = default
        self._follow_aliases(planned, config)
        if prior is None:
            return Plan(state=planned)
        changed = {
            name
            for name in self.block.names()
            if name != "timeouts" and prior.get(name) != planned.get(name)
        }
        if not changed:
            return Plan(state=planned)
        replaced = sorted(changed & self.replaced_by)
        for name, causes in self.follows.items():
            if changed & causes and config.get(name) is None:
                planned[name] = UNKNOWN
        return Plan(state=planned, replaced_by=replaced)

    def _follow_aliases(self, planned: State, config: Mapping[str, Any]) -> None:
        for old, new in self.aliases.items():
            if config.get(new) is not None:
                planned[old] = planned[new]
            elif config.get(old) is not None:
                planned[new] = planned[old]

    @abstractmethod
    def create(self, cloud: CloudApi, planned: State) -> str:
        """Make it; its id. Raises `ApiError` when nothing was made."""

    def settle(self, cloud: CloudApi, state: State) -> None:
        """Wait until it is usable and do what creation could not. A failure leaves it
        tainted."""
        return

    @abstractmethod
    def read(self, cloud: CloudApi, state: State) -> State | None:
        """Attributes as they are now, over those of `state`; None when it is gone."""

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        """Change it in place."""
        raise ApiError(
            "Update",
            "NotSupported",
            f"{self.type_name} cannot change {', '.join(sorted(changed))} in place",
        )

    @abstractmethod
    def delete(self, cloud: CloudApi, state: State) -> None:
        """Delete it and wait until it is gone; gone already is success."""

    def merged(self, state: State, facts: Mapping[str, Any]) -> State:
        """`state` with what the cloud says, every value in the form of its type and
        nothing unknown."""
        block = self.block
        merged = block.empty() | {
            name: value for name, value in state.items() if name in set(block.names())
        }
        for name, value in facts.items():
            attribute = block.attributes[name]
            if not value and not attribute.computed and state.get(name) is None:
                # The cloud says "off" where the template says nothing: the same thing,
                # and no reason for a change.
                continue
            merged[name] = shaped(attribute.type, value)
        for old, new in self.aliases.items():
            merged[old] = merged[new]
        cleaned: State = known(merged)
        return cleaned

    def timeout(self, state: Mapping[str, Any], operation: str, default_s: float = 600.0) -> float:
        """The operation's time limit: from the `timeouts` block, or the type's own."""
        block = state.get("timeouts")
        return (
            seconds_of(block.get(operation), default_s) if isinstance(block, Mapping) else default_s
        )


def given(planned: Mapping[str, Any], name: str) -> Any:
    """A planned value that the template set; None when it is null, unknown or an empty
    text."""
    value = planned.get(name)
    return None if value is UNKNOWN or value == "" else value


def tag_params(tags: Mapping[str, str] | None) -> list[dict[str, str]] | None:
    """Tags as a create call takes them."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())] if tags else None


def tags_of(
    row: Mapping[str, Any], key: str = "TagKey", value: str = "TagValue"
) -> dict[str, str] | None:
    """Tags as an answer lists them; None for none, which is how an absent map reads."""
    found = {
        str(tag.get(key)): str(tag.get(value)) for tag in (row.get("Tags") or {}).get("Tag") or []
    }
    return {
        name: text for name, text in found.items() if not name.startswith(("acs:", "aliyun"))
    } or None


def update_tags(
    cloud: CloudApi, product: str, kind: str, id_: str, prior: State, planned: State
) -> None:
    """Bring tags from one set to the other."""
    before, after = prior.get("tags") or {}, planned.get("tags") or {}
    removed = sorted(set(before) - set(after))
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    if removed:
        # VPC spells it differently from all others.
        action = "UnTagResources" if product == "vpc" else "UntagResources"
        cloud.write(product, action, ResourceType=kind, ResourceId=[id_], TagKey=removed)
    if changed:
        cloud.write(
            product, "TagResources", ResourceType=kind, ResourceId=[id_], Tag=tag_params(changed)
        )
