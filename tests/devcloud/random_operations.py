"""Operations made up from the product files alone: any operation of any product, with
values that may stand or may not.

`request` is a function of the catalogue, the world and the random source, and names no
product. `settle_in` gives an account something of every type that can be made without
knowing more than its product file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from proofwalk.devcloud.engine.calls import Caller, Outcome
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.options import leaves, source_values
from proofwalk.devcloud.engine.values.parameters import encode, naming
from proofwalk.devcloud.engine.values.validation import hidden
from proofwalk.devcloud.products.catalogue import Catalogue, Operation
from proofwalk.devcloud.products.schema.fields import FieldSpec, OptionSource
from tests.devcloud.conftest import REGION, Bench

WORDS = (
    "{word}-{n}",
    "{word}{n}",
    "Aa1@{word}{n}",
    "Word-{n}",
    "{word}_{n}",
    "{word}.example{n}.com",
    "{word}",
    "{n}",
)
FORMS = (
    "10.{n}.0.0/16",
    "10.{n}.{n}.0/24",
    "192.168.{n}.0/24",
    "10.0.0.{n}",
    "22/22",
    "-1/-1",
    "+86 13800138000",
    "{word}{n}@example.com",
    "https://example.com/{word}{n}",
    "2030-01-0{d}T00:00:00Z",
    "2030-01-0{d} 00:00:00",
    "0 0 12 * * *",
    "acs:ram::1:role/{word}",
    '{{"Version": "1", "Statement": []}}',
    "00:00Z-01:00Z",
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call to be made."""

    version: str
    action: str
    params: dict[str, str]


def operations(catalogue: Catalogue) -> list[Operation]:
    """All of them, in a fixed order."""
    return [catalogue.operations[key] for key in sorted(catalogue.operations)]


def caller(account: str) -> Caller:
    return Caller(
        account=account,
        user_name="agent",
        principal_id="1",
        event_type="ApiCall",
        access_key_id="k",
    )


