"""What META for the embedded cloud is written from: its console and the embedded
provider."""

from __future__ import annotations

from proofwalk.authoring.provider import pairs
from proofwalk.authoring.resources import World
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.platform.devcloud_catalogue import devcloud_catalogue
from proofwalk.platform.provider_names import otherwise
from proofwalk.platform.provider_types import provider_types


def devcloud_world(shipped: Catalogue) -> World:
    """The world of the shipped products."""
    console, types = devcloud_catalogue(shipped), provider_types()
    names = otherwise(types)
    return World(catalogue=console, pairs=pairs(console, types, names), otherwise=names)
