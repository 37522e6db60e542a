"""requirements.lock: its form, and that no other file is ever installed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from setup.lock import BY_VARIANT, with_digests
from setup.packages import DIFFERS, PIP
from setup.pins import LOCK, Pin, read, versions

UV = Path(sys.executable).with_name("uv")
_A, _B = "sha256:" + "a" * 64, "sha256:" + "b" * 64


def test_a_lock_is_read_as_it_is_written() -> None:
    pins = [Pin("one-thing", "1.0", (_A, _B)), Pin("torch", "2.13.0")]
    text = "# Said above.\n" + "".join(f"{pin}\n" for pin in pins)
    assert list(read(text).values()) == pins
    assert versions(text) == "one-thing==1.0\ntorch==2.13.0\n"


def test_names_are_canonical() -> None:
    assert list(read("Zope.Some_Thing==1\n")) == ["zope-some-thing"]


def test_every_package_of_the_lock_has_digests_but_those_of_a_variant() -> None:
    pins = read(LOCK.read_text(encoding="utf-8"))
    assert {name for name, pin in pins.items() if not pin.digests} == BY_VARIANT
    assert len(pins) > 200


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder with one wheel, which stands for an index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "thing-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("thing.py", "")
        wheel.writestr(
            "thing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n"
        )
        wheel.writestr(
            "thing-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr("thing-1.0.dist-info/RECORD", "")
    return folder


def of_folder(folder: Path) -> dict[str, str]:
    return {"UV_FIND_LINKS": str(folder), "UV_OFFLINE": "1", "PATH": "/usr/bin:/bin"}


def test_a_package_that_no_index_has_is_named(wheels: Path) -> None:
    with pytest.raises(LookupError, match="no index tells a digest of nothing"):
        with_digests([Pin("nothing", "1.0")], UV, [of_folder(wheels)])


@pytest.mark.parametrize("true", [True, False])
def test_a_file_of_another_digest_is_not_installed(
    wheels: Path, tmp_path: Path, true: bool
) -> None:
    """As `setup.packages` has it: the lock is a constraint of uv's."""
    data = next(wheels.iterdir()).read_bytes()
    digest = hashlib.sha256(data if true else b"another").hexdigest()
    lock = tmp_path / "lock"
    lock.write_text(f"{Pin('thing', '1.0', (f'sha256:{digest}',))}\n", encoding="utf-8")
    target = tmp_path / "target"
    done = subprocess.run(
        [UV, "pip", "install", "--no-cache", "--constraint", lock, "--target", target, "thing"],
        env=of_folder(wheels), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode == 0) == true, done.stderr
    assert (target / "thing.py").exists() == true
    assert (DIFFERS[0] in done.stderr) != true


def test_pip_says_of_another_digest_what_ends_the_setup(wheels: Path, tmp_path: Path) -> None:
    """As `setup.packages` gets uv itself."""
    lock = tmp_path / "lock"
    lock.write_text(f"{Pin('thing', '1.0', (_A,))}\n", encoding="utf-8")
    done = subprocess.run(
        [*PIP, "install", "--no-index", "--find-links", wheels, "--target", tmp_path / "t",
         "-r", lock],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    assert DIFFERS[1] in done.stderr
