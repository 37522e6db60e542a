"""What Terraform is given is what was judged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.holes.guard import committed_templates
from proofwalk.hcl.reading import parse
from proofwalk.hcl.tree import (
    Binary,
    Chain,
    Conditional,
    Constant,
    Expression,
    Index,
    Member,
    Number,
    Object,
    Splat,
    Text,
    Tuple,
    Unary,
    print_expression,
    quote,
)
from proofwalk.resource_provisioner import guard
from proofwalk.resource_provisioner.terraform_json import written
from tests.resource_provisioner.hostile import GOOD


def test_every_committed_record_is_written_with_all_that_it_declares() -> None:
    count = 0
    for template in committed_templates():
        judged = guard.inspect(template)
        document = json.loads(written(judged).text)
        declared = {
            f"{type_}.{name}"
            for type_, named in document.get("resource", {}).items()
            for name in named
        }
        assert declared == {resource.address for resource in judged.resources}, template
        assert set(document.get("output", {})) == judged.outputs, template
        count += bool(judged.resources)
    assert count > 400


@pytest.mark.parametrize("name", GOOD)
def test_what_people_write_is_ascii_json_with_the_lines_it_came_from(name: str) -> None:
    made = written(guard.inspect(GOOD[name]), tags={"run": "prov_1"})
    json.loads(made.text)
    assert made.text.isascii()
    assert len(made.lines) == made.text.count("\n")
    assert all(0 <= line <= GOOD[name].count("\n") + 1 for line in made.lines)


def test_a_line_of_what_was_written_leads_to_the_templates() -> None:
    made = written(guard.inspect('# one\nresource "alicloud_vpc" "v" {\n\n  vpc_name = "x"\n}\n'))
    at = next(number for number, line in enumerate(made.text.splitlines(), 1) if "vpc_name" in line)
    assert (made.line_of(at), made.line_of(0), made.line_of(999)) == (4, 0, 0)


def test_the_runs_tag_is_put_where_there_is_none() -> None:
    template = (
        'resource "alicloud_vpc" "bare" {}\nresource "alicloud_vpc" "own" {\n  tags = { a = "b"'
        ' }\n}\nresource "alicloud_security_group_rule" "r" {}\nresource "terraform_data" "d" {}\n'
    )
    made = json.loads(written(guard.inspect(template), tags={"proofwalk-run": "p"}).text)[
        "resource"
    ]
    assert made["alicloud_vpc"]["bare"] == {"tags": {"proofwalk-run": "p"}}
    assert made["alicloud_vpc"]["own"] == {"tags": '${{"a" = "b"}}'}
    assert made["alicloud_security_group_rule"]["r"] == made["terraform_data"]["d"] == {}


def test_a_text_cannot_become_a_template() -> None:
    made = written(
        guard.inspect(
            'locals {\n  a = "$${file(\\"/x\\")}"\n  b = "%%{ if true }"\n  c = "plain"\n}\n'
        )
    )
    assert json.loads(made.text)["locals"] == {
        "a": '${"\\u0024{file(\\"/x\\")}"}',
        "b": '${"\\u0025{ if true }"}',
        "c": "plain",
    }


def test_blocks_references_and_types_are_written_as_terraform_wants_them() -> None:
    made = json.loads(
        written(
            guard.inspect(
                'resource "alicloud_instance" "i" {\n  depends_on = [alicloud_vpc.v]\n  data_disks'
                " {\n    size = 40\n  }\n  data_disks {\n    size = 50\n  }\n  lifecycle {\n   "
                ' ignore_changes = [tags["a"], image_id]\n  }\n}\nvariable "v" {\n  type ='
                ' map(object({ a = optional(string, "x"), b = tuple([number]) }))\n  default = { k'
                " = -1 }\n}\n"
            )
        ).text
    )
    assert made["resource"]["alicloud_instance"]["i"] == {
        "depends_on": ["alicloud_vpc.v"],
        "lifecycle": {"ignore_changes": ['tags["a"]', "image_id"]},
        "data_disks": [{"size": 40}, {"size": 50}],
    }
    assert made["variable"]["v"] == {
        "type": 'map(object({a = optional(string, "x"), b = tuple([number])}))',
        "default": {"k": -1},
    }


_texts = st.text(
    st.characters(
        exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"], include_characters='\n\r\t$%{}"\\'
    ),
    max_size=12,
)
_leaves: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from(["0", "1", "2.5", "1e10"]).map(Number),
    st.sampled_from(["true", "false", "null"]).map(Constant),
    _texts.map(lambda text: Text((text,)) if text else Text(())),
)


def _larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda items: Tuple(tuple(items))),
        st.lists(
            st.tuples(_texts.map(lambda text: Text((text,)) if text else Text(())), inner),
            max_size=3,
        ).map(lambda items: Object(tuple(items))),
        st.builds(Unary, st.sampled_from(["-", "!"]), inner),
        st.builds(
            Binary,
            st.sampled_from(["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||"]),
            inner,
            inner,
        ),
        st.builds(Conditional, inner, inner, inner),
        inner.map(lambda value: Text(("a", value, "$b"))),
        st.builds(
            lambda root, steps: Chain(root, tuple(steps)),
            inner.filter(lambda value: not isinstance(value, Chain)),
            st.lists(
                st.one_of(
                    st.just(Member("m")),
                    inner.map(Index),
                    st.sampled_from(["[*]", ".*"]).map(Splat),
                ),
                min_size=1,
                max_size=3,
            ),
        ),
    )


@given(st.recursive(_leaves, _larger, max_leaves=12))
def test_an_expression_that_is_written_reads_as_the_same_tree(expression: Expression) -> None:
    printed = print_expression(expression)
    assert printed.isascii()
    assert "\n" not in printed
    assert (
        parse(f"locals {{\n  x = {printed}\n}}\n").blocks[0].body.attributes["x"].value
        == expression
    )


@given(_texts)
def test_a_quoted_text_starts_no_template(text: str) -> None:
    assert not {"$", "%"} & set(quote(text).replace("\\u0024", "").replace("\\u0025", ""))
