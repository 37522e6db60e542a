"""Members of another's JSON, as what is expected of them or as nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proofwalk.kernel import json_values
from proofwalk.kernel.json_values import JsonValue

VALUES: tuple[JsonValue, ...] = (None, "7", 7, 7.5, [1], (1,), {"a": 1})


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        (json_values.object_of, [{}, {}, {}, {}, {}, {}, {"a": 1}]),
        (json_values.list_of, [(), (), (), (), [1], (1,), ()]),
        (json_values.int_of, [0, 0, 7, 7, 0, 0, 0]),
        (json_values.number_of, [0, 0, 7, 7.5, 0, 0, 0]),
        (json_values.text_or_none, [None, "7", None, None, None, None, None]),
        (json_values.number_or_none, [None, None, 7, 7.5, None, None, None]),
    ],
)
def test_a_value_of_another_kind_is_nothing(
    reader: Callable[[JsonValue], object], expected: list[object]
) -> None:
    assert [reader(value) for value in VALUES] == expected
