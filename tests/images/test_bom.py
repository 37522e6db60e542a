"""An image's bill of materials: Debian's packages and the interpreter beside the Python
packages, the same twice."""

from __future__ import annotations

import re
from typing import Any

from deploy.images.bom import debian_packages, distribution_of, interpreter, whole

STATUS = """\
Package: libc6
Status: install ok installed
Priority: optional
Architecture: amd64
Source: glibc (2.36-9)
Version: 2.36-9+deb12u13
Description: GNU C Library: Shared libraries
 Package: a line that only looks like a field
 and goes on.

Package: old-tool
Status: deinstall ok config-files
Architecture: all
Version: 1.0

Package: g++-base
Status: hold ok installed
Architecture: all
Version: 4:12.2.0-3
"""


def test_installed_packages_are_components() -> None:
    first, second = debian_packages(STATUS, "debian-12")
    assert first == {
        "type": "library",
        "bom-ref": "pkg:deb/debian/libc6@2.36-9%2Bdeb12u13?arch=amd64&distro=debian-12",
        "name": "libc6",
        "version": "2.36-9+deb12u13",
        "purl": "pkg:deb/debian/libc6@2.36-9%2Bdeb12u13?arch=amd64&distro=debian-12",
        "properties": [{"name": "proofwalk:debian:source", "value": "glibc"}],
    }
    assert second["purl"] == "pkg:deb/debian/g%2B%2B-base@4%3A12.2.0-3?arch=all&distro=debian-12"


def test_the_distribution_is_read() -> None:
    assert (
        distribution_of(
            'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
        )
        == "debian-12"
    )


def test_the_list_is_of_the_image_and_in_order() -> None:
    python: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "metadata": {"tools": {}, "component": {"type": "application", "name": "another"}},
        "components": [
            {"type": "library", "name": "redis", "version": "8.1.0"},
            {"type": "library", "name": "alembic", "version": "1"},
        ],
    }
    made = whole(python, "core", "0.1.0", [interpreter(), *debian_packages(STATUS, "debian-12")])
    assert [each["name"] for each in made["components"]] == [
        "alembic",
        "cpython",
        "g++-base",
        "libc6",
        "redis",
    ]
    assert made["metadata"] == {
        "tools": {},
        "component": {
            "type": "container",
            "bom-ref": "image",
            "name": "proofwalk/core",
            "version": "0.1.0",
        },
    }
    assert made["bomFormat"] == "CycloneDX"
    assert python["metadata"]["component"]["name"] == "another", "what was given is left as it was"


def test_the_interpreter_is_this_one() -> None:
    assert re.fullmatch(r"pkg:generic/cpython@3\.[0-9]+\.[0-9]+", interpreter()["purl"])
