"""Writes a judged template in Terraform's JSON syntax, which Terraform gets instead of
the text.

Every argument becomes one JSON string that holds one expression (`"${…}"`, printed by
`hcl.tree`), or a plain string without `$` and `%`, or a literal. Where Terraform reads
without evaluating (`depends_on`, `ignore_changes`, `iterator`, a variable's type and
default) the plain form is written that it wants there. Labels and names are plain
words, which the guard has seen to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proofwalk.hcl.tree import (
    Attribute,
    Block,
    Body,
    Constant,
    Expression,
    Name,
    Number,
    Text,
    Tuple,
    print_expression,
)
from proofwalk.resource_provisioner.constants import constant_value, type_text
from proofwalk.resource_provisioner.guard import Template
from proofwalk.resource_provisioner.raw_json import Raw, Value, write
from proofwalk.resource_provisioner.references import fixed_reference

Entries = dict[str, tuple[int, Value]]


@dataclass(frozen=True, kw_only=True)
class Written:
    """A template as Terraform reads it."""

    text: str
    lines: Sequence[int]
    """For each line of `text` the template's line, 0 where there is none."""

    def line_of(self, line: int) -> int:
        """The template's line for a line of the text, both from 1."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else 0


def written(
    template: Template,
    *,
    tags: Mapping[str, str] | None = None,
    variables: Mapping[str, bool | int | float | str] | None = None,
) -> Written:
    """The template. `tags` are given to every resource that may have tags and sets
    none; `variables` replace the defaults of variables that it declares."""
    document: dict[str, tuple[int, dict[str, tuple[int, Value]]]] = {}
    for block in template.body.blocks:
        section = document.setdefault(block.type, (block.line, {}))[1]
        match block.type:
            case "locals":
                section |= {
                    item.name: (item.line, expression_value(item.value))
                    for item in block.body.attributes.values()
                }
            case "variable":
                value = (variables or {}).get(block.labels[0])
                section[block.labels[0]] = (block.line, _variable(block.body, value))
            case "output":
                section[block.labels[0]] = (block.line, _output(block.body))
            case _:
                kind = section.setdefault(block.labels[0], (block.line, {}))[1]
                assert isinstance(kind, dict)
                kind[block.labels[1]] = (block.line, _resource(block.body))
    if tags:
        _tag(template, document, tags)
    text, lines = write(document)
    return Written(text=text, lines=lines)


def _tag(
    template: Template, document: Mapping[str, tuple[int, Entries]], tags: Mapping[str, str]
) -> None:
    for declared in template.resources:
        if declared.taggable and not declared.tags:
            kind = document["resource"][1][declared.type][1]
            assert isinstance(kind, dict)
            line, resource = kind[declared.name]
            resource["tags"] = (
                line,
                {name: (line, expression_value(Text((value,)))) for name, value in tags.items()},
            )


def expression_value(expression: Expression) -> Value:
    """An argument's value in JSON."""
    match expression:
        case Number(text=text):
            return Raw(text)
        case Constant(text="true" | "false" as text):
            return Raw(text)
        case Text() if (plain := expression.plain) is not None and not set("$%") & set(plain):
            return plain
    return f"${{{print_expression(expression)}}}"


def _resource(body: Body) -> Entries:
    entries: Entries = {}
    for attribute in body.attributes.values():
        value = (
            _references(attribute)
            if attribute.name == "depends_on"
            else expression_value(attribute.value)
        )
        entries[attribute.name] = (attribute.line, value)
    for block in body.blocks:
        if block.type == "lifecycle":
            entries["lifecycle"] = (block.line, _lifecycle(block.body))
    return entries | _blocks([block for block in body.blocks if block.type != "lifecycle"])


def _inner(body: Body) -> Entries:
    return {
        item.name: (item.line, expression_value(item.value)) for item in body.attributes.values()
    } | _blocks(body.blocks)


def _blocks(blocks: Sequence[Block]) -> Entries:
    """Blocks of one type as a list, in their order."""
    grouped: dict[str, list[tuple[int, Value]]] = {}
    first: dict[str, int] = {}
    for block in blocks:
        value: Value = (
            {block.labels[0]: (block.line, _dynamic(block.body))}
            if block.type == "dynamic"
            else _inner(block.body)
        )
        grouped.setdefault(block.type, []).append((block.line, value))
        first.setdefault(block.type, block.line)
    return {name: (first[name], items) for name, items in grouped.items()}


def _dynamic(body: Body) -> Entries:
    entries: Entries = {}
    for attribute in body.attributes.values():
        plain = (
            attribute.value.name
            if attribute.name == "iterator" and isinstance(attribute.value, Name)
            else None
        )
        entries[attribute.name] = (
            attribute.line,
            plain if plain is not None else expression_value(attribute.value),
        )
    content = body.blocks[0]
    return entries | {"content": (content.line, _inner(content.body))}


def _lifecycle(body: Body) -> Entries:
    return {
        item.name: (
            item.line,
            (
                expression_value(item.value)
                if item.name == "create_before_destroy"
                else _references(item)
            ),
        )
        for item in body.attributes.values()
    }


def _references(attribute: Attribute) -> Value:
    if not isinstance(attribute.value, Tuple):
        return fixed_reference(attribute.value, attribute.line, attribute.name)
    return [
        (attribute.line, fixed_reference(item, attribute.line, attribute.name))
        for item in attribute.value.items
    ]


def _variable(body: Body, given: bool | float | str | None) -> Entries:
    entries: Entries = {}
    for attribute in body.attributes.values():
        match attribute.name:
            case "type":
                value: Value = type_text(attribute.value, attribute.line)
            case "default" if given is not None:
                value = given if isinstance(given, str) else Raw(json.dumps(given))
            case _:
                value = constant_value(attribute.value, attribute.line)
        entries[attribute.name] = (attribute.line, value)
    return entries


def _output(body: Body) -> Entries:
    return {
        item.name: (
            item.line,
            (
                expression_value(item.value)
                if item.name == "value"
                else constant_value(item.value, item.line)
            ),
        )
        for item in body.attributes.values()
    }
