"""`make bench-images`: how large the roles' images are, as the engine counts them, and
how many packages each lists.

Nothing is built here: `make images` comes first. Images of different commits, or fewer
than all roles', are no result and nothing is written. Layers that images share are
counted in each of them, and kept once by an engine.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

from benchmarks import record
from deploy.images.build import BOM, ROLES, image, version
from deploy.images.engine import Engine, EngineFailed, EngineMissing, find_engine

_REVISION = "org.opencontainers.image.revision"


def look(engine: Engine, name: str) -> dict[str, Any]:
    """An image's size, commit and packages."""
    (found,) = json.loads(engine.run("image", "inspect", name))
    bom = json.loads(
        engine.run("run", "--rm", "--network=none", "--read-only", "--entrypoint=cat", name, BOM)
    )
    kinds = Counter(
        str(component.get("purl", "")).partition("/")[0].removeprefix("pkg:")
        for component in bom["components"]
    )
    return {
        "mb": round(found["Size"] / 1e6),
        "revision": found["Config"]["Labels"][_REVISION],
        "python_packages": kinds["pypi"],
        "debian_packages": kinds["deb"],
    }


def result(found: Mapping[str, Mapping[str, Any]], machine: Mapping[str, Any]) -> dict[str, Any]:
    """The file's content. Raises `ValueError` for images of several commits."""
    revisions = {each["revision"] for each in found.values()}
    if len(revisions) != 1:
        raise ValueError(f"the images are of {len(revisions)} commits: build them all from one")
    figures = {
        role: {key: value for key, value in each.items() if key != "revision"}
        for role, each in found.items()
    }
    return {
        "name": "images",
        "n": len(found),
        "commit": revisions.pop(),
        "machine": dict(machine),
        "figures": figures,
    }


def main() -> None:
    """Look at every role's image and write the result."""
    prefix, tag = (
        os.environ.get("IMAGE_PREFIX", "proofwalk/"),
        os.environ.get("IMAGE_TAG") or version(),
    )
    try:
        engine = find_engine()
        found = {role: look(engine, image(prefix, role, tag)) for role in ROLES}
        machine = {**asyncio.run(record.machine()), "engine": engine.version}
        path = record.write("images", result(found, machine))
    except (EngineMissing, EngineFailed, ValueError) as error:
        raise SystemExit(str(error)) from None
    for role, each in found.items():
        print(f"{role}: {each['mb']} MB")
    print(path)


if __name__ == "__main__":
    main()
