"""Documents through the whole installation, from the request to the report: what a
reader gets, and what is left afterwards."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest
import yaml

from tests.e2e.installation import ACCOUNTS, DOCS, Installation, command, home, running

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
REMOTE = re.compile(
    r"""(?:src|href|action|poster|srcset)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?\s*(?:https?:)?//|@import""",
    re.IGNORECASE,
)


async def _stream(
    found: Installation, verification_id: str, *, after: int = 0
) -> list[tuple[str, str]]:
    """Ids and types of a finished verification's event stream, to its end."""
    headers = {
        "Authorization": f"Bearer {found.key}",
        "Accept": "text/event-stream",
        "Last-Event-ID": str(after),
    }
    got: list[tuple[str, str]] = []
    fields: dict[str, str] = {}
    async with (
        httpx2.AsyncClient(
            base_url=found.url, headers=headers, timeout=30, trust_env=False
        ) as http,
        http.stream("GET", f"/v1/verifications/{verification_id}/events") as answer,
    ):
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            if fields.get("event") == "end":
                return got
            if "event" in fields:
                assert str(json.loads(fields["data"])["sequence"]) == fields["id"]
                got.append((fields["id"], fields["event"]))
            fields = {}
    raise AssertionError("the stream broke off without `end`")


async def _left_nothing(found: Installation, before: dict[str, set[str]]) -> None:
    assert await found.inventory() == before
    assert await found.account_states() == ["free"] * ACCOUNTS
    assert found.browsers() == []
    assert (
        await found.rows("rollout", "select key from rollout_intents where state <> 'undone'") == []
    )
    ended = (
        "select state from resource_provisioner_provisionings where state not in ('destroyed',"
        " 'failed')"
    )
    assert await found.rows("resource_provisioner", ended) == []


async def _report_is_self_contained(found: Installation, verification_id: str) -> str:
    page = (await found.client.report(verification_id)).decode()
    assert "<!doctype html>" in page[:200].lower()
    outside = [match.group(0) for match in REMOTE.finditer(re.sub(r"<a\b[^>]*>", "", page))]
    assert outside == []
    return page


async def _row(found: Installation, document: str) -> dict[str, Any]:
    rows = await found.client.newest(limit=10)
    return next(row for row in rows if row["document"].endswith(document))


async def test_one_document_is_verified_by_the_log_and_one_is_found_wrong_and_neither_leaves_anything() -> (
    None
):
    with home() as folder:
        async with running(folder) as found:
            before = await found.inventory()

            reports = folder / "reports"
            file = str(DOCS / "02-vpc-create-vswitch.rst")
            said = await command(
                "verify",
                file,
                "--attempts",
                "1",
                "--format",
                "json",
                "--report",
                str(reports),
                within_s=150,
                HOME=str(folder),
            )
            good = await _row(found, "02-vpc-create-vswitch.rst")
            assert good["verdict"]["outcome"] == "verified", good["verdict"]["reason"]
            assert good["verdict"]["evidence"] == "audit"
            assert good["verdict"]["audit_events"]
            assert said.code == 0, said.err
            (told,) = json.loads(said.out)
            assert (told["verdict"], told["audit_events"]) == (
                "verified",
                good["verdict"]["audit_events"],
            )
            assert (reports / "index.html").is_file()
            assert {step["status"] for step in good["verdict"]["substeps"]} == {"verified"}
            await _left_nothing(found, before)
            page = await _report_is_self_contained(found, good["verification_id"])
            assert good["verdict"]["audit_events"][0] in page

            stored = await found.client.events(good["verification_id"])
            streamed = await _stream(found, good["verification_id"])
            assert streamed == [(str(row["sequence"]), row["type"]) for row in stored]
            assert [int(row["sequence"]) for row in stored] == list(range(1, len(stored) + 1))
            assert await _stream(found, good["verification_id"], after=7) == streamed[7:]

            expected = _expected("07-rds-create-instance.md")
            file = str(DOCS / "07-rds-create-instance.md")
            said = await command(
                "verify",
                file,
                "--attempts",
                "1",
                "--format",
                "junit",
                within_s=150,
                HOME=str(folder),
            )
            wrong = await _row(found, "07-rds-create-instance.md")
            assert wrong["verdict"]["outcome"] == "doc_defect", wrong["verdict"]["reason"]
            assert said.code == 1, said.err
            (failure,) = ElementTree.fromstring(said.out).iter("failure")
            finding = wrong["verdict"]["finding"]
            assert (
                f"07-rds-create-instance.md:{finding['line']}" in f"{failure.attrib} {failure.text}"
            )
            assert finding["file"].endswith("07-rds-create-instance.md")
            assert (finding["line"], finding["kind"]) == (expected["line"], expected["kind"])
            await _left_nothing(found, before)
            page = await _report_is_self_contained(found, wrong["verification_id"])
            assert finding["sentence"][:20] in page


def _expected(document: str) -> dict[str, Any]:
    rows = yaml.safe_load((DOCS / "index.yaml").read_text(encoding="utf-8"))["documents"]
    finding: dict[str, Any] = next(row["finding"] for row in rows if row["document"] == document)
    return finding
