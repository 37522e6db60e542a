"""What Terraform has of this machine: an allow-listed environment, its own folder, and
no more."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from proofwalk.chassis.confinement import landlock_abi
from proofwalk.resource_provisioner import guard, terraform_json, terraform_process
from proofwalk.resource_provisioner.runner import TerraformFailed, find_terraform
from proofwalk.resource_provisioner.runner_json import JsonRunner
from proofwalk.resource_provisioner.terraform_process import TerraformProcess, process_environment
from tests.resource_provisioner.fakes import passed

pytestmark = pytest.mark.timeout(60)
needs_landlock = pytest.mark.skipif(not landlock_abi(), reason="this kernel has no Landlock")
OURS = {
    "PROOFWALK_ACCOUNT_POOL__VAULT_KEY_FILE": "/run/secrets/vault.key",
    "PROOFWALK_DATABASE_URL": "postgresql://proofwalk:hunter2@db/proofwalk",
    "ALICLOUD_SECRET_KEY": "another account's",
    "AWS_SECRET_ACCESS_KEY": "s3cret",
    "OPENAI_API_KEY": "sk-1",
    "TF_CLI_ARGS_apply": "-destroy",
    "TF_LOG": "trace",
    "LD_PRELOAD": "/tmp/evil.so",
    "PYTHONPATH": "/tmp/evil",
    "GIT_ASKPASS": "/tmp/ask",
}
PROBE = """
import json, os, pathlib, resource, socket, sys
secret, outside, parent = sys.argv[1:4]
found = {"environment": dict(os.environ), "umask": os.umask(0o077), "core": resource.getrlimit(resource.RLIMIT_CORE)}
def tried(name, work):
    try:
        work(); found[name] = "done"
    except OSError as error:
        found[name] = error.strerror
