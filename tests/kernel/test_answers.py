"""What counts as the same answer, and what does not."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.answers import ValueKind, agrees, given_fields, normalised, says_something

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=12)


@given(TEXTS)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


@given(WORDS, st.sampled_from(['"{}"', "“{}”", "‘{}’", "`{}`", "  {}\n", "「{}」"]))
def test_case_space_and_quotes_do_not_count(word: str, around: str) -> None:
    assert agrees(ValueKind.TEXT, word, around.format(word.upper()))


@given(WORDS)
def test_full_width_forms_do_not_count(word: str) -> None:
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in word)
    assert agrees(ValueKind.TEXT, word, wide)


@given(WORDS, WORDS)
def test_another_word_is_another_answer(one: str, other: str) -> None:
    assert agrees(ValueKind.TEXT, one, other) == (one == other)


@given(WORDS)
def test_a_value_inside_a_sentence_is_not_the_value(word: str) -> None:
    assert not agrees(ValueKind.TEXT, word, f"it may be {word}")


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_thousands_separators_do_not_count(number: int) -> None:
    assert agrees(ValueKind.NUMBER, str(number), f"{number:,}")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=0, max_value=10**9))
def test_numbers_are_compared_by_value(number: Decimal) -> None:
    assert agrees(ValueKind.NUMBER, str(number), f"{number}0 GiB", units=["GiB"])
    assert not agrees(ValueKind.NUMBER, str(number), str(number + 1))


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("30", True),
        ("30 days", True),
        ("３０ 天", True),
        ("30days", True),
        ("30 hours", False),
        ("30 or 60", False),
        ("thirty", False),
        ("1,5", False),
        ("", False),
    ],
)
def test_a_number_may_have_its_own_unit_and_no_other(given: str, right: bool) -> None:
    assert agrees(ValueKind.NUMBER, "30", given, units=["days", "天"]) is right


@given(st.lists(WORDS, min_size=1, unique=True))
def test_the_order_counts_in_a_list_alone(items: list[str]) -> None:
    shuffled = sorted(items, key=lambda one: one[::-1])
    for text in ("、".join(shuffled), ", ".join(shuffled), json.dumps(shuffled)):
        assert agrees(ValueKind.SET, items, text)
        assert agrees(ValueKind.LIST, items, text) == (shuffled == items)


@given(st.lists(WORDS, min_size=1, unique=True), WORDS)
def test_one_item_more_or_less_is_wrong(items: list[str], other: str) -> None:
    if other not in items:
        assert not agrees(ValueKind.SET, items, ", ".join([*items, other]))
        assert not agrees(ValueKind.SET, [*items, other], ", ".join(items))


def test_an_expected_value_must_say_something() -> None:
    assert not says_something(ValueKind.TEXT, ' "" ', ())
    assert not says_something(ValueKind.SET, [], ())
    assert not says_something(ValueKind.NUMBER, "many", ())
    assert says_something(ValueKind.NUMBER, "40 GiB", ["GiB"])


@pytest.mark.parametrize(
    "text",
    [
        "private_ip: 10.0.0.1\nzone: b",
        '{"private_ip": "10.0.0.1", "zone": "b"}',
        "- **Private IP**：10.0.0.1\n- Zone = b",
    ],
)
def test_fields_are_read_from_lines_and_from_json(text: str) -> None:
    assert given_fields(text, ["private_ip", "zone", "vpc"]) == {
        "private_ip": "10.0.0.1",
        "zone": "b",
    }


@pytest.mark.parametrize("text", ["https://one.example:80/", "10.0.0.1", "a plain remark"])
def test_one_field_needs_no_name(text: str) -> None:
    assert given_fields(text, ["endpoint"]) == {"endpoint": text}
    assert given_fields(text, ["endpoint", "zone"]) == {}


@given(WORDS, WORDS)
def test_who_gives_two_values_has_not_answered(one: str, other: str) -> None:
    given_twice = given_fields(f"ip: {one}\nip: {other}", ["ip"])["ip"]
    assert agrees(ValueKind.TEXT, one, given_twice) == (one == other)


def test_an_empty_answer_has_no_fields() -> None:
    assert given_fields(" \n", ["ip"]) == {}
