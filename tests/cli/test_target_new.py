"""`proofwalk target new`: from an address to files that work, by answers from a file
and from standard input; and what is refused before anything is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from typer.testing import CliRunner, Result

from proofwalk.chassis.http import HttpServer
from proofwalk.cli.main import app
from proofwalk.cli.target_sign_in import console_name
from proofwalk.cloud.target import load_target
from tests.e2e.generic_console import PASSWORD, USER, Harbor

pytestmark = pytest.mark.browser
CODE = "JBSWY3DPEHPK3PXPJBSWY3DP"


@asynccontextmanager
async def harbor(folder: Path, *, code_secret: str = "") -> AsyncIterator[tuple[Harbor, str]]:
    """The console and its address."""
    journal = folder / "journal.jsonl"
    journal.touch()
    console = Harbor(journal=journal, code_secret=code_secret)
    console.record("add", {"name": "first"})
    console.record("remove", {"name": "first"})
    async with HttpServer(console.app(), "127.0.0.1:0") as server:
        yield console, server.url


async def asked(
    url: str, folder: Path, answers: Mapping[str, object] | None, *, lines: str | None = None
) -> Result:
    arguments = ["target", "new", url, "--id", "harbor", "--into", str(folder / "targets")]
    if answers is not None:
        path = folder / "answers.yaml"
        path.write_text(yaml.safe_dump(dict(answers)), encoding="utf-8")
        arguments += ["--answers", str(path)]

    def invoked() -> Result:
        return CliRunner().invoke(app, arguments, input=lines, env={"COLUMNS": "300"})

    return await asyncio.to_thread(invoked)


async def test_answers_of_a_file_become_a_target_that_works(tmp_path: Path) -> None:
    async with harbor(tmp_path, code_secret=CODE) as (_, url):
        done = await asked(
            url,
            tmp_path,
            {
                "user": USER,
                "password": PASSWORD,
                "totp": "${env:HARBOR_CODES:-" + CODE + "}",
                "log": str(tmp_path / "journal.jsonl"),
                "change": "newest",
            },
        )
        assert done.exit_code == 0, done.output
    assert '  ok      fill "Authentication code" with the one-time code' in done.stdout
    assert "2 entries, 2 become events" in done.stdout
    assert "the target works" in done.stdout
    assert PASSWORD not in done.output
    folder = tmp_path / "targets"
    target = yaml.safe_load((folder / "harbor.yaml").read_text(encoding="utf-8"))
    assert target["console"]["sign_in"] == [
        "open",
        {"fill": "User name", "secret": "user"},
        {"fill": "Passphrase", "secret": "password"},
        {"click": "Enter"},
        {"fill": "Authentication code", "one_time_code": "totp"},
        {"click": "Verify"},
        {"expect": "Welcome to Harbor"},
    ]
    assert target["options"]["audit"]["map"] == {
        "id": "uid",
        "time": {"path": "when", "format": "epoch_ms"},
        "service": "area",
        "name": "what",
        "ok": {"path": "status", "in": [200, 201, 202, 204]},
        "actor": "who.login",
        "request": "params",
        "account": "who.login",
    }
    accounts = yaml.safe_load((folder / "accounts" / "harbor.yaml").read_text(encoding="utf-8"))
    (account,) = accounts["accounts"]
    assert account["external_id"] == USER
    assert account["login"]["totp"].startswith("${env:HARBOR_CODES")
    secret = folder / "accounts" / "secrets" / "harbor-password"
    assert account["login"]["password"] == "${file:secrets/harbor-password}"
    assert secret.read_text(encoding="utf-8") == f"{PASSWORD}\n"
    assert secret.stat().st_mode & 0o777 == 0o600


async def test_a_person_answers_at_the_terminal_and_takes_what_is_proposed(
    tmp_path: Path,
) -> None:
    async with harbor(tmp_path) as (_, url):
        lines = [USER, PASSWORD, "", "Harbor", str(tmp_path / "journal.jsonl"), "newest", ""]
        done = await asked(url, tmp_path, None, lines="\n".join(lines) + "\n")
        assert done.exit_code == 0, done.output
    assert "[Welcome to Harbor]" in done.stderr
    assert load_target(tmp_path / "targets" / "harbor.yaml", {}).title == "Harbor"


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("Log In - Nautobot", "Home - Nautobot", "Nautobot"),
        ("Unleash", "Dashboard", "Unleash"),
        ("Sign in", "Overview", "Overview"),
        ("Sign in | Mill", "Pumps", "Mill"),
        ("", "", ""),
    ],
)
def test_a_console_s_name_is_what_its_titles_have_in_common(
    before: str, after: str, name: str
) -> None:
    assert console_name(before, after) == name


async def test_a_correction_takes_the_place_of_what_was_found(tmp_path: Path) -> None:
    async with harbor(tmp_path) as (_, url):
        answers = {
            "user": USER,
            "password": PASSWORD,
            "log": str(tmp_path / "journal.jsonl"),
            "change": "newest",
        }
        done = await asked(url, tmp_path, {**answers, "map": "account=tenant"})
        assert done.exit_code == 0, done.output
        text = (tmp_path / "targets" / "accounts" / "harbor.yaml").read_text(encoding="utf-8")
        assert "external_id: tenant-7" in text
        other = tmp_path / "other"
        other.mkdir()
        wrong = await asked(url, other, {**answers, "map": "hour=when"})
    assert wrong.exit_code == 2
    assert "target.bad_map" in wrong.stderr
    assert not (other / "targets").exists()


@pytest.mark.parametrize(
    ("answers", "code", "words", "status"),
    [
        ({"user": USER}, "target.no_answer", "write `password: …`", 2),
        ({"user": USER, "password": "wrong"}, "sign_in.failed", "Wrong passphrase", 3),
        (
            {"user": "${env:NOT_SET_ANYWHERE}", "password": PASSWORD},
            "target.no_answer",
            "NOT_SET_ANYWHERE",
            2,
        ),
        (
            {"user": USER, "password": PASSWORD, "log": "nowhere.jsonl", "change": "newest"},
            "cloud.unavailable",
            "nowhere.jsonl",
            3,
        ),
    ],
)
async def test_what_cannot_go_on_is_told_and_nothing_is_written(
    answers: Mapping[str, object], code: str, words: str, status: int, tmp_path: Path
) -> None:
    async with harbor(tmp_path) as (_, url):
        done = await asked(url, tmp_path, answers)
    assert done.exit_code == status, done.output
    assert code in done.stderr
    assert words in done.stderr
    assert not (tmp_path / "targets").exists()


async def test_files_that_are_there_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "targets").mkdir()
    mine = tmp_path / "targets" / "harbor.yaml"
    mine.write_text("mine", encoding="utf-8")
    done = await asked("http://127.0.0.1:9/", tmp_path, {})
    assert done.exit_code == 2
    assert "target.exists" in done.stderr
    assert mine.read_text(encoding="utf-8") == "mine"


@asynccontextmanager
async def log_server(answer: object) -> AsyncIterator[str]:
    """A log's endpoint that wants a token."""

    async def respond(request: Request) -> Response:
        if request.headers.get("x-token") != "tin-Whistle-31":
            return Response(status_code=401)
        return JSONResponse(answer)

    routes = [Route("/log", respond)]
    async with HttpServer(Starlette(routes=routes), "127.0.0.1:0") as server:
        yield f"{server.url}/log?limit=100"


