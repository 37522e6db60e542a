"""Target files: what they may say, where references lead, and what the author of a
broken one is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from proofwalk.cloud.adapters import Clouds, open_cloud
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import Cloud
from proofwalk.cloud.sign_in_steps import Click, Expect, Fill, Open
from proofwalk.cloud.target import ConsoleSpec, Target, TargetCatalog, load_target
from proofwalk.kernel.clock import Clock, ManualClock
from proofwalk.kernel.errors import ProofwalkError

GOOD = """
id: shop
title: A shop
adapter: memory
console:
  url: https://${env:HOST:-shop.example}/app/
  sign_in:
    - open
    - open: /login
    - {fill: E-mail, secret: user}
    - click: Log in
    - {do: expect, text: Orders}
  allowed_hosts: [Static.shop.example]
options: {token: "${file:token}", nested: [{key: "a-${env:KEY}-b"}]}
regions: [one, two]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.yaml").write_text(GOOD)
    (tmp_path / "token").write_text("s3cret\n")
    return tmp_path


def test_a_target_is_read_with_its_references_replaced(folder: Path) -> None:
    target = load_target(folder / "shop.yaml", {"KEY": "k"})
    assert target.console.url == "https://shop.example/app"
    assert target.console.hosts == {"shop.example", "static.shop.example"}
    assert target.console.sign_in == (
        Open(),
        Open(path="/login"),
        Fill(label="E-mail", secret="user"),
        Click(label="Log in"),
        Expect(text="Orders"),
    )
    assert target.options == {"token": "s3cret", "nested": [{"key": "a-k-b"}]}
    assert target.regions == ("one", "two")
    assert "s3cret" not in repr(target)


@pytest.mark.parametrize(
    ("change", "instead", "path", "word"),
    [
        ("adapter: memory\n", "", "adapter", "required"),
        ("id: shop", "id: The Shop", "id", "pattern"),
        ("title: A shop", "titel: A shop", "title", "required"),
        ("regions: [one, two]", "regions: []", "", "at least one"),
        ("https://${env:HOST:-shop.example}/app/", "shop.example", "console.url", "http"),
        ("https://$", "https://user:pw@$", "console.url", "no credentials"),
        ("[Static.shop.example]", '["*.shop.example"]', "console.allowed_hosts", "wildcards"),
        ("click: Log in", "press: Log in", "console.sign_in.3", "one of open, fill"),
        ("secret: user", "value: me", "console.sign_in.2.fill.secret", "required"),
        ("${env:KEY}", "${env:NOT_THERE}", "", "NOT_THERE is not set"),
        ("${file:token}", "${file:nowhere}", "", "cannot be read"),
        ("regions: [one, two]", "regions: [one, two", "line 16", "not YAML"),
    ],
)
def test_a_broken_target_names_file_place_and_way_on(
    folder: Path, change: str, instead: str, path: str, word: str
) -> None:
    assert change in GOOD
    file = folder / "shop.yaml"
    file.write_text(GOOD.replace(change, instead))
    with pytest.raises(ProofwalkError) as caught:
        load_target(file, {"KEY": "k"})
    error = caught.value
    assert error.code == "target.invalid"
    assert error.details == {"file": str(file), "path": path}
    assert word in error.message
    assert error.hint
    assert "s3cret" not in str(error)


def test_desktops_have_neither_console_nor_adapter(tmp_path: Path) -> None:
    file = tmp_path / "desks.yaml"
    file.write_text("id: desks\ntitle: Desktops\nconsole: {url: 'desktop:'}\nfiles: files\n")
    desks = load_target(file, {})
    assert (desks.tool, desks.adapter, desks.files) == ("desktop", "", "files")
    file.write_text(file.read_text() + "adapter: generic\n")
    with pytest.raises(ProofwalkError, match="desktops have none"):
        load_target(file, {})


def test_a_file_of_accounts_beside_its_target_is_no_target(folder: Path) -> None:
    (folder / "shop-accounts.yaml").write_text("# Two.\n\naccounts:\n  - external_id: a\n")
    (folder / "broken.yaml").write_text("titel: A shop\n")
    catalog = TargetCatalog(folder, {})
    assert catalog.ids() == ["broken", "devcloud", "shop"]


@pytest.mark.parametrize("content", [b"", b"- a\n", b"\xff\xfe", b"x" * 300_000])
def test_what_is_no_target_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.yaml").write_bytes(content)
    with pytest.raises(ProofwalkError) as caught:
        load_target(tmp_path / "t.yaml", {})
    assert caught.value.code == "target.invalid"


def test_the_catalogue_knows_its_folder_and_the_embedded_cloud(folder: Path) -> None:
    catalog = TargetCatalog(folder, {"KEY": "k", "DEVCLOUD_URL": "http://127.0.0.1:9"})
    assert catalog.ids() == ["devcloud", "shop"]
    assert catalog.get("shop").title == "A shop"
    devcloud = catalog.get("devcloud")
    assert devcloud.console.url == devcloud.options["url"] == "http://127.0.0.1:9"
    assert {step.secret for step in devcloud.console.sign_in if isinstance(step, Fill)} == {
        "account",
        "user",
        "password",
    }
    assert TargetCatalog(None, {}).ids() == ["devcloud"]
    with pytest.raises(ProofwalkError) as caught:
        catalog.get("moon")
    assert caught.value.code == "target.unknown"
    assert "devcloud, shop" in caught.value.hint


