"""Server Load Balancer: instances, listeners of four protocols, server groups, access
control lists, certificates."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.devcloud.clients.calls import make_network
from tests.devcloud.conftest import IMAGE, REGION, Backend, HttpFailure
from tests.devcloud.console_api import events, make, path
from tests.devcloud.products.signed import SignedCaller

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"


class Signed(SignedCaller):
    product = "slb"


class Ecs(SignedCaller):
    product = "ecs"


@pytest.fixture
def slb(backend: Backend, account: dict[str, str]) -> Signed:
    return Signed(backend, account)


def make_balancer(backend: Backend, slb: Signed, **more: Any) -> str:
    made = slb(
        "CreateLoadBalancer", **{"LoadBalancerName": "web-lb", "AddressType": "internet", **more}
    )
    backend.clock.advance(2)
    return str(made["LoadBalancerId"])


def make_server(backend: Backend, account: dict[str, str], vpc_id: str, vswitch_id: str) -> str:
    ecs = Ecs(backend, account)
    group = ecs("CreateSecurityGroup", VpcId=vpc_id)["SecurityGroupId"]
    made = ecs(
        "RunInstances",
        ImageId=IMAGE,
        InstanceType="ecs.g7.large",
        VSwitchId=vswitch_id,
        SecurityGroupId=group,
    )
    backend.clock.advance(5)
    return str(made["InstanceIdSets"]["InstanceIdSet"][0])


def test_an_instance_lives_from_order_to_release(
    slb: Signed, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    slb.refuses(
        "InvalidVSwitchId.NotFound",
        "CreateLoadBalancer",
        AddressType="intranet",
        VSwitchId="vsw-none",
    )
    slb.refuses(
        "InvalidParameter.LoadBalancerSpec", "CreateLoadBalancer", LoadBalancerSpec="slb.s9.huge"
    )
    inner = slb(
        "CreateLoadBalancer", AddressType="intranet", VSwitchId=vswitch_id, LoadBalancerName="inner"
    )
    assert (inner["VpcId"], inner["NetworkType"]) == (vpc_id, "vpc")
    assert inner["Address"].startswith("192.168.1.")
    balancer = make_balancer(
        backend, slb, DeleteProtection="on", Tag=[{"Key": "team", "Value": "web"}]
    )
    shown = slb("DescribeLoadBalancerAttribute", LoadBalancerId=balancer)
    assert (shown["LoadBalancerStatus"], shown["DeleteProtection"], shown["LoadBalancerSpec"]) == (
        "active",
        "on",
        "slb.s1.small",
    )
    assert (shown["MasterZoneId"], shown["Address"][:10]) == ("cn-hangzhou-h", "203.0.113.")
    slb("SetLoadBalancerName", LoadBalancerId=balancer, LoadBalancerName="api-lb")
    slb("ModifyLoadBalancerInstanceSpec", LoadBalancerId=balancer, LoadBalancerSpec="slb.s2.small")
    slb(
        "ModifyLoadBalancerInternetSpec",
        LoadBalancerId=balancer,
        InternetChargeType="paybybandwidth",
        Bandwidth=20,
    )
    slb("SetLoadBalancerStatus", LoadBalancerId=balancer, LoadBalancerStatus="inactive")
    listed = slb("DescribeLoadBalancers", LoadBalancerName="api-lb")["LoadBalancers"][
        "LoadBalancer"
    ]
    assert [(r["LoadBalancerStatus"], r["LoadBalancerSpec"], r["Bandwidth"]) for r in listed] == [
        ("inactive", "slb.s2.small", 20)
    ]
    slb.refuses(
        "OperationDenied.DeleteProtectionIsOn", "DeleteLoadBalancer", LoadBalancerId=balancer
    )
    slb("SetLoadBalancerDeleteProtection", LoadBalancerId=balancer, DeleteProtection="off")
    slb("CreateVServerGroup", LoadBalancerId=balancer, VServerGroupName="web")
    slb("DeleteLoadBalancer", LoadBalancerId=balancer)
    slb.refuses(
        "InvalidLoadBalancerId.NotFound", "DescribeLoadBalancerAttribute", LoadBalancerId=balancer
    )
    slb("DeleteLoadBalancer", LoadBalancerId=inner["LoadBalancerId"])
    assert [r["resource_type"] for r in backend.inventory(account)] == ["vpc", "vswitch"]


def test_listeners_of_each_protocol(slb: Signed, backend: Backend) -> None:
    balancer = make_balancer(backend, slb)
    tcp = {"LoadBalancerId": balancer, "ListenerPort": 80}
    slb(
        "CreateLoadBalancerTCPListener",
        **tcp,
        BackendServerPort=8080,
        Bandwidth=-1,
        PersistenceTimeout=600,
        healthCheckInterval=5,
    )
    slb.refuses(
        "ListenerAlreadyExists", "CreateLoadBalancerTCPListener", **tcp, BackendServerPort=8080
    )
    slb.refuses(
        "MissingParameter",
        "CreateLoadBalancerTCPListener",
        LoadBalancerId=balancer,
        ListenerPort=81,
    )
    slb.refuses(
        "InvalidParameter.ListenerPort",
        "CreateLoadBalancerTCPListener",
        **{**tcp, "ListenerPort": 0},
        BackendServerPort=80,
    )
    slb(
        "CreateLoadBalancerUDPListener",
        LoadBalancerId=balancer,
        ListenerPort=80,
        BackendServerPort=53,
    )
    http = {"LoadBalancerId": balancer, "ListenerPort": 8000}
    slb(
        "CreateLoadBalancerHTTPListener",
        **http,
        BackendServerPort=8000,
        StickySession="on",
        StickySessionType="insert",
        CookieTimeout=120,
        HealthCheck="on",
        HealthCheckURI="/live",
        HealthyThreshold=4,
    )
    shown = slb("DescribeLoadBalancerTCPListenerAttribute", **tcp)
    assert (
        shown["Status"],
        shown["BackendServerPort"],
        shown["PersistenceTimeout"],
        shown["HealthCheckInterval"],
    ) == (
        "stopped",
        8080,
        600,
        5,
    )
    shown = slb("DescribeLoadBalancerHTTPListenerAttribute", **http)
    assert (
        shown["StickySession"],
        shown["CookieTimeout"],
        shown["HealthCheckURI"],
        shown["HealthyThreshold"],
    ) == (
        "on",
        120,
        "/live",
        4,
    )
    assert slb("DescribeLoadBalancerUDPListenerAttribute", **tcp)["Description"] == "udp_80"
    slb("StartLoadBalancerListener", **tcp, ListenerProtocol="tcp")
    slb.refuses(
        "ListenerStatusNotSupport", "DeleteLoadBalancerListener", **tcp, ListenerProtocol="tcp"
    )
    backend.clock.advance(2)
    assert slb("DescribeLoadBalancerTCPListenerAttribute", **tcp)["Status"] == "running"
    slb("SetLoadBalancerTCPListenerAttribute", **tcp, Scheduler="rr", Description="orders")
    slb("SetLoadBalancerHTTPListenerAttribute", **http, HealthCheck="off", StickySession="off")
    slb.refuses(
        "InvalidParameter.Scheduler", "SetLoadBalancerTCPListenerAttribute", **tcp, Scheduler="fast"
    )
    assert slb("DescribeLoadBalancerTCPListenerAttribute", **tcp)["Scheduler"] == "rr"
    assert slb("DescribeLoadBalancerHTTPListenerAttribute", **http)["HealthCheck"] == "off"
    slb("StopLoadBalancerListener", **tcp, ListenerProtocol="tcp")
    backend.clock.advance(2)
    slb("DeleteLoadBalancerListener", **tcp, ListenerProtocol="udp")
    ports = slb("DescribeLoadBalancerAttribute", LoadBalancerId=balancer)[
        "ListenerPortsAndProtocol"
    ]["ListenerPortAndProtocol"]
    assert sorted((p["ListenerPort"], p["ListenerProtocol"]) for p in ports) == [
        (80, "tcp"),
        (8000, "http"),
    ]


def test_server_groups_take_and_give_back_servers(
    slb: Signed, backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    server = make_server(backend, account, vpc_id, vswitch_id)
    balancer = make_balancer(backend, slb)
    default = [{"ServerId": server, "Weight": "100"}]
    slb("AddBackendServers", LoadBalancerId=balancer, BackendServers=json.dumps(default))
    slb(
        "SetBackendServers",
        LoadBalancerId=balancer,
        BackendServers=json.dumps([{"ServerId": server, "Weight": "30"}]),
    )
    shown = slb("DescribeLoadBalancerAttribute", LoadBalancerId=balancer)["BackendServers"][
        "BackendServer"
    ]
    assert [(one["ServerId"], one["Weight"]) for one in shown] == [(server, 30)]
    missing = json.dumps([{"ServerId": "i-none", "Weight": "1"}])
    slb.refuses(
        "ObjectNotExist.BackendServer",
        "AddBackendServers",
        LoadBalancerId=balancer,
        BackendServers=missing,
    )
    slb.refuses(
        "InvalidParameter.BackendServers",
        "AddBackendServers",
        LoadBalancerId=balancer,
        BackendServers="web",
    )
    slb("RemoveBackendServers", LoadBalancerId=balancer, BackendServers=json.dumps(default))
    group = slb(
        "CreateVServerGroup",
        LoadBalancerId=balancer,
        VServerGroupName="web",
        BackendServers=json.dumps([{"ServerId": server, "Port": "80", "Weight": "100"}]),
    )
    assert [one["Port"] for one in group["BackendServers"]["BackendServer"]] == [80]
    named = {"VServerGroupId": group["VServerGroupId"]}
    another = json.dumps([{"ServerId": server, "Port": "81", "Weight": "60"}])
    slb("AddVServerGroupBackendServers", **named, BackendServers=another)
    slb(
        "SetVServerGroupAttribute",
        **named,
        VServerGroupName="api",
        BackendServers=another.replace("60", "10"),
    )
    shown = slb("DescribeVServerGroupAttribute", **named)
    assert shown["VServerGroupName"] == "api"
    assert sorted(
        (one["Port"], one["Weight"]) for one in shown["BackendServers"]["BackendServer"]
    ) == [(80, 100), (81, 10)]
    slb("CreateLoadBalancerTCPListener", LoadBalancerId=balancer, ListenerPort=80, **named)
    slb.refuses("RspoolVipExist", "DeleteVServerGroup", **named)
    slb("RemoveVServerGroupBackendServers", **named, BackendServers=another)
    Ecs(backend, account)("DeleteInstance", InstanceId=server, Force="true")
    backend.clock.advance(3)
    assert slb("DescribeVServerGroupAttribute", **named)["BackendServers"]["BackendServer"] == []
    slb(
        "DeleteLoadBalancerListener",
        LoadBalancerId=balancer,
        ListenerPort=80,
        ListenerProtocol="tcp",
    )
    slb("DeleteVServerGroup", **named)
    slb.refuses("InvalidVServerGroupId.NotFound", "DescribeVServerGroupAttribute", **named)


def test_access_control_and_certificates(
    slb: Signed, backend: Backend, account: dict[str, str]
) -> None:
    balancer = make_balancer(backend, slb)
    acl = slb("CreateAccessControlList", AclName="office")["AclId"]
    slb(
        "AddAccessControlListEntry",
        AclId=acl,
        AclEntrys='[{"entry":"10.0.0.0/8","comment":"lan"},{"entry":"192.0.2.0/24"}]',
    )
    slb.refuses(
        "InvalidParameter.AclEntry",
        "AddAccessControlListEntry",
        AclId=acl,
        AclEntrys='[{"entry":"10.0.0.300/8"}]',
    )
    slb("SetAccessControlListAttribute", AclId=acl, AclName="branch")
    shown = slb("DescribeAccessControlListAttribute", AclId=acl)
    assert (shown["AclName"], [e["AclEntryIP"] for e in shown["AclEntrys"]["AclEntry"]]) == (
        "branch",
        ["10.0.0.0/8", "192.0.2.0/24"],
    )
    slb("RemoveAccessControlListEntry", AclId=acl, AclEntrys='[{"entry":"192.0.2.0/24"}]')
    slb.refuses(
        "CertificateAndPrivateKeyIsRefused",
        "UploadServerCertificate",
        ServerCertificate="text",
        PrivateKey=KEY,
    )
    certificate = slb(
        "UploadServerCertificate",
        ServerCertificate=PEM,
        PrivateKey=KEY,
        ServerCertificateName="site",
    )
    listener = {"LoadBalancerId": balancer, "ListenerPort": 443}
    with_acl = {"AclStatus": "on", "AclType": "white", "AclId": acl}
    https = {
        **listener,
        "BackendServerPort": 80,
        "ServerCertificateId": certificate["ServerCertificateId"],
    }
    slb.refuses(
        "MissingParameter", "CreateLoadBalancerHTTPSListener", **listener, BackendServerPort=80
    )
    slb("CreateLoadBalancerHTTPSListener", **https, **with_acl)
    shown = slb("DescribeLoadBalancerHTTPSListenerAttribute", **listener)
    assert (shown["AclStatus"], shown["AclId"], shown["ServerCertificateId"]) == (
        "on",
        acl,
        certificate["ServerCertificateId"],
    )
    slb.refuses("AclInUsed", "DeleteAccessControlList", AclId=acl)
    slb.refuses(
        "CertificateIsInUse",
        "DeleteServerCertificate",
        ServerCertificateId=certificate["ServerCertificateId"],
    )
    slb("DeleteLoadBalancerListener", **listener, ListenerProtocol="https")
    slb("DeleteAccessControlList", AclId=acl)
    slb(
        "SetServerCertificateName",
        ServerCertificateId=certificate["ServerCertificateId"],
        ServerCertificateName="old",
    )
    slb("DeleteServerCertificate", ServerCertificateId=certificate["ServerCertificateId"])
    slb.refuses("AclNotExist", "DeleteAccessControlList", AclId=acl)
    upload = next(
        e
        for e in events(backend, account)
        if e["eventName"] == "UploadServerCertificate" and "errorCode" not in e
    )
    assert upload["requestParameters"]["PrivateKey"] == "******"


def test_an_instance_takes_so_many_listeners(slb: Signed, backend: Backend) -> None:
    balancer = make_balancer(backend, slb)
    for port in range(1, 51):
        slb(
            "CreateLoadBalancerTCPListener",
            LoadBalancerId=balancer,
            ListenerPort=port,
            BackendServerPort=80,
        )
    code = "QuotaLimitExceeds.Listener"
    slb.refuses(
        code,
        "CreateLoadBalancerTCPListener",
        LoadBalancerId=balancer,
        ListenerPort=51,
        BackendServerPort=80,
    )


def test_the_console_adds_a_listener_by_its_protocol(
    backend: Backend, account: dict[str, str]
) -> None:
    browser = backend.browser(account)
    vpc_id, vswitch_id = make_network(backend, account)
    server = make_server(backend, account, vpc_id, vswitch_id)
    balancer = make(
        browser,
        "slb.load_balancer",
        master_zone="cn-hangzhou-h",
        name="web-lb",
        delete_protection=True,
        agree=True,
    )
    backend.clock.advance(2)
    group = make(browser, "slb.vserver_group", load_balancer_id=balancer, name="web")
    member = make(
        browser, "slb.backend_server", group_id=group, server_id=server, port=80, weight=40
    )
    browser.post(path("slb.backend_server", member, "weight"), {"weight": 90})
    with pytest.raises(HttpFailure) as none:
        make(
            browser,
            "slb.listener",
            load_balancer_id=balancer,
            protocol="http",
            port=80,
            target="vserver",
        )
    assert none.value.body["field"] == "vgroup_id"
    form = {
        "target": "vserver",
        "vgroup_id": group,
        "health_check": True,
        "check_uri": "/live",
        "healthy": 5,
    }
    listener = make(
        browser,
        "slb.listener",
        load_balancer_id=balancer,
        protocol="http",
        port=80,
        sticky=False,
        **form,
    )
    assert listener == f"{balancer}/http/80"
    browser.post(path("slb.listener", listener, "start"), {})
    backend.clock.advance(2)
    browser.post(path("slb.listener", listener, "health"), {"health_check": False})
    browser.post(path("slb.load_balancer", balancer, "stop"), {})
    browser.post(path("slb.load_balancer", balancer, "start"), {})
    acl = make(browser, "slb.acl", name="office", ip_version="ipv4")
    entry = make(browser, "slb.acl_entry", acl_id=acl, entry="10.0.0.0/8", comment="lan")
    browser.post(path("slb.acl_entry", entry, "remove"), {})
    (row,) = browser.get(path("slb.listener", **{"where.load_balancer_id": balancer}))["rows"]
    assert (row["status"], row["port"], row["health_check"]) == ("running", 80, False)
    written = [
        e for e in events(backend, account) if e["serviceName"] == "Slb" and "errorCode" not in e
    ]
    found = {event["eventName"]: event["requestParameters"] for event in written}
    assert found["CreateLoadBalancer"]["DeleteProtection"] == "on"
    made = found["CreateLoadBalancerHTTPListener"]
    assert (
        made["ListenerPort"],
        made["VServerGroupId"],
        made["HealthCheck"],
        made["HealthyThreshold"],
    ) == (
        "80",
        group,
        "on",
        "5",
    )
    assert "ListenerProtocol" not in made
    assert found["StartLoadBalancerListener"] == {
        "RegionId": REGION,
        "LoadBalancerId": balancer,
        "ListenerPort": "80",
        "ListenerProtocol": "http",
    }
    assert found["SetLoadBalancerHTTPListenerAttribute"] == {
        "RegionId": REGION,
        "LoadBalancerId": balancer,
        "ListenerPort": "80",
        "HealthCheck": "off",
    }
    assert json.loads(found["SetVServerGroupAttribute"]["BackendServers"]) == [
        {"ServerId": server, "Port": "80", "Weight": "90", "Type": "ecs"}
    ]
    assert json.loads(found["RemoveAccessControlListEntry"]["AclEntrys"]) == [
        {"entry": "10.0.0.0/8", "comment": "lan"}
    ]
    assert found["SetLoadBalancerStatus"]["LoadBalancerStatus"] == "active"
