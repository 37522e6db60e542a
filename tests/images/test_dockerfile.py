"""The one Dockerfile: a target for each role, small, without root, and nothing of the
builder's in it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.images.build import DOCKERFILE, ROLES
from deploy.images.requirements import ROOT, SETS
from proofwalk.chassis.processes import BOUNDED
from tests.images.dockerfile import Stage, stages

PATH = ROOT / DOCKERFILE
ARGUMENTS, STAGES = stages(PATH)
RECIPES = [*PATH.parent.glob("*.sh"), PATH]


def chain(name: str) -> list[Stage]:
    """A stage and all that it is made from, the last first."""
    found = [STAGES[name]]
    while found[-1].parent in STAGES:
        found.append(STAGES[found[-1].parent])
    return found


def brought(name: str) -> Iterator[str]:
    """The stages whose files an image has."""
    for stage in chain(name):
        for copied in stage.values("COPY"):
            match = re.match(r"--from=(\S+) ", copied)
            assert match, f"{stage.name} copies from the context: {copied}"
            yield match[1]


def test_every_role_has_a_target_and_serves_itself() -> None:
    assert set(ROLES) <= set(STAGES)
    for role in ROLES:
        served = {"sandbox": "sandbox-scheduler", "desktop": "sandbox"}.get(role, role)
        assert STAGES[role].steps == (("CMD", json.dumps(["serve", served])),)


def test_everything_is_made_from_one_base_of_a_version() -> None:
    assert {stage.parent for stage in STAGES.values() if stage.parent not in STAGES} == {"${BASE}"}
    assert re.fullmatch(r"python:3\.11\.[0-9]+-slim-bookworm", ARGUMENTS["BASE"])


@pytest.mark.parametrize("role", ROLES)
def test_an_image_runs_as_a_number_and_is_told_apart_by_labels(role: str) -> None:
    steps = [step for stage in reversed(chain(role)) for step in stage.steps]
    assert [rest for name, rest in steps if name == "USER"] == ["10001:10001"]
    assert [rest for name, rest in steps if name == "ENTRYPOINT"] == ['["proofwalk"]']
    assert [rest for name, rest in steps if name == "STOPSIGNAL"] == ["SIGTERM"]
    after = [name for name, _ in steps][[name for name, _ in steps].index("USER") :]
    assert after == ["USER", "ENTRYPOINT", "CMD"], "nothing is done once the user is set"
    (labels,) = (rest for name, rest in steps if name == "LABEL")
    for label in ("title", "licenses", "version", "revision"):
        assert f"org.opencontainers.image.{label}=" in labels
    assert not [
        name
        for name, _ in steps
        if name in ("ADD", "HEALTHCHECK", "VOLUME", "EXPOSE", "ONBUILD", "SHELL", "MAINTAINER")
    ]


def test_every_image_ends_alike_with_code_and_the_list_of_its_packages() -> None:
    ends = {STAGES[role].parent for role in ROLES}
    bodies = {}
    for name in ends:
        steps = STAGES[name].steps
        assert steps[1] == ("COPY", "--from=code-layer /layer /opt/proofwalk")
        assert steps[2][1].endswith("/opt/proofwalk/share/proofwalk/sbom.cdx.json")
        assert f"bom.py {STAGES[name].parent} " in steps[2][1]
        # What differs: the stage's name in the list, title and licences.
        kept = [step for step in steps if step[0] not in ("LABEL", "RUN")]
        bodies[name] = kept
    assert len({str(body) for body in bodies.values()}) == 1


def test_an_image_has_the_layers_of_its_set_and_no_others() -> None:
    alone = {
        "resource-provisioner": {"terraform-layer"},
        "desktop": {"desktop-layer", "guest-layer"},
    }
    for name, roles in SETS.items():
        for role in roles:
            assert set(brought(role)) == {"core-layer", f"{name}-layer", "code-layer"} | alone.get(
                role, set()
            ), role


def test_chromium_qemu_and_git_are_where_they_are_started() -> None:
    alone = {"browser": "sandbox", "machine": "desktop", "repositories": "inspection"}
    for stage, role_of_it in alone.items():
        roles = {role_of_it}
        assert {role for role in ROLES if any(each.name == stage for each in chain(role))} == roles
    installing = {
        stage.name: rest
        for stage in STAGES.values()
        for rest in stage.values("RUN")
        if "apt-get" in rest
    }
    assert set(installing) == {"browser", "machine", "repositories", "walking"}
    assert re.search(
        r"recommends qemu-system-x86 qemu-utils zstd +&& rm",
        re.sub(r"\\s+", " ", installing["machine"]),
    )
    assert re.search(r"recommends libatomic1 +&& rm", installing["walking"]), (
        "the driver's library and nothing else"
    )


def test_what_torch_keeps_is_bounded_as_where_we_start_it_ourselves() -> None:
    [said] = STAGES["learning"].values("ENV")
    assert dict(pair.split("=") for pair in said.split()) == BOUNDED


def test_what_installs_is_in_no_image() -> None:
    for role in ROLES:
        assert not {stage.name for stage in chain(role)} & {"packages", "bom"}
        for stage in chain(role):
            assert not any("pip" in rest for name, rest in stage.steps if name == "RUN")
            lists = [rest for name, rest in stage.steps if name == "RUN" and "apt-get" in rest]
            assert all(
                "--no-install-recommends" in rest and "rm -rf /var/lib/apt/lists/*" in rest
                for rest in lists
            )


def test_no_network_is_named_and_no_secret_stays() -> None:
    for path in [*RECIPES, PATH.parent / "bom.py"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|index-url [^\"]|trusted-host", text), path
    for stage in STAGES.values():
        assert not [
            rest
            for rest in [*stage.values("ARG"), *stage.values("ENV")]
            if re.search(r"TOKEN|PASSWORD|SECRET|KEY|CERT", rest)
        ]
        for rest in stage.values("COPY"):
            assert "secret" not in rest


def test_the_context_is_what_is_listed() -> None:
    lines = [
        line
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert lines[0] == "*"
    assert [line for line in lines if line.startswith("!")] == [
        "!README.md",
        "!pyproject.toml",
        "!libs",
        "!services",
        "!deploy/images",
    ]
    for line in lines:
        place = line.removeprefix("!")
        assert "*" in place or (ROOT / place).exists(), f"{place} is not there"


def test_scripts_are_shell_and_can_be_started() -> None:
    for path in PATH.parent.glob("*.sh"):
        assert subprocess.run(["sh", "-n", str(path)], check=False, timeout=20).returncode == 0
        assert path.stat().st_mode & 0o111 == 0o111, path


def test_a_base_cannot_be_made_without_an_engine_or_the_tool(tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    for arguments, said, status in (
        ([], "usage:", 2),
        (["x:1"], "There is no mmdebstrap: install it", 1),
    ):
        done = subprocess.run(
            ["sh", str(PATH.parent / "base.sh"), *arguments],
            capture_output=True, text=True, check=False, timeout=20, env={"PATH": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == status
        assert said in done.stderr
