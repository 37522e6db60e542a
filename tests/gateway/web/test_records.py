"""The pages of META records: their versions and states, and what is masked."""

from __future__ import annotations

import pytest

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.gateway.web.masking import MASK, masked
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import shows
from tests.gateway.web.test_hostile_texts import ATTACKS, OWN_TAGS, check

TAGS = OWN_TAGS | {"pre"}
LIST = "/console/records"
YAML = """id: a-vpc
create: |
  resource "alicloud_instance" "one" {
    password = "Secret-7"
  }
verify:
  - {product: vpc, name: one}
binds: {the VPC: one}
"""


def _fill(gateway: Gateway, text: str = "plain") -> None:
    now = moment_to_pb(gateway.clock.now())
    gateway.fakes.provisioner.metas = [
        *(
            pb.Meta(
                id="a-vpc",
                version=version,
                yaml=f"# version {version} {text}\n{YAML}",
                digest=f"{version}" * 64,
                origin="file",
                state=state,
                product="vpc",
                document_digest="d" * 64,
                intent=text,
                state_run=run,
                state_reason=text,
                created_at=now,
                checked_at=now,
                lineage=pb.MetaLineage(writer="vpc-maker", run=text, provider_version="1.2.3"),
            )
            for version, state, run in ((1, "stale", "prov_1"), (2, "proven", "prov_2"))
        ),
        pb.Meta(
            id="of-a-walk", version=1, origin="runtime", state="proposed", intent="a secret plan"
        ),
    ]


async def test_a_record_has_its_state_proof_lineage_yaml_and_versions(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    page = (await operator.ask("GET", LIST)).text
    for text in ("a-vpc", "of-a-walk", "prov_2", "vpc-maker", "d" * 12):
        assert text in page, text
    newest = (await operator.ask("GET", f"{LIST}/a-vpc")).text
    assert "# version 2 plain" in newest
    assert newest.count("{product: vpc, name: one}") == 2, "what is looked for stands by itself too"
    for text in ("prov_1", "1.2.3", "?version=1", "2" * 64):
        assert text in newest, text
    earlier = (await operator.ask("GET", f"{LIST}/a-vpc?version=1")).text
    assert "# version 1 plain" in earlier
    for page in (newest, earlier):
        assert "Secret-7" not in page
        assert MASK in page


async def test_it_is_for_operators(gateway: Gateway, visitors: SignIn) -> None:
    _fill(gateway)
    for key in ("pw_reader", "pw_ci", "pw_critic"):
        browser = await visitors(key)
        for path in (LIST, f"{LIST}/a-vpc", f"{LIST}/none"):
            answer = await browser.ask("GET", path)
            assert (answer.status_code, "auth.role_forbids" in answer.text) == (403, True)
            assert "vpc-maker" not in answer.text
        assert LIST not in (await browser.ask("GET", "/console")).text


async def test_what_is_not_there_is_not_found(gateway: Gateway, operator: Browser) -> None:
    page = await operator.ask("GET", LIST)
    assert (page.status_code, "proofwalk meta import FILE" in page.text) == (200, True)
    _fill(gateway)
    for path, status in ((f"{LIST}/none", 404), (f"{LIST}/a-vpc?version=9", 404)):
        assert (await operator.ask("GET", path)).status_code == status


async def test_with_the_role_away_there_is_a_page_in_both_languages(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    gateway.fakes.leave()
    for language, words in (("en", "does not answer"), ("zh", "没有响应")):
        for path in (LIST, f"{LIST}/a-vpc"):
            page = await operator.ask("GET", path, headers={"Accept-Language": language})
            assert (page.status_code, words in page.text) == (200, True)


async def test_what_records_say_is_text(gateway: Gateway, operator: Browser) -> None:
    for text in ATTACKS:
        _fill(gateway, text)
        for path in (LIST, f"{LIST}/a-vpc"):
            page = (await operator.ask("GET", path)).text
            check(page, path, tags=TAGS)
            assert shows(page, text), path


@pytest.mark.parametrize(
    "text",
    [
        'password = "Secret-7"',
        "password: Secret-7",
        "  - instance_password: 'Secret-7'",
        '{"Password": "Secret-7", "Name": "x"}',
        'attributes: {db_password: "Secret-7 and \\" more Secret-7", name: x}',
        "access_key_secret=Secret-7",
        "api-key : Secret-7",
        "password: |\n  Secret-7\n  Secret-7",
        "password:\n  value: Secret-7",
        "user_token = <<EOT\n  Secret-7\nEOT",
        'credentials = {\n  name = "Secret-7"\n}',
    ],
)
def test_values_of_secrets_are_masked(text: str) -> None:
    shown = masked(f"before: 1\n{text}\nafter: 2")
    assert "Secret-7" not in shown
    assert MASK in shown
    assert shown.startswith("before: 1\n")
    assert shown.endswith("\nafter: 2")


@pytest.mark.parametrize(
    "text", [YAML.replace("password", "name"), "", "a: b\n\n  c", "name: token"]
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert masked(text) == text
