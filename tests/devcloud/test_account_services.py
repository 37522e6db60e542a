"""ResourceManager, Resource Center, and RAM for the users that sign in, through the
official clients."""

from __future__ import annotations

from typing import Any

import pytest
from alibabacloud_ram20150501.client import Client as RamClient
from alibabacloud_ram20150501.models import (
    CreateAccessKeyRequest,
    DeleteAccessKeyRequest,
    ListAccessKeysRequest,
    UpdateLoginProfileRequest,
)
from alibabacloud_resourcecenter20221201.client import Client as CenterClient
from alibabacloud_resourcecenter20221201.models import (
    SearchResourcesRequest,
    SearchResourcesRequestFilter,
)
from alibabacloud_resourcemanager20200331.client import Client as DirectoryClient
from alibabacloud_resourcemanager20200331.models import ListAccountsRequest
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import CreateVpcRequest

from tests.devcloud.conftest import REGION, Backend, HttpFailure

USER = "agent"


def make_vpcs(backend: Backend, account: dict[str, str], count: int) -> list[str]:
    client = VpcClient(backend.config(account))
    made = [
        client.create_vpc(CreateVpcRequest(region_id=REGION, vpc_name=f"n{number}"))
        for number in range(count)
    ]
    return [str(one.body.vpc_id) for one in made]


def search(backend: Backend, account: dict[str, str], **more: Any) -> Any:
    client = CenterClient(backend.config(account))
    return client.search_resources(SearchResourcesRequest(**more)).body


def test_members_are_told_to_the_management_account_page_by_page(backend: Backend) -> None:
    management, *members = (backend.account() for _ in range(4))
    ids = [one["account_id"] for one in members]
    body = {"management": management["account_id"], "members": ids}
    assert backend.admin("POST", "/directory", body)["directory"]["members"] == ids
    client = DirectoryClient(backend.config(management))
    first = client.list_accounts(ListAccountsRequest(page_number=1, page_size=2)).body
    second = client.list_accounts(ListAccountsRequest(page_number=2, page_size=2)).body
    assert first.total_count == 3
    told = [*first.accounts.account, *second.accounts.account]
    assert [one.account_id for one in told] == ids
    directory = client.get_resource_directory().body.resource_directory
    assert directory.master_account_id == management["account_id"]
    for other, code in ((members[0], "NoPermission"), (backend.account(), "NotInUse")):
        with pytest.raises(AlibabaCloudException) as refused:
            DirectoryClient(backend.config(other)).list_accounts(ListAccountsRequest())
        assert str(refused.value.code).endswith(code)


@pytest.mark.parametrize("twice", [True, False])
def test_a_directory_that_cannot_be_is_refused(backend: Backend, twice: bool) -> None:
    one, other = backend.account()["account_id"], backend.account()["account_id"]
    members = [other, other] if twice else [one, other]
    with pytest.raises(HttpFailure) as refused:
        backend.admin("POST", "/directory", {"management": one, "members": members})
    assert refused.value.body["code"] == "devcloud.bad_directory"


def test_a_search_tells_what_the_account_has_and_nobody_else(backend: Backend) -> None:
    mine, other = backend.account(), backend.account()
    made = make_vpcs(backend, mine, 1)
    assert [row.resource_id for row in search(backend, mine).resources] == [
        one["id"] for one in backend.inventory(mine)
    ]
    row = next(row for row in search(backend, mine).resources if row.resource_id == made[0])
    assert (row.resource_type, row.region_id, row.resource_name, row.account_id) == (
        "ACS::VPC::VPC",
        REGION,
        "n0",
        mine["account_id"],
    )
    assert made[0] not in [row.resource_id for row in search(backend, other).resources]


def test_pages_and_filters_of_a_search(backend: Backend) -> None:
    account = backend.account()
    made = make_vpcs(backend, account, 5)
    only_vpcs = [
        SearchResourcesRequestFilter(
            key="ResourceType", match_type="Equals", value=["ACS::VPC::VPC"]
        )
    ]
    told: list[str] = []
    token = None
    while True:
        page = search(backend, account, filter=only_vpcs, max_results=2, next_token=token)
        told += [row.resource_id for row in page.resources]
        token = page.next_token
        if not token:
            break
    assert sorted(told) == sorted(made)
    unknown = [SearchResourcesRequestFilter(key="Colour", match_type="Equals", value=["red"])]
    for more in ({"filter": unknown}, {"max_results": 501}, {"next_token": "ÿ"}):
        with pytest.raises(AlibabaCloudException) as refused:
            search(backend, account, **more)
        assert str(refused.value.code).startswith("InvalidParameter.")


