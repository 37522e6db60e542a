"""A resource type: its states, its identity, what refuses and what depends on it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from proofwalk.devcloud.products.schema.fields import FieldSpec
from proofwalk.devcloud.products.schema.nodes import Fault, Node, Selector
from proofwalk.devcloud.products.schema.operations import Cascade, OperationSpec, ParamMap
from proofwalk.devcloud.products.schema.pages import ActionSpec, CreateSpec, DetailSpec, ListSpec

GONE = "@gone"
"""The state that a resource enters when it ceases to exist."""


class Block(Selector):
    """Resources that forbid a delete while they exist."""

    unless: str | None = None
    """A boolean form field of the delete that lifts it (a forced delete, whose
    `cascade` takes the resources along)."""
    fault: Fault


class State(Node):
    """How a state looks in the console."""

    tone: Literal["success", "muted", "progress", "warning", "error"]
    label: str | None = None


class Transition(Node):
    """Leaves a state by itself after `after` seconds."""

    after: float = Field(ge=0)
    to: str


class Lifecycle(Node):
    """The state a resource starts in, and the states it leaves by itself."""

    initial: str
    transitions: dict[str, Transition] = {}


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [] if value is None else [value]


class Quota(Node):
    """At most `max` resources with equal values in `per` (`region` and fields)."""

    max: int
    per: list[str] = []
    fault: Fault


class Given(Node):
    """A resource that every account has from the beginning, in each region unless its
    type has none."""

    status: str | None = None
    fields: dict[str, Any] = {}


class ResourceApi(Node):
    """Identity, refusals and dependencies of a resource type."""

    type: str
    """As the audit log names it: `ACS::ECS::Instance`."""
    id_prefix: str = ""
    id_param: str
    id_style: Literal["regional", "plain", "digits"] = "regional"
    """Random characters with the region's mark before them, without it, or digits."""
    id_from: Annotated[list[str], BeforeValidator(_as_list)] = []
    """Fields whose values are the id (a bucket's name), joined by `/` if several: the
    last travels as `id_param`, those before it (the project of a log store) as `parent`
    says. Empty: the engine makes ids from `id_prefix`."""
    unique: Literal["account", "global"] = "account"
    """How far an id that people choose must be unique."""
    exists: Fault = Fault(
        code="EntityAlreadyExists", message="The resource {id} already exists.", status=409
    )
    """The id is in use."""
    taken: Fault | None = None
    """The id is in use by another account (`unique: global`); without it `exists` says
    so."""
    parent: ParamMap = {}
    """Field holding the parent's id -> parameter by which the parent's listing
    operation takes it."""
    part: bool | None = None
    """Whether the inventory counts it with its parent (a rule of a group) rather than
    by itself. Unsaid: what has a parent is a part."""
    tag_type: str | None = None
    record: Literal["balance", "order", "subscription"] | None = None
    """The part that this type plays in billing; one product file declares all three."""
    given: list[Given] = []
    """What an account comes with. It is not in the inventory of what an account
    holds."""
    not_found: Fault
    wrong_state: Fault
    quota: Annotated[list[Quota], BeforeValidator(_as_list)] = []
    """One, or a list of which each holds."""
    blocks: list[Block] = []
    cascade: list[Cascade] = []
    orphaned: list[Cascade] = []
    """What becomes of resources of this type when one of type `resource`, perhaps of
    another product, is gone: `where` is about this type, with the gone one in hand."""
    operations: list[OperationSpec] = []


class ResourceSpec(Node):
    """A resource type."""

    label: str
    plural: str
    name: str | None = None
    global_: bool | None = Field(default=None, alias="global")
    """Overrides the product's `global`."""
    fields: list[FieldSpec]
    list_: ListSpec = Field(alias="list")
    create: CreateSpec | None = None
    actions: list[ActionSpec] = []
    detail: DetailSpec | None = None
    states: dict[str, State]
    lifecycle: Lifecycle
    api: ResourceApi

    def field(self, field_id: str) -> FieldSpec | None:
        """The field with this id."""
        return next((f for f in self.fields if f.id == field_id), None)
