"""A caller's META record, read in a process of its own (`chassis.readers`) before this
process reads it.

`MetaReader.check` refuses what is no record, and what takes more time or memory to read
than a record does (`meta.too_costly`), without reading it here. What passes is read
here in no more time than it took there.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofwalk.chassis.readers import Bounds, Order, Reading
from proofwalk.kernel.json_values import JsonObject
from proofwalk.resource_provisioner.meta import read_meta

BOUNDS = Bounds(wall_s=10.0, cpu_s=2, memory_bytes=256 * 1024 * 1024)
"""A record of the suites takes some milliseconds."""


def check_meta(arguments: JsonObject, body: bytes) -> bytes:
    """The reader behind `MetaReader.check`."""
    return read_meta(body.decode("utf-8", "surrogatepass")).digest.encode()


@dataclass(frozen=True, kw_only=True)
class MetaReader:
    """Reads records by orders to other processes."""

    reading: Reading
    bounds: Bounds = BOUNDS

    async def check(self, text: str) -> str:
        """The record's digest. Raises `meta.*`."""
        order = Order(
            reader=f"{__name__}:check_meta",
            subject="meta",
            arguments={},
            body=text.encode("utf-8", "surrogatepass"),
            bounds=self.bounds,
            hint="write a smaller template: fewer blocks, fewer nested lists",
        )
        return (await self.reading.read(order)).decode()
