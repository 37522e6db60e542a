"""Nothing of an episode reaches the next one, whether the context is a fresh one or was
wiped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proofwalk.gym.episode import ConsoleEpisode
from tests.console.conftest import Site
from tests.console.gym.conftest import SiteTask, click

pytestmark = pytest.mark.slow

LEAVES = """<button id=b onclick="leave()">Leave</button> <button onclick="open('/other')">Popup</button>
<button onclick="alert('hold')">Alert</button>
<script>
const keys = [];
addEventListener('keydown', (event) => keys.push(event.key + event.getModifierState('Shift')));
function leave() {
  document.cookie = 'c=1; path=/; max-age=9999'; localStorage.l = 1; sessionStorage.s = 1; window.name = 'n';
  indexedDB.open('db', 1).onsuccess = () => caches.open('k').then((cache) => cache.put('/x', new Response('x')).then(() => b.textContent = 'Left'));
  history.pushState({}, '', '/#a'); history.pushState({}, '', '/#b');
  addEventListener('pagehide', () => { localStorage.late = 1; sessionStorage.late = 1; document.cookie = 'late=1; path=/'; });
  addEventListener('beforeunload', (event) => event.preventDefault());
}
</script>"""
FOUND = """async () => ({cookie: document.cookie, local: Object.keys(localStorage), session: Object.keys(sessionStorage), name: window.name,
  databases: (await indexedDB.databases()).map((d) => d.name), caches: await caches.keys(), history: history.length, hash: location.hash})"""
CLEAN = {
    "cookie": "",
    "local": [],
    "session": [],
    "name": "",
    "databases": [],
    "caches": [],
    "history": 2,
    "hash": "",
}


async def _found(episode: ConsoleEpisode) -> object:
    return await (await episode.session.current()).page.evaluate(FOUND)


@pytest.mark.parametrize("mode", ["full", "soft"])
@pytest.mark.parametrize("more", ["", "Popup", "Alert"])
async def test_no_state_of_an_episode_reaches_the_next(
    open_episode: Callable[..., ConsoleEpisode], site: Site, mode: str, more: str
) -> None:
    site.show(
        "<h1>Other</h1><script>localStorage.other = 1; addEventListener('pagehide', () =>"
        " localStorage.late = 1)</script>",
        "/other",
    )
    episode = open_episode(SiteTask(site, LEAVES))
    begun = await episode.reset(0)
    assert await _found(episode) == CLEAN
    context = episode.session.context
    left = await episode.step(click(begun.observation, "Leave"))
    dirty = await _found(episode)
    assert isinstance(dirty, dict)
    assert [
        dirty[key] for key in ("cookie", "local", "session", "name", "databases", "caches")
    ] == [
        "c=1",
        ["l"],
        ["s"],
        "n",
        ["db"],
        ["k"],
    ]
    if more:
        await episode.step(click(left.observation, more))
    again = await episode.reset(0, mode)  # type: ignore[arg-type]
    assert again.mode == mode
    assert (episode.session.context is context) is (mode == "soft")
    assert await _found(episode) == CLEAN
    assert [tab.url for tab in again.observation.tabs] == [site.url("/")]
    assert again.observation.browser_dialog == ""
    assert not any(element.new for element in again.observation.elements)
    assert (
        await (await episode.session.current()).page.evaluate("() => [innerWidth, innerHeight]")
    ) == [800, 600]


@pytest.mark.parametrize("mode", ["full", "soft"])
async def test_a_key_that_was_held_is_let_go(
    open_episode: Callable[..., ConsoleEpisode], site: Site, mode: str
) -> None:
    episode = open_episode(SiteTask(site, LEAVES))
    await episode.reset(0)
    held = await episode.step('{"type": "key_down", "key": "Shift"}')
    assert held.result.ok
    await episode.reset(0, mode)  # type: ignore[arg-type]
    await episode.step('{"type": "press", "key": "a"}')
    assert await (await episode.session.current()).page.evaluate("() => keys") == ["afalse"]


async def test_what_an_episode_did_outside_is_undone_once(
    open_episode: Callable[..., ConsoleEpisode], site: Site
) -> None:
    task = SiteTask(site)
    episode = open_episode(task)
    await episode.reset(0)
    await episode.reset(1)
    await episode.reset(2, "soft")
    assert task.torn_down == 2
    await episode.close()
    await episode.close()
    assert task.torn_down == 3


async def test_a_task_that_moved_gets_a_fresh_context(
    open_episode: Callable[..., ConsoleEpisode], site: Site, foreign: Site
) -> None:
    task = SiteTask(site)
    episode = open_episode(task)
    await episode.reset(0)
    task.site = foreign
    moved = await episode.reset(0, "soft")
    assert (moved.mode, moved.observation.url) == ("full", foreign.url("/"))
