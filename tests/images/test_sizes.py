"""The figures about images are of all roles and one commit, or there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.images import look, result
from deploy.images.engine import Engine

_BOM = {
    "components": [
        {"purl": "pkg:pypi/redis@8"},
        {"purl": "pkg:deb/debian/libc6@2"},
        {"purl": "pkg:deb/debian/tar@1"},
        {"name": "x"},
    ]
}
_IMAGE = [{"Size": 283_400_000, "Config": {"Labels": {"org.opencontainers.image.revision": "abc"}}}]


def test_an_image_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "image").write_text(json.dumps(_IMAGE), encoding="ascii")
    (tmp_path / "bom").write_text(json.dumps(_BOM), encoding="ascii")
    path = tmp_path / "docker"
    path.write_text(
        f'#!/bin/sh\ntest "$1" = image && cat {tmp_path}/image || cat {tmp_path}/bom\n',
        encoding="ascii",
    )
    path.chmod(0o755)
    found = look(Engine(program=str(path), version="1"), "proofwalk/gateway:1")
    assert found == {"mb": 283, "revision": "abc", "python_packages": 1, "debian_packages": 2}


def test_a_result_has_what_every_benchmark_has() -> None:
    found = {role: {"mb": 1, "revision": "abc"} for role in ("gateway", "rollout")}
    assert result(found, {"cpus": 2}) == {
        "name": "images",
        "n": 2,
        "commit": "abc",
        "machine": {"cpus": 2},
        "figures": {"gateway": {"mb": 1}, "rollout": {"mb": 1}},
    }


def test_images_of_two_commits_are_no_result() -> None:
    with pytest.raises(ValueError, match="2 commits"):
        result(
            {"gateway": {"mb": 1, "revision": "abc"}, "rollout": {"mb": 1, "revision": "abd"}}, {}
        )
