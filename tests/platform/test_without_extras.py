"""Every role starts without the packages of the extras: what the README's first command
installs has none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from proofwalk.platform.roles import NAMES

_EXTRAS = ("torch", "transformers", "matplotlib", "kubernetes", "gymnasium")


@pytest.mark.parametrize("role", NAMES)
def test_a_role_is_made_without_the_extras(role: str) -> None:
    program = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({_EXTRAS!r}))\n"
        "from proofwalk.platform.roles import choose\n"
        "from proofwalk.platform.settings import read_settings\n"
        f"choose({role!r}, read_settings())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr[-2000:]
