"""K of a META record, by resource: its Terraform type, its state, and the values that
matter to the document (AliyunConsoleAgent §4, Table 1).

An entry of `attributes.resources` that is a mapping is one resource. Its values are
used twice: `variables` puts them into variables of C_create, and all of them are looked
for in the inventory once it is made, beside C_verify. So the names of values are the
inventory's. An entry that is a word says what kind of thing is made, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from proofwalk.cloud.ports import fact_text
from proofwalk.hcl.tree import Chain, Member, Name
from proofwalk.resource_provisioner.guard import Template

MAX_VALUES = 40
Scalar = bool | int | FiniteFloat | Annotated[str, Field(max_length=256)]
_REFERENCE = re.compile(r"\$\{")


class KeyResource(BaseModel):
    """One resource of K."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    type: str = Field(min_length=1, max_length=100)
    """Terraform's: `alicloud_instance`. Where nothing is made by Terraform, a word for
    it."""
    output: str = Field(default="", max_length=100)
    """The output that holds its id."""
    address: str = Field(default="", max_length=200)
    """Or its address in C_create, where an output is its `id`."""
    state: str = Field(default="", max_length=64)
    """That it is to be in, as the inventory calls it; empty for any."""
    values: Mapping[str, Scalar] = Field(default_factory=dict, max_length=MAX_VALUES)
    """By the inventory's names; a text may hold `${output.…}`."""
    variables: Mapping[str, str] = Field(default_factory=dict, max_length=MAX_VALUES)
    """Variable of C_create → name of the value that it takes."""

    @model_validator(mode="after")
    def _says_which(self) -> KeyResource:
        if bool(self.output) == bool(self.address):
            raise ValueError("a resource of K has either output or address")
        if self.address and self.address.partition(".")[0] != self.type:
            raise ValueError(f"the address {self.address!r} is of another type than {self.type!r}")
        for variable, name in self.variables.items():
            if name not in self.values:
                raise ValueError(f"the variable {variable!r} takes {name!r}, which has no value")
            value = self.values[name]
            if isinstance(value, str) and _REFERENCE.search(value):
                raise ValueError(
                    f"the variable {variable!r} takes {name!r}, which is known only afterwards"
                )
        return self

    def output_in(self, template: Template) -> str:
        """The output that holds its id; empty where there is none."""
        return self.output or outputs_of_ids(template).get(self.address, "")

    @property
    def facts(self) -> Mapping[str, str]:
        """Its values as the inventory tells them."""
        return {name: fact_text(value) for name, value in self.values.items()}


def key_resources(attributes: Mapping[str, object]) -> tuple[KeyResource, ...]:
    """The typed entries of K. Raises pydantic's `ValidationError`."""
    entries = attributes.get("resources", ())
    if not isinstance(entries, list | tuple):
        return ()
    return tuple(KeyResource.model_validate(one) for one in entries if isinstance(one, Mapping))


def variables_of(resources: Sequence[KeyResource]) -> Mapping[str, Scalar]:
    """Variable of C_create → the value that K gives it."""
    return {
        variable: one.values[name] for one in resources for variable, name in one.variables.items()
    }


def wrong_in(resources: Sequence[KeyResource], template: Template, outputs: frozenset[str]) -> str:
    """What K says that C_create has not, in words; empty where all fits."""
    declared = {one.address: one.type for one in template.resources}
    variables = {block.labels[0] for block in template.body.blocks if block.type == "variable"}
    assigned: set[str] = set()
    for one in resources:
        if declared and one.type not in declared.values():
            return f"create makes no {one.type}"
        if one.address and one.address not in declared:
            return f"create makes no {one.address}"
        output = one.output_in(template)
        if not output:
            return f"no output of create has the value {one.address}.id"
        if output not in outputs:
            return f"there is no output {output!r}"
        for variable in one.variables:
            if variable not in variables:
                return f"create declares no variable {variable!r}"
            if variable in assigned:
                return f"two resources give the variable {variable!r} a value"
            assigned.add(variable)
    return ""


def outputs_of_ids(template: Template) -> Mapping[str, str]:
    """Address → the output whose value is its `id`."""
    outputs: dict[str, str] = {}
    for block in template.body.blocks:
        value = block.body.attributes["value"].value if block.type == "output" else None
        match value:
            case Chain(root=Name(name=kind), steps=(Member(name=name), Member(name="id"))):
                outputs.setdefault(f"{kind}.{name}", block.labels[0])
    return outputs
