"""META records ⟨D, K, C_create, C_verify, C_destroy⟩: read, judged, identified by a
digest.

A record is YAML: `id`, `description` (D), `role` (which one of the target's the account
is to have), `attributes` (K, see `key_attributes`), `create` (HCL), `verify`
(assertions over the inventory), `destroy` (`auto`: what was created is destroyed by its
state, then swept by its tag), `binds` (phrase of the document → value, in which
`${output.x}` is put in). Where Terraform does not reach, `steps` and `leftovers` stand
instead of `create` (`cloud.steps`); as operations of the cloud's API
(`allowed_operations`) they also stand beside it, and bring what it made into the state
that the document presupposes. What nobody can have within a day is `unattainable`.
Reading a record judges its template with `guard`, so a record that exists may be run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml, write_yaml
from proofwalk.cloud.steps.model import MAX_STEPS, ApiCall, Call, Preparation, Step
from proofwalk.cloud.steps.placeholders import complaint, missing
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner import guard
from proofwalk.resource_provisioner.allowed_operations import refusal_of
from proofwalk.resource_provisioner.key_attributes import KeyResource, key_resources, wrong_in

MAX_YAML_BYTES = 128 * 1024
_LATER = ("role", "steps", "leftovers", "unattainable")


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Assertion(_Model):
    """What must be in the inventory after creation."""

    product: str
    """As the inventory calls it: `ecs`."""
    type: str
    """`instance`."""
    id: str = ""
    """The resource's id; usually `${output.…}`."""
    name: str = ""
    """Or its name."""
    state: str = ""
    """The state that it must be in; empty for any."""
    attributes: Mapping[str, str] = Field(default_factory=dict)
    """Further facts of the inventory that must hold."""

    @model_validator(mode="after")
    def _names_something(self) -> Assertion:
        if not self.id and not self.name:
            raise ValueError("an assertion names an id or a name")
        return self


class Meta(_Model):
    """One record."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,99}$")
    description: str = Field(min_length=1, max_length=2000)
    role: str = Field(default="", max_length=64)
    attributes: Mapping[str, object] = Field(default_factory=dict)
    create: str = ""
    steps: tuple[Step, ...] = Field(default=(), max_length=MAX_STEPS)
    leftovers: tuple[Call, ...] = Field(default=(), max_length=MAX_STEPS)
    verify: tuple[Assertion, ...] = Field(default=(), max_length=50)
    destroy: Literal["auto"] = "auto"
    unattainable: str = Field(default="", max_length=500)
    """What the document presupposes that nobody can have within a day, in words: an
    instance that has expired. Such a record makes nothing, and is refused when it is to
    be made."""
    binds: Mapping[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _makes_in_one_way(self) -> Meta:
        calls = Preparation.calls_of(self.steps, self.leftovers)
        if self.create.strip() and not all(isinstance(call, ApiCall) for _, call in calls):
            raise ValueError(
                "it has either create or steps and leftovers; beside create, these are"
                " operations of the cloud's API (api: …)"
            )
        if self.unattainable and (self.create.strip() or self.steps or self.leftovers):
            raise ValueError("what is unattainable is not made: leave create and steps out")
        return self

    @cached_property
    def resources(self) -> tuple[KeyResource, ...]:
        """K, as far as it is typed by resource."""
        return key_resources(self.attributes)

    def refuse_unattainable(self) -> None:
        """Raise `provision.cannot_be_had` for a record of what nobody can have."""
        if self.unattainable:
            raise ProofwalkError(
                "provision.cannot_be_had",
                f"what the document presupposes cannot be had within a day: {self.unattainable}",
                status=Status.FAILED_PRECONDITION,
                hint="walk the document by hand, in an account that has it",
                cause=EnvCause.PROVISION,
            )

    @cached_property
    def preparation(self) -> Preparation:
        """What is made without Terraform, or after it."""
        try:
            prior = self.template.outputs
        except guard.Refusal:
            # A row's template may be one that is refused by now. What was made has to
            # be taken back all the same.
            calls = Preparation.calls_of(self.steps, self.leftovers)
            own = {name for step in self.steps for name in step.outputs}
            prior = frozenset(
                name for _, call in calls for text in call.texts() for name in missing(text, own)
            )
        return Preparation(steps=self.steps, leftovers=self.leftovers, prior=prior)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form."""
        canonical = json.dumps(
            _canonical(self), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        return hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def template(self) -> guard.Template:
        """The template's declarations."""
        return guard.inspect(self.create)


def read_meta(text: str, *, id_: str = "") -> Meta:
    """The record that `text` holds, judged. `id_`, if given, must be its id. Raises
    `meta.invalid`."""
    meta = read_kept(text)
    if id_ and meta.id != id_:
        raise _invalid("id", f"it says {meta.id!r}, and the request says {id_!r}")
    check(meta)
    return meta


def read_kept(text: str) -> Meta:
    """The record of a row, to tell of it: its template may be one that is refused by
    now, and must not be run.

    Raises `meta.invalid`.
    """
    try:
        document = read_yaml(text, YamlBounds(max_bytes=MAX_YAML_BYTES))
    except YamlRefused as refused:
        raise _invalid(refused.where, refused.what) from None
    if not isinstance(document, dict):
        raise _invalid(
            "",
            "it is not a mapping with id, description, create or steps, verify, destroy and binds",
        )
    try:
        meta = Meta.model_validate(document)
        _ = meta.preparation  # refuses references that nothing puts in
        _ = meta.resources
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _invalid(
            ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
        ) from None
    return meta


def check(meta: Meta) -> None:
    """Judge the template and every reference to its outputs. Raises `meta.invalid`."""
    try:
        template = meta.template
    except guard.Refusal as refusal:
        raise _invalid(f"create, line {refusal.line}", refusal.reason, line=refusal.line) from None
    for where, call in meta.preparation.calls():
        wrong = refusal_of(call) if isinstance(call, ApiCall) else ""
        if wrong:
            raise _invalid(where, wrong)
    outputs = template.outputs | meta.preparation.outputs
    for index, assertion in enumerate(meta.verify):
        for name in ("id", "name", "state"):
            _check_references(f"verify.{index}.{name}", getattr(assertion, name), outputs)
    wrong = wrong_in(meta.resources, template, outputs)
    if wrong:
        raise _invalid("attributes.resources", wrong)
    for index, resource in enumerate(meta.resources):
        for name, text in resource.facts.items():
            _check_references(f"attributes.resources.{index}.{name}", text, outputs)
    for phrase, value in meta.binds.items():
        _check_references(f"binds.{phrase}", value, outputs)


def _check_references(where: str, text: str, outputs: frozenset[str]) -> None:
    wrong = complaint(text, outputs)
    if wrong:
        raise _invalid(where, wrong)


def dump(meta: Meta) -> str:
    """The record as YAML."""
    return write_yaml(_canonical(meta))


def _canonical(meta: Meta) -> dict[str, object]:
    """The record's members; those of `_LATER` only where it has some, so that records
    without keep the digest that they had before there were such."""
    members = meta.model_dump(mode="json", by_alias=True)
    for step in members["steps"]:
        if not step["within_s"]:
            del step["within_s"]
    return {name: value for name, value in members.items() if value or name not in _LATER}


def _invalid(where: str, what: str, *, line: int = 0) -> ProofwalkError:
    details = {"path": where} | ({"line": str(line)} if line else {})
    return invalid(
        "meta.invalid",
        f"the META record is not valid: {f'{where}: ' if where else ''}{what}",
        hint="see services/proofwalk/resource_provisioner/README.md for what a record may hold",
        details=details,
    )
