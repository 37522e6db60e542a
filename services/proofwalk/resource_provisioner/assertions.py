"""What a document's assertions ask of an account, held against its inventory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofwalk.cloud.ports import ResourceRef
from proofwalk.cloud.steps.placeholders import filled
from proofwalk.resource_provisioner.meta import Assertion
from proofwalk.resource_provisioner.repository import ProvisioningRow


def variables(row: ProvisioningRow) -> Mapping[str, str]:
    """What `${var.…}` refers to."""
    return {"region": row.region, "name_prefix": row.name_prefix}


def unmet(rule: Assertion, inventory: Sequence[ResourceRef], row: ProvisioningRow) -> str:
    """What the inventory lacks of an assertion, in words; empty when it holds."""
    wanted_id = filled(rule.id, outputs=row.outputs, variables=variables(row))
    wanted_name = filled(rule.name, outputs=row.outputs, variables=variables(row))
    what = f"{rule.product}/{rule.type} {wanted_id or wanted_name}".strip()
    for resource in inventory:
        if (resource.product, resource.type) != (rule.product, rule.type):
            continue
        if (wanted_id and resource.id != wanted_id) or (
            wanted_name and resource.name != wanted_name
        ):
            continue
        state = filled(rule.state, outputs=row.outputs, variables=variables(row))
        if state and resource.state != state:
            return f"{what} is {resource.state}, not {state}"
        for fact, value in rule.attributes.items():
            if resource.attributes.get(fact, "") != value:
                return f"{what}: {fact} is {resource.attributes.get(fact, '')!r}, not {value!r}"
        return ""
    return f"there is no {what}"
