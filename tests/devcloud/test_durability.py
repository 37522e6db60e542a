"""What was answered survives SIGKILL: accounts, keys, sessions, resources with their
timers, events, settings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client as Vpc

from proofwalk.kernel.clock import ManualClock
from tests.devcloud.conftest import REGION, TOKEN, Backend, HttpFailure, make_bench

SLOW = ("--speed", "0.0001")
"""Transitions take hours: a resource is still on its way when the process comes
back."""


@contextmanager
def process(state: Path, *more: str) -> Iterator[tuple[Backend, subprocess.Popen[str]]]:
    arguments = [
        sys.executable,
        "-m",
        "proofwalk.devcloud",
        "--port",
        "0",
        "--state",
        str(state),
        "--admin-token",
        TOKEN,
        *more,
    ]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            line = child.stdout.readline()
            yield Backend(url=line.split()[1], clock=ManualClock()), child
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait(15)


def test_sigkill_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    with process(tmp_path, "--audit-lag", "0", *SLOW) as (backend, child):
        account = backend.account()
        browser = backend.browser(account)
        vpc = Vpc(backend.config(account))
        ids = [
            vpc.create_vpc(
                v.CreateVpcRequest(region_id=REGION, vpc_name=f"v{n}", cidr_block="10.0.0.0/8")
            ).body.vpc_id
            for n in range(5)
        ]
        backend.admin(
            "POST",
            "/revision",
            {"revision": "r2", "patches": [{"at": "vpc", "set": {"title": "Networks"}}]},
        )
        backend.admin("POST", "/settings", {"audit_lag_s": 1.5})
        os.kill(child.pid, signal.SIGKILL)
        child.wait(10)
    with process(tmp_path, *SLOW) as (again, _):
        inventory = again.inventory(account)
        assert [r["id"] for r in inventory] == ids
        assert {r["state"] for r in inventory} == {"Pending"}
        vpc = Vpc(again.config(account))
        assert vpc.describe_vpcs(v.DescribeVpcsRequest(region_id=REGION)).body.total_count == 5
        again_browser = type(browser)(again.url)
        again_browser.cookie = browser.cookie
        assert again_browser.get("/console/api/session")["account_id"] == account["account_id"]
        assert again_browser.get("/console/api/schema")["revision"] == "r2"
        assert again.admin("GET", "/settings") == {"audit_lag_s": 1.5, "speed": 0.0001}
        again.browser(account)


def test_timers_go_on_where_they_stopped(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    vpc = bench.call("1", "vpc", "CreateVpc", CidrBlock="10.0.0.0/8")["VpcId"]
    bench.cloud.store.close()
    again = make_bench(tmp_path)
    resource = again.cloud.world.find("1", vpc)
    assert resource is not None
    assert resource.status == "Pending"
    again.clock.advance(2)
    again.cloud.settle()
    assert resource.status == "Available"
    assert len(again.events("1")) == 1
    again.cloud.store.close()


def test_a_taken_port_is_a_clear_error(tmp_path: Path) -> None:
    with process(tmp_path / "one") as (backend, _):
        port = backend.url.rsplit(":", 1)[1]
        arguments = [
            sys.executable,
            "-m",
            "proofwalk.devcloud",
            "--port",
            port,
            "--state",
            str(tmp_path / "two"),
        ]
        second = subprocess.run(arguments, capture_output=True, text=True, timeout=30, check=False)
    assert second.returncode == 1
    assert "http.address_in_use" in second.stderr


def test_a_seed_repeats_its_accounts(tmp_path: Path) -> None:
    with process(tmp_path) as (backend, _):
        one = backend.admin("POST", "/accounts", {"count": 1, "seed": 5})["accounts"][0]
        with pytest.raises(HttpFailure):
            backend.admin("POST", "/accounts", {"count": 0})
        other = backend.admin("POST", "/accounts", {"count": 1})["accounts"][0]
        listed = backend.admin("GET", "/accounts")["accounts"]
    assert [a["account_id"] for a in listed] == [one["account_id"], other["account_id"]]
    assert 12 <= len(one["account_id"]) <= 16
    with process(tmp_path / "elsewhere") as (backend, _):
        assert backend.admin("POST", "/accounts", {"count": 1, "seed": 5})["accounts"][0] == one
