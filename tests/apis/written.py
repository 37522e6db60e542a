"""Functions, tests and answers that the tests' scripted models write."""

from __future__ import annotations

import json

from proofwalk.apis.model import FunctionTest, Interface, Parameter
from tests.models.fake_endpoint import Reply

PUT = Interface(
    name="put_box",
    description="Put a box onto the shelf.",
    parameters=(
        Parameter(name="name", type="string", description="its name"),
        Parameter(name="twice", type="boolean", required=False),
    ),
    returns="id: the id of the box",
)
RIGHT = """\
def put_box(api, name, twice=False):
    print("putting", name)
    made = api.call("shelf", "Put", Name=name)
    if twice:
        api.call("shelf", "Put", Name=name + "-2")
    return {"id": made["Id"]}
"""
WRONG = RIGHT.replace('made["Id"]', 'made["BoxId"]')
TESTS = """\
- name: a box is put
  arguments: {name: "box-${unique}"}
  returns: {id: "b-box-${unique}"}
- name: two boxes are put
  before: [{product: shelf, action: List, parameters: {}}]
  arguments: {name: "pair-${unique}", twice: true}
  after:
  - request: {product: shelf, action: Put, parameters: {Name: "other-${result.id}"}}
    has: {Id: "b-other-b-pair-${unique}"}
    contains: {Id: "pair"}
- name: no second box of one name
  before: [{product: shelf, action: Put, parameters: {Name: "taken-${unique}"}}]
  arguments: {name: "taken-${unique}"}
  raises: true
"""


def named(*interfaces: Interface) -> Reply:
    content = {"functions": [one.model_dump(mode="json") for one in interfaces]}
    return Reply(text=json.dumps(content))


def code(text: str) -> Reply:
    return Reply(text=json.dumps({"why": "as asked", "code": text}))


def trials(text: str = TESTS) -> Reply:
    return Reply(text=json.dumps({"why": "as asked", "tests": text}))


def one_test(**more: object) -> FunctionTest:
    return FunctionTest.model_validate({"name": "one", **more})