def test_a_file_under_another_name_than_its_id_is_refused(folder: Path) -> None:
    (folder / "shop.yaml").rename(folder / "store.yaml")
    with pytest.raises(ProofwalkError, match=r"called store\.yaml"):
        TargetCatalog(folder, {"KEY": "k"}).get("store")


async def test_an_adapter_that_is_not_installed_is_named(folder: Path) -> None:
    target = load_target(folder / "shop.yaml", {"KEY": "k"})
    with pytest.raises(ProofwalkError) as caught:
        async with open_cloud(target, clock=ManualClock()):
            pytest.fail("it must not open")
    assert caught.value.code == "target.invalid"
    assert "devcloud" in caught.value.hint
    assert "generic" in caught.value.hint


@pytest.mark.parametrize(
    ("adapter", "options", "path"),
    [
        ("devcloud", "{url: nowhere}", "options.url"),
        ("devcloud", "{}", "options.url"),
        (
            "generic",
            "{accounts: a.yaml, audit: {map: {time: t, service: s, name: n}}}",
            "options.audit",
        ),
        (
            "generic",
            "{accounts: a.yaml, audit: {jsonl: l, map: {service: s, name: n}}}",
            "options.audit.map.time",
        ),
        ("generic", "{accounts: a.yaml, inventory: {}}", "options.inventory"),
    ],
)
async def test_options_are_checked_by_their_adapter(
    folder: Path, adapter: str, options: str, path: str
) -> None:
    text = GOOD.replace("adapter: memory", f"adapter: {adapter}")
    head, _, tail = text.partition("options: ")
    (folder / "shop.yaml").write_text(f"{head}options: {options}\n{tail.partition(chr(10))[2]}")
    target = load_target(folder / "shop.yaml", {"KEY": "k"})
    with pytest.raises(ProofwalkError) as caught:
        async with open_cloud(target, clock=ManualClock()):
            pytest.fail("it must not open")
    assert (caught.value.code, caught.value.details["path"]) == ("target.invalid", path)


async def test_one_cloud_is_kept_until_its_file_changes(folder: Path) -> None:
    opened: list[Target] = []
    closed: list[Target] = []

    @asynccontextmanager
    async def adapter(target: Target, *, clock: Clock) -> AsyncIterator[Cloud]:
        opened.append(target)
        yield MemoryCloud(clock=clock).cloud()
        closed.append(target)

    catalog = TargetCatalog(folder, {"KEY": "k"})
    async with Clouds(catalog, clock=ManualClock(), adapters={"memory": adapter}) as clouds:
        first = await clouds.get("shop")
        assert await clouds.get("shop") is first
        (folder / "token").write_text("another")
        assert await clouds.get("shop") is not first
        assert [target.options["token"] for target in opened] == ["s3cret", "another"]
        assert closed == []
    assert len(closed) == 2


def test_a_console_is_opened_in_a_scenario_and_labels_have_other_spellings(folder: Path) -> None:
    text = GOOD.replace("secret: user}", "also: [邮箱], secret: user}").replace(
        "  sign_in:", "  scenario_parameter: mode\n  sign_in:"
    )
    (folder / "shop.yaml").write_text(text, encoding="utf-8")
    console = load_target(folder / "shop.yaml", {"KEY": "k"}).console
    assert console.sign_in[2] == Fill(label="E-mail", also=("邮箱",), secret="user")
    assert console.address("login", scenario="a b") == "https://shop.example/app/login?mode=a+b"
    assert (
        console.address("/login?next=x", scenario="s")
        == "https://shop.example/app/login?next=x&mode=s"
    )
    assert console.address() == "https://shop.example/app"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        *(
            (name, True)
            for name in (
                "password",
                "console_password",
                "Passwd",
                "passphrase",
                "token",
                "otp",
                "api_key",
                "pin",
            )
        ),
        *(
            (name, False)
            for name in ("user", "account", "tenant", "email", "user_name", "keyboard", "pinboard")
        ),
    ],
)
def test_a_login_s_field_is_secret_by_its_name_unless_the_target_says_otherwise(
    name: str, secret: bool
) -> None:
    assert ConsoleSpec(url="http://a.test").is_secret(name) == secret
    assert ConsoleSpec(url="http://a.test", secrets=(name,)).is_secret(name)
    assert not ConsoleSpec(url="http://a.test", secrets=()).is_secret(name)


def test_the_places_of_the_sign_in_are_the_declared_ones_or_what_it_opens() -> None:
    console = ConsoleSpec(
        url="http://a.test/console", sign_in=(Open(path="/in"),), allowed_hosts=("login.test",)
    )
    assert console.sign_in_addresses == ("http://a.test/console/in",)
    declared = ConsoleSpec.model_validate(
        {**console.model_dump(), "sign_in_at": ["/enter", "https://login.test/in"]}
    )
    assert declared.sign_in_addresses == ("http://a.test/console/enter", "https://login.test/in")
    for wrong in ("enter", "https://elsewhere.test/in"):
        with pytest.raises(ValueError, match="sign_in_at"):
            ConsoleSpec.model_validate({**console.model_dump(), "sign_in_at": [wrong]})
