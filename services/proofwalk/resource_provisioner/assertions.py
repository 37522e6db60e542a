"""What a record says of an account once it is made (C_verify, and the state and values
of K), held against the account's inventory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofwalk.cloud.ports import ResourceRef
from proofwalk.cloud.steps.placeholders import filled
from proofwalk.resource_provisioner.key_attributes import KeyResource
from proofwalk.resource_provisioner.meta import Assertion, Meta
from proofwalk.resource_provisioner.repository import ProvisioningRow


def variables(row: ProvisioningRow) -> Mapping[str, str]:
    """What `${var.…}` refers to."""
    return {"region": row.region, "name_prefix": row.name_prefix}


def lacking(meta: Meta, inventory: Sequence[ResourceRef], row: ProvisioningRow) -> list[str]:
    """What the inventory lacks of a record, in words; empty when all of it holds."""
    texts = [unmet(rule, inventory, row) for rule in meta.verify]
    if meta.resources:
        template = meta.template
        texts += [
            _unlike(one, row.outputs.get(one.output_in(template), ""), inventory, row)
            for one in meta.resources
        ]
    return [text for text in texts if text]


def _unlike(
    wanted: KeyResource, id_: str, inventory: Sequence[ResourceRef], row: ProvisioningRow
) -> str:
    """How what has the id differs from K; empty when it does not. Where people choose
    ids, one may stand for two things: then for the one whose type Terraform's names."""
    what = f"{wanted.type} {id_}".strip()
    those = [one for one in inventory if id_ and one.id == id_]
    those = [one for one in those if one.type in wanted.type] or those
    if not those:
        return f"there is no {what}"
    kept = those[0]
    if wanted.state and kept.state != wanted.state:
        return f"{what} is {kept.state}, and K says {wanted.state}"
    for name, text in wanted.facts.items():
        value = filled(text, outputs=row.outputs, variables=variables(row))
        if kept.attributes.get(name, "") != value:
            return f"{what}: {name} is {kept.attributes.get(name, '')!r}, and K says {value!r}"
    return ""


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
