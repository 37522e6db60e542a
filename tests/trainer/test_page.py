"""The run page: one file, no script, whatever was measured."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from proofwalk.trainer.domain import Failure, Measured, RunState
from proofwalk.trainer.page import render
from tests.trainer.test_rows import run_of

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_the_page_has_a_curve_for_what_was_measured_and_nothing_from_elsewhere() -> None:
    rows = [
        Measured(step=n, time=NOW, values={"loss": 1 / (n + 1), "kl": 0.1, "unheard_of": 1})
        for n in range(30)
    ]
    rows[3] = Measured(step=3, time=NOW, values={"loss": math.nan, "validation": -1.0})
    failure = Failure(code="a.b", message="<script>", hint="h & h")
    page = render(
        run_of("<r>", state=RunState.RUNNING, failure=failure, config_yaml="a: <b>"), rows, now=NOW
    )
    assert page.count("<svg") == 3
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert 'http-equiv="refresh"' in page
    assert not re.search(r'(src|href)="(?!#)', page)
    ended = render(run_of("r", state=RunState.FINISHED), [], now=NOW)
    assert "refresh" not in ended
    assert "Nothing was measured" in ended
