"""Builds the images: `python -m deploy.images.build [ROLE …]`, which is what `make
images` calls.

What is built is what is committed: the context is the tree of HEAD, written out with
the commit's date on every file, so that what lies around in a working copy has no part
in it. Each image is tagged `PREFIX/ROLE:VERSION`, which is what the chart and
docker-compose.yml ask for, and its bill of materials is copied to
build/images/ROLE.cdx.json.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.images.engine import Engine, EngineFailed, EngineMissing, find_engine
from deploy.images.requirements import ROOT, SETS

ROLES = tuple(role for roles in SETS.values() for role in roles)
"""Images in an order in which each image finds most of its layers built by those before
it; those with torch are last."""
DESKTOP = ROOT / "build" / "desktop"
DOCKERFILE = "deploy/images/Dockerfile"
BUILT = ROOT / "build" / "images"
BOM = "/opt/proofwalk/share/proofwalk/sbom.cdx.json"
_PACKAGES = (DOCKERFILE, "deploy/images/install.sh", "deploy/images/requirements")
_CONTEXT = (".dockerignore", "README.md", "pyproject.toml", "libs", "services", "deploy/images")


@dataclass(frozen=True, kw_only=True)
class Release:
    """What is built."""

    version: str
    revision: str
    """The commit."""
    date: int
    """The commit's, in seconds since 1970."""
    packages_date: int
    """Of the last commit that changed what is installed: a change of the code leaves
    the packages' layers alone."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How it is built."""

    prefix: str
    tag: str
    base: str
    """Empty leaves it to the Dockerfile."""
    arguments: tuple[str, ...]
    """Further arguments of `docker build`."""
    wheels: Path | None = None
    desktop: Path | None = None
    """What `make desktop-image` made."""


def image(prefix: str, role: str, tag: str) -> str:
    """An image's name: `proofwalk/gateway:0.1.0`."""
    return f"{prefix}{role}:{tag}"


def version() -> str:
    """Of this working copy."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def release() -> Release:
    """What HEAD is."""
    return Release(
        version=version(),
        revision=_git("rev-parse", "HEAD").decode().strip(),
        date=int(_git("log", "-1", "--format=%ct")),
        packages_date=int(_git("log", "-1", "--format=%ct", "--", *_PACKAGES)),
    )


def write_context(
    folder: Path, *, revision: str, wheels: Path | None = None, desktop: Path | None = None
) -> None:
    """Write what a build may see of a commit below `folder`, and what is in no commit
    in its place: other people's wheels, a desktop's image."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(
        ["tar", "--extract", "--directory", str(folder)],
        input=_git("archive", "--format=tar", revision, *_CONTEXT),
        check=True,
    )
    for wheel in sorted(wheels.glob("*.whl")) if wheels else ():
        shutil.copy2(wheel, folder / "deploy" / "images" / "wheels")
    for file in sorted(desktop.iterdir()) if desktop else ():
        shutil.copy2(file, folder / "deploy" / "images" / "guest")


def command(role: str, made: Release, asked: Asked) -> list[str]:
    """The arguments of `docker` that build a role's image in the context's folder."""
    given = {
        "VERSION": made.version,
        "REVISION": made.revision,
        "CODE_DATE": str(made.date),
        "PACKAGES_DATE": str(made.packages_date),
    }
    if asked.base:
        given["BASE"] = asked.base
    return [
        "build",
        *("--file", DOCKERFILE, "--target", role, "--tag", image(asked.prefix, role, asked.tag)),
        *(part for name, value in given.items() for part in ("--build-arg", f"{name}={value}")),
        *asked.arguments,
        ".",
    ]


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def build(engine: Engine, roles: Sequence[str], asked: Asked) -> None:
    """Build images one after the other, and say how large each is. Raises
    `EngineFailed`."""
    made = release()
    context = BUILT / "context"
    write_context(
        context,
        revision=made.revision,
        wheels=asked.wheels,
        desktop=asked.desktop if "desktop" in roles else None,
    )
    for role in roles:
        begun = time.monotonic()
        engine.run(
            *command(role, made, asked), cwd=context, env={"DOCKER_BUILDKIT": "1"}, quiet=False
        )
        name = image(asked.prefix, role, asked.tag)
        bom = engine.run(
            "run", "--rm", "--network=none", "--read-only", "--entrypoint=cat", name, BOM
        )
        (BUILT / f"{role}.cdx.json").write_text(bom + "\n", encoding="utf-8")
        size = int(engine.run("image", "inspect", "--format", "{{.Size}}", name)) / 1e6
        print(f"{name}: {size:.0f} MB, {time.monotonic() - begun:.0f} s", flush=True)


