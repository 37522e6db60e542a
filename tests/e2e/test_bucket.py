"""A walk in an installation that keeps its blobs in a bucket of a real S3 server
(moto's, as `make test-s3` names it): nothing of it lies in a folder."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from proofwalk.orders.body import read_request
from tests.e2e.installation import DOCS, HANGS_S, home, rule_of, running
from tests.rl.storages import SECRET, bucket

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.s3, pytest.mark.timeout(HANGS_S)]
NAME = "01-vpc-create-vpc"


async def test_a_walk_leaves_its_evidence_in_the_bucket_alone(tmp_path: Path) -> None:
    with home() as folder, bucket("evidence", tmp_path) as port:
        environment = {
            "BLOB_STORE__ADDRESS": "s3://evidence/team",
            "BLOB_STORE__ENDPOINT": f"http://127.0.0.1:{port}",
            "BLOB_STORE__REGION": "us-east-1",
            "BLOB_STORE__ACCESS_KEY": "AKIATEST",
            "BLOB_STORE__SECRET_KEY": SECRET,
            "BLOB_KEYS": base64.urlsafe_b64encode(b"k" * 32).decode(),
        }
        async with running(folder, environment) as installation:
            document = (DOCS / f"{NAME}.md").read_text(encoding="utf-8")
            body = {
                "document": {"text": document, "name": "a.md"},
                "target": "devcloud",
                "rule": rule_of(NAME),
            }
            created = await installation.client.create(read_request(body), key="bucket")
            found = await installation.finish(created["verification_id"])
            assert found["verdict"]["outcome"] == "verified", found["verdict"]
            report = await installation.client.report(created["verification_id"])
            assert b"verified" in report.lower()
            assert installation.blobs() == set()
