"""What is asked for when a document is to be verified: one frozen type, carried whole.

An `Order` says how: target, policy, records, options. It holds for any document. A
`VerificationRequest` is an order with its document: the body of `POST
/v1/verifications`, and what the contract's CreateVerification carries. Nothing else
spells these fields again: REST and its schema take the type, the command line derives
its flags from it (`cli.order_options`), `contract`, `body` and `stored` convert
whatever fields it has, and a walk is given the order itself.

An option that is added needs three places: a field here, a field of the same name in
`rollout.proto`, and the place where it has its effect (`tests/orders` counts them).

Invariants: an option's zero value ("", 0, False) means that it was not asked for, and
gives the default. An instance is valid, or its construction raised: pydantic's
`ValidationError` for a field, `ProofwalkError` with a stable code for what fields say
together. Whether target, policy and procedure exist is the intake's to find
(`rollout.intake`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

from proofwalk.kernel.account_pools import SITE_PATTERN, AccountPurpose
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.purposes import Purpose

SCRIPTED = "scripted"
"""The policy that plays the order's script."""
_SCENARIO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True, kw_only=True)
class Flag:
    """How the command line has an option, where it is otherwise than its field says."""

    name: str = ""
    """Without dashes; empty for the field's own."""
    help: str = ""
    """Empty for the field's description."""
    default: str | int | bool | None = None
    """None for the field's own."""
    reads_file: bool = False
    """The flag names a file, and the option is its text."""
    only_for_policy: str = ""
    """The file beside a document is read for this policy alone."""
    shown: bool = True
    """Whether there is a flag at all."""


def flag_of(option: FieldInfo) -> Flag:
    """How the command line has an option."""
    return next((one for one in option.metadata if isinstance(one, Flag)), Flag())


class Order(BaseModel):
    """How documents are to be verified."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: Annotated[str, Flag(help="Which console.", default="devcloud")] = Field(
        max_length=128, examples=["devcloud"]
    )
    procedure_id: Annotated[
        str, Flag(name="procedure", help="Which procedure: its id, in a folder PAGE#ID.")
    ] = Field(default="", max_length=512)
    policy: Annotated[
        str,
        Flag(
            help="Who decides each step: literal, llm, cascade, replay, scripted, null or random."
        ),
    ] = Field(default="literal", max_length=64)
    attempts: Annotated[
        int,
        Flag(help="Episodes at most; a finding's second sighting comes on top.", default=2),
    ] = Field(default=1, ge=1, le=10)
    meta: Annotated[
        str,
        Flag(help="META record; default: the file beside the document.", reads_file=True),
    ] = Field(default="", max_length=200_000, description="META record as YAML.")
    meta_id: Annotated[str, Flag(shown=False)] = Field(
        default="", max_length=256, description="Id of a stored META record, instead of `meta`."
    )
    rule: Annotated[
        str, Flag(help="Rule; default: the file beside the document.", reads_file=True)
    ] = Field(default="", max_length=200_000, description="Rule over the audit log as YAML.")
    script: Annotated[
        str,
        Flag(
            help="For the policy scripted; default: the file beside the document.",
            reads_file=True,
            only_for_policy=SCRIPTED,
        ),
    ] = Field(
        default="", max_length=200_000, description="Script as YAML, for the policy `scripted`."
    )
    scenario: str = Field(
        default="",
        max_length=128,
        description="Scenario of the console, where the target has them.",
    )
    region: Annotated[str, Flag(help="Where resources are made.")] = Field(
        default="", max_length=64
    )
    role: str = Field(
        default="",
        max_length=64,
        description=(
            "Role of the account that signs in, as the target's accounts have it; empty: META"
            " or the document may name one."
        ),
    )
    site: str = Field(
        default="",
        pattern=SITE_PATTERN,
        description=(
            "Site that the account has to be of, as the target's accounts name them; empty: any."
        ),
    )
    account_purpose: Literal["", AccountPurpose] = Field(
        default="",
        description=(
            "What the account has to serve; empty: `verification`, and `training` for a member of"
            " a group."
        ),
    )
    accept: Literal["", "audit", "judges", "page"] = Field(
        default="",
        description=(
            "The lowest rung of evidence that counts as proof; empty for the target's."
            " Less is `unproven`."
        ),
    )
    purpose: Literal["", Purpose] = Field(
        default="",
        description=(
            "`inspect`, which empty means: where the console has another name or way and the"
            " meaning is plain, go on with it and report it. `follow`: to the letter, and the"
            " first difference ends the walk."
        ),
    )
    max_price_per_hour: float = Field(
        default=0.0,
        ge=0,
        le=1e9,
        allow_inf_nan=False,
        description=(
            "What the resources of one record may cost for an hour, in the account's currency;"
            " 0: the provisioner's bound, which an order can only lower."
        ),
    )
    max_price_at_once: float = Field(
        default=0.0,
        ge=0,
        le=1e9,
        allow_inf_nan=False,
        description="The same of what they cost when they are made, for subscriptions.",
    )
    resources_ttl_s: int = Field(
        default=0,
        ge=0,
        le=604_800,
        description=(
            "Seconds in which what a META record makes stands, whatever the walk does; 0: the"
            " provisioner's bound, which an order can only lower."
        ),
    )
    trace: bool = Field(
        default=False,
        description="Record the browser too: a Playwright trace and a HAR, without secrets.",
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """What the fields' schema cannot say. Raises `ProofwalkError`."""
        refuse_nul(getattr(self, name) for name in type(self).model_fields)
        if self.meta and self.meta_id:
            raise invalid(
                "meta.two_sources", "give META as a record or by the id of a stored one, not both"
            )
        if self.scenario and not _SCENARIO.fullmatch(self.scenario):
            raise invalid(
                "verification.bad_scenario",
                "a scenario's name is 1 to 128 letters, digits, '.', '_' and '-'",
            )
        return self


class DocumentSource(BaseModel):
    """A document by URL, or its text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(
        default="", max_length=4096, examples=["https://docs.example.com/ecs/stop-an-instance"]
    )
    text: str = Field(default="", description="The document itself, instead of a URL.")
    name: str = Field(
        default="",
        max_length=1024,
        description="How findings name it, e.g. a path in a repository.",
    )
    media_type: str = Field(default="", max_length=128, examples=["text/markdown"])

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.url) == bool(self.text):
            raise ValueError("give either `url` or `text`")
        refuse_nul((self.url, self.name, self.media_type))
        return self


class VerificationRequest(Order):
    """A request to verify one procedure of one document."""

    document: DocumentSource

    @property
    def order(self) -> Order:
        """The request without its document."""
        return Order.model_construct(**{name: getattr(self, name) for name in Order.model_fields})


def refuse_nul(values: Iterable[object]) -> None:
    """Raises `verification.bad_text` where a text has a NUL: PostgreSQL stores none."""
    if any(isinstance(value, str) and "\0" in value for value in values):
        raise invalid("verification.bad_text", "a field of the request contains a NUL character")