def parse(arguments: Sequence[str]) -> tuple[list[str], Asked]:
    """Return the roles and how to build them, from the command line's arguments. An
    unknown role ends the program with a message."""
    parser = _parser()
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.roles) - set(ROLES))
    if unknown:
        parser.error(f"no role is called {', '.join(unknown)}; there are: {', '.join(ROLES)}")
    roles = [role for role in ROLES if not options.roles or role in options.roles]
    if "desktop" in roles and not (options.desktop / "image.json").is_file():
        if options.roles:
            parser.error(f"{options.desktop} has no desktop's image: make desktop-image")
        print(
            f"no image `desktop`: {options.desktop} has none (make desktop-image)", file=sys.stderr
        )
        roles.remove("desktop")
    return roles, Asked(
        prefix=options.prefix,
        tag=options.tag or version(),
        base=options.base,
        arguments=(*_arguments(options), *options.docker_argument),
        wheels=options.wheels,
        desktop=options.desktop,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.images.build", description="Builds the roles' images from HEAD."
    )
    parser.add_argument(
        "roles", nargs="*", metavar="ROLE", help=f"{', '.join(ROLES)}; all, if none is named"
    )
    parser.add_argument(
        "--base", default="", help="the image to build on: Debian 12 or like it, with Python 3.11"
    )
    parser.add_argument(
        "--prefix",
        default="proofwalk/",
        help="what stands before a role's name, with a registry if need be",
    )
    parser.add_argument("--tag", default="", help="default: the version")
    parser.add_argument(
        "--wheels", type=Path, help="folder with wheels that are taken before an index's"
    )
    parser.add_argument(
        "--desktop",
        type=Path,
        default=DESKTOP,
        help="what `make desktop-image` made; without it there is no image `desktop`",
    )
    parser.add_argument(
        "--torch-variant", default="cpu", help="local version of torch's wheel: cpu, cu130"
    )
    parser.add_argument("--torch-index", default="", help="URL of an index that has it")
    parser.add_argument(
        "--ca",
        default=os.environ.get("PIP_CERT", ""),
        help="certificates for pip, a file; default: PIP_CERT's",
    )
    parser.add_argument("--pip-conf", default="", help="a pip.conf for the build")
    parser.add_argument("--apt-conf", default="", help="an apt.conf for the build")
    parser.add_argument(
        "--docker-argument",
        action="append",
        default=[],
        help="a further argument of docker build; repeatable",
    )
    return parser


def _arguments(options: argparse.Namespace) -> list[str]:
    """Return the arguments of docker build for secrets and torch's wheel."""
    secrets = {"ca": options.ca, "pip": options.pip_conf, "apt": options.apt_conf}
    return [
        *(
            part
            for name, file in secrets.items()
            if file
            for part in ("--secret", f"id={name},src={Path(file).absolute()}")
        ),
        "--build-arg",
        f"TORCH_VARIANT={options.torch_variant}",
        "--build-arg",
        f"TORCH_INDEX={options.torch_index}",
    ]


def main() -> None:
    """The command."""
    roles, asked = parse(sys.argv[1:])
    try:
        build(find_engine(), roles, asked)
    except (EngineMissing, EngineFailed) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
