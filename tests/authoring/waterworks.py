"""A small console: yards in which tanks stand, pumps that move water between them, and
keys that every account has; and a provider that makes them."""

from __future__ import annotations

from proofwalk.authoring.catalogue import (
    Action,
    Catalogue,
    Choice,
    Field,
    Kind,
    MenuEntry,
    Product,
    Reference,
    Tab,
)
from proofwalk.authoring.provider import Attribute, Beside, Otherwise, ProviderType, pairs
from proofwalk.authoring.resources import World


def labelled(*labels: str) -> frozenset[str]:
    return frozenset(labels)


YARD = Kind(
    id="water.yard",
    labels=labelled("Yard", "Yards", "院子"),
    name="name",
    fields={
        "name": Field(id="name", labels=labelled("Yard Name"), parameter="YardName", required=True),
        "cidr": Field(
            id="cidr",
            labels=labelled("Network"),
            parameter="CidrBlock",
            required=True,
            default="10.0.0.0/8",
        ),
    },
    creation=labelled("Create Yard"),
    form=("name", "cidr"),
    states={"Ready": labelled("Ready")},
    settled="Ready",
)
TANK = Kind(
    id="water.tank",
    labels=labelled("Tank", "Tanks", "水箱"),
    name="name",
    fields={
        "yard_id": Field(
            id="yard_id",
            labels=labelled("Yard", "院子"),
            parameter="YardId",
            required=True,
            references=(Reference(kind="water.yard", states=("Ready",)),),
        ),
        "name": Field(id="name", labels=labelled("Tank Name"), parameter="TankName", required=True),
        "cidr": Field(
            id="cidr",
            labels=labelled("Subnet"),
            parameter="TankCidr",
            required=True,
            inside=("yard_id", "cidr"),
        ),
        "zone": Field(
            id="zone", labels=labelled("Zone"), parameter="ZoneId", required=True, zoned=True
        ),
        "size": Field(
            id="size",
            labels=labelled("Size"),
            parameter="TankType",
            required=True,
            choices=(
                Choice(value="t.small", labels=labelled("Small")),
                Choice(value="t.large", labels=labelled("Large")),
            ),
        ),
        "locked": Field(id="locked", labels=labelled("Lid Lock", "盖锁"), parameter="LidLock"),
        "note": Field(id="note", labels=labelled("Note"), parameter="Note"),
    },
    creation=labelled("Create Tank"),
    form=("yard_id", "name", "cidr", "zone", "size"),
    states={
        "Filling": labelled("Filling"),
        "Full": labelled("Full", "已满"),
        "Drained": labelled("Drained"),
    },
    settled="Full",
    actions=(
        Action(labels=labelled("Drain", "排空"), when={"status": ("Full",)}, to="Drained"),
        Action(labels=labelled("Refill"), when={"status": ("Drained",)}, to="Full"),
        Action(labels=labelled("Change Lock"), form=("locked",)),
        Action(labels=labelled("Resize"), form=("size",)),
        Action(
            labels=labelled("Remove"),
            when={"status": ("Full", "Drained"), "locked": ("",)},
            removes=True,
        ),
    ),
    tabs=(
        Tab(labels=labelled("Basics")),
        Tab(
            labels=labelled("Flow"),
            tabs=(Tab(labels=labelled("Pumps"), kind="water.pump"),),
        ),
    ),
)
PUMP = Kind(
    id="water.pump",
    labels=labelled("Pump", "Pumps"),
    name="name",
    fields={
        "tank_id": Field(
            id="tank_id",
            labels=labelled("Tank"),
            parameter="TankId",
            references=(Reference(kind="water.tank"),),
            required=True,
        ),
        "name": Field(id="name", labels=labelled("Pump Name"), parameter="PumpName", required=True),
    },
    creation=labelled("Add Pump"),
    form=("name",),
    states={"Idle": labelled("Idle"), "Coupled": labelled("Coupled")},
    settled="Idle",
    actions=(
        Action(labels=labelled("Uncouple"), when={"status": ("Coupled",)}),
        Action(labels=labelled("Mend"), when={"status": ("Burst",)}),
    ),
)
GAUGE = Kind(
    id="water.gauge",
    labels=labelled("Gauge", "Gauges"),
    name="name",
    fields={"name": Field(id="name", labels=labelled("Gauge Name"), parameter="GaugeName")},
    creation=labelled("Create Gauge"),
    form=("name",),
)
CONSOLE = Catalogue(
    products={
        "water": Product(
            id="water",
            titles=labelled("Waterworks", "水务"),
            menu=(
                MenuEntry(path=(labelled("Yards"),), kind="water.yard"),
                MenuEntry(path=(labelled("Tanks", "水箱"),), kind="water.tank"),
                MenuEntry(path=(labelled("Parts"), labelled("Gauges")), kind="water.gauge"),
            ),
        )
    },
    kinds={one.id: one for one in (YARD, TANK, PUMP, GAUGE)},
    zones=("-h", "-i"),
)


def provider_type(name: str, **attributes: str) -> ProviderType:
    """A type; `r` before an attribute's kind says that it is required."""
    return ProviderType(
        name=name,
        product="water",
        attributes={
            one: Attribute(name=one, kind=kind.lstrip("!"), required=kind.startswith("!"))
            for one, kind in attributes.items()
        },
    )


TYPES = {
    one.name: one
    for one in (
        provider_type("alicloud_yard", yard_name="string", cidr_block="!string"),
        provider_type(
            "alicloud_water_tank",
            yard_id="!string",
            tank_name="string",
            tank_cidr="string",
            zone_id="string",
            tank_type="!string",
            lid_lock="bool",
            note="string",
            status="string",
            force_destroy="bool",
        ),
        provider_type("alicloud_water_pump", tank_id="!string", pump_name="string"),
        provider_type("alicloud_pump_coupling", pump="!string", tank="!string"),
    )
}
OTHERWISE = Otherwise(
    beside={
        "water.pump/Coupled": Beside(
            type=TYPES["alicloud_pump_coupling"],
            own="pump",
            other="tank",
            others=("water.tank",),
        )
    }
)
WORLD = World(catalogue=CONSOLE, pairs=pairs(CONSOLE, TYPES, OTHERWISE), otherwise=OTHERWISE)
