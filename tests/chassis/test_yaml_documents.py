"""YAML of strangers: values where it is plain, a reason and a line where it is not."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.text(st.characters(exclude_categories=["C"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc", min_size=1, max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "where", "word"),
    [
        (LAUGHS, "line 1", "aliases"),
        ("a: 1\nb: &x 2", "line 2", "aliases"),
        ("a: &x {b: 1}\nc: {<<: *x}", "line 1", "aliases"),
        ("[" * 40 + "]" * 40, "line 1", "nested deeper"),
        ("[" * 100_000, "line 1", "nested deeper"),
        ("{a: " * 40, "line 1", "nested deeper"),
        ("- a\n" * 20_001, "line 20000", "more than 20000 values"),
        ("a" * 200_000, "", "bytes"),
        ("a: [1", "line 2", "not YAML"),
        ("!!python/object/apply:os.system [id]", "line 1", "not YAML"),
        ("a: 1\n---\nb: 2", "line 2", "not YAML"),
        ("a: " + "9" * 10_000, "line 1", "quote it"),
        ("a: " + "1:" * 5000 + "1", "line 1", "quote it"),
        ("a: 2001-99-99", "", "cannot be read"),
        ("a: \x00", "", "not YAML"),
        ("? [a]\n: b", "line 1", "not YAML"),
    ],
)
def test_what_is_not_read_says_where_and_why(text: str, where: str, word: str) -> None:
    with pytest.raises(YamlRefused) as caught:
        read_yaml(text)
    assert caught.value.where == where
    assert word in caught.value.what


@given(PLAIN)
def test_plain_values_are_read_as_the_safe_loader_reads_them(value: Any) -> None:
    text = yaml.dump(value, Dumper=_NoAliases, allow_unicode=True)
    assert read_yaml(text) == yaml.safe_load(text) == value


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(YamlRefused):
        read_yaml(text, YamlBounds(max_bytes=400))


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True
