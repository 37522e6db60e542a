"""Who may call: both signature schemes, and every way to get one wrong."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alibabacloud_ecs20140526 import models as e
from alibabacloud_ecs20140526.client import Client as Ecs
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException

from proofwalk.kernel.clock import ManualClock
from tests.devcloud.conftest import REGION, Backend, Browser, HttpFailure, start_backend

SCHEMES: list[dict[str, str]] = [{}, {"signature_algorithm": "v2"}]


def regions(backend: Backend, account: dict[str, str], **more: Any) -> int:
    found = (
        Ecs(backend.config(account, **more))
        .describe_regions(e.DescribeRegionsRequest())
        .body.regions.region
    )
    return len(found)


def code_of(backend: Backend, account: dict[str, str], **more: Any) -> tuple[str, int]:
    with pytest.raises(AlibabaCloudException) as caught:
        regions(backend, account, **more)
    assert caught.value.data["RequestId"]
    return caught.value.code, caught.value.status_code


@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_schemes_are_taken(
    backend: Backend, account: dict[str, str], scheme: dict[str, str]
) -> None:
    assert regions(backend, account, **scheme) == 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_odd_characters_are_signed_alike(
    backend: Backend, account: dict[str, str], scheme: dict[str, str]
) -> None:
    ecs = Ecs(backend.config(account, **scheme))
    request = e.DescribeInstancesRequest(region_id=REGION, instance_name="a b*c~d/é+&=%")
    assert ecs.describe_instances(request).body.total_count == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_wrong_keys_are_refused(
    backend: Backend, account: dict[str, str], scheme: dict[str, str]
) -> None:
    assert code_of(backend, account, secret="wrong", **scheme) == ("SignatureDoesNotMatch", 400)
    stranger = {**account, "access_key_id": "LTAI5tNOBODY"}
    assert code_of(backend, stranger, **scheme) == ("InvalidAccessKeyId.NotFound", 404)
    path = f"/accounts/{account['account_id']}/keys/{account['access_key_id']}"
    backend.admin("POST", path, {"enabled": False})
    assert code_of(backend, account, **scheme) == ("InvalidAccessKeyId.Inactive", 403)
    backend.admin("POST", path, {"enabled": True})
    assert regions(backend, account, **scheme) == 3


def test_rotation_ends_the_former_key_and_session(
    backend: Backend, account: dict[str, str]
) -> None:
    browser = backend.browser(account)
    rotated = backend.admin("POST", f"/accounts/{account['account_id']}/rotate", {})
    assert code_of(backend, account) == ("InvalidAccessKeyId.Inactive", 403)
    assert regions(backend, rotated) == 3
    with pytest.raises(HttpFailure) as caught:
        browser.get("/console/api/session")
    assert caught.value.status == 401
    with pytest.raises(HttpFailure) as failed:
        backend.browser(account)
    assert failed.value.body["code"] == "SignIn.Failed"
    assert (
        backend.browser(rotated).get("/console/api/session")["account_id"] == account["account_id"]
    )


def test_several_keys_work_side_by_side(backend: Backend, account: dict[str, str]) -> None:
    second = backend.admin("POST", f"/accounts/{account['account_id']}/keys", {})
    assert regions(backend, account) == regions(backend, {**account, **second}) == 3


@pytest.fixture
def late(tmp_path: Path) -> Iterator[Backend]:
    backend, end = start_backend(tmp_path, ManualClock(datetime.now(UTC)))
    backend.clock.advance(901 + 60)
    yield backend
    end()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_stale_timestamp_is_refused(late: Backend, scheme: dict[str, str]) -> None:
    assert code_of(late, late.account(), **scheme) == ("InvalidTimeStamp.Expired", 400)


def test_a_request_cannot_be_replayed_or_unsigned(
    backend: Backend, account: dict[str, str]
) -> None:
    from alibabacloud_tea_openapi.utils import Utils

    params = {
        "Action": "DescribeRegions",
        "Version": "2014-05-26",
        "Timestamp": Utils.get_timestamp(),
        "SignatureNonce": "n1",
        "AccessKeyId": account["access_key_id"],
        "SignatureMethod": "HMAC-SHA1",
        "SignatureVersion": "1.0",
    }
    params["Signature"] = Utils.get_rpcsignature(params, "GET", account["access_key_secret"])
    path = "/?" + urllib.parse.urlencode(params)
    assert len(Browser(backend.url).get(path)["Regions"]["Region"]) == 3
    with pytest.raises(HttpFailure) as replayed:
        Browser(backend.url).get(path)
    assert replayed.value.body["Code"] == "SignatureNonceUsed"
    with pytest.raises(HttpFailure) as unsigned:
        Browser(backend.url).post("/?Action=DescribeRegions&Version=2014-05-26")
    assert (unsigned.value.status, unsigned.value.body["Code"]) == (400, "MissingAccessKeyId")


def test_unknown_action_and_version(backend: Backend, account: dict[str, str]) -> None:
    from alibabacloud_tea_openapi.client import Client
    from alibabacloud_tea_openapi.utils_models import OpenApiRequest, Params
    from darabonba.runtime import RuntimeOptions

    def call(action: str, version: str) -> tuple[str, int]:
        params = Params(
            action=action,
            version=version,
            protocol="HTTP",
            pathname="/",
            method="POST",
            auth_type="AK",
            style="RPC",
            req_body_type="formData",
            body_type="json",
        )
        with pytest.raises(AlibabaCloudException) as caught:
            Client(backend.config(account)).call_api(
                params, OpenApiRequest(query={}), RuntimeOptions()
            )
        return caught.value.code, caught.value.status_code

    assert call("MakeCoffee", "2014-05-26") == ("InvalidAction.NotFound", 404)
    assert call("DescribeRegions", "1999-01-01") == ("InvalidVersion", 400)


def test_admin_needs_its_token(backend: Backend) -> None:
    with pytest.raises(HttpFailure) as caught:
        backend.admin("GET", "/accounts", token="guess")
    assert (caught.value.status, caught.value.body["code"]) == (401, "devcloud.admin_token")


@pytest.mark.parametrize(
    ("method", "path", "scheme"),
    [
        ("GET", "/", "OSS a:b"),
        ("PUT", "/bucket", "OSS4-HMAC-SHA256 c"),
        ("POST", "/logstores", "LOG a:b"),
        ("DELETE", "/r", "acs a:b"),
    ],
)
def test_rest_wire_forms_are_refused_clearly(
    backend: Backend, method: str, path: str, scheme: str
) -> None:
    request = urllib.request.Request(
        f"{backend.url}{path}", method=method, headers={"authorization": scheme}
    )
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=10)
    with caught.value as reply:
        answer = json.loads(reply.read())
    assert (caught.value.code, answer["Code"]) == (501, "NotImplemented")
    assert "RPC" in answer["Message"]
