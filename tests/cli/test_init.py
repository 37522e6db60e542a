"""`proofwalk init`: what is written is whole and read by the readers of each kind;
nothing that exists is written over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.cli.init import Kind, begin
from proofwalk.cli.main import app
from proofwalk.cloud.target import TargetCatalog, load_target
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.settings import Settings, read_settings, with_targets
from proofwalk.procedures.loading import load
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.reward_service.rules import parse_rule


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_for_the_embedded_cloud_has_all_that_a_verification_reads(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["init", str(tmp_path / "mine")])
    assert done.exit_code == 0, done.stderr
    assert f"cd {tmp_path / 'mine'}" in done.stderr
    assert "proofwalk verify create-a-vswitch.md --report report" in done.stderr
    folder = tmp_path / "mine"
    assert files(folder) == {
        "targets/devcloud.yaml",
        "create-a-vswitch.md",
        "create-a-vswitch.meta.yaml",
        "create-a-vswitch.rule.yaml",
    }
    assert load_target(folder / "targets" / "devcloud.yaml", {}).adapter == "devcloud"
    meta = read_meta((folder / "create-a-vswitch.meta.yaml").read_text(encoding="utf-8"))
    rule = parse_rule((folder / "create-a-vswitch.rule.yaml").read_text(encoding="utf-8"))
    assert meta.id == rule.id == "create-a-vswitch"
    text = (folder / "create-a-vswitch.md").read_text(encoding="utf-8")
    assert all(words in text for words in meta.binds)
    assert len(load("create-a-vswitch.md", text.encode()).procedures[0].substeps) == 9


def test_a_folder_for_a_console_of_ones_own_has_its_commented_target(tmp_path: Path) -> None:
    begin(tmp_path, Kind.GENERIC)
    assert files(tmp_path) == {"targets/shop.yaml", "targets/shop-accounts.yaml"}
    text = (tmp_path / "targets" / "shop.yaml").read_text(encoding="utf-8")
    assert text.count("\n  #") >= 2, "it says what its parts are for"
    assert load_target(tmp_path / "targets" / "shop.yaml", {}).adapter == "generic"


@pytest.mark.parametrize("there", ["create-a-vswitch.rule.yaml", "targets/devcloud.yaml"])
def test_nothing_is_written_over_and_then_nothing_is_written(there: str, tmp_path: Path) -> None:
    path = tmp_path / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    done = CliRunner().invoke(app, ["init", str(tmp_path)], env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert "init.exists" in done.stderr
    assert there in done.stderr
    assert path.read_text() == "mine"
    assert files(tmp_path) == {there}


def test_a_link_to_nowhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "create-a-vswitch.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(ProofwalkError, match=r"init\.exists"):
        begin(tmp_path, Kind.DEVCLOUD)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProofwalkError, match=r"init\.unwritable"):
        begin(tmp_path / "file", Kind.DEVCLOUD)


def test_targets_of_the_present_folder_are_every_roles_unless_it_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin(Path(), Kind.GENERIC)
    settings = with_targets(read_settings({"PROOFWALK_ACCOUNT_POOL__TARGETS": "/etc/targets"}))
    assert settings.account_pool.targets == Path("/etc/targets")
    for section in (settings.rollout, settings.resource_provisioner, settings.reward_service):
        assert TargetCatalog(section.targets, os.environ).ids() == ["devcloud", "shop"]
    assert Settings().targets == Path("targets")
