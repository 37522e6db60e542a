"""What is built is what is committed, and a build that cannot be says why."""

from __future__ import annotations

import itertools
import stat
import subprocess
from pathlib import Path

import pytest

from deploy.images import build
from deploy.images.build import ROLES, Asked, Release, command, image, parse, write_context
from deploy.images.engine import Engine, EngineFailed, EngineMissing, find_engine
from deploy.images.requirements import NO_ROLE, ROOT
from proofwalk.platform.roles import NAMES

MADE = Release(version="1.2.3", revision="abc", date=1_700_000_000, packages_date=1_600_000_000)


def program(folder: Path, script: str) -> Path:
    """A docker program that does what a line of shell says."""
    path = folder / "docker"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755)
    return path


def test_images_are_of_every_role() -> None:
    assert {role.replace("-", "_") for role in ROLES} == {*NAMES, *NO_ROLE}


def test_a_desktop_is_built_where_its_image_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "desktop"
    folder.mkdir()
    told = ["--desktop", str(folder)]
    assert parse(told)[0] == [role for role in ROLES if role != "desktop"]
    assert "make desktop-image" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        parse(["desktop", *told])
    assert "make desktop-image" in capsys.readouterr().err
    (folder / "image.json").write_text("{}", encoding="ascii")
    roles, asked = parse(told)
    assert roles == list(ROLES)
    write_context(tmp_path / "context", revision=build.release().revision, desktop=asked.desktop)
    assert (tmp_path / "context" / "deploy" / "images" / "guest" / "image.json").is_file()


def test_some_roles_are_built_in_the_order_that_shares_layers() -> None:
    assert parse(["trainer", "gateway"])[0] == ["gateway", "trainer"]


def test_an_unknown_role_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        parse(["getaway"])
    assert refused.value.code == 2
    assert "no role is called getaway; there are: gateway" in capsys.readouterr().err


def test_a_build_is_told_commit_date_base_and_secrets(tmp_path: Path) -> None:
    _, asked = parse(
        [
            "--base",
            "mine:1",
            "--prefix",
            "registry:5000/p/",
            "--ca",
            str(tmp_path / "ca.pem"),
            "--docker-argument=--network=host",
        ]
    )
    made = command("rollout", MADE, asked)
    assert made[0] == "build"
    assert made[-1] == "."
    for pair in (
        ("--target", "rollout"), ("--tag", f"registry:5000/p/rollout:{build.version()}"), ("--build-arg", "REVISION=abc"),
        ("--build-arg", "VERSION=1.2.3"), ("--build-arg", "CODE_DATE=1700000000"), ("--build-arg", "PACKAGES_DATE=1600000000"),
        ("--build-arg", "BASE=mine:1"),
        ("--build-arg", "TORCH_VARIANT=cpu"), ("--secret", f"id=ca,src={tmp_path / 'ca.pem'}"),
    ):  # fmt: skip
        assert pair in list(itertools.pairwise(made)), pair
    assert "--network=host" in made


def test_without_a_base_the_dockerfiles_is_taken() -> None:
    asked = Asked(prefix="proofwalk/", tag="1", base="", arguments=())
    assert not [part for part in command("gateway", MADE, asked) if part.startswith("BASE=")]
    assert image("proofwalk/", "gateway", "1") == "proofwalk/gateway:1"


def test_the_context_is_the_commit_and_nothing_that_lies_around(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl").write_bytes(b"wheel")
    (wheels / "notes.txt").write_text("not a wheel", encoding="ascii")
    context = tmp_path / "context"
    (context / "left").mkdir(parents=True)
    made = build.release()
    write_context(context, revision=made.revision, wheels=wheels)
    found = {str(path.relative_to(context)) for path in context.rglob("*") if path.is_file()}
    committed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD", "libs", "services", "deploy/images", "pyproject.toml", "README.md", ".dockerignore"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    assert found == {path for path in committed if path} | {
        "deploy/images/wheels/torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl"
    }
    assert (context / "pyproject.toml").stat().st_mtime == made.date
    assert (context / "deploy" / "images" / "install.sh").stat().st_mode & stat.S_IXOTH


def test_without_a_program_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER", str(tmp_path / "docker"))
    with pytest.raises(EngineMissing, match="install Docker, or set DOCKER"):
        find_engine()


def test_without_an_engine_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER", str(program(tmp_path, "echo Cannot connect >&2; exit 1")))
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    with pytest.raises(
        EngineMissing,
        match=r"no Docker engine answers at unix:///nowhere \(Cannot connect\): start one",
    ):
        find_engine()


def test_what_the_engine_refuses_is_told(tmp_path: Path) -> None:
    engine = Engine(
        program=str(
            program(
                tmp_path, 'test "$1" = works && echo "$2" || { echo no such image >&2; exit 125; }'
            )
        ),
        version="1",
    )
    assert engine.run("works", "fine") == "fine"
    with pytest.raises(EngineFailed, match="ended with 125: no such image"):
        engine.run("run", "nothing")


def test_an_engine_that_answers_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER", str(program(tmp_path, "echo 28.1")))
    assert find_engine() == Engine(program=str(tmp_path / "docker"), version="28.1")
