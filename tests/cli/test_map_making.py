"""`proofwalk map make`: a console's map by exploration, what was refused, and what
keeps it from being made."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from typer.testing import CliRunner, Result

from proofwalk.chassis.http import HttpServer
from proofwalk.cli.main import app
from proofwalk.maps import storage
from proofwalk.maps.graph import Control, Surface
from tests.e2e.generic_console import PASSWORD, TENANT, Harbor, describe

pytestmark = pytest.mark.browser

_REPORTS = """<nav><a href="/">Home</a></nav><h1>Reports</h1><script>
fetch('/api/reports', {method: 'POST', body: '{}'}).then(a => a.json()).then(
  names => { for (const name of names) {
    const link = document.createElement('a'); link.href = '/projects'; link.textContent = name;
    document.body.append(link); } })</script>"""


async def _reports(request: Request) -> Response:
    return HTMLResponse(_REPORTS)


async def _names(request: Request) -> Response:
    return JSONResponse(["Weekly report"])


async def made(folder: Path, *arguments: str, console: Harbor | None = None) -> Result:
    """Run the command on a console with a page that fetches its list by POST."""
    folder.mkdir(exist_ok=True)
    journal = folder / "journal.jsonl"
    journal.touch()
    harbor = console or Harbor(journal=journal)
    pages = harbor.app()
    pages.router.routes[:0] = [
        Route("/reports", _reports),
        Route("/api/reports", _names, methods=["POST"]),
    ]
    async with HttpServer(pages, "127.0.0.1:0") as server:
        describe(folder, server.url)
        return await asyncio.to_thread(
            CliRunner().invoke,
            app,
            ["map", "make", *arguments],
            env={"PROOFWALK_TARGETS": str(folder / "targets"), "COLUMNS": "300"},
        )


async def test_a_console_is_explored_and_nothing_of_it_changes(tmp_path: Path) -> None:
    out = tmp_path / "made" / "map.json"
    harbor = Harbor(journal=tmp_path / "journal.jsonl", projects={"alpha": "staging"})
    done = await made(tmp_path, "harbor", "-o", str(out), "--role", "walker", console=harbor)
    assert done.exit_code == 0, done.output
    assert "3 pages, 0 dialogs" in done.stdout
    assert "nothing was left to press" in done.stdout
    assert "no request was refused" in done.stdout
    console = storage.read(out)
    assert (console.console, console.role) == ("harbor", "walker")
    form = next(page for page in console.pages if page.address == "/projects/new")
    assert console.surfaces[form].path[0] == "Projects"
    assert Control(role="button", name="Save project") in console.surfaces[form].controls
    assert harbor.projects == {"alpha": "staging"}
    assert harbor.written() == []
    assert PASSWORD not in done.output + out.read_text(encoding="utf-8")


async def test_a_refused_post_is_told_and_one_that_reads_may_be_named(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "tests.e2e.generic_console._NAV",
            '<nav><a href="/">Home</a> <a href="/reports">Reports</a></nav>',
        )
        refused = await made(tmp_path / "one", "harbor", "-o", str(first))
        named = await made(tmp_path / "two", "harbor", "-o", str(second), "--reads", "/api/reports")
    assert "requests were refused" in refused.stdout
    assert "POST /api/reports at /, pressing “Reports”" in refused.stdout
    assert "no request was refused" in named.stdout
    reports = Surface(address="/reports", heading="Reports")
    link = Control(role="link", name="Weekly report")
    assert link not in storage.read(first).surfaces[reports].controls
    assert link in storage.read(second).surfaces[reports].controls


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nowhere",), "target.unknown"),
        (("harbor", "--account", "nobody"), "target.no_account"),
        (("harbor", "--reads", "list"), "reading.bad_pattern"),
    ],
)
async def test_what_keeps_a_map_from_being_made_is_told(
    arguments: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    done = await made(tmp_path, *arguments)
    assert done.exit_code == 2
    assert code in done.stderr


async def test_an_exploration_that_is_ended_leaves_its_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "map.json"
    harbor = Harbor(journal=tmp_path / "journal.jsonl")

    async def signed_out(request: Request) -> Response:
        harbor.sessions.clear()
        return await Harbor._list(harbor, request)

    monkeypatch.setattr(harbor, "_list", signed_out)
    done = await made(tmp_path, "harbor", "-o", str(out), console=harbor)
    assert done.exit_code == 3
    assert "map.interrupted" in done.stderr
    assert "map.signed_out" in done.stderr
    assert storage.read(out).pages
    assert TENANT not in out.read_text(encoding="utf-8")
