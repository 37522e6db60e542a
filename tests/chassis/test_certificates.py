"""A process's certificate as files: what is refused at the start, what is kept in use
when files change, and what is told before it expires."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from proofwalk.chassis.metrics import certificate_metric
from proofwalk.chassis.role import Role, RoleContext, Running
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.rpc.authority import Authority
from proofwalk.chassis.rpc.mutual_tls import MutualTls
from proofwalk.chassis.settings import ProcessSettings, load_settings
from proofwalk.chassis.settings_sections import RpcSettings
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.chassis.certified import authority, certified, soon, write
from tests.chassis.wire import service

_TLS = "PROOFWALK_RPC__TLS__"
_HOUR = 3600.0


@pytest.fixture(scope="module")
def signer() -> Authority:
    return authority()


def refused(environment: Mapping[str, str]) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        load_settings(ProcessSettings, environment)
    return caught.value


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"CERT_FILE": "a"}, "KEY_FILE, CA_FILE missing"),
        ({"CERT_FILE": "a", "KEY_FILE": "b"}, "CA_FILE missing"),
        ({"TRUST_DOMAIN": "x.internal"}, "CERT_FILE, KEY_FILE, CA_FILE missing"),
    ],
)
def test_a_part_of_the_files_is_refused(given: Mapping[str, str], named: str) -> None:
    error = refused({f"{_TLS}{name}": value for name, value in given.items()})
    assert error.code == "settings.invalid"
    assert named in error.message


def test_without_files_there_is_no_tls() -> None:
    assert not load_settings(ProcessSettings, {}).rpc.tls.given


def test_what_does_not_fit_together_is_refused_at_the_start(
    tmp_path: Path, signer: Authority
) -> None:
    settings = write(tmp_path, "rollout", signer)
    whole = {path: path.read_bytes() for path in settings.files()}
    certificate, key, authorities = settings.files()
    for path, content in (
        (key, signer.issue("rollout").key),
        (certificate, b"no certificate"),
        (authorities, b""),
        (certificate, signer.certificate),
    ):
        path.write_bytes(content)
        with pytest.raises(ProofwalkError) as caught:
            MutualTls(settings, clock=ManualClock())
        assert caught.value.code == "rpc.bad_certificate"
        path.write_bytes(whole[path])
    key.unlink()
    with pytest.raises(ProofwalkError, match="cannot be read"):
        MutualTls(settings, clock=ManualClock())


def test_half_of_a_change_leaves_what_was_in_use(tmp_path: Path, signer: Authority) -> None:
    tls = certified(tmp_path, "rollout", signer)
    before, issued = tls.material, signer.issue("rollout")
    (tmp_path / "tls.crt").write_bytes(issued.certificate)
    with capture_logs() as told:
        tls.refresh()
    assert (tls.material, tls.version) == (before, 0)
    assert [entry["event"] for entry in told] == ["certificate_not_replaced"]
    (tmp_path / "tls.key").write_bytes(issued.key)
    tls.refresh()
    assert (tls.material.chain, tls.version) == (issued.certificate, 1)


def test_another_roles_certificate_does_not_take_its_place(
    tmp_path: Path, signer: Authority
) -> None:
    tls = certified(tmp_path, "rollout", signer)
    write(tmp_path, "gateway", signer)
    tls.refresh()
    assert (tls.role, tls.version) == ("rollout", 0)


def test_the_end_is_told_by_a_metric_and_in_the_log_once_an_hour(
    tmp_path: Path, signer: Authority
) -> None:
    clock, registry = ManualClock(soon(0)), CollectorRegistry()
    tls = certified(tmp_path, "rollout", signer, until=soon(10 * _HOUR), clock=clock)
    certificate_metric(registry, tls.seconds_left)

    def told() -> list[str]:
        with capture_logs() as entries:
            tls.refresh()
            tls.refresh()
        return [entry["event"] for entry in entries]

    assert told() == []
    clock.advance(8.5 * _HOUR)
    assert told() == ["certificate_expires_soon"]
    clock.advance(2 * _HOUR)
    assert told() == ["certificate_expired"]
    left = registry.get_sample_value("proofwalk_rpc_certificate_remaining_seconds")
    assert left == pytest.approx(-0.5 * _HOUR, abs=60)
    write(tmp_path, "rollout", signer)
    assert told() == ["certificate_replaced"]


async def test_a_process_serves_over_tcp_as_the_role_of_its_certificate_alone(
    tmp_path: Path, home: Path, signer: Authority
) -> None:
    async def start(_ctx: RoleContext) -> Running:
        return Running(services=[service(None)])

    settings = ProcessSettings(
        home=home,
        redis_url="unix:///nobody",
        addresses={"account_pool": "127.0.0.1:0"},
        rpc=RpcSettings(tls=write(tmp_path, "rollout", signer)),
    )
    with pytest.raises(ProofwalkError) as caught:
        async with Process(settings, [Role(name="account_pool", start=start)]):
            pass
    assert caught.value.code == "rpc.certificate_of_another"
    # On a unix socket it does not matter whose it is: none is shown there.
    local = settings.model_copy(update={"addresses": {}})
    async with Process(local, [Role(name="account_pool", start=start)]) as process:
        await process.channel("account_pool").wait_until_ready(5)
        left = process.metrics.get_sample_value("proofwalk_rpc_certificate_remaining_seconds")
        assert left is not None
        assert left > _HOUR
