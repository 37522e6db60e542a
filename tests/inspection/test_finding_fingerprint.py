"""Which findings are one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.inspection.finding_fingerprint import Subject, document_key, normal_words
from proofwalk.kernel.outcomes import Finding, FindingKind

SUBJECT = Subject(
    target="devcloud",
    document="docs/ecs/stop.md",
    procedure_id="stop-an-instance",
    kind=FindingKind.RENAMED,
    asked="Stop instance",
    sentence="Click **Stop instance**.",
)
names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
texts = st.text(max_size=40)


def test_the_fingerprint_of_before_is_the_fingerprint_of_now() -> None:
    """A change of this digest makes every finding of every installation new."""
    assert SUBJECT.fingerprint == "f1:ffc2e67cbd9d8da7d463a055cbbc2c2f"


@given(sentence=texts)
def test_a_sentence_rewritten_around_the_same_words_is_the_same_finding(sentence: str) -> None:
    assert replace(SUBJECT, sentence=sentence).fingerprint == SUBJECT.fingerprint


@given(text=texts, marks=st.sampled_from(["**{}**", "`{}`", "“{}”", "  {} ", "{}.", "_{}_"]))
def test_markup_case_and_space_do_not_count(text: str, marks: str) -> None:
    plain = replace(SUBJECT, asked="", sentence=text + "x")
    marked = replace(plain, sentence=marks.format(text.swapcase().swapcase() + "x"))
    assert marked.fingerprint == plain.fingerprint


@given(text=texts)
def test_words_that_are_normal_stay_as_they_are(text: str) -> None:
    assert normal_words(normal_words(text)) == normal_words(text)


@given(
    field=st.sampled_from(["target", "document", "procedure_id", "asked"]), one=names, other=names
)
def test_another_place_or_other_words_are_another_finding(field: str, one: str, other: str) -> None:
    first, second = replace(SUBJECT, **{field: one}), replace(SUBJECT, **{field: other})  # type: ignore[arg-type]  # fields of text
    same = normal_words(one) == normal_words(other) if field == "asked" else one == other
    if field != "document":
        assert (first.fingerprint == second.fingerprint) == same


@given(kinds=st.lists(st.sampled_from(FindingKind), min_size=2, max_size=2, unique=True))
def test_the_same_words_wrong_in_two_ways_are_two(kinds: list[FindingKind]) -> None:
    one, other = (replace(SUBJECT, kind=kind) for kind in kinds)
    assert one.fingerprint != other.fingerprint


def test_parts_do_not_run_into_each_other() -> None:
    one = replace(SUBJECT, target="a", procedure_id="bc")
    other = replace(SUBJECT, target="ab", procedure_id="c")
    assert one.fingerprint != other.fingerprint


def told(kind: FindingKind, *, offered: str = "", line: int = 3, message: str = "") -> str:
    finding = Finding(
        file="stop.md",
        line=line,
        sentence="Click **OK**.",
        kind=kind,
        message=message,
        candidates=(offered,),
        offered=offered,
    )
    return Subject.of(finding, target="t", document="stop.md", procedure_id="p").fingerprint


def test_line_message_and_offers_do_not_count() -> None:
    first = told(FindingKind.RENAMED, offered="Confirm", message="it is called Confirm")
    assert first == told(FindingKind.RENAMED, offered="Yes", line=40, message="it is called Yes")


def test_two_missing_steps_of_one_sentence_are_two() -> None:
    first = told(FindingKind.MISSING_STEP, offered="Zone")
    assert first != told(FindingKind.MISSING_STEP, offered="Image")


def test_signs_without_letters_are_words_too() -> None:
    plus, minus = replace(SUBJECT, asked=" + "), replace(SUBJECT, asked="-")
    assert plus.fingerprint == replace(SUBJECT, asked="+").fingerprint != minus.fingerprint


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("docs/stop.md", "./docs//stop.md"),
        ("docs/stop.md", "docs\\stop.md"),
        ("docs/stop.md", "docs/old/../stop.md"),
        ("/builds/17/stop.md", "/tmp/checkout/stop.md"),
        ("C:\\work\\stop.md", "/work/stop.md"),
        ("https://docs.example.com/stop", "http://Docs.Example.com:80/stop/#step-3"),
        ("https://docs.example.com/stop/", "https://docs.example.com/stop/index.html"),
        ("https://docs.example.com/s?id=3&utm_source=x", "https://docs.example.com/s?spm=a.b&id=3"),
        ("https://docs.example.com/a%20b", "https://docs.example.com/a b"),
    ],
)
def test_names_of_one_document(name: str, same: str) -> None:
    assert document_key(name) == document_key(same)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("docs/ecs/index.md", "docs/vpc/index.md"),
        ("https://docs.example.com/stop", "https://docs.example.com/start"),
        ("https://docs.example.com/s?id=3", "https://docs.example.com/s?id=4"),
        ("https://docs.example.com:8443/s", "https://docs.example.com/s"),
        ("https://docs.example.com/en/stop", "https://docs.example.com/ja/stop"),
    ],
)
def test_names_of_two_documents(name: str, other: str) -> None:
    assert document_key(name) != document_key(other)


@given(name=st.one_of(texts, texts.map("https://h/{}".format)))
def test_every_name_has_a_key(name: str) -> None:
    assert document_key(name) == document_key(f" {name} ")
