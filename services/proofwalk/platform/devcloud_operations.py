"""Which operations of the embedded cloud take another one back: for
`proofwalk.authoring`.

All of it is from the product files: an operation belongs to resource types, by whose
actions it can be undone.
"""

from __future__ import annotations

from proofwalk.devcloud.products import catalogue
from proofwalk.devcloud.products.schema.pages import ActionSpec
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.platform.devcloud_catalogue import settled
from proofwalk.platform.devcloud_constants import op_of


class DevcloudOperations:
    """`proofwalk.authoring.opposites.Operations` over the product files."""

    def __init__(self, shipped: catalogue.Catalogue) -> None:
        self._shipped = shipped

    def undoing(self, service: str, event: str) -> frozenset[str]:
        """The other actions of the resources that the operation is about, and the
        dangerous ones of those that these lie in or refer to."""
        names: set[str] = set()
        for kind, resource in self._shipped.resources.items():
            if self._service(kind) != service or event not in _operations(resource):
                continue
            names |= {op_of(action.api) for action in resource.actions}
            for other in _referred(resource):
                target = self._shipped.resources.get(other)
                if target is not None and self._service(other) == service:
                    names |= {op_of(action.api) for action in target.actions if action.danger}
        return frozenset(names - {event, ""})

    def removing(self, kind: str) -> frozenset[tuple[str, str]]:
        """The dangerous actions of the type, and those that put a thing out of use:
        they end the state in which it was made. `ecs.instance/stopped` is an
        `ecs.instance`."""
        kind = kind.partition("/")[0]
        resource = self._shipped.resources.get(kind)
        if resource is None:
            return frozenset()
        service = self._service(kind)
        made = settled(resource)
        return frozenset(
            (service, op_of(one.api))
            for one in resource.actions
            if one.danger or _leaves(one, made)
        )

    def _service(self, kind: str) -> str:
        return self._shipped.products[kind.partition(".")[0]].service


def _leaves(action: ActionSpec, state: str) -> bool:
    to = getattr(action.api, "to", None)
    return isinstance(to, str) and to != state and state in action.when.get("status", ())


def _operations(resource: ResourceSpec) -> set[str]:
    create = resource.create
    own = {op_of(action.api) for action in resource.actions}
    return own | ({op_of(create.api)} if create is not None else set())


def _referred(resource: ResourceSpec) -> set[str]:
    return {field.api.ref.resource for field in resource.fields if field.api.ref is not None}
