"""What trouble a seed makes, that it is the same each time, and that it never makes a
task impossible."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import proofwalk.devcloud
from proofwalk.devcloud.console.journeys import CAPTCHA_LENGTH, CaptchaRequired, Journey, Lapsed
from proofwalk.devcloud.console.trouble import KNOBS, MAX_LAG_S, Level, Trouble
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.products.schema.nodes import Fault
from proofwalk.devcloud.products.schema.resources import Quota
from proofwalk.kernel.ids import SeededIds
from tests.devcloud.conftest import Backend, Browser, HttpFailure

QUOTA = Quota(max=5, fault=Fault(code="QuotaExceeded.Thing", message="Too many.", status=403))
DRAG = [0, 40, 120, 200, CAPTCHA_LENGTH]
SEEDS = range(1500)


def journey(level: Level, seed: int) -> Journey:
    return Journey("j", Trouble(level, seed), SeededIds(1))


def seed_where(level: Level, wanted: Any) -> int:
    """The first seed whose trouble is as wanted."""
    return next(seed for seed in range(5000) if wanted(Trouble(level, seed)))


def everything(trouble: Trouble) -> list[Any]:
    loads = [
        (trouble.delay_s(what, n), trouble.fails(what, n))
        for what in ("list/a", "list/b")
        for n in range(1, 9)
    ]
    submits = [(trouble.captcha(n), trouble.is_sold_out(n), trouble.lag_s(n)) for n in range(1, 9)]
    return [
        *loads,
        *submits,
        trouble.lapses_at(),
        trouble.quota_is_exhausted("ecs.instance"),
        trouble.served("j"),
    ]


@pytest.mark.parametrize("level", KNOBS)
def test_a_seed_makes_the_same_trouble_each_time_and_another_seed_another(level: Level) -> None:
    assert everything(Trouble(level, 11)) == everything(Trouble(level, 11))
    distinct = {repr(everything(Trouble(level, seed))) for seed in range(20)}
    assert len(distinct) == (1 if level == "calm" else 20)


def test_a_seed_makes_the_same_trouble_on_every_machine() -> None:
    trouble = Trouble("storm", 42)
    assert [trouble.fails("list/ecs.instance", n) for n in range(1, 9)] == [
        *(False, False, True, False, True, False, False, True),
    ]
    assert trouble.lapses_at() == 9
    assert trouble.served("j")["pages"]["list"][0] == {
        "assistant_s": 3.08,
        "swap_s": 1.37,
        "race_s": 1.34,
    }


def test_calm_is_calm() -> None:
    trouble = Trouble("calm", 3)
    assert trouble.served("j") == {}
    assert not any(any(part) for part in everything(trouble)[:16])
    assert trouble.lapses_at() is None


def test_chances_and_bounds_are_those_of_the_table() -> None:
    for level, knobs in KNOBS.items():
        hits: Counter[str] = Counter()
        for seed in SEEDS:
            trouble = Trouble(level, seed)
            hits["captcha"] += trouble.captcha(1)
            hits["slow"] += trouble.delay_s("list/x", 1) > 0
            hits["lag"] += trouble.lag_s(1) > 0
            assert (
                knobs.slow_s[0]
                <= (trouble.delay_s("list/x", 1) or knobs.slow_s[0])
                <= knobs.slow_s[1]
            )
            assert trouble.lag_s(1) <= MAX_LAG_S
        for name, count in hits.items():
            chance = getattr(knobs, name)
            assert abs(count / len(SEEDS) - chance) < 0.04, (level, name)
    assert KNOBS["real"].slow_s[1] <= 1.5
    assert KNOBS["storm"].slow_s[1] <= 4.0


def test_loads_fail_at_most_twice_in_a_row() -> None:
    longest = 0
    for seed in SEEDS[:60]:
        trouble, row = Trouble("storm", seed), 0
        for n in range(1, 40):
            row = row + 1 if trouble.fails("list/x", n) else 0
            longest = max(longest, row)
    assert longest == 2


def test_a_quota_and_a_sold_out_choice_refuse_once() -> None:
    exhausted = journey(
        "storm", seed_where("storm", lambda t: t.quota_is_exhausted("a.b") and t.is_sold_out(1))
    )
    first = exhausted.shortage("a.b", [QUOTA], specified=True)
    assert first is not None
    assert (first.code, first.status) == ("QuotaExceeded.Thing", 403)
    second = exhausted.shortage("a.b", [QUOTA], specified=True)
    assert second is not None
    assert second.code == "OperationDenied.NoStock"
    assert [exhausted.shortage("a.b", [QUOTA], specified=True) for _ in range(20)] == [None] * 20
    without = journey("storm", seed_where("storm", lambda t: t.is_sold_out(1)))
    # the only choice is never sold out
    assert without.shortage("no.quota", [], specified=False) is None


async def test_a_session_lapses_once_and_in_real_never_for_what_a_form_loads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def at_once(_seconds: float) -> None:
        return None

    monkeypatch.setattr("proofwalk.devcloud.console.journeys.asyncio.sleep", at_once)

    async def lapses(of: Journey, *, in_form: bool) -> int:
        seen = 0
        for _ in range(40):
            try:
                await of.load("options/x" if in_form else "list/x", in_form=in_form)
            except Lapsed:
                seen += 1
            except CloudError:  # a load that failed
                continue
        return seen

    expectations: dict[Level, int] = {"real": 0, "storm": 1}
    for level, expected in expectations.items():
        seed = seed_where(level, lambda t: t.lapses_at() is not None)
        assert await lapses(journey(level, seed), in_form=True) == expected
        assert await lapses(journey(level, seed), in_form=False) == 1


async def test_a_poll_is_left_alone_and_not_counted() -> None:
    of = journey(
        "storm",
        seed_where("storm", lambda t: t.fails("list/x", 1) and t.lapses_at() not in (None, 1)),
    )
    for _ in range(50):
        await of.load("list/x", poll=True)
    with pytest.raises(CloudError) as caught:
        await of.load("list/x")
    assert caught.value.code == "ServiceUnavailable"


def test_a_captcha_is_solved_by_dragging_and_its_proof_serves_once() -> None:
    of = journey("storm", seed_where("storm", lambda t: t.captcha(1) and not t.captcha(2)))
    with pytest.raises(CaptchaRequired) as caught:
        of.submit("")
    challenge = caught.value.challenge
    for track in (
        [],
        [CAPTCHA_LENGTH] * 9,
        [0, 40, 120, 200],
        "drag",
        [0, 1, None, CAPTCHA_LENGTH],
    ):
        with pytest.raises(CloudError) as refused:
            of.solve(challenge.id, track)
        assert refused.value.code == "Captcha.Failed"
    with pytest.raises(CloudError) as guessed:
        of.submit("guess")
    assert guessed.value.code == "Captcha.Invalid"
    solution = of.solve(challenge.id, DRAG)
    of.submit(solution)
    with pytest.raises(CloudError) as again:
        of.submit(solution)
    assert again.value.code == "Captcha.Invalid"
    of.submit("")  # the second submit is not asked


# ---- through the console's API


def refused(call: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    with pytest.raises(HttpFailure) as caught:
        call(*args, **kwargs)
    return {"status": caught.value.status, **caught.value.body}


def in_scenario(backend: Backend, account: dict[str, str], level: Level, seed: int) -> Browser:
    scenario = f"{level}-{seed}"
    backend.admin("POST", "/scenarios", {"id": scenario, "level": level, "seed": seed})
    browser = Browser(backend.url)
    body = {
        "account": account["account_id"],
        "user": account["user_name"],
        "password": account["password"],
    }
    browser.post("/console/api/sign-in", {**body, "scenario": scenario})
    return browser


VPC = {"name": "net", "cidr": "10.0.0.0/8"}


def test_no_write_is_dispatched_before_its_captcha_is_solved(
    backend: Backend, account: dict[str, str]
) -> None:
    seed = seed_where("storm", lambda t: t.captcha(1) and not t.quota_is_exhausted("vpc.vpc"))
    browser = in_scenario(backend, account, "storm", seed)
    asked = refused(browser.post, "/console/api/r/vpc/vpc", VPC)
    assert (asked["status"], asked["code"], asked["captcha"]["length"]) == (
        403,
        "Captcha.Required",
        CAPTCHA_LENGTH,
    )
    assert backend.inventory(account) == []
    solution = browser.post(f"/console/api/captcha/{asked['captcha']['id']}", {"track": DRAG})[
        "solution"
    ]
    browser.call("POST", "/console/api/r/vpc/vpc", VPC, {"x-captcha-solution": solution})
    assert [row["name"] for row in backend.inventory(account)] == ["net"]


def test_an_exhausted_quota_answers_with_the_types_own_error_and_is_then_raised(
    backend: Backend, account: dict[str, str]
) -> None:
    seed = seed_where(
        "storm", lambda t: not any(t.captcha(n) for n in (1, 2)) and t.quota_is_exhausted("vpc.vpc")
    )
    browser = in_scenario(backend, account, "storm", seed)
    assert refused(browser.post, "/console/api/r/vpc/vpc", VPC)["code"].startswith("Quota")
    assert browser.post("/console/api/r/vpc/vpc", VPC)["id"].startswith("vpc-")


def test_a_session_that_lapsed_is_taken_up_again_in_its_scenario_and_does_not_lapse_twice(
    backend: Backend, account: dict[str, str]
) -> None:
    path = "/console/api/r/vpc/vpc"
    seed = seed_where(
        "storm",
        lambda t: t.lapses_at() == 3 and not any(t.delay_s("list/vpc.vpc", n) for n in range(1, 9)),
    )
    browser = in_scenario(backend, account, "storm", seed)
    answers = []
    for _ in range(3):
        try:
            browser.get(path)
            answers.append(200)
        except HttpFailure as failure:
            answers.append(failure.status)
    assert answers[2] == 401
    assert refused(browser.get, "/console/api/session")["status"] == 401
    page = browser.get("/console/api/sign-in")
    assert page["lapsed"] == {
        "account_id": account["account_id"],
        "user_name": account["user_name"],
    }
    before = browser.cookie
    browser.post("/console/api/sign-in/renew")
    assert browser.get("/console/api/session")["scenario"] == f"storm-{seed}"
    stale = Browser(backend.url)
    stale.cookie = before
    assert refused(stale.post, "/console/api/sign-in/renew")["status"] == 401
    later = []
    for _ in range(5):
        try:
            browser.get(path)
        except HttpFailure as failure:
            later.append(failure.status)
    assert 401 not in later


def test_one_session_is_in_a_storm_and_the_others_and_the_api_are_not(
    backend: Backend, account: dict[str, str]
) -> None:
    stormy = in_scenario(
        backend, account, "storm", seed_where("storm", lambda t: t.fails("list/vpc.vpc", 1))
    )
    calm = backend.browser(account)
    with pytest.raises(HttpFailure) as caught:
        stormy.get("/console/api/r/vpc/vpc")
    assert caught.value.status == 503
    assert calm.get("/console/api/r/vpc/vpc")["rows"] == []
    assert calm.get("/console/api/schema")["trouble"] == {}
    served = stormy.get("/console/api/schema")["trouble"]
    assert served["level"] == "storm"
    assert set(served["pages"]) == {"home", "overview", "list", "detail", "create"}


def test_a_storms_events_are_delivered_later_but_inside_the_bound(
    backend: Backend, account: dict[str, str]
) -> None:
    from alibabacloud_actiontrail20200706 import models as a
    from alibabacloud_actiontrail20200706.client import Client as ActionTrail

    def created() -> int:
        asked = a.LookupEventsRequest(
            lookup_attribute=[
                a.LookupEventsRequestLookupAttribute(key="EventName", value="CreateVpc")
            ]
        )
        return len(ActionTrail(backend.config(account)).lookup_events(asked).body.events)

    def delayed(trouble: Trouble) -> bool:
        return (
            not trouble.captcha(1)
            and not trouble.quota_is_exhausted("vpc.vpc")
            and trouble.lag_s(1) > 1
        )

    browser = in_scenario(backend, account, "storm", seed_where("storm", delayed))
    browser.post("/console/api/r/vpc/vpc", VPC)
    assert created() == 0
    backend.clock.advance(MAX_LAG_S)
    assert created() == 1


def test_the_readme_tells_the_knobs_as_they_are() -> None:
    readme = (Path(next(iter(proofwalk.devcloud.__path__))) / "README.md").read_text()
    told = {
        name: (float(real), float(storm))
        for name, real, storm in re.findall(
            r"^\| `(\w+)` \|.*\| ([\d.]+) \| ([\d.]+) \|$", readme, flags=re.MULTILINE
        )
    }
    chances = [name for name, value in vars(KNOBS["calm"]).items() if isinstance(value, float)]
    assert told == {
        name: (getattr(KNOBS["real"], name), getattr(KNOBS["storm"], name)) for name in chances
    }
