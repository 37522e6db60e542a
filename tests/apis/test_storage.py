"""A catalogue's folder: what is tested is what is read, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.apis.implementation import complaint_about_code, complaint_about_tests
from proofwalk.apis.model import ApiFunction, FunctionTest, Interface, Parameter, Trial
from proofwalk.apis.storage import INDEX, Catalogue, CatalogueFolder
from proofwalk.kernel.errors import ProofwalkError
from tests.apis.test_calling import PUT_BOX
from tests.apis.written import PUT, RIGHT, one_test


def file_of(folder: Path, function: ApiFunction, suffix: str) -> Path:
    return folder / "functions" / f"{function.digest}{suffix}"


def test_a_function_is_read_as_it_was_added_and_replaced_under_its_name(tmp_path: Path) -> None:
    folder = CatalogueFolder(tmp_path)
    assert folder.read() == Catalogue()
    first = folder.add(PUT_BOX)
    better = PUT_BOX.model_copy(update={"code": f"{RIGHT}\n# better\n"})
    second = folder.add(better)
    assert folder.read() == second
    assert (first.version, second.version) == (1, 2)
    assert first.digest != second.digest
    assert second.functions == {"put_box": better}
    assert file_of(tmp_path, PUT_BOX, ".py").read_text() == RIGHT
    assert not list(tmp_path.rglob("*.partial"))


def test_what_was_altered_or_is_broken_is_not_called(tmp_path: Path) -> None:
    folder = CatalogueFolder(tmp_path)
    folder.add(PUT_BOX)
    code = file_of(tmp_path, PUT_BOX, ".py")
    code.write_text(RIGHT.replace("putting", "PUTTING"))
    with pytest.raises(ProofwalkError) as altered:
        folder.read()
    assert altered.value.code == "apis.altered"
    code.unlink()
    with pytest.raises(ProofwalkError) as missing:
        folder.read()
    assert missing.value.code == "apis.invalid"
    (tmp_path / INDEX).write_text("version: 1\nfunctions: {put_box: ../../etc/passwd}\n")
    with pytest.raises(ProofwalkError) as outside:
        folder.read()
    assert str(tmp_path / "functions" / "passwd") in outside.value.message


def test_what_has_not_passed_its_tests_stays_out(tmp_path: Path) -> None:
    failed = (Trial(test="one", passed=False, message="no"),)
    for trials in ((), failed, (Trial(test="another", passed=True),)):
        with pytest.raises(ProofwalkError, match="has not passed"):
            CatalogueFolder(tmp_path).add(PUT_BOX.model_copy(update={"trials": trials}))
    assert not (tmp_path / INDEX).exists()


def test_a_catalogue_is_for_one_application(tmp_path: Path) -> None:
    folder = CatalogueFolder(tmp_path)
    folder.add(PUT_BOX)
    with pytest.raises(ProofwalkError) as other:
        folder.add(PUT_BOX.model_copy(update={"application": "desktop"}))
    assert other.value.code == "apis.other_application"
    assert folder.read().application == "shelf"


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        (RIGHT, ""),
        ("def put_box(api, *, name, twice=None):\n    pass", ""),
        ("def put_box(api, name, twice)\n    pass", "it is not Python"),
        ("def put(api, name, twice=0):\n    pass", "not one function put_box"),
        (f"{RIGHT}\n{RIGHT}", "not one function put_box"),
        ("def put_box(name, twice=0):\n    pass", "its parameters are not api, name, twice"),
        ("def put_box(api, name, twice):\n    pass", "twice is optional and has no default"),
    ],
)
def test_code_is_the_function_of_its_interface(code: str, wrong: str) -> None:
    complaint = complaint_about_code(PUT, code)
    assert wrong in complaint
    assert bool(wrong) == bool(complaint)


def look(name: str, **more: object) -> FunctionTest:
    return one_test(**{"name": name, "returns": {"id": "1"}, **more})


@pytest.mark.parametrize(
    ("tests", "wrong"),
    [
        ([look("a", arguments={"name": "x"}), look("b", arguments={"name": "y"})], ""),
        ([look("a")], "there are 1 tests"),
        ([look("a"), look("a", arguments={"name": "y"})], "two tests have one name"),
        ([look("a", returns={}), look("b", raises=True)], "no test looks"),
        ([look("a"), look("b")], "the same arguments"),
    ],
)
def test_tests_can_be_told_apart_and_look_at_something(
    tests: list[FunctionTest], wrong: str
) -> None:
    complaint = complaint_about_tests(PUT, tests)
    assert wrong in complaint
    assert bool(wrong) == bool(complaint)


def test_arguments_are_held_against_the_interface() -> None:
    kinds = Interface(
        name="all_kinds",
        description="Take them.",
        parameters=(
            Parameter(name="text", type="string", choices=("a", "b")),
            Parameter(name="whole", type="integer", required=False),
            Parameter(name="real", type="number", required=False),
            Parameter(name="flag", type="boolean", required=False),
            Parameter(name="list", type="strings", choices=("x", "y"), required=False),
        ),
    )
    assert kinds.complaint({"text": "a", "whole": 1, "real": 2, "flag": True, "list": ["x"]}) == ""
    assert kinds.complaint({"text": "c"}) == "text is none of a, b"
    assert kinds.complaint({"text": "a", "whole": True}) == "whole is no integer"
    assert kinds.complaint({"text": "a", "list": ["z"]}) == "list is none of x, y"
    assert kinds.complaint({"text": "a", "list": "x"}) == "list is no list of strings"
    with pytest.raises(ValueError, match="none is called api"):
        Interface(
            name="bad_one", description="a", parameters=(Parameter(name="api", type="string"),)
        )
