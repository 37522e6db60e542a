"""A cell of the fault bench tells how calls ended, and what they left
(`benchmarks.faults.cells`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from benchmarks.faults import cells
from benchmarks.faults.cells import measure
from benchmarks.faults.conditions import Pass
from benchmarks.faults.edges import Call, Edge, turns
from benchmarks.faults.proxy import FaultProxy
from proofwalk.kernel.errors import unavailable


async def nothing(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


def edge(address: tuple[str, int], failure: Exception) -> Edge:
    """Whose calls fail so while there is a condition."""

    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        async def call() -> None:
            if proxy.condition != Pass():
                raise failure

        yield call

    return Edge(
        caller="a",
        callee="b",
        operation="Do",
        deadline_s=1.0,
        upstream=address,
        opened=opened,
        attempts=turns,
    )


def in_its_own_context() -> Exception:
    first, second = KeyError("first"), unavailable("b.away", "second")
    first.__context__, second.__context__ = second, first
    return second


@pytest.mark.parametrize(
    ("failure", "code"), [(in_its_own_context(), "b.away"), (KeyError("x"), "!KeyError")]
)
async def test_a_cell_tells_how_calls_ended_and_that_they_are_answered_again(
    failure: Exception, code: str
) -> None:
    server = await asyncio.start_server(nothing, "127.0.0.1", 0)
    async with server:
        cell = await measure(edge(server.sockets[0].getsockname(), failure), "reset", seed=0)
    assert cell.is_measured
    assert [one.code for one in cell.calls] == [code] * cells.CALLS
    assert (cell.late(), list(cell.left)) == ([], [])
    assert cell.recovered_s is not None
    assert cell.recovered_s < 1
