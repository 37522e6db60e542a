"""What expressions of a template come to, as far as can be told without Terraform.

A name with the run's prefix, a zone of the region, an argument of another resource, a
part of a network (`cidrsubnet`), and the id of a resource that has been made. What
rests on anything else is not known. Pure.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field

from proofwalk.cloud.ports import fact_text
from proofwalk.hcl.tree import Block, Call, Chain, Constant, Expression, Member, Name, Number, Text
from proofwalk.resource_provisioner.key_attributes import variables_of
from proofwalk.resource_provisioner.meta import Meta

Literal = Text | Number | Constant
_DEEPEST = 12
"""References that are followed one after the other; a template that names itself in a
circle is Terraform's to refuse."""


def plain(literal: Expression | None) -> str:
    """A literal's text; empty for what is none."""
    match literal:
        case Text():
            return literal.plain or ""
        case Number(text=text) | Constant(text=text):
            return text
    return ""


@dataclass(frozen=True, kw_only=True)
class Literals:
    """The values of one record's template."""

    blocks: Mapping[str, Block]
    """The resources, by address."""
    variables: Mapping[str, str]
    ids: Mapping[str, str] = field(default_factory=dict)
    """Address -> id, of what has been made."""

    @classmethod
    def of_record(
        cls, meta: Meta, *, platform: Mapping[str, str], ids: Mapping[str, str]
    ) -> Literals:
        """Those of a record. `platform` are the variables that the platform gives.
        Raises `guard.Refusal`."""
        blocks = meta.template.body.blocks
        defaults = {
            block.labels[0]: plain(block.body.attributes["default"].value)
            for block in blocks
            if block.type == "variable"
        }
        of_k = {name: fact_text(value) for name, value in variables_of(meta.resources).items()}
        return cls(
            blocks={".".join(block.labels): block for block in blocks if block.type == "resource"},
            variables={**defaults, **of_k, **platform},
            ids=ids,
        )

    def of(self, expression: Expression, *, depth: int = 0) -> Literal | None:
        """What an expression comes to; None where that is not known."""
        if depth > _DEEPEST:
            return None
        match expression:
            case Text(parts=parts):
                inner = [
                    Text((part,)) if isinstance(part, str) else self.of(part, depth=depth + 1)
                    for part in parts
                ]
                return None if None in inner else Text(("".join(map(plain, inner)),))
            case Number() | Constant():
                return expression
            case Chain(root=Name(name="var"), steps=(Member(name=variable),)):
                value = self.variables.get(variable, "")
                return Text((value,)) if value else None
            case Chain(root=Name(name=kind), steps=(Member(name=label), Member(name=argument))):
                return self._argument(f"{kind}.{label}", argument, depth)
            case Call(name="cidrsubnet", arguments=(network, bits, number)):
                return _part_of(
                    *(plain(self.of(one, depth=depth + 1)) for one in (network, bits, number))
                )
        return None

    def _argument(self, address: str, name: str, depth: int) -> Literal | None:
        if name == "id":
            return Text((self.ids[address],)) if address in self.ids else None
        block = self.blocks.get(address)
        argument = None if block is None else block.body.attributes.get(name)
        return None if argument is None else self.of(argument.value, depth=depth + 1)


def _part_of(network: str, bits: str, number: str) -> Text | None:
    """`cidrsubnet`, of what Terraform would take."""
    try:
        whole = ipaddress.IPv4Network(network, strict=False)
        longer, at = whole.prefixlen + int(bits), int(number)
        if not 0 <= at < 1 << int(bits):
            return None
        first = int(whole.network_address) + (at << (whole.max_prefixlen - longer))
        return Text((str(ipaddress.IPv4Network((first, longer))),))
    except ValueError:
        return None
