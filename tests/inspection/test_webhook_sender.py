"""Sending to receivers that mean no good."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from proofwalk.inspection.webhook_life import Attempt
from proofwalk.inspection.webhook_sender import Sender
from proofwalk.kernel.errors import ProofwalkError
from tests.inspection.receivers import Receiver, receiving


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as one:
        yield one


async def sent(receiver: Receiver, path: str, *, deadline_s: float = 5.0) -> Attempt:
    sender = Sender(allow_hosts=[receiver.host], deadline_s=deadline_s)
    return await sender.send(receiver.url(path), {"webhook-id": "msg_1"}, b'{"a":1}')


async def test_a_message_arrives_as_it_is(receiver: Receiver) -> None:
    attempt = await sent(receiver, "/fine")
    assert (attempt.arrived, attempt.status) == (True, 200)
    assert receiver.bodies == [b'{"a":1}']
    head = receiver.heads[0].lower()
    assert head.startswith("post /fine http/1.1")
    assert "webhook-id: msg_1" in head
    assert "content-type: application/json" in head


@pytest.mark.parametrize("path", ["/silent", "/dripping"])
async def test_a_slow_receiver_meets_the_deadline(receiver: Receiver, path: str) -> None:
    began = time.monotonic()
    attempt = await sent(receiver, path, deadline_s=0.2)
    assert (attempt.arrived, attempt.reason) == (False, "no answer came within 0.2 s")
    assert time.monotonic() - began < 3


async def test_a_huge_answer_is_not_read(receiver: Receiver) -> None:
    async with asyncio.timeout(5):
        assert (await sent(receiver, "/huge")).arrived


@pytest.mark.parametrize("path", ["/huge-head", "/early", "/nonsense"])
async def test_an_answer_that_is_none_is_a_failure(receiver: Receiver, path: str) -> None:
    attempt = await sent(receiver, path)
    assert not attempt.arrived
    assert "cannot be reached" in attempt.reason


async def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    attempt = await sent(receiver, "/loopback")
    assert (attempt.status, attempt.arrived) == (307, False)
    assert len(receiver.heads) == 1


async def test_a_receiver_may_say_when(receiver: Receiver) -> None:
    attempt = await sent(receiver, "/later")
    assert (attempt.status, attempt.retry_after_s) == (503, 120)


async def test_nobody_listens(receiver: Receiver) -> None:
    sender = Sender(allow_hosts=["127.0.0.1:1"], deadline_s=5)
    assert "cannot be reached" in (await sender.send("http://127.0.0.1:1/", {}, b"")).reason


async def test_the_loopback_is_refused_where_nobody_allows_it(receiver: Receiver) -> None:
    attempt = await Sender(allow_hosts=[], deadline_s=5).send(receiver.url("/fine"), {}, b"")
    assert not attempt.arrived
    assert receiver.heads == []


async def test_a_public_name_at_a_private_address_is_refused(receiver: Receiver) -> None:
    async def rebinding(host: str, port: int) -> tuple[str, ...]:
        return ("93.184.215.14", "127.0.0.1")

    sender = Sender(allow_hosts=[], deadline_s=5, resolver=rebinding)
    attempt = await sender.send(f"https://hooks.example.com:{receiver.port}/fine", {}, b"")
    assert "not public" in attempt.reason
    assert receiver.heads == []


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/x",
        "https://0x7f000001/x",
        "https://[::1]/x",
        "https://169.254.169.254/latest",
        "https://localhost/x",
        "https://gitlab.internal/x",
        "https://me:pw@example.com/x",
        "http://hooks.example.com/x",
        "ftp://hooks.example.com/x",
        "hooks.example.com",
    ],
)
def test_urls_to_which_nobody_may_subscribe(url: str) -> None:
    with pytest.raises(ProofwalkError) as refusal:
        Sender(allow_hosts=[], deadline_s=5).check(url)
    assert refusal.value.code == "webhook.bad_url"


@pytest.mark.parametrize("url", ["https://hooks.example.com/x?a=b", "http://127.0.0.1:8080/x"])
def test_urls_to_which_one_may_subscribe(url: str) -> None:
    Sender(allow_hosts=["127.0.0.1:8080"], deadline_s=5).check(url)
