"""The committed bundle is what its sources build to, and it is all that a browser
needs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import proofwalk.devcloud

DEVCLOUD = Path(next(iter(proofwalk.devcloud.__path__)))
SOURCE = DEVCLOUD / "console" / "browser"
BUNDLE = DEVCLOUD / "console" / "bundle"
INSTALL = ["npm", "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_sources_build_to_the_committed_bytes(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip(
            "npm is not installed; the committed bundle cannot be compared with its sources"
        )
    copy = tmp_path / "console"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("node_modules"))
    for command in (INSTALL, ["npm", "run", "build"]):
        done = subprocess.run(
            command, cwd=copy, capture_output=True, text=True, timeout=500, check=False
        )
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr[-2000:]}"
    built, committed = contents(tmp_path / "bundle"), contents(BUNDLE)
    assert sorted(built) == sorted(committed)
    assert [name for name in built if built[name] != committed[name]] == []


def test_the_page_refers_only_to_files_of_the_bundle() -> None:
    page = (BUNDLE / "index.html").read_text()
    referred = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert referred
    assert all((BUNDLE / name.removeprefix("/")).is_file() for name in referred)


def test_the_stylesheet_loads_nothing_from_elsewhere() -> None:
    sheets = [path.read_text() for path in (BUNDLE / "assets").glob("*.css")]
    assert sheets
    urls = [url for sheet in sheets for url in re.findall(r"url\(([^)]*)\)", sheet)]
    assert [url for url in urls if "//" in url and not url.strip("\"'").startswith("data:")] == []


def test_every_bundled_package_is_listed_with_its_licence() -> None:
    sections = re.split(
        r"^## (\S+) - (\S+)(?: \((.+)\))?$",
        (BUNDLE / "LICENSES.txt").read_text(),
        flags=re.MULTILINE,
    )[1:]
    headings = list(zip(sections[::4], sections[1::4], sections[2::4], sections[3::4], strict=True))
    assert {"react", "react-dom", "@alifd/next", "@ant-design/icons-svg"} <= {
        name for name, *_ in headings
    }
    lock = json.loads((SOURCE / "package-lock.json").read_text())["packages"]
    for name, version, licence, text in headings:
        assert any(
            path.endswith(f"node_modules/{name}") and entry["version"] == version
            for path, entry in lock.items()
        ), name
        # one package has the text and no field
        declared = licence or ("MIT" if text.startswith("\n\nMIT License") else None)
        assert declared in {"MIT", "BSD-3-Clause", "0BSD", "Apache-2.0"}, f"{name}: {licence!r}"


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((SOURCE / "package-lock.json").read_text())["packages"]
    assert [path for path, entry in lock.items() if "resolved" in entry] == []
    assert [
        path
        for path, entry in lock.items()
        if path and not entry.get("link") and "integrity" not in entry
    ] == []
    manifest = json.loads((SOURCE / "package.json").read_text())
    pins = {**manifest["dependencies"], **manifest["devDependencies"]}
    assert [
        f"{name} {pin}" for name, pin in pins.items() if not re.fullmatch(r"\d+\.\d+\.\d+", pin)
    ] == []
