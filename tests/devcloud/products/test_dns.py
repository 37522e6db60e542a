"""Alibaba Cloud DNS: domain names, their groups and their records, in no region."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import Backend, HttpFailure
from tests.devcloud.console_api import events, make, path
from tests.devcloud.products.signed import SignedCaller


class Dns(SignedCaller):
    product = "alidns"


@pytest.fixture
def dns(backend: Backend, account: dict[str, str]) -> Dns:
    return Dns(backend, account)


def records(dns: Dns, domain: str) -> list[tuple[str, str, str, str]]:
    found = dns("DescribeDomainRecords", DomainName=domain)["DomainRecords"]["Record"]
    return [(r["RR"], r["Type"], r["Value"], r["Status"]) for r in found]


def test_domains_and_groups(dns: Dns, backend: Backend, account: dict[str, str]) -> None:
    group = dns("AddDomainGroup", GroupName="shops")["GroupId"]
    dns.refuses("DomainGroupName.Duplicate", "AddDomainGroup", GroupName="shops")
    added = dns("AddDomain", DomainName="example.com", GroupId=group)
    assert (added["GroupName"], added["DnsServers"]) == (
        "shops",
        {"DnsServer": ["dns9.hichina.com", "dns10.hichina.com"]},
    )
    dns.refuses("InvalidDomainName.Duplicate", "AddDomain", DomainName="example.com")
    dns.refuses("InvalidDomainName.Format", "AddDomain", DomainName="not a domain")
    dns.refuses("InvalidDomainName.NoExist", "DescribeDomainInfo", DomainName="other.com")
    dns.refuses(
        "LastOperationNotFinished", "UpdateDomainRemark", DomainName="example.com", Remark="shop"
    )
    backend.clock.advance(2)
    dns("UpdateDomainRemark", DomainName="example.com", Remark="shop")
    dns.refuses("DomainGroup.NotEmpty", "DeleteDomainGroup", GroupId=group)
    dns("ChangeDomainGroup", DomainName="example.com", GroupId="")
    other = dns("AddDomainGroup", GroupName="blogs")["GroupId"]
    dns("ChangeDomainGroup", DomainName="example.com", GroupId=other)
    dns("UpdateDomainGroup", GroupId=group, GroupName="stores")
    dns("DeleteDomainGroup", GroupId=group)
    dns.refuses("DomainGroup.NotExist", "AddDomain", DomainName="example.org", GroupId=group)
    (listed,) = dns("DescribeDomains")["Domains"]["Domain"]
    assert (listed["DomainName"], listed["GroupName"], listed["Remark"], listed["RecordCount"]) == (
        "example.com",
        "blogs",
        "shop",
        0,
    )
    dns(
        "TagResources",
        ResourceType="DOMAIN",
        ResourceId=["example.com"],
        Tag=[{"Key": "team", "Value": "web"}],
    )
    assert dns("DescribeDomainInfo", DomainName="example.com")["Tags"] == {
        "Tag": [{"Key": "team", "Value": "web"}]
    }
    record = dns(
        "AddDomainRecord", DomainName="example.com", RR="www", Type="A", Value="203.0.113.1"
    )["RecordId"]
    dns("DeleteDomain", DomainName="example.com")
    dns.refuses("DomainRecordNotBelongToUser", "DescribeDomainRecordInfo", RecordId=record)
    assert [item["resource_type"] for item in backend.inventory(account)] == ["group"]


def test_records(dns: Dns, backend: Backend, account: dict[str, str]) -> None:
    dns("AddDomain", DomainName="example.com")
    www = {"DomainName": "example.com", "RR": "www", "Type": "A", "Value": "203.0.113.1"}
    record = dns("AddDomainRecord", **www, TTL=600, Line="default")["RecordId"]
    dns.refuses("DomainRecordDuplicate", "AddDomainRecord", **www)
    dns("AddDomainRecord", **{**www, "Line": "telecom"})
    dns.refuses("InvalidLine.Format", "AddDomainRecord", **{**www, "Line": "carriers"})
    dns.refuses("InvalidRR.Format", "AddDomainRecord", **{**www, "RR": "a b"})
    dns.refuses("InvalidValue.Format", "AddDomainRecord", **{**www, "Value": "203.0.113.300"})
    dns.refuses("InvalidValue.Format", "AddDomainRecord", **{**www, "Type": "CNAME"})
    dns.refuses("QuotaExceeded.TTL", "AddDomainRecord", **{**www, "RR": "ttl", "TTL": 60})
    dns.refuses(
        "InvalidMxPriority.Format",
        "AddDomainRecord",
        DomainName="example.com",
        RR="@",
        Type="MX",
        Value="mx1.example.net",
        Priority=90,
    )
    dns(
        "AddDomainRecord",
        DomainName="example.com",
        RR="@",
        Type="MX",
        Value="mx1.example.net",
        Priority=5,
    )
    dns(
        "UpdateDomainRecord",
        RecordId=record,
        RR="www",
        Type="CNAME",
        Value="lb.example.net",
        TTL=1800,
    )
    shown = dns("DescribeDomainRecordInfo", RecordId=record)
    assert (shown["Type"], shown["Value"], shown["TTL"], shown["Status"]) == (
        "CNAME",
        "lb.example.net",
        1800,
        "ENABLE",
    )
    dns.refuses(
        "InvalidValue.Format",
        "UpdateDomainRecord",
        RecordId=record,
        RR="www",
        Type="A",
        Value="lb.example.net",
    )
    assert dns("SetDomainRecordStatus", RecordId=record, Status="Disable") == {
        "RecordId": record, "Status": "Disable", "RequestId": dns_request_id(backend, account),
    }  # fmt: skip
    dns.refuses("InvalidStatus.Format", "SetDomainRecordStatus", RecordId=record, Status="Paused")
    dns("UpdateDomainRecordRemark", RecordId=record, Remark="old shop")
    assert records(dns, "example.com")[0] == ("www", "CNAME", "lb.example.net", "DISABLE")
    dns("DeleteSubDomainRecords", DomainName="example.com", RR="www")
    assert records(dns, "example.com") == [("@", "MX", "mx1.example.net", "ENABLE")]


def dns_request_id(backend: Backend, account: dict[str, str]) -> str:
    """The id of the last operation, from the log."""
    return str(events(backend, account)[-1]["requestId"])


def test_the_console_pauses_and_deletes_records(
    backend: Backend, account: dict[str, str], dns: Dns
) -> None:
    browser = backend.browser(account)
    assert make(browser, "dns.domain", name="example.com") == "example.com"
    wanted: dict[str, Any] = {
        "domain_name": "example.com",
        "type": "A",
        "line": "telecom",
        "ttl": 600,
    }
    with pytest.raises(HttpFailure) as caught:
        make(browser, "dns.record", rr="www", value="lb.example.net", **wanted)
    assert (caught.value.body["code"], caught.value.body["field"]) == (
        "InvalidValue.Format",
        "value",
    )
    ids = [
        make(browser, "dns.record", rr=rr, value="203.0.113.7", **wanted) for rr in ("www", "api")
    ]
    for record in ids:
        browser.post(path("dns.record", record, "pause"))
    browser.post(path("dns.record", ids[1], "enable"))
    assert [status for *_, status in records(dns, "example.com")] == ["DISABLE", "ENABLE"]
    assert browser.get(path("dns.domain", "example.com"))["records"] == 2
    for record in ids:
        browser.post(path("dns.record", record, "delete"))
    backend.clock.advance(2)
    browser.post(
        path("dns.domain", "example.com", "tag"), {"tags": [{"key": "team", "value": "web"}]}
    )
    browser.post(path("dns.domain", "example.com", "delete"))
    said = [
        e
        for e in events(backend, account)
        if e["eventType"] == "ConsoleOperation" and "errorCode" not in e
    ]
    assert [e["eventName"] for e in said][-4:] == [
        "DeleteDomainRecord",
        "DeleteDomainRecord",
        "TagResources",
        "DeleteDomain",
    ]
    assert all(e["isGlobal"] for e in said)
    paused = next(e for e in said if e["eventName"] == "SetDomainRecordStatus")
    assert paused["requestParameters"] == {"RecordId": ids[0], "Status": "Disable"}
    tagged = next(e for e in said if e["eventName"] == "TagResources")
    assert tagged["requestParameters"] == {
        "ResourceType": "DOMAIN",
        "ResourceId.1": "example.com",
        "Tag.1.Key": "team",
        "Tag.1.Value": "web",
    }