class Author:
    """Makes up requests of one account. `word` is in every name that it chooses;
    `strangers` are accounts whose ids it tries."""

    def __init__(
        self, bench: Bench, account: str, *, word: str = "web", strangers: Iterable[str] = ()
    ) -> None:
        self._bench = bench
        self._catalogue = bench.cloud.catalogue
        self._account = account
        self._word = word
        self._strangers = tuple(strangers)

    def request(self, operation: Operation, random: Random) -> Request:
        """A call of this operation."""
        spec, resource, product = operation.spec, operation.resource, operation.product
        params: dict[str, str] = {"RegionId": REGION} if operation.regional else {}
        if resource is not None:
            row = (
                self._target(operation, random)
                if operation.kind not in ("create", "list")
                else None
            )
            held = {**row.fields, "id": row.id} if row is not None else {}
            params.update(
                encode(
                    spec.send, resource, held or self._values(operation, spec.send, random), held
                )
            )
            params.update(
                encode(spec.params, resource, self._values(operation, spec.params, random), held)
            )
            if row is not None and operation.kind != "hook":
                params.update(naming(resource, spec, row.id))
            if operation.kind == "list":
                wanted = {
                    name: self._value(f, {}, random)
                    for name in resource.api.parent
                    if (f := resource.field(name)) is not None
                }
                params.update(encode(resource.api.parent, resource, wanted, {}))
        if operation.kind in ("tag", "untag", "list_tags"):
            params.update(self._tagging(operation, random))
        return Request(
            version=product.api.version,
            action=spec.op,
            params={k: v for k, v in params.items() if v != ""},
        )

    def call(self, request: Request) -> Outcome | CloudError:
        """Make the call; a refusal is an answer too."""
        try:
            return self._bench.cloud.call(
                caller(self._account), request.version, request.action, request.params
            )
        except CloudError as refused:
            return refused

    def settle_in(self, random: Random, rounds: int = 6, share: float = 1.0) -> None:
        """Try create operations, in rounds, so that what needs something finds it;
        states move on in between."""
        pending = [
            o for o in operations(self._catalogue) if o.kind == "create" and random.random() < share
        ]
        for _ in range(rounds):
            pending = [
                o for o in pending if isinstance(self.call(self.request(o, random)), CloudError)
            ]
            self._bench.clock.advance(10)

    def _held(self, kind: str, random: Random) -> list[Resource]:
        whose = (
            self._account
            if not self._strangers or random.random() < 0.6
            else random.choice(self._strangers)
        )
        return self._bench.cloud.world.of_kind(whose, kind)

    def _target(self, operation: Operation, random: Random) -> Resource | None:
        held = self._held(str(operation.resource_kind), random)
        return random.choice(held) if held else None

    def _tagging(self, operation: Operation, random: Random) -> dict[str, str]:
        kinds = [
            (kind, spec.api.tag_type)
            for kind, spec in self._catalogue.resources.items()
            if spec.api.tag_type is not None and kind.startswith(f"{operation.product.id}.")
        ]
        if not kinds:
            return {}
        kind, tag_type = random.choice(kinds)
        held = self._held(kind, random)
        if not held:
            return {}
        tag = (
            {"Tag.1.Key": "owner", "Tag.1.Value": self._word}
            if operation.kind == "tag"
            else {"TagKey.1": "owner"}
        )
        return {"ResourceType": tag_type, "ResourceId.1": random.choice(held).id, **tag}

    def _values(
        self, operation: Operation, mapping: Iterable[str], random: Random
    ) -> dict[str, Any]:
        resource = operation.typed()
        values: dict[str, Any] = {}
        names = set(mapping) | set(operation.spec.derive)
        for field in resource.fields:
            if field.id not in names:
                continue
            needed = (
                field.required or field.id in operation.spec.mandatory
            ) and field.id not in operation.spec.optional
            if (not needed and random.random() < 0.6) or hidden(field, values):
                continue
            values[field.id] = self._value(field, values, random)
        return {name: value for name, value in values.items() if value is not None}

    def _value(self, field: FieldSpec, values: dict[str, Any], random: Random) -> Any:
        if field.api.ref is not None:
            same = field.api.ref.same
            held = self._held(field.api.ref.resource, random)
            fitting = [
                r
                for r in held
                if all(values.get(own) in (None, r.value(other)) for own, other in same.items())
            ]
            return random.choice(fitting or held).id if held else None
        if field.options is not None:
            allowed = self._allowed(field, values)
            chosen = random.choice(allowed) if allowed else None
            return [chosen] if chosen is not None and field.type == "list" else chosen
        if field.type == "int":
            low, high = int(field.min or 1), int(field.max or (field.min or 1) + 20)
            return random.choice(
                [low, field.default if isinstance(field.default, int) else low, high, low - 1]
            )
        if field.type == "bool":
            return random.random() < 0.5
        if field.type == "tags":
            return {"team": self._word}
        if field.type == "rows":
            return None
        pattern = field.item_pattern if field.type == "list" else field.pattern
        text = self._text(
            pattern, random, anything=bool(field.api.checks) or "/" in (field.placeholder or "")
        )
        return [text] if field.type == "list" else text

    def _allowed(self, field: FieldSpec, values: dict[str, Any]) -> list[Any]:
        if isinstance(field.options, OptionSource):
            asked = {**{name: values.get(name) for name in field.depends_on}, "region": REGION}
            return source_values(
                self._catalogue, field.options.source, asked, self._bench.cloud.scope(self._account)
            )
        return leaves([option.model_dump() for option in field.options or []])

    def _text(self, pattern: str | None, random: Random, *, anything: bool) -> str:
        number = random.randrange(1, 9)
        made = [form.format(word=self._word, n=number, d=number) for form in (*WORDS, *FORMS)]
        fitting = [text for text in made if pattern is None or re.search(pattern, text)] or made[:1]
        return random.choice(fitting) if anything else fitting[0]
