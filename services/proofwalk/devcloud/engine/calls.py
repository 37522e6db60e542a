"""What one operation call is made of: who asks, what is asked, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from proofwalk.devcloud.engine.lifecycle import Lifecycle
from proofwalk.devcloud.engine.state.bill import Line
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.geography import together
from proofwalk.devcloud.engine.state.world import Resource, World
from proofwalk.devcloud.engine.values.templates import Scope, render
from proofwalk.devcloud.products.catalogue import Catalogue, Operation
from proofwalk.devcloud.products.schema.fields import FieldSpec
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.kernel.ids import IdSource

EventType = Literal["ApiCall", "ConsoleOperation", "ConsoleSignin"]
IdentityType = Literal["ram-user", "assumed-role"]


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks, and by which way."""

    account: str
    user_name: str
    principal_id: str
    event_type: EventType
    identity_type: IdentityType = "ram-user"
    access_key_id: str = ""
    source_ip: str = "127.0.0.1"
    user_agent: str = ""
    host: str = ""
    silent: bool = False
    """A timer refresh of an open page: executed, and not recorded."""
    shortage: CloudError | None = None
    """What the operation is refused with although nothing is wrong with it (trouble of
    the caller's session)."""
    lag_s: float = 0.0
    """Seconds by which the event is delivered later than others."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One operation in execution, with all it may use."""

    operation: Operation
    params: Mapping[str, str]
    account: str
    region: str
    regional: bool
    """Whether the request named its region; one without may speak of resources
    anywhere."""
    now: float
    scope: Scope
    catalogue: Catalogue
    world: World
    lifecycle: Lifecycle
    ids: IdSource
    check_supply: Callable[[ResourceSpec, Resource, Sequence[FieldSpec]], None]
    """Raises the refusal of a specification that a draft chooses, by one of the fields,
    and that cannot be had."""
    bill: Callable[[float, float], Sequence[Line]]
    """Lines of the account's bill that a period (wall time) has a part in."""
    order: Resource | None = None
    """The unpaid order whose payment this call carries out."""

    def sees(self, resource: Resource | None) -> bool:
        """Whether the resource is of the operation's type and in the region asked."""
        if resource is None or resource.kind != self.operation.resource_kind:
            return False
        return together(resource.region, self.region) or not self.regional

    def value(self, resource: Resource, name: str) -> Any:
        """A field of the resource, also one that is computed."""
        spec = self.catalogue.resources[resource.kind].field(name)
        computed = spec is not None and spec.api.value is not None
        return (
            render(spec.api.value, self.at(resource))
            if spec is not None and computed
            else resource.value(name)
        )

    def at(self, resource: Resource, **more: Any) -> Scope:
        """The scope for templates about a resource."""
        scope = self.scope.at(resource)
        return replace(scope, **more)


@dataclass(kw_only=True)
class Outcome:
    """The answer, and the resources it was about (created ones first)."""

    answer: dict[str, Any] = field(default_factory=dict)
    resources: list[Resource] = field(default_factory=list)
    request_id: str = ""
