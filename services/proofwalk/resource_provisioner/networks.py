"""The network that a lease has: the VPC and the vSwitch that earlier records of the
same lease made, with what is known of them. Pure.

Rows tell it: which resources a record declares, its outputs and inventory the ids, its
text what they were given (`literals`). A lease has a network where exactly one VPC was
made for it; with two, nobody can say in which a further thing belongs. Read `placing`
next, which puts a record into it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proofwalk.hcl.tree import Block, Body
from proofwalk.resource_provisioner.assertions import variables
from proofwalk.resource_provisioner.domain import Footing
from proofwalk.resource_provisioner.guard import Refusal, Template
from proofwalk.resource_provisioner.key_attributes import outputs_of_ids
from proofwalk.resource_provisioner.literals import Literal, Literals, plain
from proofwalk.resource_provisioner.meta import read_kept
from proofwalk.resource_provisioner.repository import ProvisioningRow

VPC = "alicloud_vpc"
VSWITCH = "alicloud_vswitch"
RANGE = "cidr_block"
ZONES = ("zone_id", "availability_zone")
_PRODUCT = "vpc"
"""Of both, as inventories call it; the kind is the type without the provider's word."""
_OF_THE_CLOUD = "alicloud_"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A thing in which others lie."""

    footing: Footing
    arguments: Mapping[str, Literal]
    """What it was made with, as far as that is known."""

    @property
    def zone(self) -> Literal | None:
        """The zone that it is in; None where it is in none, or that is not known."""
        return next((self.arguments[name] for name in ZONES if name in self.arguments), None)


@dataclass(frozen=True, kw_only=True)
class Network:
    """Where further things of a lease belong."""

    vpc: Place
    vswitch: Place | None
    """None where none was made in the VPC, or several."""
    ranges: tuple[ipaddress.IPv4Network, ...]
    """Those of the vSwitches that were made in the VPC."""

    @property
    def range(self) -> ipaddress.IPv4Network | None:
        """The addresses of the VPC; None where they are not known."""
        return range_of(self.vpc.arguments.get(RANGE))


def network_of(rows: Sequence[ProvisioningRow]) -> Network | None:
    """The network of a lease whose ready rows these are; None where it has none, or no
    single one."""
    vpcs = [place for row in rows for place in _places(row, VPC)]
    vpc = vpcs[0] if len(vpcs) == 1 else None
    if vpc is None:
        return None
    own = [
        place
        for row in rows
        for place in _places(row, VSWITCH)
        if place is None or plain(place.arguments.get("vpc_id")) in ("", vpc.footing.id)
    ]
    within = [range_of(place.arguments.get(RANGE)) for place in own if place is not None]
    return Network(
        vpc=vpc,
        vswitch=own[0] if len(own) == 1 else None,
        ranges=tuple(one for one in within if one is not None),
    )


def range_of(literal: Literal | None) -> ipaddress.IPv4Network | None:
    """A range of addresses; None for what is none."""
    try:
        return ipaddress.IPv4Network(plain(literal))
    except ValueError:
        return None


def _places(row: ProvisioningRow, type_: str) -> Iterator[Place | None]:
    """What a row made of a type; None for what cannot be named, or is several."""
    meta = read_kept(row.meta_yaml)
    try:
        template = meta.template
    except Refusal:
        return  # it was made before the guard refused what it says
    ids = _ids(row, template)
    literals = Literals.of_record(meta, platform=variables(row), ids=ids)
    names = {one["id"]: one["name"] for one in row.resources}
    for block in resources_in(template.body, type_):
        id_ = ids.get(".".join(block.labels), "")
        if not id_ or "count" in block.body.attributes:
            yield None
            continue
        values = {
            name: literals.of(argument.value) for name, argument in block.body.attributes.items()
        }
        yield Place(
            footing=Footing(
                provisioning_id=row.id,
                product=_PRODUCT,
                type=type_.removeprefix(_OF_THE_CLOUD),
                id=id_,
                name=names.get(id_, ""),
            ),
            arguments={name: value for name, value in values.items() if value is not None},
        )


def resources_in(body: Body, type_: str) -> list[Block]:
    """The resources of a type that a template declares."""
    return [one for one in body.blocks if one.type == "resource" and one.labels[0] == type_]


def _ids(row: ProvisioningRow, template: Template) -> Mapping[str, str]:
    """Address -> id: by the outputs, else by the only one of its kind in the
    inventory."""
    ids = {
        address: row.outputs[output]
        for address, output in outputs_of_ids(template).items()
        if output in row.outputs
    }
    for type_ in (VPC, VSWITCH):
        kind = (_PRODUCT, type_.removeprefix(_OF_THE_CLOUD))
        listed = [one["id"] for one in row.resources if (one["product"], one["type"]) == kind]
        blocks = resources_in(template.body, type_)
        if len(blocks) == len(listed) == 1:
            ids[".".join(blocks[0].labels)] = listed[0]
    return ids
