"""Access control lists and certificates, and the HTTPS listeners that use them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import Backend
from tests.devcloud.console_api import events
from tests.devcloud.products.slb import Slb, make_balancer


@pytest.fixture
def slb(backend: Backend, account: dict[str, str]) -> Slb:
    return Slb(backend, account)


PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def balancer(slb: Slb, backend: Backend) -> str:
    return make_balancer(backend, slb)


@pytest.fixture
def acl(slb: Slb) -> str:
    """Id of a list of two entries."""
    acl = slb("CreateAccessControlList", AclName="office")["AclId"]
    slb(
        "AddAccessControlListEntry",
        AclId=acl,
        AclEntrys='[{"entry":"10.0.0.0/8","comment":"lan"},{"entry":"192.0.2.0/24"}]',
    )
    return str(acl)


@pytest.fixture
def certificate(slb: Slb) -> str:
    answer = slb(
        "UploadServerCertificate",
        ServerCertificate=PEM,
        PrivateKey=KEY,
        ServerCertificateName="site",
    )
    return str(answer["ServerCertificateId"])


@pytest.fixture
def listener(slb: Slb, balancer: str, acl: str, certificate: str) -> dict[str, Any]:
    """An HTTPS listener with the certificate, for those whom the list names."""
    at = {"LoadBalancerId": balancer, "ListenerPort": 443}
    slb(
        "CreateLoadBalancerHTTPSListener",
        **at,
        BackendServerPort=80,
        ServerCertificateId=certificate,
        AclStatus="on",
        AclType="white",
        AclId=acl,
    )
    return at


def test_a_list_has_a_name_and_entries(slb: Slb, acl: str) -> None:
    slb.refuses(
        "InvalidParameter.AclEntry",
        "AddAccessControlListEntry",
        AclId=acl,
        AclEntrys='[{"entry":"10.0.0.300/8"}]',
    )
    slb("SetAccessControlListAttribute", AclId=acl, AclName="branch")
    row = slb("DescribeAccessControlListAttribute", AclId=acl)
    assert (row["AclName"], [e["AclEntryIP"] for e in row["AclEntrys"]["AclEntry"]]) == (
        "branch",
        ["10.0.0.0/8", "192.0.2.0/24"],
    )
    slb("RemoveAccessControlListEntry", AclId=acl, AclEntrys='[{"entry":"192.0.2.0/24"}]')


def test_a_certificate_is_no_text(slb: Slb) -> None:
    slb.refuses(
        "CertificateAndPrivateKeyIsRefused",
        "UploadServerCertificate",
        ServerCertificate="text",
        PrivateKey=KEY,
    )


def test_an_https_listener_has_a_certificate_and_a_list(
    slb: Slb, acl: str, certificate: str, listener: dict[str, Any]
) -> None:
    row = slb("DescribeLoadBalancerHTTPSListenerAttribute", **listener)
    assert (row["AclStatus"], row["AclId"], row["ServerCertificateId"]) == ("on", acl, certificate)


def test_an_https_listener_needs_a_certificate(slb: Slb, balancer: str) -> None:
    slb.refuses(
        "MissingParameter",
        "CreateLoadBalancerHTTPSListener",
        LoadBalancerId=balancer,
        ListenerPort=443,
        BackendServerPort=80,
    )


def test_a_list_is_deleted_once_no_listener_uses_it(
    slb: Slb, acl: str, listener: dict[str, Any]
) -> None:
    slb.refuses("AclInUsed", "DeleteAccessControlList", AclId=acl)
    slb("DeleteLoadBalancerListener", **listener, ListenerProtocol="https")
    slb("DeleteAccessControlList", AclId=acl)
    slb.refuses("AclNotExist", "DeleteAccessControlList", AclId=acl)


def test_a_certificate_is_deleted_once_no_listener_uses_it(
    slb: Slb, certificate: str, listener: dict[str, Any]
) -> None:
    named = {"ServerCertificateId": certificate}
    slb.refuses("CertificateIsInUse", "DeleteServerCertificate", **named)
    slb("DeleteLoadBalancerListener", **listener, ListenerProtocol="https")
    slb("SetServerCertificateName", **named, ServerCertificateName="old")
    slb("DeleteServerCertificate", **named)


def test_the_log_of_an_upload_has_no_private_key(
    backend: Backend, account: dict[str, str], certificate: str
) -> None:
    assert certificate
    (upload,) = events(backend, account)
    assert upload["eventName"] == "UploadServerCertificate"
    assert upload["requestParameters"]["PrivateKey"] == "******"
