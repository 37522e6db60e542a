"""Has the real Terraform read many templates in two forms, and tells both readings.

A batch is one configuration in which every form is a module of its own; one plan
evaluates all. A reading is what the plan says of a module: its outputs and locals by
value, its variables, its resources with all that is planned for them, and the
references and provisioners of its configuration. Modules with errors are found by the
files that Terraform names, taken out, and the rest is planned again; that Terraform
refuses a template is a reading too. The plan applies nothing, and runs in a folder of
its own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.chassis.child_environment import inherited
from proofwalk.resource_provisioner.alicloud_provider import schema

_PROVIDERS = {
    "terraform": {
        "required_providers": {"alicloud": {"source": "aliyun/alicloud", "version": schema.VERSION}}
    }
}
_GIVEN = {
    **_PROVIDERS,
    "variable": {"region": {"default": "cn-hangzhou"}, "name_prefix": {"default": "pw"}},
}
_ASKED = "asked_by_the_benchmark"
REFUSED = "refused"
_TIMEOUT_S = 300


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A template as it was written, as it was rewritten, and the names whose values are
    asked for."""

    text: str
    rewritten: str
    local_names: Sequence[str]
    variable_names: Sequence[str]


class Terraform:
    """Plans batches with one program. `attached` is the environment by which it reaches
    a provider that runs."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], attached: Mapping[str, str]
    ) -> None:
        self._command = command
        fixed = {
            "CHECKPOINT_DISABLE": "1",
            "TF_INPUT": "0",
            "TF_IN_AUTOMATION": "1",
            "GOGC": "800",
            "GOMAXPROCS": "1",
        }
        self._environment = {**inherited(environment), **fixed, **attached}
        self.runs = 0

    def readings(self, pairs: Sequence[Pair]) -> list[tuple[Any, Any]]:
        """For each pair what Terraform reads in the text and in the rewritten form."""
        with tempfile.TemporaryDirectory(prefix="pw-readings-") as name:
            folder = Path(name)
            for index, pair in enumerate(pairs):
                self._write(folder / f"a{index}", "main.tf", pair.text, pair)
                self._write(folder / f"b{index}", "main.tf.json", pair.rewritten, pair)
            alive = [f"{form}{index}" for index in range(len(pairs)) for form in "ab"]
            found = self._planned(folder, alive)
        return [(found[f"a{index}"], found[f"b{index}"]) for index in range(len(pairs))]

    def _write(self, folder: Path, name: str, text: str, pair: Pair) -> None:
        folder.mkdir()
        (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
        asked = {f"local_{name}": f"${{local.{name}}}" for name in pair.local_names}
        asked |= {f"variable_{name}": f"${{var.{name}}}" for name in pair.variable_names}
        # One output for all of them: Terraform's time is that of its graph.
        (folder / "asked.tf.json").write_text(
            json.dumps({**_GIVEN, "output": {_ASKED: {"value": asked}}})
        )

    def _planned(self, folder: Path, names: Sequence[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        alive = list(names)
        while alive:
            document, bad = self._plan(folder, alive)
            if document is not None:
                return found | {name: _reading(document, name) for name in alive}
            if not bad:
                if len(alive) == 1:
                    bad = set(alive)
                else:
                    middle = len(alive) // 2
                    return (
                        found
                        | self._planned(folder, alive[:middle])
                        | self._planned(folder, alive[middle:])
                    )
            found |= dict.fromkeys(bad, REFUSED)
            alive = [name for name in alive if name not in bad]
        return found

    def _plan(
        self, folder: Path, names: Sequence[str]
    ) -> tuple[Mapping[str, Any] | None, set[str]]:
        root = {
            **_PROVIDERS,
            "provider": {"alicloud": {"region": "cn-hangzhou"}},
            "module": {name: {"source": f"./{name}"} for name in names},
            "output": {name: {"value": f"${{module.{name}}}", "sensitive": True} for name in names},
        }
        (folder / "main.tf.json").write_text(json.dumps(root))
        known = [
            {"Key": "", "Source": "", "Dir": "."},
            *({"Key": name, "Source": f"./{name}", "Dir": name} for name in names),
        ]
        (folder / ".terraform" / "modules").mkdir(parents=True, exist_ok=True)
        (folder / ".terraform" / "modules" / "modules.json").write_text(
            json.dumps({"Modules": known})
        )
        planned = self._run(
            folder,
            "plan",
            "-input=false",
            "-no-color",
            "-json",
            "-refresh=false",
            "-lock=false",
            "-out=plan",
        )
        if planned.returncode == 0:
            return json.loads(self._run(folder, "show", "-json", "-no-color", "plan").stdout), set()
        bad = set()
        for line in planned.stdout.splitlines():
            diagnostic = json.loads(line).get("diagnostic") if line.startswith(b"{") else None
            if diagnostic and diagnostic.get("severity") == "error":
                file = (diagnostic.get("range") or {}).get("filename", "")
                bad |= {file.partition("/")[0]} & set(names)
        return None, bad

    def _run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        self.runs += 1
        return subprocess.run(
            [*self._command, *arguments],
            cwd=folder,
            env=self._environment,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )


def _reading(document: Mapping[str, Any], name: str) -> Any:
    configured = document["configuration"]["root_module"]["module_calls"][name].get("module", {})
    prefix = f"module.{name}."
    changes = [
        {
            "address": change["address"].removeprefix(prefix),
            "provider": change["provider_name"],
            "change": {
                key: change["change"].get(key)
                for key in ("actions", "after", "after_unknown", "after_sensitive")
            },
        }
        for change in document.get("resource_changes") or ()
        if change["address"].startswith(prefix)
    ]
    return {
        "outputs": document["planned_values"]["outputs"][name].get("value"),
        "described": {
            key: item.get("description") for key, item in (configured.get("outputs") or {}).items()
        },
        "variables": configured.get("variables"),
        "resources": [_configured(resource) for resource in configured.get("resources") or ()],
        "modules": sorted(configured.get("module_calls") or ()),
        "changes": changes,
    }


def _configured(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        **{
            key: resource.get(key)
            for key in ("address", "mode", "type", "name", "provisioners", "depends_on")
        },
        "references": {
            name: sorted(_references(value))
            for name, value in (resource.get("expressions") or {}).items()
        },
        "repeated": (
            sorted(_references(resource.get("count_expression")))
            + sorted(_references(resource.get("for_each_expression")))
        ),
    }


def _references(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return {str(item) for item in value.get("references") or ()}.union(
            *(_references(item) for item in value.values())
        )
    if isinstance(value, list):
        return set[str]().union(*(_references(item) for item in value))
    return set()


def find_terraform() -> list[str]:
    """The program; raises `FileNotFoundError`."""
    for name in ("terraform", "tofu"):
        found = shutil.which(name)
        if found:
            return [found]
    raise FileNotFoundError("there is no terraform and no tofu on PATH")
