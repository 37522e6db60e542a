"""What META for the embedded cloud is written from: its console and the embedded
provider."""

from __future__ import annotations

from proofwalk.authoring.members import member_pairs
from proofwalk.authoring.provider import Otherwise, pairs
from proofwalk.authoring.resources import World
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.platform.devcloud_catalogue import devcloud_catalogue
from proofwalk.platform.provider_names import otherwise
from proofwalk.platform.provider_types import credential_types, provider_types


def devcloud_world(shipped: Catalogue) -> World:
    """The world of the shipped products."""
    console, types = devcloud_catalogue(shipped), provider_types()
    names = otherwise(types)
    made = pairs(console, types, names)
    return World(
        catalogue=console,
        pairs={**made, **member_pairs(console, made)},
        otherwise=names,
        withheld={
            kind: f"no template may declare {pair.type.name}, which lets somebody sign in"
            for kind, pair in pairs(console, credential_types(), Otherwise()).items()
            if kind not in made
        },
    )
