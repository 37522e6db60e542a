"""MiniWoB++ (Shi et al. 2017; Liu et al. 2018) as tasks: the pages of the PyPI package
`miniwob`, served on loopback.

An episode is begun as BrowserGym begins it, so that rewards can be compared: load the
page, take the human's display away, seed the page's generator with
`RandomState(seed).randint(0, 1000000)`, put the time limit off, start, wait until the
page is ready, ask for the utterance. The reward is 1 when the page's raw reward is
positive, else 0, and leaving the page's address (a fragment counts) ends the episode
with 0. The package is read as data and never imported.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from proofwalk.gym.tasks import Claim, TaskPage, Validation
from proofwalk.kernel.errors import not_found, unavailable

LEFT_OUT = frozenset({"button-delay", "chase-circle", "hover-shape", "moving-items", "simon-says"})
"""Pages of the package that BrowserGym's benchmark of 125 does not have: they reward
reaction times or tracking."""
EPISODE_MAX_TIME_MS = 1_000_000
VIEWPORT = (500, 320)
"""BrowserGym's; pages are 160x210 in the upper left corner."""
_CLOSE_S = 10.0

_LOADED = (
    "() => typeof core !== 'undefined' && document.readyState === 'complete' && core.cover_div !=="
    " null"
)
_UNDISPLAY = """() => {
  const ids = ['reward-display', 'click-canvas', 'sync-task-cover'], kept = {};
  let query = '';
  const hide = () => {
    core.clearTimer();
    document.body.removeEventListener('click', core.canvasDrawClick);
    const shown = document.getElementById('query');
    query = shown.innerHTML;
    shown.innerHTML = '';
    for (const id of ids) { kept[id] = document.getElementById(id); kept[id].remove(); }
  };
  const show = () => {
    document.getElementById('query').innerHTML = query;
    for (const id of ids) document.body.appendChild(kept[id]);
    core.createDisplay();
  };
  for (const name of ['getUtterance', 'endEpisode', 'startEpisodeReal']) {
    const inner = core[name];
    core[name] = (...rest) => { show(); try { return inner.apply(core, rest); } finally { hide(); } };
  }
  hide();
}"""
_START = (
    "([seed, limit]) => { Math.seedrandom(seed); core.EPISODE_MAX_TIME = limit;"
    " core.startEpisodeReal(); }"
)
_READY = "() => WOB_TASK_READY"
_UTTERANCE = (
    "() => { const said = core.getUtterance(); return typeof said === 'string' ? said :"
    " said.utterance; }"
)
_STATE = """() => ({raw_reward: WOB_RAW_REWARD_GLOBAL, reward: WOB_REWARD_GLOBAL, reason: WOB_REWARD_REASON, done: WOB_DONE_GLOBAL,
  episodes: WOB_EPISODE_ID})"""


def html_folder() -> Path:
    """Where the pages lie; raises `gym.no_miniwob` when the package is not
    installed."""
    spec = importlib.util.find_spec("miniwob")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        raise unavailable(
            "gym.no_miniwob",
            "the pages of MiniWoB++ are not installed",
            hint="pip install miniwob==1.1.0",
        )
    return Path(places[0]) / "html"


def task_names() -> tuple[str, ...]:
    """The names of the 125 tasks, sorted."""
    return tuple(
        sorted(
            page.stem
            for page in (html_folder() / "miniwob").glob("*.html")
            if page.stem not in LEFT_OUT
        )
    )


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a page's requests are not the program's log."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser hangs up whenever it likes."""


class MiniwobSite:
    """The package's pages on a loopback port, from `start` to `close`; several tasks
    may share one."""

    def __init__(self) -> None:
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def host(self) -> str:
        """`127.0.0.1:port`; only while it runs."""
        assert self._server is not None, "the site is not running"
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def base_url(self) -> str:
        """What page names are appended to."""
        return f"http://{self.host}/miniwob/"

    def start(self) -> None:
        """Serve; does nothing when it already does."""
        if self._server is not None:
            return
        self._server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(html_folder())))
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="miniwob-site",
            daemon=True,
        )
        self._thread.start()

    def close(self) -> None:
        """Stop serving; safe to repeat."""
        server, thread, self._server, self._thread = self._server, self._thread, None, None
        if server is not None and thread is not None:
            server.shutdown()
            server.server_close()
            thread.join(_CLOSE_S)


class MiniwobTask:
    """One page of MiniWoB++. `site` shares a running server; without one the task has
    its own."""

    def __init__(self, page_name: str, *, site: MiniwobSite | None = None) -> None:
        if page_name not in task_names():
            raise not_found(
                "gym.unknown_task",
                f"MiniWoB++ has no task {page_name!r}",
                hint="see miniwob.task_names()",
            )
        self.name = f"miniwob.{page_name}"
        self.viewport = VIEWPORT
        self._page_name = page_name
        self._site = site or MiniwobSite()
        self._own = site is None

    async def prepare(self) -> Sequence[str]:
        self._site.start()
        return [self._site.host]

    @property
    def url(self) -> str:
        """Address of the page while the site runs."""
        return f"{self._site.base_url}{self._page_name}.html"

    async def start(self, page: TaskPage, seed: int) -> str:
        await page.open(self.url)
        await page.wait_until(_LOADED)
        await page.evaluate(_UNDISPLAY)
        page_seed = int(np.random.RandomState(seed).randint(0, 1_000_000))
        await page.evaluate(_START, [page_seed, EPISODE_MAX_TIME_MS])
        await page.wait_until(_READY)
        return str(await page.evaluate(_UTTERANCE))

    async def validate(self, page: TaskPage, claims: Sequence[Claim]) -> Validation:
        if page.url != self.url:
            return Validation(done=True, info={"error": "the page was left"})
        state = await page.evaluate(_STATE)
        return Validation(
            reward=float(state["raw_reward"] > 0), done=bool(state["done"]), info=dict(state)
        )

    async def teardown(self, page: TaskPage) -> None:
        """Nothing is left outside the page."""

    async def close(self) -> None:
        if self._own:
            self._site.close()
