"""What an image installs is what its roles import, no less and no more."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.images.imports import Sources
from deploy.images.requirements import (
    FOLDER,
    NO_ROLE,
    OPTIONAL,
    ROOT,
    SETS,
    TERRAFORM,
    distributions,
    locked,
    written,
)
from proofwalk.platform.roles import NAMES
from setup.lock import BY_VARIANT
from setup.pins import read

_ALONE = """
import importlib.metadata, sys, tempfile
from pathlib import Path
from packaging.utils import canonicalize_name
allowed, roles = set(sys.argv[1].split(",")), sys.argv[2].split(",")
owners = importlib.metadata.packages_distributions()
def foreign(top):
    names = {canonicalize_name(name) for name in owners.get(top, ())}
    return names and not names & allowed and "proofwalk" not in names
class Image:
    def find_spec(self, name, path=None, target=None):
        if foreign(name.partition(".")[0]):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
# The interpreter's own start may have imported something of the environment already.
for name in [name for name in sys.modules if foreign(name.partition(".")[0])]:
    del sys.modules[name]
sys.meta_path.insert(0, Image())
from proofwalk.chassis.database import Database
from proofwalk.cli.main import app
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import read_settings
with tempfile.TemporaryDirectory() as home:
    settings = read_settings({"PROOFWALK_HOME": home})
    Database(f"sqlite:///{home}/rows.sqlite3")
    Database("postgresql://user:word@127.0.0.1:1/name")
    for role in roles:
        choose(role, settings)
print("started", *roles)
"""


def test_every_role_has_a_set() -> None:
    images = [image.replace("-", "_") for images in SETS.values() for image in images]
    assert len(images) == len(set(images))
    assert set(images) == {*NAMES, *NO_ROLE}


def test_files_are_what_the_source_and_the_lock_say() -> None:
    for path, text in written().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make requirements`"
    assert {path.name for path in FOLDER.glob("*.txt")} == {path.name for path in written()} | {
        "build.txt",
        "bom.txt",
    }


def test_every_package_is_pinned_by_version_and_digests() -> None:
    for path in FOLDER.glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        pins = read(text)
        own = [line for line in text.splitlines() if line[0] not in "# "]
        assert len(own) == len(pins)
        for line in own:
            assert re.fullmatch(r"[a-z0-9-]+==[0-9][A-Za-z0-9.]*( \\)?", line), line
        bare = {name for name, pin in pins.items() if not pin.digests}
        assert bare <= BY_VARIANT, path.name


def test_heavy_packages_are_only_where_they_are_needed() -> None:
    where = {
        package: {name for name in SETS if package in distributions(name)}
        for package in (
            "torch",
            "matplotlib",
            "transformers",
            "playwright",
            "pyarrow",
            "numpy",
            "openai",
            "alibabacloud-ecs20140526",
            *OPTIONAL,
        )
    }
    assert (
        where.pop("torch") == where.pop("transformers") == where.pop("matplotlib") == {"learning"}
    )
    assert where.pop("playwright") == {"walking"}
    assert where.pop("pyarrow") == where.pop("numpy") == {"walking", "learning"}
    assert where.pop("openai") == {"cloud", "walking", "learning"}
    assert set().union(*where.values()) == set()


@pytest.mark.parametrize("name", SETS)
def test_roles_start_with_the_packages_of_their_set_alone(name: str) -> None:
    roles = [role for role in (image.replace("-", "_") for image in SETS[name]) if role in NAMES]
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, ",".join(distributions(name)), ",".join(roles)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["started", *roles]


def test_a_missing_package_would_be_found() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, ",".join(distributions("core") - {"structlog"}), "gateway"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert "No module named 'structlog'" in done.stderr


def test_terraform_is_of_the_version_that_setup_takes() -> None:
    pin = locked()[TERRAFORM]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"{pin.name}=={pin.version}"' in project


def test_versions_are_the_locks() -> None:
    assert f"{locked()['grpcio']}\n" in (FOLDER / "core.txt").read_text(encoding="utf-8")
    assert locked()["torch"].version == "2.13.0"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small source root."""
    files = {
        "start.py": (
            "from __future__ import annotations\nimport json\nfrom typing import"
            " TYPE_CHECKING\nfrom proofwalk.part import thing\nif TYPE_CHECKING:\n    import"
            " only_for_types\n"
        ),
        "part/__init__.py": "",
        "part/thing.py": (
            '"""proofwalk.documented is spoken of."""\nimport at_once\ndef later():\n    import'
            " in_a_function.deep\n    return ['-m', 'proofwalk.started']\n"
        ),
        "started/__init__.py": "from . import inner\n",
        "started/__main__.py": "import of_the_process\n",
        "started/inner.py": "from ..sideways import name\n",
        "sideways.py": "import beside\n",
        "documented.py": "import never\n",
        "apart/script.py": "import not_ours\n",
    }
    for name, text in files.items():
        path = tmp_path / "proofwalk" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_imports_are_followed_into_functions_packages_and_processes(tree: Path) -> None:
    reach = Sources([tree]).reached(["proofwalk.start"])
    assert reach.foreign == {"at_once", "in_a_function.deep", "of_the_process", "beside"}
    assert "proofwalk.documented" not in reach.modules


def test_what_a_start_imports_is_less(tree: Path) -> None:
    reach = Sources([tree]).reached(["proofwalk.start"], at_start=True)
    assert reach.foreign == {"at_once"}
    assert reach.modules == {"proofwalk.start", "proofwalk.part", "proofwalk.part.thing"}


def test_folders_may_be_left_out(tree: Path) -> None:
    assert "proofwalk.apart.script" in Sources([tree]).below("proofwalk.apart")
    assert not Sources([tree], without=[tree / "proofwalk" / "apart"]).below("proofwalk.apart")
