"""The official RDS client, unchanged: instances from their order to their release."""

from __future__ import annotations

from typing import Any

import pytest
from alibabacloud_rds20140815 import models as r
from alibabacloud_rds20140815.client import Client as Rds

from tests.devcloud.clients.calls import make_network, refused
from tests.devcloud.conftest import REGION, Backend


@pytest.fixture
def rds(backend: Backend, account: dict[str, str]) -> Rds:
    return Rds(backend.config(account))


@pytest.fixture
def ordered(backend: Backend, account: dict[str, str], rds: Rds) -> str:
    """Id of an instance that is being created."""
    vpc_id, vswitch_id = make_network(backend, account)
    request = r.CreateDBInstanceRequest(
        region_id=REGION,
        engine="MySQL",
        engine_version="8.0",
        dbinstance_class="mysql.n2.medium.2c",
        dbinstance_storage=40,
        dbinstance_net_type="Intranet",
        pay_type="Postpaid",
        zone_id="cn-hangzhou-h",
        vpcid=vpc_id,
        v_switch_id=vswitch_id,
        security_iplist="10.0.0.0/8,127.0.0.1",
        dbinstance_description="orders",
    )
    return str(rds.create_dbinstance(request).body.dbinstance_id)


@pytest.fixture
def running(backend: Backend, ordered: str) -> str:
    """Id of an instance that runs."""
    backend.clock.advance(4)
    return ordered


def attribute(instance_id: str) -> r.DescribeDBInstanceAttributeRequest:
    return r.DescribeDBInstanceAttributeRequest(dbinstance_id=instance_id)


def describe(rds: Rds, instance_id: str) -> Any:
    body = rds.describe_dbinstance_attribute(attribute(instance_id)).body
    return body.items.dbinstance_attribute[0]


def test_an_instance_is_created_as_ordered(rds: Rds, backend: Backend, ordered: str) -> None:
    assert describe(rds, ordered).dbinstance_status == "Creating"
    backend.clock.advance(4)
    instance = describe(rds, ordered)
    assert (instance.dbinstance_status, instance.port, instance.dbinstance_storage) == (
        "Running",
        "3306",
        40,
    )
    assert instance.security_iplist == "10.0.0.0/8,127.0.0.1"
    answer = rds.describe_dbinstances(r.DescribeDBInstancesRequest(region_id=REGION)).body
    assert (answer.total_record_count, answer.page_record_count) == (1, 1)


def test_whitelists_are_added_to_and_taken_from(rds: Rds, running: str) -> None:
    office = {"dbinstance_id": running, "dbinstance_iparray_name": "office"}
    rds.modify_security_ips(r.ModifySecurityIpsRequest(**office, security_ips="10.1.1.1,10.1.1.2"))
    rds.modify_security_ips(
        r.ModifySecurityIpsRequest(**office, security_ips="10.1.1.2", modify_mode="Delete")
    )
    bad = r.ModifySecurityIpsRequest(dbinstance_id=running, security_ips="10.1.1.300")
    refused("InvalidSecurityIPList.Format", rds.modify_security_ips, bad)
    arrays = rds.describe_dbinstance_iparray_list(
        r.DescribeDBInstanceIPArrayListRequest(dbinstance_id=running)
    ).body.items.dbinstance_iparray
    assert {array.dbinstance_iparray_name: array.security_iplist for array in arrays} == {
        "default": "10.0.0.0/8,127.0.0.1",
        "office": "10.1.1.1",
    }


def test_a_parameter_takes_a_value_of_its_range(rds: Rds, running: str) -> None:
    rds.modify_parameter(
        r.ModifyParameterRequest(dbinstance_id=running, parameters='{"wait_timeout": "600"}')
    )
    wrong = r.ModifyParameterRequest(dbinstance_id=running, parameters='{"wait_timeout": "0"}')
    refused("InvalidParameterValue", rds.modify_parameter, wrong)
    parameters = rds.describe_parameters(r.DescribeParametersRequest(dbinstance_id=running)).body
    by_name = {
        p.parameter_name: p.parameter_value
        for p in parameters.running_parameters.dbinstance_parameter
    }
    assert by_name["wait_timeout"] == "600"


def test_a_parameter_that_needs_it_restarts_the_instance(rds: Rds, running: str) -> None:
    rds.modify_parameter(
        r.ModifyParameterRequest(
            dbinstance_id=running, parameters='{"lower_case_table_names": "0"}'
        )
    )
    assert describe(rds, running).dbinstance_status == "Restarting"


def test_only_a_subscription_renews_itself(rds: Rds, running: str) -> None:
    renewal = r.ModifyInstanceAutoRenewalAttributeRequest(
        region_id=REGION, dbinstance_id=running, auto_renew="True", duration="3"
    )
    refused(
        "InvalidDBInstanceChargeType.NotSupport",
        rds.modify_instance_auto_renewal_attribute,
        renewal,
    )


def test_an_instance_is_described_and_reached_by_its_id(rds: Rds, running: str) -> None:
    rds.modify_dbinstance_description(
        r.ModifyDBInstanceDescriptionRequest(
            dbinstance_id=running, dbinstance_description="orders-2"
        )
    )
    net = rds.describe_dbinstance_net_info(
        r.DescribeDBInstanceNetInfoRequest(dbinstance_id=running)
    ).body
    assert net.dbinstance_net_infos.dbinstance_net_info[0].connection_string.startswith(running)


def test_an_instance_is_released_when_it_runs(
    rds: Rds, backend: Backend, account: dict[str, str], running: str
) -> None:
    delete = r.DeleteDBInstanceRequest(dbinstance_id=running)
    rds.restart_dbinstance(r.RestartDBInstanceRequest(dbinstance_id=running))
    refused("OperationDenied.DBInstanceStatus", rds.delete_dbinstance, delete)
    backend.clock.advance(3)
    rds.delete_dbinstance(delete)
    backend.clock.advance(2)
    refused("InvalidDBInstanceId.NotFound", rds.describe_dbinstance_attribute, attribute(running))
    assert [x["resource_type"] for x in backend.inventory(account)] == ["vpc", "vswitch"]


def test_subscription_renews_and_cannot_be_released(
    backend: Backend, account: dict[str, str]
) -> None:
    vpc_id, vswitch_id = make_network(backend, account)
    rds = Rds(backend.config(account))
    instance_id = rds.create_dbinstance(
        r.CreateDBInstanceRequest(
            region_id=REGION,
            engine="PostgreSQL",
            engine_version="16.0",
            dbinstance_class="pg.n2.medium.2c",
            dbinstance_storage=20,
            pay_type="Prepaid",
            period="Month",
            used_time="3",
            vpcid=vpc_id,
            v_switch_id=vswitch_id,
            security_iplist="10.0.0.0/8",
        )
    ).body.dbinstance_id
    backend.clock.advance(4)
    rds.modify_instance_auto_renewal_attribute(
        r.ModifyInstanceAutoRenewalAttributeRequest(
            region_id=REGION, dbinstance_id=instance_id, auto_renew="True", duration="3"
        )
    )
    (item,) = rds.describe_instance_auto_renewal_attribute(
        r.DescribeInstanceAutoRenewalAttributeRequest(region_id=REGION, dbinstance_id=instance_id)
    ).body.items.item
    assert (item.auto_renew, item.duration) == ("true", 3)
    refused(
        "OperationDenied.PayType",
        rds.delete_dbinstance,
        r.DeleteDBInstanceRequest(dbinstance_id=instance_id),
    )
