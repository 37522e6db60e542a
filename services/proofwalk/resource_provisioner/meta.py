"""META records ⟨D, K, C_create, C_verify, C_destroy⟩: read, judged, identified by a
digest.

A record is YAML: `id`, `description` (D), `attributes` (K), `create` (HCL), `verify`
(assertions over the inventory), `destroy` (`auto`: what was created is destroyed by its
state, then swept by its tag), `binds` (phrase of the document → value, in which
`${output.x}` is put in). Reading a record judges its template with `guard`, so a record
that exists may be run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml, write_yaml
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.resource_provisioner import guard

MAX_YAML_BYTES = 128 * 1024
_REFERENCE = re.compile(r"\$\{([^}]*)\}")
_OUTPUT = re.compile(r"output\.([A-Za-z_][A-Za-z0-9_-]*)")
_VARIABLES = ("var.region", "var.name_prefix")


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
    attributes: Mapping[str, object] = Field(default_factory=dict)
    create: str = ""
    verify: tuple[Assertion, ...] = Field(default=(), max_length=50)
    destroy: Literal["auto"] = "auto"
    binds: Mapping[str, str] = Field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form."""
        canonical = json.dumps(
            self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False
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
            "", "it is not a mapping with id, description, create, verify, destroy and binds"
        )
    try:
        meta = Meta.model_validate(document)
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
    for index, assertion in enumerate(meta.verify):
        for name in ("id", "name", "state"):
            _check_references(f"verify.{index}.{name}", getattr(assertion, name), template.outputs)
    for phrase, value in meta.binds.items():
        _check_references(f"binds.{phrase}", value, template.outputs)


def _check_references(where: str, text: str, outputs: frozenset[str]) -> None:
    for reference in _REFERENCE.findall(text):
        found = _OUTPUT.fullmatch(reference)
        if found is None and reference not in _VARIABLES:
            raise _invalid(
                where,
                f"${{{reference}}} is neither ${{output.…}} nor one of {', '.join(_VARIABLES)}",
            )
        if found is not None and found.group(1) not in outputs:
            known = ", ".join(sorted(outputs)) or "none"
            raise _invalid(
                where, f"the template has no output {found.group(1)!r} (it has: {known})"
            )


def resolve(text: str, *, outputs: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """`text` with its references put in."""

    def value(match: re.Match[str]) -> str:
        reference = match.group(1)
        found = _OUTPUT.fullmatch(reference)
        if found is not None:
            return outputs.get(found.group(1), "")
        return variables.get(reference.removeprefix("var."), "")

    return _REFERENCE.sub(value, text)


def dump(meta: Meta) -> str:
    """The record as YAML."""
    return write_yaml(meta.model_dump(mode="json"))


def _invalid(where: str, what: str, *, line: int = 0) -> ProofwalkError:
    details = {"path": where} | ({"line": str(line)} if line else {})
    return invalid(
        "meta.invalid",
        f"the META record is not valid: {f'{where}: ' if where else ''}{what}",
        hint="see services/proofwalk/resource_provisioner/README.md for what a record may hold",
        details=details,
    )
