"""The waterworks with manifolds: tanks are added to one as its outlets, and the
provider makes an outlet as a block of the manifold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from proofwalk.authoring.catalogue import (
    Action,
    Field,
    Kind,
    MenuEntry,
    Product,
    Reference,
    Tab,
)
from proofwalk.authoring.members import member_pairs
from proofwalk.authoring.provider import Attribute, ProviderType, pairs
from proofwalk.authoring.resources import World
from tests.authoring.waterworks import CONSOLE, OTHERWISE, TYPES, labelled, provider_type

OUTLET = Kind(
    id="water.outlet",
    labels=labelled("Outlet", "Outlets"),
    name="tank_id",
    id_from=("manifold_id", "tank_id"),
    fields={
        "manifold_id": Field(
            id="manifold_id",
            labels=labelled("Manifold"),
            parameter="ManifoldId",
            references=(Reference(kind="water.manifold"),),
        ),
        "tank_id": Field(
            id="tank_id",
            labels=labelled("Tank"),
            parameter="Outlets.TankId",
            required=True,
            references=(Reference(kind="water.tank", states=("Full",)),),
        ),
        "bore": Field(
            id="bore",
            labels=labelled("Bore"),
            parameter="Outlets.Bore",
            required=True,
            default="40",
            least=1,
        ),
    },
    creation=labelled("Add Outlet"),
    form=("tank_id", "bore"),
    states={"normal": labelled("Normal")},
    settled="normal",
    actions=(
        Action(labels=labelled("Change Bore"), form=("bore",)),
        Action(labels=labelled("Take Off"), removes=True),
    ),
    parts={"manifold_id": "water.manifold", "tank_id": "water.tank"},
    listed=False,
)
MANIFOLD = Kind(
    id="water.manifold",
    labels=labelled("Manifold", "Manifolds"),
    name="name",
    fields={"name": Field(id="name", labels=labelled("Manifold Name"), parameter="ManifoldName")},
    creation=labelled("Create Manifold"),
    form=("name",),
    tabs=(
        Tab(labels=labelled("Basics")),
        Tab(labels=labelled("Outlets"), kind="water.outlet"),
    ),
)
PLANT = replace(
    CONSOLE,
    products={
        "water": Product(
            id="water",
            titles=labelled("Waterworks"),
            menu=(
                *CONSOLE.products["water"].menu,
                MenuEntry(path=(labelled("Manifolds"),), kind="water.manifold"),
            ),
        )
    },
    kinds={**CONSOLE.kinds, "water.manifold": MANIFOLD, "water.outlet": OUTLET},
)


def block(**attributes: str) -> Mapping[str, Attribute]:
    """Attributes of a block; `!` before a kind says that it is required."""
    return {
        name: Attribute(name=name, kind=kind.lstrip("!"), required=kind.startswith("!"))
        for name, kind in attributes.items()
    }


def manifold_type(**blocks: Mapping[str, Attribute]) -> ProviderType:
    """The type that makes manifolds, with these blocks."""
    return replace(provider_type("alicloud_water_manifold", manifold_name="string"), blocks=blocks)


def plant_with(made: ProviderType) -> World:
    """What is known where this type makes manifolds."""
    types = {**TYPES, made.name: made}
    found = pairs(PLANT, types, OTHERWISE)
    return World(
        catalogue=PLANT, pairs={**found, **member_pairs(PLANT, found)}, otherwise=OTHERWISE
    )


WORLD = plant_with(manifold_type(outlets=block(tank_ids="!list", bore="!number", note="string")))
