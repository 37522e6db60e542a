"""The adapter `alicloud` keeps the contract, against devcloud on the wire, and says
what a target's options lack."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from proofwalk.cloud import adapters
from proofwalk.cloud.adapters import adapter_named
from proofwalk.cloud.alicloud.options import AlicloudOptions
from proofwalk.cloud.target import parse_target
from proofwalk.kernel.errors import ProofwalkError
from tests.cloud.alicloud_world import opened, target_of, world
from tests.cloud.contract import AdapterContract, Bench

KEY = {"id": "k", "secret": "s"}
DIRECTORY = {"management": "1", "access_key": KEY, "members": ["2"]}


class TestAlicloud(AdapterContract):
    @pytest.fixture
    async def bench(self, tmp_path: Path) -> AsyncIterator[Bench]:
        async with world(tmp_path) as made, opened(made.target()) as cloud:
            made.bench.cloud = cloud
            yield made.bench


def test_each_entry_point_names_an_adapter() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    registered = project["project"]["entry-points"][adapters.GROUP]
    assert {"alicloud", "devcloud", "generic"} <= set(registered)
    for place in registered.values():
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(module), name))


def test_an_adapter_whose_packages_are_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Bare:
        name = "alicloud"

        def load(self) -> object:
            raise ModuleNotFoundError("No module named 'sdk'", name="sdk")

    monkeypatch.setattr(adapters, "entry_points", lambda group: [Bare()])
    with pytest.raises(ProofwalkError) as caught:
        adapter_named("alicloud")
    assert caught.value.code == "target.invalid"
    assert "'sdk'" in caught.value.message
    assert "proofwalk[alicloud]" in caught.value.hint


@pytest.mark.parametrize(
    ("options", "where", "what"),
    [
        ({}, "options", "either a directory or an accounts file"),
        ({"directory": DIRECTORY, "accounts": "a.yaml", "user": "u"}, "options", "either"),
        ({"directory": DIRECTORY}, "options", "user is needed"),
        ({"directory": {**DIRECTORY, "members": []}, "user": "u"}, "members", "at least 1"),
        (
            {
                "directory": {**DIRECTORY, "members": [{"id": "2", "purposes": ["play"]}]},
                "user": "u",
            },
            "members.0.purposes",
            "training",
        ),
        ({"accounts": "a.yaml", "endpoint": "devcloud:8470"}, "endpoint", "not an http address"),
        ({"accounts": "a.yaml", "user": "a b"}, "user", "match"),
        ({"accounts": "a.yaml", "provisioning": {"role": ""}}, "role", "at least 1"),
        (
            {"accounts": "a.yaml", "provisioning": {"role": "r", "seconds": 60}},
            "seconds",
            "greater than or equal to 900",
        ),
        ({"accounts": "a.yaml", "inventory": "ecs"}, "inventory", "resource_center"),
    ],
)
async def test_wrong_options_are_named_without_their_values(
    options: dict[str, Any], where: str, what: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        async with opened(target_of(**options)):
            pass
    assert caught.value.code == "target.invalid"
    assert where in str(caught.value.details["path"])
    assert what in caught.value.message


async def test_a_target_names_its_regions() -> None:
    target = target_of(accounts="a.yaml").model_copy(update={"regions": ("",)})
    with pytest.raises(ProofwalkError) as caught:
        async with opened(target):
            pass
    assert caught.value.details == {"path": "regions"}


def test_services_have_the_vendors_addresses_unless_others_are_named() -> None:
    plain = AlicloudOptions(accounts="a.yaml")
    assert plain.endpoint_of("sts", "eu-central-1").address == "sts.eu-central-1.aliyuncs.com"
    assert plain.endpoint_of("ram", "eu-central-1").address == "ram.aliyuncs.com"
    assert plain.endpoint_of("ram", "eu-central-1").protocol == "HTTPS"
    host = "business.ap-southeast-1.aliyuncs.com"
    other = AlicloudOptions(accounts="a.yaml", endpoints={"business": host})
    assert other.endpoint_of("business", "ap-southeast-1").address == host
    one = AlicloudOptions(accounts="a.yaml", endpoint="http://127.0.0.1:8470/")
    assert (one.endpoint_of("ecs", "r").address, one.endpoint_of("ecs", "r").protocol) == (
        "127.0.0.1:8470",
        "HTTP",
    )


async def test_no_option_shows_a_secret(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        target = made.target()
        key = made.management.access_key
        assert key is not None
        secret = key.secret.get_secret_value()
        assert secret not in repr(target)
        assert secret not in repr(AlicloudOptions.model_validate(dict(target.options)))


async def test_the_logs_of_regions_are_one_where_one_address_answers(tmp_path: Path) -> None:
    async with world(tmp_path) as made, opened(made.target()) as cloud:
        assert cloud.audit is not None
        assert cloud.audit.self_recording
    async with opened(target_of(accounts="a.yaml")) as cloud:
        assert cloud.audit is not None
        assert not cloud.audit.self_recording


async def test_the_target_of_the_documentation_opens(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs/howto/alibaba-cloud.md").read_text()
    shown = text.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/alicloud").write_text("s")
    environment = {"ALICLOUD_KEY_ID": "k"}
    target = parse_target(shown, path=tmp_path / "vendor.yaml", environment=environment)
    async with opened(target) as cloud:
        assert None not in (cloud.inventory, cloud.audit, cloud.provisioning, cloud.billing)
    for name in AlicloudOptions.model_fields:
        assert f"`{name}" in text or f"  {name}:" in text, name
