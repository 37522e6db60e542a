"""Writes an image's bill of materials: `python bom.py NAME VERSION FILE`, from beside
the image, while it is built.

The Python packages are CycloneDX's own generator's reading of the environment. Debian's
packages come from dpkg's status file, and the interpreter, where no Debian package has
it, is added by hand. No serial number and no time: the same image has the same list.
What is written is held against CycloneDX's schema first. Runs with the packages of
requirements/bom.txt, which no image has.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

ENVIRONMENT = Path("/opt/proofwalk/bin/python")
STATUS = Path("/var/lib/dpkg/status")
RELEASE = Path("/etc/os-release")


def debian_packages(status: str, distribution: str) -> Iterator[dict[str, Any]]:
    """Components for the packages that dpkg's status file says are installed.
    `distribution` is `debian-12`."""
    for stanza in status.split("\n\n"):
        fields = _fields(stanza)
        if fields.get("Status", "").endswith(" installed"):
            name, version = fields["Package"], fields["Version"]
            vendor = distribution.partition("-")[0]
            marks = f"arch={fields['Architecture']}&distro={distribution}"
            purl = f"pkg:deb/{vendor}/{quote(name, safe='')}@{quote(version, safe='.-~')}?{marks}"
            source = fields.get("Source", name).partition(" ")[0]
            yield {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": version,
                "purl": purl,
                "properties": [{"name": "proofwalk:debian:source", "value": source}],
            }


def _fields(stanza: str) -> Mapping[str, str]:
    """A stanza's fields; the further lines of a field are left out."""
    lines = (line.partition(":") for line in stanza.splitlines() if line and not line[0].isspace())
    return {name: value.strip() for name, _, value in lines}


def distribution_of(release: str) -> str:
    """`debian-12`, of os-release."""
    fields = {
        name: value.strip('"')
        for name, _, value in (line.partition("=") for line in release.splitlines())
    }
    return f"{fields['ID']}-{fields['VERSION_ID']}"


def interpreter() -> dict[str, Any]:
    """The component for this Python, which the images' environment shares."""
    version = platform.python_version()
    return {
        "type": "platform",
        "bom-ref": f"cpython@{version}",
        "name": "cpython",
        "version": version,
        "purl": f"pkg:generic/cpython@{version}",
    }


def whole(
    python: Mapping[str, Any], name: str, version: str, others: list[dict[str, Any]]
) -> dict[str, Any]:
    """The list of Python packages with the others beside them, as a list of the
    image."""
    root = {
        "type": "container",
        "bom-ref": "image",
        "name": f"proofwalk/{name}",
        "version": version,
    }
    components = sorted(
        [*python.get("components", []), *others],
        key=lambda each: (each["name"], each.get("version", "")),
    )
    metadata = {**python.get("metadata", {}), "component": root}
    return {**python, "metadata": metadata, "components": components}


def _python_packages() -> Mapping[str, Any]:
    command = [
        sys.executable,
        "-m",
        "cyclonedx_py",
        "environment",
        "--output-reproducible",
        "--output-format",
        "JSON",
    ]
    done = subprocess.run(
        [*command, "--spec-version", "1.6", "--output-file", "-", str(ENVIRONMENT)],
        stdout=subprocess.PIPE,
        check=True,
    )
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def _refuse_invalid(text: str) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        raise SystemExit(f"the bill of materials is not CycloneDX 1.6: {wrong}")


def main(name: str, version: str, file: str) -> None:
    """Write the list, dated as the code beside it."""
    others: list[dict[str, Any]] = []
    if STATUS.is_file():
        distribution = distribution_of(RELEASE.read_text(encoding="utf-8"))
        others += debian_packages(STATUS.read_text(encoding="utf-8"), distribution)
    own = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not any(each["name"] == own for each in others):
        others.append(interpreter())
    text = (
        json.dumps(
            whole(_python_packages(), name, version, others),
            indent=1,
            ensure_ascii=False,
            sort_keys=True,
        )
        + "\n"
    )
    _refuse_invalid(text)
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    date = (ENVIRONMENT.parent / "proofwalk").stat().st_mtime
    for each in (path, path.parent, path.parent.parent):
        os.utime(each, (date, date))


if __name__ == "__main__":
    main(*sys.argv[1:])
