"""Puts a record into the network that its lease has.

A record is kept in its *general* form, in which it makes all that it stands on. Placed,
it makes no VPC, and no vSwitch, for what it asks for to lie in: it refers to those of
the lease by their ids, which Terraform is told as plain texts, so that its state never
holds them and its destruction leaves them alone. The record's text decides, whoever
wrote it. A resource is replaced only

- where it is the only one of its type, and another resource of the record refers to it:
  what was asked for itself is made;
- where it says nothing else than what there is was made with, but for names, ranges of
  addresses, and the zone, in which the rest of the record follows;
- where no value of the need says otherwise.

A vSwitch that is made in a VPC that is there gets a range that is free in it, from the
end: documents take the first ones. Pure.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from proofwalk.hcl.rewriting import mapped, print_body
from proofwalk.hcl.tree import (
    Attribute,
    Block,
    Body,
    Chain,
    Expression,
    Member,
    Name,
    Text,
    Tuple,
    print_expression,
)
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.needs import Need
from proofwalk.resource_provisioner.domain import Form
from proofwalk.resource_provisioner.literals import Literals, plain
from proofwalk.resource_provisioner.meta import Meta, dump, read_meta
from proofwalk.resource_provisioner.networks import (
    RANGE,
    VPC,
    VSWITCH,
    ZONES,
    Network,
    Place,
    range_of,
    resources_in,
)

_PREFIX_OF_A_PART, _LONGEST_PREFIX = 24, 29
_MOST_PARTS = 256
_FREE = frozenset({"vpc_name", "vswitch_name", "name", "description", "tags", RANGE, *ZONES})
"""Arguments in which a VPC or vSwitch that is there may differ from a record's."""
_CALLED: Mapping[str, tuple[str, ...]] = {
    VPC: ("vpc", "virtual private cloud", "专有网络"),
    VSWITCH: ("vswitch", "交换机"),
}
"""How a need calls one that it asks for."""


class _Unplaceable(Exception):
    """The record cannot refer to what there is."""


def forms_of(yaml: str, need: Need, network: Network | None, *, region: str) -> Sequence[Form]:
    """The forms in which a record may be run: in the vSwitch, in the VPC, in general,
    as far as there are such."""
    general = Form(yaml=yaml)
    if network is None:
        return (general,)
    try:
        meta = read_meta(yaml)
    except ProofwalkError:
        return (general,)  # who runs it says what is wrong with it
    values = frozenset(need.values.values())
    placed = []
    for vswitch in dict.fromkeys((network.vswitch is not None, False)):
        placing = _Placing(
            meta, replace(network, vswitch=network.vswitch if vswitch else None), values, region
        )
        if form := placing.form(need.resource):
            placed.append(replace(form, general_yaml=yaml))
    return (*{form.yaml: form for form in placed}.values(), general)


