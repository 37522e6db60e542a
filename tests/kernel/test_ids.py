"""When an id was made, told by the id."""

from __future__ import annotations

from datetime import timedelta

import pytest

from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import RandomIds, created_at


def test_an_id_says_when_it_was_made() -> None:
    clock = ManualClock()
    for seconds in (0, 0.25, 86_400 * 3650):
        clock.advance(seconds)
        made = created_at(RandomIds(clock).new("sbx"))
        assert made is not None
        assert timedelta(0) <= clock.now() - made < timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "text", ["", "sbx_", "sbx_1", "sbx_" + "u" * 20, "sbx_" + "0" * 21, "sbx_" + "z" * 20]
)
def test_a_text_that_is_no_id_says_nothing(text: str) -> None:
    assert created_at(text) is None
