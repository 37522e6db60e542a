"""Typing into an editor of the guest, and what it saved."""

from __future__ import annotations

from proofwalk.console import actions as a
from proofwalk.desktop.session import DesktopSession

CJK = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 20900, 105))[:200]
"""200 Chinese characters from all over the block of the usual ones."""
_FILE = "/home/agent/typed.txt"


async def read_back(session: DesktopSession, text: str) -> str:
    """The text, typed into a fresh window of the editor, saved by its own key, and read
    from the disk."""
    guest = session.seat.guest
    await guest.write(_FILE, b"")
    await guest.start(["/usr/bin/mousepad", "--disable-server", _FILE])
    opened = await session.perform(a.Wait(text="Edit", seconds=90))
    assert opened.ok, opened.message
    typed = await session.perform(a.TypeFocused(text=text))
    assert typed.ok, typed.message
    await session.perform(a.Press(key="Control+S"))
    await session.perform(a.Press(key="Control+Q"))
    closed = await session.perform(a.Wait(text="Edit", gone=True, seconds=60))
    assert closed.ok, closed.message
    return (await guest.read(_FILE)).decode().removesuffix("\n")