class _Placing:
    """One record, and one network."""

    def __init__(self, meta: Meta, network: Network, values: frozenset[str], region: str) -> None:
        self._meta = meta
        self._body = meta.template.body
        self._network = network
        self._values = values
        self._literals = Literals.of_record(meta, platform={"region": region}, ids={})
        self._places: dict[str, Place] = {}
        """Address -> what is there instead."""
        self._in_use = [*network.ranges]
        self._zone = ""
        """The expression of the record's zone, where another one takes its place."""

    def form(self, noun: str) -> Form | None:
        """The record in the network; None where it has no place there."""
        try:
            self._choose(noun.casefold())
            if not self._places:
                return None
            body = Body(blocks=list(self._blocks()))
            text = dump(self._meta.model_copy(update={"create": print_body(body)}))
            read_meta(text)
        except (_Unplaceable, ProofwalkError):
            return None
        return Form(yaml=text, footings=tuple(place.footing for place in self._places.values()))

    def _choose(self, noun: str) -> None:
        vpc = self._replaceable(VPC, noun, self._network.vpc)
        if vpc is None:
            return
        address = ".".join(vpc.labels)
        self._places[address] = self._network.vpc
        there = self._network.vswitch
        vswitch = None if there is None else self._replaceable(VSWITCH, noun, there)
        if vswitch is None or there is None or not self._lies_in(vswitch, address):
            return
        self._places[".".join(vswitch.labels)] = there
        zones = [vswitch.body.attributes[one] for one in ZONES if one in vswitch.body.attributes]
        self._zone = print_expression(zones[0].value) if zones else ""

    def _replaceable(self, type_: str, noun: str, place: Place) -> Block | None:
        """The record's resource of a type, if what is there may stand for it."""
        blocks = resources_in(self._body, type_)
        if len(blocks) != 1 or noun.endswith(_CALLED[type_]):
            return None
        (block,) = blocks
        others = (one for one in self._body.blocks if one.type == "resource" and one is not block)
        if block.body.blocks or not any(
            ".".join(block.labels) in _references(one.body) for one in others
        ):
            return None
        fits = all(self._fits(one, place) for one in block.body.attributes.values())
        return block if fits else None

    def _fits(self, argument: Attribute, place: Place) -> bool:
        """Whether what is there was made with an argument, or nobody cares for it."""
        if argument.name == "vpc_id":
            return True
        value = plain(self._literals.of(argument.value))
        if value and value == plain(place.arguments.get(argument.name)):
            return True
        if argument.name in ZONES and place.zone is None:
            return False
        return argument.name in _FREE and not (value and value in self._values)

    def _lies_in(self, vswitch: Block, vpc: str) -> bool:
        return vpc in _references(vswitch.body)

    def _blocks(self) -> Iterator[Block]:
        """What is left of the template."""
        vpc = Text((self._network.vpc.footing.id,))
        for block in self._body.blocks:
            if block.type == "resource" and ".".join(block.labels) in self._places:
                continue
            left = replace(block, body=self._rewritten(block.body))
            vpc_id = left.body.attributes.get("vpc_id")
            if block.labels[:1] == (VSWITCH,) and vpc_id is not None and vpc_id.value == vpc:
                left.body.attributes[RANGE] = self._ranged(left)
            yield left

    def _rewritten(self, body: Body) -> Body:
        attributes = {}
        for name, argument in body.attributes.items():
            value: Expression | None = (
                self._order(argument.value)
                if name == "depends_on"
                else mapped(argument.value, self._instead)
            )
            if value is not None:
                attributes[name] = replace(argument, value=value)
        blocks = [replace(one, body=self._rewritten(one.body)) for one in body.blocks]
        return Body(attributes=attributes, blocks=blocks)

    def _order(self, value: Expression) -> Expression | None:
        """`depends_on` without what is there already."""
        items = value.items if isinstance(value, Tuple) else (value,)
        left = tuple(one for one in items if _address(one) not in self._places)
        return Tuple(left) if left else None

    def _instead(self, expression: Expression) -> Expression | None:
        """What stands for a reference to what is there, and for the record's zone."""
        if self._zone and print_expression(expression) == self._zone:
            return self._network.vswitch.zone if self._network.vswitch else None
        place = self._places.get(_address(expression))
        if place is None:
            return None
        match expression:
            case Chain(steps=(_, Member(name="id"))):
                return Text((place.footing.id,))
            case Chain(steps=(_, Member(name=name))) if name in place.arguments:
                return place.arguments[name]
        raise _Unplaceable

    def _ranged(self, vswitch: Block) -> Attribute:
        """The range of a vSwitch that is made in the VPC that is there: the record's
        own if it is free, else one that is."""
        whole, argument = self._network.range, vswitch.body.attributes.get(RANGE)
        if whole is None:
            raise _Unplaceable
        own = plain(None if argument is None else self._literals.of(argument.value))
        wish = range_of(Text((own,)))
        if wish is None or not wish.subnet_of(whole) or _overlap(wish, self._in_use):
            if own and own in self._values:
                raise _Unplaceable
            wish = _free(whole, self._in_use)
        self._in_use.append(wish)
        return Attribute(name=RANGE, line=vswitch.line, value=Text((str(wish),)))


def _free(
    whole: ipaddress.IPv4Network, in_use: Sequence[ipaddress.IPv4Network]
) -> ipaddress.IPv4Network:
    """The last part of a network that overlaps none of those in use."""
    longest = max(_PREFIX_OF_A_PART, min(whole.prefixlen + 2, _LONGEST_PREFIX))
    step = 1 << (whole.max_prefixlen - longest)
    last = int(whole.broadcast_address) + 1 - step
    for first in range(last, int(whole.network_address) - 1, -step)[:_MOST_PARTS]:
        part = ipaddress.IPv4Network((first, longest))
        if not _overlap(part, in_use):
            return part
    raise _Unplaceable


def _overlap(one: ipaddress.IPv4Network, others: Sequence[ipaddress.IPv4Network]) -> bool:
    return any(one.overlaps(other) for other in others)


def _address(expression: Expression) -> str:
    """The address of the resource that an expression is a reference to."""
    match expression:
        case Chain(root=Name(name=kind), steps=(Member(name=label), *_)):
            return f"{kind}.{label}"
    return ""


def _references(body: Body) -> frozenset[str]:
    """The addresses to which something in a body refers."""
    addresses: set[str] = set()

    def look(expression: Expression) -> None:
        addresses.add(_address(expression))

    for argument in body.attributes.values():
        mapped(argument.value, look)
    return frozenset(addresses).union(*(_references(one.body) for one in body.blocks))
