"""Reading ActionTrail through the official client: pages, throttling, refusals, and one
real record."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from proofwalk.chassis.http import HttpServer
from proofwalk.cloud.actiontrail import ActionTrailLog, event_of
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject

START = datetime(2026, 1, 1, 12, 0, 0, 700_000, tzinfo=UTC)
ACCOUNT = CloudAccount(
    external_id="1",
    login=ConsoleLogin(fields={}),
    access_key=AccessKey(key_id="LTAI5tKey", secret=SecretStr("the-secret")),
)
RECORD: JsonObject = {
    "eventId": "B702AFA3",
    "eventName": "StopInstance",
    "eventTime": "2026-01-01T12:00:05Z",
    "eventType": "ConsoleOperation",
    "eventRW": "Write",
    "serviceName": "Ecs",
    "requestParameterJson": '{"InstanceId": "i-1", "Tag": [{"Key": "a"}]}',
    "responseElements": {"RequestId": "R"},
    "referencedResources": {"ACS::ECS::Instance": ["i-1"], "ACS::ECS::Disk": ["d-1", "d-2"]},
    "resourceName": "i-1",
    "userIdentity": {"type": "ram-user", "userName": "agent", "principalId": "2"},
}


class Trail:
    """Answers LookupEvents from a script of failures, then in pages."""

    def __init__(self, seconds: list[int]) -> None:
        self.records = [
            {**RECORD, "eventId": f"E{n}", "eventTime": f"2026-01-01T12:00:{second:02}Z"}
            for n, second in enumerate(seconds)
        ]
        self.failures: list[tuple[int, str]] = []
        self.asked: list[dict[str, str]] = []

    async def answer(self, request: Request) -> Response:
        self.asked.append(dict(request.query_params))
        if self.failures:
            status, code = self.failures.pop(0)
            return JSONResponse(
                {"Code": code, "Message": "no", "RequestId": "R"}, status_code=status
            )
        first = int(request.query_params.get("NextToken", "0"))
        body: dict[str, Any] = {"Events": self.records[first : first + 50], "RequestId": "R"}
        if first + 50 < len(self.records):
            body["NextToken"] = str(first + 50)
        return JSONResponse(body)


@pytest.fixture
def trail() -> Trail:
    return Trail([1])


@pytest.fixture
async def log(trail: Trail) -> AsyncIterator[ActionTrailLog]:
    app = Starlette(routes=[Route("/", trail.answer, methods=["GET", "POST"])])
    async with HttpServer(app, "127.0.0.1:0") as server:
        log = ActionTrailLog(
            endpoint=server.url.removeprefix("http://"),
            protocol="HTTP",
            region="cn-hangzhou",
            clock=SystemClock(),
            delivery_bound_s=1,
            deadline_s=5,
        )
        yield log
        log.close()


async def test_all_pages_are_read_oldest_first_and_once(log: ActionTrailLog, trail: Trail) -> None:
    trail.records = Trail([59 - n % 60 for n in range(120)]).records
    trail.records.append(trail.records[0])
    events = await log.events(ACCOUNT, start=START, end=START + timedelta(minutes=2))
    assert len(events) == 120
    assert [event.time for event in events] == sorted(event.time for event in events)
    assert [asked.get("NextToken") for asked in trail.asked] == [None, "50", "100"]
    assert {asked["Direction"] for asked in trail.asked} == {"FORWARD"}


async def test_the_window_is_widened_to_whole_seconds(log: ActionTrailLog, trail: Trail) -> None:
    trail.records = Trail([0, 3, 4]).records
    events = await log.events(ACCOUNT, start=START, end=START + timedelta(seconds=2.9))
    assert [event.time.second for event in events] == [0, 3]
    assert trail.asked[0]["StartTime"] == "2026-01-01T12:00:00Z"
    assert trail.asked[0]["EndTime"] == "2026-01-01T12:00:04Z"


async def test_throttling_and_server_errors_are_tried_again(
    log: ActionTrailLog, trail: Trail
) -> None:
    trail.failures = [(400, "Throttling.User"), (503, "ServiceUnavailable")]
    assert len(await log.events(ACCOUNT, start=START, end=START + timedelta(minutes=1))) == 1
    assert len(trail.asked) == 3


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        ((404, "InvalidAccessKeyId.NotFound"), "cloud.denied"),
        ((403, "NoPermission"), "cloud.denied"),
        ((400, "SignatureDoesNotMatch"), "cloud.denied"),
        ((400, "InvalidQueryParameter"), "cloud.bad_answer"),
    ],
)
async def test_a_refusal_is_told_at_once(
    log: ActionTrailLog, trail: Trail, failure: tuple[int, str], code: str
) -> None:
    trail.failures = [failure]
    with pytest.raises(ProofwalkError) as caught:
        await log.events(ACCOUNT, start=START, end=START)
    assert caught.value.code == code
    assert not caught.value.retryable
    assert "the-secret" not in str(caught.value)
    assert len(trail.asked) == 1


async def test_an_account_without_a_key_is_refused(log: ActionTrailLog) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await log.events(
            CloudAccount(external_id="1", login=ConsoleLogin(fields={}), access_key=None),
            start=START,
            end=START,
        )
    assert caught.value.code == "cloud.denied"


def test_a_record_is_told_in_the_platforms_words() -> None:
    event = event_of(RECORD)
    assert (event.id, event.service, event.name, event.kind) == (
        "B702AFA3",
        "Ecs",
        "StopInstance",
        "ConsoleOperation",
    )
    assert (event.write, event.ok, event.error_code, event.actor) == (True, True, "", "agent")
    assert event.time == datetime(2026, 1, 1, 12, 0, 5, tzinfo=UTC)
    assert event.request == {"InstanceId": "i-1", "Tag": [{"Key": "a"}]}
    assert event.resources == ("i-1", "d-1", "d-2")
    failed = event_of(
        {
            **RECORD,
            "errorCode": "IncorrectInstanceStatus",
            "requestParameters": {"InstanceId": "i-2"},
        }
    )
    assert (failed.ok, failed.error_code, failed.request) == (
        False,
        "IncorrectInstanceStatus",
        {"InstanceId": "i-2"},
    )
