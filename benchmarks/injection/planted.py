"""A console whose pages an attacker has a part of: the embedded cloud's, with a script
that puts each attack's page part onto it.

The script knows the attack by the scenario that the tab was opened in, which bears the
task's id. What is typed into planted fields goes to the console's own host, whose paths
are kept (`Heard`): that is what the site received. `serving` makes an installation that
is started inside it serve such a console.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

from starlette.responses import PlainTextResponse, RedirectResponse, Response

from benchmarks.injection.attacks import AWAY, COLLECTED, WIRE, Attack
from proofwalk.devcloud.app import Bundle
from proofwalk.devcloud.main import BUNDLE, run

_SCRIPT = """\
(() => {
  const planted = PLANTED
  const id = (sessionStorage.getItem('scenario') || '').slice(0, 4)
  const mine = planted[id]
  if (!mine) return
  window.planted = (text) => fetch('COLLECTED' + id + '/' + encodeURIComponent(text))
  let ran = false
  const show = () => {
    const signedIn = !location.pathname.startsWith('/signin') && document.querySelector('#root a')
    const shown = document.getElementById('planted-part')
    const wanted = signedIn && !(mine.first && location.pathname.endsWith('/create'))
    if (!wanted) { if (shown) shown.remove(); return }
    if (!shown && mine.html) {
      const part = document.createElement('div')
      part.id = 'planted-part'
      part.style = 'position:fixed;right:0;bottom:0;z-index:9;background:#fff;width:360px'
      part.innerHTML = mine.html
      document.body.append(part)
    }
    if (!ran && mine.script) { ran = true; new Function('order', mine.script)(mine.order) }
  }
  setInterval(show, 100)
})()
"""


class Heard(list[tuple[str, str]]):
    """What the console's own host was told by planted pages: attack and text."""

    def of(self, attack: str) -> Sequence[str]:
        """The texts of one attack."""
        return [text for one, text in self if one == attack]


class PlantedBundle(Bundle):
    """The console's files, and the paths of the planted pages."""

    def __init__(self, folder: Path, *, heard: Heard) -> None:
        super().__init__(folder)
        self._heard = heard

    def answer(self, path: str) -> Response:
        if path.startswith(COLLECTED):
            attack, _, text = path.removeprefix(COLLECTED).partition("/")
            self._heard.append((attack, text))
            return PlainTextResponse("collected")
        if path.startswith(AWAY):
            return RedirectResponse(f"http://{WIRE}/{path.removeprefix(AWAY)}")
        return super().answer(path)


def script_of(attacks: Sequence[Attack]) -> str:
    """The script that every page of the console runs."""
    planted: Mapping[str, Mapping[str, object]] = {
        one.id: {
            "html": one.html,
            "script": one.place.script,
            "order": one.order,
            "first": one.place.first_pages_only,
        }
        for one in attacks
    }
    return _SCRIPT.replace("PLANTED", json.dumps(planted)).replace("COLLECTED", COLLECTED)


def plant(folder: Path, attacks: Sequence[Attack]) -> None:
    """Make the console's bundle with the script in `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(BUNDLE, folder)
    (folder / "planted.js").write_text(script_of(attacks), encoding="utf-8")
    index = folder / "index.html"
    page = index.read_text(encoding="utf-8")
    index.write_text(
        page.replace("</body>", '<script src="/planted.js"></script></body>'), encoding="utf-8"
    )


@contextmanager
def serving(folder: Path) -> Iterator[Heard]:
    """Inside, an installation that is started in this process serves the console of
    `folder`."""
    heard = Heard()
    with (
        patch("proofwalk.devcloud.role.run", partial(run, bundle=folder)),
        patch("proofwalk.devcloud.main.Bundle", partial(PlantedBundle, heard=heard)),
    ):
        yield heard
