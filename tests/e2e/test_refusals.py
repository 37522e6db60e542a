"""What is wrong with a request is told with a stable code, and leaves nothing behind:
no job, no lease, no resource, no blob."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from proofwalk.chassis.trust import system_trust
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.body import read_request
from tests.e2e.installation import DOCS, HANGS_S, Installation, home, running

pytestmark = [pytest.mark.timeout(HANGS_S), pytest.mark.slow]
GOOD = (DOCS / "01-vpc-create-vpc.md").read_text(encoding="utf-8")


class _Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/absent":
            self.send_error(404)
            return
        size = 20_000_000 if self.path == "/huge" else 0
        kind = {"/picture": "image/png", "/program": "application/octet-stream"}.get(
            self.path, "text/markdown"
        )
        body = b"x" * size or b"\x89PNG\r\n\x1a\n" + bytes(range(256))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if self.path != "/huge":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        return


@contextmanager
def _pages() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _body(**changes: Any) -> dict[str, Any]:
    return {"document": {"text": GOOD, "name": "doc.md"}, "target": "devcloud", **changes}


def _refusals(port: int) -> dict[str, tuple[dict[str, Any], str]]:
    pages = f"http://127.0.0.1:{port}"
    rule = (
        "id: broken\nversion: 1\nall:\n  - {service: Vpc, event: CreateVpc, where: [[request.X,"
        " resembles, 1]]}\n"
    )
    return {
        "no procedure": (
            _body(document={"text": "# About VPCs\n\nA VPC is a network.\n", "name": "a.md"}),
            "document.no_procedure",
        ),
        "inside the network": (
            _body(document={"url": "http://10.0.0.1/doc.md"}),
            "fetch.blocked_address",
        ),
        "the metadata service": (
            _body(document={"url": "http://169.254.169.254/latest"}),
            "fetch.blocked_address",
        ),
        "another port of this host": (
            _body(document={"url": "http://127.0.0.1:1/doc.md"}),
            "fetch.blocked_address",
        ),
        "not there": (_body(document={"url": f"{pages}/absent"}), "fetch.not_found"),
        "too large": (_body(document={"url": f"{pages}/huge"}), "fetch.too_large"),
        "a picture": (_body(document={"url": f"{pages}/picture"}), "fetch.bad_media_type"),
        "a program": (_body(document={"url": f"{pages}/program"}), "fetch.bad_media_type"),
        "a broken rule": (_body(rule=rule), "rule.invalid"),
        "META that is no META": (_body(meta="id: x\ncreate: 7\n"), "meta.invalid"),
        "META with a provisioner": (
            _body(
                meta=(
                    'id: x\ndescription: x\ncreate: |\n  resource "null_resource" "x" {}\nverify:'
                    " []\ndestroy: auto\n"
                )
            ),
            "meta.invalid",
        ),
        "an unknown target": (_body(target="nimbus"), "target.unknown"),
        "an unknown policy": (_body(policy="oracle"), "policy.unknown"),
        "an unknown procedure": (_body(procedure_id="deploy"), "document.unknown_procedure"),
    }


async def test_every_refusal_has_its_code_and_leaves_nothing() -> None:
    with _pages() as port, home() as folder:
        async with running(
            folder, {"ROLLOUT__FETCH_ALLOW_HOSTS": f'["127.0.0.1:{port}"]'}
        ) as found:
            before, blobs = await found.inventory(), found.blobs()
            got = {}
            cases = _refusals(port)
            for what, (body, _) in cases.items():
                with pytest.raises(ProofwalkError) as caught:
                    await found.client.create(read_request(body), key=what.replace(" ", "-"))
                assert caught.value.message
                got[what] = caught.value.code
            assert got == {what: code for what, (_, code) in cases.items()}
            await _nothing(found, before, blobs)
            await _bad_callers(found)
            await _nothing(found, before, blobs)


async def _bad_callers(found: Installation) -> None:
    async def post(headers: dict[str, str], content: bytes = b"{}") -> tuple[int, str]:
        async with httpx2.AsyncClient(
            base_url=found.url, trust_env=False, verify=system_trust(), timeout=30
        ) as http:
            answer = await http.post("/v1/verifications", content=content, headers=headers)
            assert answer.headers["content-type"] == "application/problem+json"
            return answer.status_code, answer.json()["code"]

    good = {"Authorization": f"Bearer {found.key}"}
    assert await post({}) == (401, "auth.missing_key")
    assert await post({"Authorization": "Bearer pw_wrong"}) == (401, "auth.bad_key")
    assert await post(good) == (422, "request.malformed")
    assert await post(good, b"no json") == (422, "request.malformed")
    assert await post(good, b"x" * 9_000_000) == (413, "request.too_large")
    body = b'{"document": {"text": "# a"}, "target": "devcloud"}'
    assert await post({**good, "Idempotency-Key": "two words"}, body) == (
        422,
        "idempotency.malformed_key",
    )
    assert await post({**good, "Idempotency-Key": "x" * 256}, body) == (
        422,
        "idempotency.malformed_key",
    )
    first = await post({**good, "Idempotency-Key": "one"}, body)
    assert first == (422, "document.no_procedure")
    assert await post({**good, "Idempotency-Key": "one"}, body) == first
    assert await post({**good, "Idempotency-Key": "one"}, body + b" ") == (
        422,
        "idempotency.key_reused",
    )


async def _nothing(found: Installation, before: dict[str, set[str]], blobs: set[str]) -> None:
    assert await found.client.newest(limit=10) == []
    assert await found.rows("account_pool", "select lease_id from account_pool_lease") == []
    assert await found.rows("sandbox_scheduler", "select id from sandbox_scheduler_sandboxes") == []
    assert (
        await found.rows(
            "resource_provisioner", "select id from resource_provisioner_provisionings"
        )
        == []
    )
    assert await found.inventory() == before
    assert found.blobs() == blobs
