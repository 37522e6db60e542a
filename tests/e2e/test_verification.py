"""Documents through the whole installation, from the request to the report: what a
reader gets, and what is left afterwards. The right one is what `proofwalk init` writes.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest
import yaml

from proofwalk.chassis.trust import system_trust
from proofwalk.cli.init import Kind, begin
from proofwalk.console.browser.chromium import find_chromium
from tests.e2e.installation import (
    ACCOUNTS,
    DOCS,
    HANGS_S,
    Installation,
    Said,
    command,
    home,
    rule_of,
    running,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(HANGS_S),
]
REMOTE = re.compile(
    r"""(?:src|href|action|poster|srcset)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?\s*(?:https?:)?//|@import""",
    re.IGNORECASE,
)


async def _stream(
    installation: Installation, verification_id: str, *, after: int = 0
) -> list[tuple[str, str]]:
    """Ids and types of a finished verification's event stream, to its end."""
    headers = {
        "Authorization": f"Bearer {installation.key}",
        "Accept": "text/event-stream",
        "Last-Event-ID": str(after),
    }
    got: list[tuple[str, str]] = []
    fields: dict[str, str] = {}
    async with (
        httpx2.AsyncClient(
            base_url=installation.url,
            headers=headers,
            timeout=30,
            trust_env=False,
            verify=system_trust(),
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


async def _left_nothing(installation: Installation, before: dict[str, set[str]]) -> None:
    assert await installation.inventory() == before
    assert await installation.account_states() == ["free"] * ACCOUNTS
    assert installation.browsers() == []
    assert (
        await installation.rows(
            "rollout", "select key from rollout_intents where state <> 'undone'"
        )
        == []
    )
    ended = (
        "select state from resource_provisioner_provisionings where state not in ('destroyed',"
        " 'failed')"
    )
    assert await installation.rows("resource_provisioner", ended) == []


async def _report_is_self_contained(installation: Installation, verification_id: str) -> str:
    page = (await installation.client.report(verification_id)).decode()
    assert "<!doctype html>" in page[:200].lower()
    outside = [match.group(0) for match in REMOTE.finditer(re.sub(r"<a\b[^>]*>", "", page))]
    assert outside == []
    return page


async def _row(installation: Installation, document: str) -> dict[str, Any]:
    rows = await installation.client.newest(limit=10)
    return next(row for row in rows if row["document"].endswith(document))


async def _verify(folder: Path, document: Path, *arguments: str) -> Said:
    """Run `verify` for a document, with one attempt."""
    return await command(
        "verify",
        str(document),
        "--attempts",
        "1",
        *arguments,
        HOME=str(folder),
    )


async def _events_are_streamed_as_stored(installation: Installation, verification_id: str) -> None:
    stored = await installation.client.events(verification_id)
    streamed = await _stream(installation, verification_id)
    assert streamed == [(str(row["sequence"]), row["type"]) for row in stored]
    assert [int(row["sequence"]) for row in stored] == list(range(1, len(stored) + 1))
    assert await _stream(installation, verification_id, after=7) == streamed[7:]


async def _right_document_is_verified_by_the_log(installation: Installation, folder: Path) -> None:
    begin(folder / "mine", Kind.DEVCLOUD)
    document, reports = folder / "mine" / "create-a-vswitch.md", folder / "reports"
    printed = await _verify(folder, document, "--format", "json", "--report", str(reports))
    right = await _row(installation, document.name)
    verdict = right["verdict"]
    assert verdict["outcome"] == "verified", verdict["reason"]
    assert verdict["evidence"] == "audit"
    assert verdict["audit_events"]
    assert printed.code == 0, printed.err
    (result,) = json.loads(printed.out)
    assert (result["verdict"], result["audit_events"]) == ("verified", verdict["audit_events"])
    index = (reports / "index.html").read_text(encoding="utf-8")
    assert "every document is verified" in index
    assert "data:image/jpeg;base64," in index
    assert {step["status"] for step in verdict["substeps"]} == {"verified"}
    page = await _report_is_self_contained(installation, right["verification_id"])
    assert verdict["audit_events"][0] in page
    await _events_are_streamed_as_stored(installation, right["verification_id"])


async def _wrong_document_is_found_wrong_at_its_line(
    installation: Installation, folder: Path
) -> None:
    document, patches = "07-rds-create-instance.md", folder / "patches"
    expected = _expected(document)
    copy = folder / document
    for name in (document, f"{copy.stem}.meta.yaml"):
        shutil.copy(DOCS / name, folder / name)
    copy.with_suffix(".rule.yaml").write_text(rule_of(copy.stem), encoding="utf-8")
    printed = await _verify(folder, copy, "--format", "junit", "--patches", str(patches))
    wrong = await _row(installation, document)
    assert wrong["verdict"]["outcome"] == "doc_defect", wrong["verdict"]["reason"]
    assert printed.code == 1, printed.err
    (failure,) = ElementTree.fromstring(printed.out).iter("failure")
    finding = wrong["verdict"]["finding"]
    assert f"{document}:{finding['line']}" in f"{failure.attrib} {failure.text}"
    assert finding["file"].endswith(document)
    assert (finding["line"], finding["kind"]) == (expected["line"], expected["kind"])
    page = await _report_is_self_contained(installation, wrong["verification_id"])
    assert finding["sentence"][:20] in page
    assert f"+   Then, click **{finding['offered']}**" in (
        patches / "07-rds-create-instance.patch"
    ).read_text(encoding="utf-8")


async def test_one_document_is_verified_by_the_log_and_one_is_found_wrong_and_neither_leaves_anything() -> (
    None
):
    with home() as folder:
        whole = {"SANDBOX_SCHEDULER__CHROMIUM": str(find_chromium(None, window=True))}
        async with running(folder, whole) as installation:
            before = await installation.inventory()
            await _right_document_is_verified_by_the_log(installation, folder)
            await _left_nothing(installation, before)
            await _wrong_document_is_found_wrong_at_its_line(installation, folder)
            await _left_nothing(installation, before)


def _expected(document: str) -> dict[str, Any]:
    rows = yaml.safe_load((DOCS / "index.yaml").read_text(encoding="utf-8"))["documents"]
    finding: dict[str, Any] = next(row["finding"] for row in rows if row["document"] == document)
    return finding
