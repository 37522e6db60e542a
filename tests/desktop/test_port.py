"""Requests into the guest: an answer belongs to its request, whatever came late."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from proofwalk.desktop.guest import Guest, Unpasted
from proofwalk.desktop.port import GuestPort
from proofwalk.kernel.errors import ProofwalkError
from tests.desktop.guests import Late, Nothing, guest_at


async def test_a_late_answer_is_never_taken_for_the_next_one(tmp_path: Path) -> None:
    def answer(command: str, told: dict[str, Any]) -> Any:
        return Late("of before") if command == "slow" else "of now"

    async with guest_at(tmp_path / "port", answer):
        port = GuestPort(tmp_path / "port", within_s=0.2)
        await port.connect()
        with pytest.raises(ProofwalkError) as caught:
            await port.ask("slow")
        assert caught.value.code == "desktop.guest_silent"
        assert await port.ask("quick") == "of now"
        await port.close()


async def test_a_refusal_says_why_and_the_next_request_is_answered(tmp_path: Path) -> None:
    def answer(command: str, told: dict[str, Any]) -> Any:
        if command == "bad":
            raise ValueError("no such file")
        return {}

    async with guest_at(tmp_path / "port", answer) as asked:
        port = GuestPort(tmp_path / "port")
        await port.connect()
        with pytest.raises(ProofwalkError, match="no such file") as caught:
            await port.ask("bad")
        assert caught.value.code == "desktop.guest_refused"
        assert await port.ask("good") == {}
        assert asked == ["bad", "good"]
        await port.close()


async def test_a_machine_that_is_gone_is_silent(tmp_path: Path) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await GuestPort(tmp_path / "nothing").connect()
    assert caught.value.code == "desktop.guest_silent"
    async with guest_at(tmp_path / "port", lambda command, told: Nothing()):
        port = GuestPort(tmp_path / "port")
        await port.connect()
    with pytest.raises(ProofwalkError) as caught:
        await port.ask("anything")
    assert caught.value.code == "desktop.guest_silent"
    await port.close()


class _Files:
    """The part of QEMU's guest agent that has files and programs."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._open: dict[int, list[Any]] = {}
        self.ran: list[dict[str, Any]] = []

    def __call__(self, command: str, told: dict[str, Any]) -> Any:
        match command:
            case "guest-file-open":
                if told["mode"] == "r" and told["path"] not in self.files:
                    raise ValueError(f"failed to open file {told['path']}")
                if told["mode"] == "w":
                    self.files[told["path"]] = b""
                self._open[len(self._open) + 1] = [told["path"], 0]
                return len(self._open)
            case "guest-file-read":
                place = self._open[told["handle"]]
                part = self.files[place[0]][place[1] : place[1] + told["count"]]
                place[1] += len(part)
                return {
                    "buf-b64": base64.b64encode(part).decode(),
                    "eof": place[1] == len(self.files[place[0]]),
                }
            case "guest-file-write":
                self.files[self._open[told["handle"]][0]] += base64.b64decode(told["buf-b64"])
                return {}
            case "guest-exec":
                self.ran.append(told)
                return {"pid": len(self.ran)}
            case "guest-exec-status":
                return {
                    "exited": True,
                    "exitcode": 0,
                    "out-data": base64.b64encode(b"out").decode(),
                }
            case _:
                return {}


async def test_a_file_is_read_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proofwalk.desktop.guest.LARGEST_FILE", 100_000)
    async with guest_at(tmp_path / "agent", _Files()):
        port = GuestPort(tmp_path / "agent")
        await port.connect()
        guest = Guest(port, port)
        await guest.write("/home/agent/a", b"x" * 160_000)
        with pytest.raises(ProofwalkError) as caught:
            await guest.read("/home/agent/a")
        assert caught.value.code == "desktop.file_too_large"
        await port.close()


async def test_files_and_programs_of_the_guest(tmp_path: Path) -> None:
    inside = _Files()
    async with guest_at(tmp_path / "agent", inside):
        port = GuestPort(tmp_path / "agent")
        await port.connect()
        guest = Guest(port, port)
        content = bytes(range(256)) * 600
        await guest.write("/home/agent/a", content)
        assert inside.files["/home/agent/a"] == content, "in pieces, and whole"
        assert await guest.read("/home/agent/a") == content
        with pytest.raises(ProofwalkError) as caught:
            await guest.read("/home/agent/b")
        assert caught.value.code == "desktop.guest_refused"
        ran = await guest.run(["/usr/bin/id"])
        assert (ran.code, ran.out) == (0, b"out")
        assert inside.ran[-1]["arg"][:4] == [
            "-u",
            "agent",
            "--",
            "/usr/bin/id",
        ], "as the desktop's user"
        assert "DISPLAY=:0" in inside.ran[-1]["env"]
        with pytest.raises(Unpasted) as unpasted:
            await guest.offer("字" * 100_000)
        assert unpasted.value.code == "action.too_long"
        await port.close()
