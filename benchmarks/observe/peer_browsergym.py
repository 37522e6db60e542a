"""BrowserGym's observation with its set of marks, as its environment takes it in every
step. Runs in the peers' virtual environment."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from browsergym.core import env as gym_env
from browsergym.core.task import OpenEndedTask
from browsergym.utils.obs import flatten_axtree_to_str, overlay_som

from benchmarks.observe import worker


class _Chat:
    """Its chat window is a second browser, which wants a download of its own and is
    spared here, to its advantage."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.messages: list[dict[str, Any]] = []

    def add_message(self, role: str, msg: str) -> None:
        self.messages.append({"role": role, "timestamp": 0.0, "message": msg})

    def close(self) -> None:
        self.messages.clear()


class BrowserGym:
    """Synchronous Playwright wants one thread for everything."""

    def __init__(self, executable: str) -> None:
        self._executable = executable
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._env: Any = None
        self._seen: dict[str, Any] = {}

    async def _do(self, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def open(self, url: str) -> None:
        await self._do(self._open, url)

    def _open(self, url: str) -> None:
        if self._env is not None:
            self._env.close()
        gym_env.Chat = _Chat
        self._env = gym_env.BrowserEnv(
            task_entrypoint=OpenEndedTask,
            task_kwargs={"start_url": url, "goal": "look"},
            viewport={"width": 1440, "height": 900},
            pw_chromium_kwargs={"executable_path": self._executable},
        )
        self._env.reset()

    async def look(self, kind: str) -> None:
        await self._do(self._look)

    def _look(self) -> None:
        self._seen = self._env._get_obs()
        overlay_som(self._seen["screenshot"], self._seen["extra_element_properties"])

    async def listing(self) -> dict[str, Any]:
        listed: dict[str, Any] = await self._do(self._listing)
        return listed

    def _listing(self) -> dict[str, Any]:
        seen = self._env._get_obs()
        shown = {"filter_visible_only": True, "filter_with_bid_only": True}
        text = flatten_axtree_to_str(
            seen["axtree_object"], seen["extra_element_properties"], **shown
        )
        marked = [p for p in seen["extra_element_properties"].values() if p["set_of_marks"]]
        whole = flatten_axtree_to_str(
            seen["axtree_object"],
            seen["extra_element_properties"],
            with_clickable=True,
            with_visible=True,
        )
        return {"text": text, "chars": len(whole), "listed": len(marked)}


async def run(executable: str, folder: str) -> None:
    peer = BrowserGym(executable)
    await worker.serve(peer)
    if peer._env is not None:
        await peer._do(peer._env.close)


if __name__ == "__main__":
    worker.main(run)
