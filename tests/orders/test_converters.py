"""An order over each border and back; nothing that earlier releases wrote is lost."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import ValidationError

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import ACCEPTABLE
from proofwalk.orders.body import read_request, to_body
from proofwalk.orders.contract import request_from_pb, request_to_pb, show
from proofwalk.orders.order import DocumentSource, Order, VerificationRequest
from proofwalk.orders.stored import from_stored, request_digest, to_stored

TEXT = DocumentSource(text="# Größe\r\n", name="a.md", media_type="text/markdown")
URL = DocumentSource(url="https://docs.example/x")


def other_than(option: str) -> Any:
    """A value of the option's type that is not its default."""
    field = Order.model_fields[option]
    if get_origin(field.annotation) is Literal:
        return next(word for word in get_args(field.annotation) if word != field.default)
    return {str: "some-1", int: 3, float: 2.5, bool: True}[field.annotation]  # type: ignore[index]


def asking_for(*options: str, document: DocumentSource = TEXT) -> VerificationRequest:
    given = {option: other_than(option) for option in options}
    return VerificationRequest(**{"document": document, "target": "devcloud", **given})


@pytest.mark.parametrize("option", Order.model_fields)
def test_each_option_goes_over_every_border(option: str) -> None:
    asked = asking_for(option)
    assert read_request(to_body(asked)) == asked
    message = pb.CreateVerificationRequest.FromString(request_to_pb(asked).SerializeToString())
    assert request_from_pb(message) == asked
    assert from_stored(to_stored(asked.order)) == asked.order
    assert getattr(asked.order, option) == other_than(option)


@pytest.mark.parametrize("document", [TEXT, URL], ids=["text", "url"])
def test_the_document_goes_with_its_order(document: DocumentSource) -> None:
    asked = asking_for(document=document)
    assert (
        request_from_pb(request_to_pb(asked)).document
        == read_request(to_body(asked)).document
        == document
    )


def test_what_was_not_asked_for_is_not_sent_and_not_stored() -> None:
    asked = asking_for(document=URL)
    assert to_body(asked) == {"target": "devcloud", "document": {"url": URL.url}}
    assert to_stored(asked.order) == {"target": "devcloud", "policy": "literal", "attempts": 1}
    assert (
        request_from_pb(pb.CreateVerificationRequest(target="t", document={"url": "u"})).attempts
        == 1
    )


def test_a_message_shows_the_options_that_it_has_fields_for() -> None:
    message = pb.Verification(verification_id="ver_1")
    show(asking_for("accept", "policy", "attempts", "rule").order, message)
    assert (message.target, message.policy, message.attempts) == ("devcloud", "some-1", 3)
    assert message.accept == common.EVIDENCE_AUDIT


def test_a_stored_option_of_a_later_release_is_refused_and_not_guessed() -> None:
    with pytest.raises(ProofwalkError) as caught:
        from_stored({"target": "devcloud", "colour": "red"})
    assert (caught.value.code, "'colour'" in caught.value.message) == ("order.unknown_option", True)


def test_a_stored_order_is_read_whatever_bounds_hold_now() -> None:
    assert from_stored({"target": "t" * 500, "attempts": 99}).attempts == 99


@pytest.mark.parametrize(
    ("asked", "principal", "digest"),
    [
        (
            VerificationRequest(
                document=DocumentSource(text="# Stop\n", name="stop.md"), target="devcloud"
            ),
            "ci",
            "fe44b6c3b4a8703d11c4554b14fb0d95d45aa79702274cd3814b6039b27e2a65",
        ),
        (
            VerificationRequest(
                document=DocumentSource(
                    url="https://d.example/x", name="n", media_type="text/html"
                ),
                procedure_id="p",
                target="t",
                policy="scripted",
                attempts=3,
                meta="m",
                rule="r",
                script="s",
                scenario="c",
                region="g",
                trace=True,
                accept="audit",
            ),
            "trainer:run_1",
            "d53ca676452b2417794dab74d06de1ba9c2c217eaf2b5e6eb1ce55667d969fd5",
        ),
        (
            VerificationRequest(
                document=DocumentSource(text="Größe"), target="t", meta_id="i", accept="judges"
            ),
            "",
            "f103822313e482f38d0f93437d143ef9f580a71f720deb998cb18e5bb71c9bb7",
        ),
    ],
    ids=["plain", "full", "stored META"],
)
def test_a_request_is_the_one_that_earlier_releases_stored(
    asked: VerificationRequest, principal: str, digest: str
) -> None:
    """A request that is repeated, or a group that is enlarged, over an upgrade."""
    assert request_digest(asked, principal=principal) == digest


@pytest.mark.parametrize("option", Order.model_fields)
def test_two_requests_that_differ_in_an_option_are_two(option: str) -> None:
    plain, other = asking_for(), asking_for(option)
    assert request_digest(plain, principal="ci") != request_digest(other, principal="ci")


def test_proof_is_what_the_kernel_accepts_as_proof() -> None:
    assert set(get_args(Order.model_fields["accept"].annotation)) == {"", *ACCEPTABLE}


def test_an_order_is_not_changed() -> None:
    with pytest.raises(ValidationError):
        asking_for().target = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"meta": "m", "meta_id": "i"}, "meta.two_sources"),
        ({"scenario": "no such/name"}, "verification.bad_scenario"),
        ({"region": "a\0b"}, "verification.bad_text"),
        ({"document": {"url": "u\0"}}, "verification.bad_text"),
        ({"attempts": 11}, "request.malformed"),
        ({"document": {}}, "request.malformed"),
        ({"colour": "red"}, "request.malformed"),
    ],
)
def test_what_is_wrong_with_a_request_is_found_when_it_is_made(
    given: dict[str, Any], code: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_request({"document": {"text": "x"}, "target": "t", **given})
    assert caught.value.code == code
    assert "\0" not in caught.value.message
