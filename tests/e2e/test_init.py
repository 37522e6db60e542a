"""`proofwalk init`, then the command that it names, in that folder: verified at once,
with a real browser and the embedded cloud.

In the quick run `test_verification` verifies that document in a running installation,
and README's first `proofwalk verify` is one without.
"""

from __future__ import annotations

import pytest

from proofwalk.platform.installation import free_port
from tests.e2e.installation import HANGS_S, command, home

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.timeout(HANGS_S),
]


async def test_a_new_folder_verifies_at_once() -> None:
    with home() as folder:
        assert (await command("init", "mine", cwd=folder)).code == 0
        said = await command(
            *("verify", "create-a-vswitch.md", "--report", "report"),
            cwd=folder / "mine",
            HOME=str(folder / "h"),
            DEVCLOUD__SPEED="5",
            DEVCLOUD__PORT=str(free_port()),
        )
        assert said.code == 0, said.out + said.err
        assert "verified" in said.out
        assert "audit events" in said.out
        assert (folder / "mine" / "report" / "create-a-vswitch.html").is_file()
        index = (folder / "mine" / "report" / "index.html").read_text(encoding="utf-8")
        assert "every document is verified" in index
        assert "data:image/jpeg;base64," in index