tried("reads_secret", lambda: pathlib.Path(secret).read_text())
tried("reads_parents_environment", lambda: pathlib.Path(f"/proc/{parent}/environ").read_bytes())
tried("writes_outside", lambda: (pathlib.Path(outside) / "x").write_text("x"))
tried("writes_own_folder", lambda: pathlib.Path("x").write_text("x"))
tried("writes_temporary", lambda: (pathlib.Path(os.environ["TMPDIR"]) / "x").write_text("x"))
tried("writes_home", lambda: (pathlib.Path(os.environ["HOME"]) / "x").write_text("x"))
tried("runs_a_program", lambda: os.posix_spawn("/usr/bin/env", ["env"], {}))
tried("binds_a_port", lambda: socket.socket().bind(("127.0.0.1", 0)))
tried("changes_owner", lambda: os.chown("x", 12345, 12345))
print(json.dumps(found))
"""


async def probe(folder: Path, secret: Path, **given: str) -> dict[str, Any]:
    """What a program in the place of Terraform finds and can do."""
    work = folder / "work"
    work.mkdir()
    (work / "probe.py").write_text(PROBE)
    process = TerraformProcess([sys.executable, "-I"], timeout_s=30)
    done = await process.run(work, given, ["probe.py", str(secret), str(folder), str(os.getpid())])
    assert done.code == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    assert not list(
        Path(found["environment"]["TMPDIR"]).parent.glob(Path(found["environment"]["TMPDIR"]).name)
    )
    return found


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "vault.key"
    file.write_text("the vault's key")
    file.chmod(0o600)
    for name, value in OURS.items():
        monkeypatch.setenv(name, value)
    return file


async def test_terraform_out_of_a_package_is_a_script_that_may_be_read(tmp_path: Path) -> None:
    script, beside = tmp_path / "ours" / "command.py", tmp_path / "ours" / "beside.py"
    script.parent.mkdir()
    script.write_text(f"import sys; print(sys.argv[1:]); open({str(beside)!r})")
    beside.write_text("")
    work = tmp_path / "work"
    work.mkdir()
    done = await TerraformProcess([sys.executable, "-I", str(script)], timeout_s=30).run(
        work, {}, ["version"]
    )
    assert done.stdout.decode().strip() == "['version']", done.stderr.decode()
    if landlock_abi():
        assert "PermissionError" in done.stderr.decode(), "the script alone, not its folder"


async def test_terraform_inherits_no_secret_and_nothing_that_changes_what_it_does(
    tmp_path: Path, secret: Path
) -> None:
    environment = (await probe(tmp_path, secret, ALICLOUD_SECRET_KEY="the leased account's"))[
        "environment"
    ]
    assert environment["ALICLOUD_SECRET_KEY"] == "the leased account's"
    assert environment["HOME"] == str(tmp_path / "work" / ".home")
    assert not set(OURS) - {"ALICLOUD_SECRET_KEY"} & set(environment)
    assert not [name for name in environment if name.startswith("PROOFWALK_")]
    allowed = {
        "PATH",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "HOME",
        "TMPDIR",
        "ALICLOUD_SECRET_KEY",
    }
    rest = {
        name for name in environment if name not in allowed and not name.lower().endswith("_proxy")
    }
    assert rest == {"TF_IN_AUTOMATION", "TF_INPUT", "TF_DATA_DIR", "CHECKPOINT_DISABLE"}


def test_what_a_run_is_given_stands_above_what_is_inherited(tmp_path: Path) -> None:
    outside = {"PATH": "/bin", "https_proxy": "http://proxy:1", "ALICLOUD_SECRET_KEY": "other"}
    found = process_environment(
        outside, {"ALICLOUD_SECRET_KEY": "mine"}, folder=tmp_path, temporary=tmp_path / "t"
    )
    assert (found["ALICLOUD_SECRET_KEY"], found["https_proxy"], found["PATH"]) == (
        "mine",
        "http://proxy:1",
        "/bin",
    )


@needs_landlock
async def test_terraform_reads_no_secret_and_writes_its_own_folder_alone(
    tmp_path: Path, secret: Path
) -> None:
    found = await probe(tmp_path, secret)
    refused = "Permission denied"
    assert {
        name: found[name]
        for name in (
            "reads_secret",
            "reads_parents_environment",
            "writes_outside",
            "runs_a_program",
        )
    } == {
        "reads_secret": refused,
        "reads_parents_environment": refused,
        "writes_outside": refused,
        "runs_a_program": refused,
    }
    assert {found[name] for name in ("writes_own_folder", "writes_temporary", "writes_home")} == {
        "done"
    }
    assert found["changes_owner"] == "Operation not permitted"
    assert found["binds_a_port"] == (refused if landlock_abi() >= 4 else "done")
    assert (found["umask"], found["core"]) == (0o077, [0, 0])


@needs_landlock
@pytest.mark.terraform
async def test_a_command_that_got_past_the_guard_still_gets_nothing(
    tmp_path: Path, secret: Path
) -> None:
    # As if all judging had failed: the configuration is written by hand, and the plan
    # is not looked at.
    work = tmp_path / "work"
    work.mkdir()
    command = (
        f"cat {secret} > {work}/stolen; cat /proc/{os.getpid()}/environ > {work}/environ; touch"
        f" {tmp_path}/outside"
    )
    resource = {"provisioner": {"local-exec": {"command": command}}}
    (work / "main.tf.json").write_text(
        json.dumps({"resource": {"terraform_data": {"x": resource}}})
    )
    process = TerraformProcess(find_terraform(None), timeout_s=50)
    assert (await process.run(work, {}, ["init"])).code == 0
    await process.run(work, {}, ["apply", "-auto-approve"])
    assert not (tmp_path / "outside").exists()
    assert not any(
        path.read_bytes() for path in (work / "stolen", work / "environ") if path.exists()
    )


@pytest.mark.terraform
async def test_a_template_whose_values_grow_without_bound_ends_terraform_and_not_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terraform_process, "_MEMORY", 1024**3)
    doubled = "".join(
        f'  a{number + 1} = "${{local.a{number}}}${{local.a{number}}}"\n' for number in range(36)
    )
    template = (
        f'locals {{\n  a0 = "0123456789abcdef"\n{doubled}}}\noutput "o" {{\n  value ='
        " length(local.a36)\n}\n"
    )
    (tmp_path / "main.tf.json").write_text(terraform_json.written(guard.inspect(template)).text)
    with pytest.raises(TerraformFailed, match="needed more than 1 GiB of memory"):
        await JsonRunner(TerraformProcess(find_terraform(None), timeout_s=50)).apply(
            tmp_path, {}, passed
        )


@pytest.mark.terraform
async def test_a_command_in_a_configuration_is_not_applied(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "main.tf").write_text(
        'resource "terraform_data" "x" {\n  input = <<EOT\nharmless\n\u00a0EOT\n  provisioner'
        f' "local-exec" {{\n    command = "touch {work}/owned"\n  }}\n  triggers_replace ='
        ' "\\nEOT\\n"\n}\n'
    )
    with pytest.raises(TerraformFailed, match="provisioners, which is not allowed"):
        await JsonRunner(TerraformProcess(find_terraform(None), timeout_s=50)).apply(
            work, {}, passed
        )
    assert not (work / "owned").exists()


async def test_where_confinement_is_required_and_missing_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proofwalk.chassis import confinement

    monkeypatch.setattr(confinement, "landlock_abi", lambda: 0)
    monkeypatch.setattr(os, "umask", lambda _: 0)
    monkeypatch.setattr(confinement, "_limit", lambda _: None)
    monkeypatch.setattr(confinement, "_drop_capabilities", lambda: None)
    monkeypatch.setattr(confinement, "_no_new_privileges", lambda: None)
    started: list[str] = []
    monkeypatch.setattr(os, "execvp", lambda program, _: started.append(program))
    for required in (True, False):
        command = confinement.confined(
            ["terraform"],
            writable=[tmp_path],
            readable=[],
            executable=[],
            limits={},
            required=required,
        )
        assert confinement.main(command[4:]) == confinement.FAILED
    assert started == ["terraform"]