def test_a_lagging_account_is_searched_as_it_was(backend: Backend) -> None:
    account = backend.account()
    path = f"/accounts/{account['account_id']}/faults"
    backend.admin("POST", path, {"lag_s": 30})
    made = make_vpcs(backend, account, 1)
    assert made[0] not in [row.resource_id for row in search(backend, account).resources]
    backend.clock.advance(31)
    assert made[0] in [row.resource_id for row in search(backend, account).resources]


def test_a_signing_user_has_two_keys_at_most_and_loses_what_is_deleted(backend: Backend) -> None:
    account = backend.account()
    client = RamClient(backend.config(account))
    made = client.create_access_key(CreateAccessKeyRequest(user_name=USER)).body.access_key
    with pytest.raises(AlibabaCloudException) as refused:
        client.create_access_key(CreateAccessKeyRequest(user_name=USER))
    assert refused.value.code == "LimitExceeded.User.AccessKey"
    fresh = {
        **account,
        "access_key_id": made.access_key_id,
        "access_key_secret": made.access_key_secret,
    }
    other = RamClient(backend.config(fresh))
    other.delete_access_key(
        DeleteAccessKeyRequest(user_name=USER, user_access_key_id=account["access_key_id"])
    )
    listed = other.list_access_keys(ListAccessKeysRequest(user_name=USER)).body.access_keys
    assert [key.access_key_id for key in listed.access_key] == [made.access_key_id]
    with pytest.raises(AlibabaCloudException) as refused:
        client.list_access_keys(ListAccessKeysRequest(user_name=USER))
    assert refused.value.code == "InvalidAccessKeyId.NotFound"
    with pytest.raises(AlibabaCloudException) as refused:
        other.delete_access_key(DeleteAccessKeyRequest(user_name=USER, user_access_key_id="LTAI"))
    assert refused.value.code == "EntityNotExist.User.AccessKey"


def test_a_new_password_signs_in_ends_sessions_and_is_not_recorded(backend: Backend) -> None:
    from alibabacloud_actiontrail20200706.client import Client
    from alibabacloud_actiontrail20200706.models import LookupEventsRequest

    account = backend.account()
    browser = backend.browser(account)
    client = RamClient(backend.config(account))
    client.update_login_profile(UpdateLoginProfileRequest(user_name=USER, password="N3w-password!"))
    with pytest.raises(HttpFailure) as refused:
        browser.get("/console/api/session")
    assert refused.value.status == 401
    with pytest.raises(HttpFailure):
        backend.browser(account)
    backend.browser({**account, "password": "N3w-password!"})
    found = Client(backend.config(account)).lookup_events(LookupEventsRequest()).body.events
    event = next(one for one in found if one["eventName"] == "UpdateLoginProfile")
    assert event["eventRW"] == "Write"
    assert "N3w-password!" not in str(event)
    with pytest.raises(AlibabaCloudException) as weak:
        client.update_login_profile(UpdateLoginProfileRequest(user_name=USER, password="weak"))
    assert weak.value.code == "InvalidParameter.Password.Format"


def test_a_user_who_does_not_sign_in_is_the_products(backend: Backend) -> None:
    client = RamClient(backend.config(backend.account()))
    with pytest.raises(AlibabaCloudException) as refused:
        client.create_access_key(CreateAccessKeyRequest(user_name="nobody"))
    assert str(refused.value.code).startswith("EntityNotExist.User")


def test_a_further_user_signs_in_beside_the_first(backend: Backend) -> None:
    account = backend.account()
    path = f"/accounts/{account['account_id']}/users"
    made = backend.admin("POST", path, {"user": "administrator"})
    backend.browser(made)
    backend.browser(account)
    with pytest.raises(HttpFailure) as refused:
        backend.admin("POST", path, {"user": "administrator"})
    assert refused.value.body["code"] == "devcloud.user_exists"


def test_throttling_is_met_before_anything_is_done(backend: Backend) -> None:
    account = backend.account()
    path = f"/accounts/{account['account_id']}/faults"
    backend.admin("POST", path, {"throttled": 1, "in_a_row": 1})
    client = RamClient(backend.config(account))
    with pytest.raises(AlibabaCloudException) as refused:
        client.create_access_key(CreateAccessKeyRequest(user_name=USER))
    assert refused.value.code == "Throttling.User"
    client.create_access_key(CreateAccessKeyRequest(user_name=USER))
