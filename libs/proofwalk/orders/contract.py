"""Orders as messages of the contract (`proto/proofwalk/api/rollout/v1`), and back.

Fields go over by name, whatever fields the order has: an option without a field of its
name in CreateVerificationRequest fails the first request (and `tests/orders`). A
message's zero value stands for what was not asked for. What a message says wrongly is
`verification.bad_<field>`.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message
from pydantic import ValidationError

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import EVIDENCE
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.orders.order import DocumentSource, Order, VerificationRequest

_FIELDS = {"meta": "meta_yaml", "rule": "rule_yaml", "script": "script_yaml"}
"""Options that the contract calls otherwise."""
_SOURCE_HINT = "set `document.url` or `document.content`"


def request_to_pb(request: VerificationRequest) -> pb.CreateVerificationRequest:
    """A request, without whose it is and under which id."""
    source = request.document
    document = pb.DocumentSource(name=source.name, media_type=source.media_type)
    if source.url:
        document.url = source.url
    else:
        document.content = source.text.encode()
    message = order_to_pb(request)
    message.document.CopyFrom(document)
    return message


def order_to_pb(order: Order) -> pb.CreateVerificationRequest:
    """An order, without a document."""
    message = pb.CreateVerificationRequest()
    for name in Order.model_fields:
        _set(message, message.DESCRIPTOR.fields_by_name[_field(name)], getattr(order, name))
    return message


def order_from_pb(message: pb.CreateVerificationRequest) -> Order:
    """The order of a message, whatever document it names. Raises `verification.bad_…`,
    `rpc.unknown_word`, and what is wrong with what fields say together."""
    try:
        return Order(**_options(message))
    except ValidationError as error:
        raise _refusal(error) from None


def request_from_pb(message: pb.CreateVerificationRequest) -> VerificationRequest:
    """Raises `document.no_source`, `document.not_text`, `verification.bad_…`,
    `rpc.unknown_word`, and what is wrong with what fields say together."""
    try:
        return VerificationRequest(document=_document(message.document), **_options(message))
    except ValidationError as error:
        raise _refusal(error) from None


def _options(message: pb.CreateVerificationRequest) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, field in Order.model_fields.items():
        value = _get(message, message.DESCRIPTOR.fields_by_name[_field(name)])
        if value or field.is_required():
            options[name] = value
    return options


def show(order: Order, message: Message) -> None:
    """Say in a message what it has fields for."""
    for name in Order.model_fields:
        field = message.DESCRIPTOR.fields_by_name.get(_field(name))
        if field is not None:
            _set(message, field, getattr(order, name))


def _field(option: str) -> str:
    return _FIELDS.get(option, option)


def _set(message: Message, field: Any, value: Any) -> None:
    setattr(
        message, field.name, EVIDENCE.to_pb(EVIDENCE.spelt(value)) if field.enum_type else value
    )


def _get(message: Message, field: Any) -> Any:
    value = getattr(message, field.name)
    if not field.enum_type:
        return value
    word = EVIDENCE.from_pb(value)
    return "" if word is None else word.value


def _document(message: pb.DocumentSource) -> DocumentSource:
    try:
        text = message.content.decode("utf-8")
    except UnicodeDecodeError as error:
        why = "the document is not text: it is not UTF-8"
        raise invalid("document.not_text", why, hint="save it as UTF-8") from error
    try:
        return DocumentSource(
            url=message.url, text=text, name=message.name, media_type=message.media_type
        )
    except ValidationError as error:
        raise _refusal(error) from None


def _refusal(error: ValidationError) -> ProofwalkError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if not first["loc"]:
        return invalid(
            "document.no_source", "give either a URL or the document's content", hint=_SOURCE_HINT
        )
    name = str(first["loc"][-1])
    return invalid(f"verification.bad_{name}", f"{name}: {first['msg']}")
