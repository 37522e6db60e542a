"""A stranger's first hour: from a console's address, by what a person answers and one
change that the person makes, to a first right verdict that rests on the log."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from proofwalk.chassis.http import HttpServer
from proofwalk.cli.target_answers import AnswersFile
from proofwalk.cli.target_browser import BrowserChoice
from proofwalk.cli.target_questions import Question
from proofwalk.cli.target_writing import NewTarget
from proofwalk.kernel.clock import SystemClock
from proofwalk.orders.body import read_request
from tests.e2e.generic_console import DOCUMENT, PASSWORD, RULE, USER, Harbor, installed
from tests.e2e.installation import HANGS_S, home

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
CODE = "JBSWY3DPEHPK3PXPJBSWY3DP"
OWN_RULE = RULE.replace("service: Projects", "service: prj").replace(
    "event: CreateProject", "event: add"
)


class Person(AnswersFile):
    """Answers, and makes the change when asked to."""

    def __init__(self, answers: Mapping[str, Sequence[str]], console: Harbor) -> None:
        super().__init__(answers)
        self._console = console

    async def answer(self, question: Question) -> str:
        if question.key == "change":
            self._console.record("add", {"name": "trial", "environment": "staging"})
        return await super().answer(question)


async def test_an_address_becomes_a_right_verdict_within_the_hour() -> None:
    with home() as folder:
        journal = folder / "journal.jsonl"
        journal.touch()
        harbor = Harbor(journal=journal, code_secret=CODE)
        harbor.record("add", {"name": "theirs"}, tenant="tenant-8")
        async with HttpServer(harbor.app(), "127.0.0.1:0") as server:
            lines: list[str] = []
            person = Person(
                {
                    "title": ["Harbor"],
                    "user": [USER],
                    "password": [PASSWORD],
                    "totp": [CODE],
                    "log": [str(journal)],
                },
                harbor,
            )
            path = await NewTarget(
                url=server.url,
                folder=folder / "targets",
                answers=person,
                browser=BrowserChoice(),
                clock=SystemClock(),
                pause=asyncio.sleep,
                say=lines.append,
            ).write("harbor")
            assert path == folder / "targets" / "harbor.yaml"
            assert any("1 new entries" in line for line in lines), lines
            assert PASSWORD not in "\n".join(lines)
            async with installed(folder, folder / "targets", accounts=1) as platform:
                body = {
                    "document": {"text": DOCUMENT, "name": "create-a-project.md"},
                    "target": "harbor",
                    "rule": OWN_RULE,
                    "attempts": 1,
                }
                created = await platform.client.create(read_request(body), key="first")
                done = await platform.finish(created["verification_id"])
        verdict = done["verdict"]
        assert (verdict["outcome"], verdict["evidence"]) == ("verified", "audit"), verdict
        assert harbor.written()[-1]["uid"] in verdict["audit_events"]
        assert harbor.projects == {"doc-project": "production"}
        _nothing_shows(folder, done)


def _nothing_shows(folder: Path, done: object) -> None:
    assert PASSWORD not in repr(done)
    assert CODE not in repr(done)
    for path in (folder / "targets").glob("*.yaml"):
        assert PASSWORD not in path.read_text(encoding="utf-8")
