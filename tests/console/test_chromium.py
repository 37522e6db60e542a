"""Where the browser's program is found, and what it leaves behind when it is killed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from proofwalk.chassis.processes import start_child
from proofwalk.console.browser import chromium
from proofwalk.console.browser.chromium import (
    FLAGS,
    devtools_address,
    find_chromium,
    remove_profile,
)
from proofwalk.console.browser.starting import started_browser
from proofwalk.kernel.errors import ProofwalkError
from tests.fixtures.environments import environments_below


def test_a_folder_or_a_script_is_no_browser(tmp_path: Path) -> None:
    script = tmp_path / "chromium"
    script.write_text("#!/bin/sh\nexec chromium\n")
    script.chmod(0o755)
    for wrong in (tmp_path, script, tmp_path / "missing"):
        with pytest.raises(ProofwalkError, match=r"sandbox\.no_chromium"):
            find_chromium(wrong)


def test_the_headless_shell_is_taken_where_no_window_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, whole = tmp_path / "shell", tmp_path / "whole"
    for program in (shell, whole):
        program.write_bytes(b"\x7fELF")
        program.chmod(0o755)
    monkeypatch.setattr(chromium, "CANDIDATES", (whole,))
    monkeypatch.setattr(chromium, "HEADLESS_SHELL", shell)
    assert find_chromium(None) == shell
    assert find_chromium(None, window=True) == whole
    assert find_chromium(whole) == whole, "what is set goes first"
    shell.unlink()
    assert find_chromium(None) == whole


@pytest.mark.browser
async def test_a_killed_browser_leaves_nothing_in_the_temporary_folder(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    arguments = [*FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"]
    # The headless shell has no such socket.
    child = await start_child([str(find_chromium(None, window=True)), *arguments])
    await devtools_address(child, profile)
    socket = profile / "SingletonSocket"
    assert socket.is_symlink()
    left = Path(tempfile.gettempdir()) / socket.readlink().parent.name
    await child.kill()
    assert left.exists(), "the browser was killed, so its socket is still there"
    remove_profile(profile)
    assert not left.exists()
    assert not profile.exists()


@pytest.mark.browser
async def test_a_browser_gets_nothing_of_our_environment_that_it_does_not_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PROOFWALK_DATABASE_URL", "postgresql://u:canary-5318@h/d")
    monkeypatch.setenv("SOME_API_KEY", "canary-5318")
    monkeypatch.setenv("FONTCONFIG_PATH", "/etc/fonts")
    async with started_browser():
        found = environments_below()
    assert any(b"/etc/fonts" in one for one in found), "a control: they can be read"
    assert not any(b"canary-5318" in one for one in found)
