"""What expressions of a template come to without Terraform."""

from __future__ import annotations

from proofwalk.hcl.reading import parse
from proofwalk.resource_provisioner.literals import Literals, plain

CIRCLE = """
resource "one" "a" {
  name = two.b.name
  self = one.a.self
}
resource "two" "b" {
  name = one.a.name
}
"""


def literals(template: str) -> Literals:
    blocks = parse(template).blocks
    return Literals(blocks={".".join(block.labels): block for block in blocks}, variables={})


def chain(length: int) -> str:
    """Resources that each take the next one's name, the last of which has one."""
    rows = [f'resource "r" "n{at}" {{\n name = r.n{at + 1}.name\n}}' for at in range(length)]
    return "\n".join([*rows, f'resource "r" "n{length}" {{\n name = "end"\n}}'])


def name_of(template: str, address: str, argument: str = "name") -> str:
    found = literals(template)
    return plain(found.of(found.blocks[address].body.attributes[argument].value))


def test_a_reference_is_followed_to_its_text() -> None:
    assert name_of(chain(3), "r.n0") == "end"


def test_what_names_itself_in_a_circle_comes_to_nothing() -> None:
    assert name_of(CIRCLE, "one.a") == ""
    assert name_of(CIRCLE, "one.a", "self") == ""


def test_references_are_followed_so_far_and_no_further() -> None:
    assert name_of(chain(12), "r.n0") == "end"
    assert name_of(chain(13), "r.n0") == ""
