"""META records ⟨D, K, C_create, C_verify, C_destroy⟩ (AliyunConsoleAgent §4) as YAML.

    id: ecs-stop-instance
    description: One running pay-as-you-go ECS instance          # D, in words
    attributes: {state: Running, charge_type: PostPaid}          # K, flat
    create: |                                                    # C_create: Terraform; may be empty
      resource "alicloud_vpc" "main" { … }
      output "instance_id" { value = … }
    verify:                                                      # C_verify: what the inventory must show afterwards
      - {product: ecs, type: instance, id: "${output.instance_id}", state: Running}
    destroy: auto                                                # C_destroy: terraform destroy, then the sweep
    binds: {"the instance that you want to stop": "${output.instance_id}"}

`binds` says how the document's phrases name what was made; the policy sees their values, never the code. A record is known by
its id and the SHA-256 of its canonical form.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.resource_provisioner import guard

MAX_YAML = 200_000
_REFERENCE = re.compile(r"\$\{output\.([A-Za-z_][A-Za-z0-9_-]*)\}")

Scalar = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else json.dumps(value))]


class Expectation(BaseModel):
    """One assertion over the inventory. Further facts are compared with the resource's attributes."""

    model_config = ConfigDict(frozen=True, extra="allow")

    product: str
    type: str
    id: str = ""
    name: str = ""
    state: str = ""

    @property
    def facts(self) -> Mapping[str, str]:
        """Attributes that are asserted besides."""
        return {name: str(value) for name, value in (self.model_extra or {}).items()}

    def missing(self, inventory: list[ResourceRef], outputs: Mapping[str, str]) -> str:
        """What the inventory lacks, in words; empty when the expectation is met."""
        wanted_id, wanted_name = fill(self.id, outputs), fill(self.name, outputs)
        matching = [
            resource
            for resource in inventory
            if resource.product == self.product
            and resource.type == self.type
            and (not wanted_id or resource.id == wanted_id)
            and (not wanted_name or resource.name == wanted_name)
        ]
        what = f"{self.product}/{self.type} {wanted_id or wanted_name}".strip()
        if not matching:
            return f"there is no {what}"
        resource = matching[0]
        if self.state and resource.state != self.state:
            return f"{what} is {resource.state}, not {self.state}"
        for fact, value in self.facts.items():
            found = resource.attributes.get(fact, "")
            if found != fill(value, outputs):
                return f"{what}: {fact} is {found!r}, not {fill(value, outputs)!r}"
        return ""


class Meta(BaseModel):
    """A META record."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,127}$")
    description: str = Field(min_length=1, max_length=2000)
    attributes: dict[str, Scalar] = Field(default_factory=dict)
    create: str = Field(default="", max_length=guard.MAX_TEXT)
    verify: tuple[Expectation, ...] = ()
    destroy: Literal["auto"] = "auto"
    binds: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _outputs_exist(self) -> Meta:
        declared = set(guard.outputs(self.create))
        used: set[str] = set()
        for text in [
            *self.binds.values(),
            *(value for rule in self.verify for value in [rule.id, rule.name, *rule.facts.values()]),
        ]:
            used |= set(_REFERENCE.findall(text))
        if used - declared:
            raise ValueError(f"${{output.{sorted(used - declared)[0]}}} is used, and create declares no such output")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def bound(self, outputs: Mapping[str, str]) -> dict[str, str]:
        """The binds with the outputs put in."""
        return {phrase: fill(value, outputs) for phrase, value in self.binds.items()}


def fill(text: str, outputs: Mapping[str, str]) -> str:
    """`text` with `${output.x}` replaced."""
    return _REFERENCE.sub(lambda match: outputs.get(match[1], ""), text)


def parse_meta(text: str) -> Meta:
    """Read and check a record; raises `meta.invalid` with the field and what to do."""
    if len(text) > MAX_YAML:
        raise _invalid("", f"the record is longer than {MAX_YAML} characters")
    try:
        document: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise _invalid(f"line {mark.line + 1}" if mark else "", f"it is not YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(document, dict):
        raise _invalid("", "it is not a mapping with id, description, create and verify")
    try:
        meta = Meta.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _invalid(".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")) from None
    guard.check(meta.create)
    return meta


def _invalid(where: str, what: str) -> ProofwalkError:
    return invalid(
        "meta.invalid",
        f"the META record{f': {where}' if where else ''}: {what}",
        hint="compare it with a record under examples/docs/",
        details={"path": where},
    )
