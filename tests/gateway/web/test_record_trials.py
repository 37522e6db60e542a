"""A META record is tried from its page: by operators, of the version that they look at,
and the page says how far a trial is and how it ended."""

from __future__ import annotations

from datetime import timedelta

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2 as rollouts
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.kernel.errors import conflict
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import shows
from tests.gateway.web.test_hostile_texts import ATTACKS, OWN_TAGS, check

PAGE = "/console/records/a-vpc"
TEST = f"{PAGE}/test"
TAGS = OWN_TAGS | {"pre"}


def _fill(gateway: Gateway, *, kind: str = "devcloud") -> None:
    now = moment_to_pb(gateway.clock.now())
    gateway.fakes.provisioner.metas = [
        pb.Meta(id="a-vpc", version=number, state="proposed", target_kind=kind, created_at=now)
        for number in (1, 2)
    ]
    gateway.rollout.targets = [
        rollouts.Target(id="devcloud", has_provisioning=True),
        rollouts.Target(id="desktops"),
    ]


def _tried(gateway: Gateway, text: str = "plain", **members: str) -> None:
    now = gateway.clock.now()
    gateway.fakes.provisioner.trials = [
        pb.MetaTrial(
            trial_id="trial_1",
            meta_id="a-vpc",
            version=2,
            target=text,
            asked_by=text,
            error_message=text,
            provisioning_id="prov_7",
            created_at=moment_to_pb(now),
            started_at=moment_to_pb(now),
            ended_at=moment_to_pb(now + timedelta(seconds=41)),
            **members,
        )
    ]


async def test_an_operator_has_the_version_tried_that_the_page_shows(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    page = (await operator.ask("GET", f"{PAGE}?version=1")).text
    assert "Test version 1 now" in page
    assert "<option>devcloud</option>" in page
    assert "desktops" not in page, "nothing is made there"
    assert "was not tested from here yet" in page
    assert "data-refresh-s" not in page
    sent = await operator.ask("POST", TEST, fields={"version": "1", "target": "devcloud"})
    assert (sent.status_code, sent.headers["location"]) == (303, f"{PAGE}?version=1#trials")
    (trial,) = gateway.fakes.provisioner.trials
    assert (trial.meta_id, trial.version, trial.target) == ("a-vpc", 1, "devcloud")
    assert trial.asked_by == "local"
    page = (await operator.ask("GET", PAGE)).text
    assert 'data-refresh-s="3"' in page
    assert "trial_1" in page


async def test_how_a_trial_ended_is_typed_and_leads_to_what_was_made(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    for end, words in (
        ("proven", "Proven"),
        ("stale", "Stale"),
        ("refused", "it is not marked"),
        ("unchecked", "says nothing of the record"),
    ):
        _tried(gateway, stage="ended", end=end, error_code="provision.quota")
        page = (await operator.ask("GET", PAGE)).text
        for text in (f"status {end}", words, "provision.quota", "provisioning=prov_7", ">41<"):
            assert text in page, text
        assert "data-refresh-s" not in page


async def test_a_record_for_no_kind_asks_for_the_target(
    gateway: Gateway, operator: Browser
) -> None:
    first = "the first of the record&#39;s kind"
    for kind, is_offered in (("devcloud", True), ("", False)):
        _fill(gateway, kind=kind)
        assert (first in (await operator.ask("GET", PAGE)).text) == is_offered


async def test_it_is_for_operators_with_the_form_of_their_session(
    gateway: Gateway, visitors: SignIn, operator: Browser
) -> None:
    _fill(gateway)
    for key in ("pw_reader", "pw_ci", "pw_critic"):
        browser = await visitors(key)
        for fields in ({"version": "1"}, {"version": "no number"}):
            answer = await browser.ask("POST", TEST, fields=fields)
            assert (answer.status_code, "auth.role_forbids" in answer.text) == (403, True)
    forged = await operator.ask("POST", TEST, fields={"version": "1", "csrf": "0" * 64})
    assert (forged.status_code, "form.bad_token" in forged.text) == (403, True)
    assert gateway.fakes.provisioner.trials == []


async def test_what_is_refused_is_a_page_with_its_code(gateway: Gateway, operator: Browser) -> None:
    _fill(gateway)
    for version in ("", "0", "-1", "x", "99999999"):
        answer = await operator.ask("POST", TEST, fields={"version": version})
        assert (answer.status_code, "meta.bad_version" in answer.text) == (422, True)
    long = await operator.ask("POST", TEST, fields={"version": "1", "target": "x" * 9000})
    assert (long.status_code, gateway.fakes.provisioner.trials[0].target) == (303, "x" * 128)
    gateway.fakes.provisioner.refusal = conflict("meta.other_kind", "it is for another kind")
    answer = await operator.ask("POST", TEST, fields={"version": "1"})
    assert (answer.status_code, "meta.other_kind" in answer.text) == (409, True)
    gateway.fakes.provisioner.refusal = None
    gateway.fakes.leave()
    answer = await operator.ask("POST", TEST, fields={"version": "1"})
    assert (answer.status_code, "role.is_away" in answer.text) == (503, True)


async def test_what_trials_say_is_text(gateway: Gateway, operator: Browser) -> None:
    _fill(gateway)
    for text in ATTACKS:
        _tried(gateway, text, stage="ended", end="stale", error_code="x.y")
        page = (await operator.ask("GET", PAGE)).text
        check(page, PAGE, tags=TAGS)
        assert shows(page, text)