async def test_an_endpoint_is_read_with_its_header_which_stays_in_a_file(tmp_path: Path) -> None:
    entry = {"seq": 7, "at": "2026-01-02T03:04:05Z", "event": "created", "by": USER}
    async with (
        harbor(tmp_path) as (_, url),
        log_server({"page": {"items": [entry]}}) as log,
    ):
        login = {"user": USER, "password": PASSWORD, "log": log, "change": "newest"}
        refused = await asked(url, tmp_path, login)
        assert "cloud.denied" in refused.stderr
        assert "answer log_headers" in refused.stderr
        done = await asked(url, tmp_path, {**login, "log_headers": "X-Token: tin-Whistle-31"})
        assert done.exit_code == 0, done.output
    assert "tin-Whistle" not in done.output
    text = (tmp_path / "targets" / "harbor.yaml").read_text(encoding="utf-8")
    http = yaml.safe_load(text)["options"]["audit"]["http"]
    assert http["url"] + "?limit=100" == log
    assert (http["params"], http["items"]) == ({"limit": "100"}, "page.items")
    assert http["headers"] == {"X-Token": "${file:accounts/secrets/harbor-x-token}"}


async def test_an_answer_without_a_list_is_refused_with_its_keys(tmp_path: Path) -> None:
    async with harbor(tmp_path) as (_, url), log_server({"total": 3}) as log:
        answers = {"user": USER, "password": PASSWORD, "log": log, "change": "newest"}
        done = await asked(url, tmp_path, {**answers, "log_headers": "X-Token: tin-Whistle-31"})
    assert done.exit_code == 2
    assert "target.no_list" in done.stderr
    assert "total" in done.stderr
