"""The cluster's names, for a cluster without a DNS of its own: services are asked of
the API at every question.

Answers A records of `SERVICE.NAMESPACE.svc.cluster.local` over UDP: the address of a
service, or those of the pods behind a headless one, and of one of these by its host
name. Nothing outside the cluster has a name here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import ip_address
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
from kubernetes.aio import client

from proofwalk.chassis.tasks import end
from tests.cluster.objects import read

DOMAIN = "cluster.local"
_PORT = 53
_TTL_S = 1
_MOST = 64
"""Questions under way; others are not answered, and asked again by their resolver."""


class ClusterNames(asyncio.DatagramProtocol):
    """`await listen(address)`, … `await close()`."""

    def __init__(self, api: client.ApiClient) -> None:
        self._api = api
        self._core = client.CoreV1Api(api)
        self._transport: asyncio.DatagramTransport | None = None
        self._answers: set[asyncio.Task[None]] = set()

    async def listen(self, address: str) -> None:
        """Raises `OSError` if the address is not this machine's, or taken."""
        await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: self, local_addr=(address, _PORT)
        )

    async def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
        await end(self._answers)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        if len(self._answers) < _MOST:
            task = asyncio.create_task(self._answer(data, addr))
            self._answers.add(task)
            task.add_done_callback(self._answers.discard)

    async def _answer(self, data: bytes, addr: tuple[str, int]) -> None:
        question = dns.message.from_wire(data)
        reply = dns.message.make_response(question, recursion_available=True)
        name, kind = question.question[0].name, question.question[0].rdtype
        async with asyncio.timeout(5):
            addresses = await self.addresses(name.to_text(omit_final_dot=True))
        if addresses is None:
            reply.set_rcode(dns.rcode.NXDOMAIN)
        else:
            fitting = [
                each
                for each in addresses
                if (ip_address(each).version == 6) == (kind == dns.rdatatype.AAAA)
            ]
            if fitting and kind in (dns.rdatatype.A, dns.rdatatype.AAAA):
                reply.answer.append(
                    dns.rrset.from_text(name, _TTL_S, "IN", dns.rdatatype.to_text(kind), *fitting)
                )
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(reply.to_wire(), addr)

    async def addresses(self, name: str) -> Sequence[str] | None:
        """Where a name leads; None if nothing has it."""
        within = f".svc.{DOMAIN}"
        parts = name.removesuffix(within).split(".")
        if not name.endswith(within) or len(parts) < 2:
            return None
        *host, service, namespace = parts
        try:
            found = await read(self._api, self._core.read_namespaced_service(service, namespace))
            address = found["spec"].get("clusterIP", "None")
            if address != "None":
                return None if host else [address]
            behind = await read(self._api, self._core.read_namespaced_endpoints(service, namespace))
        except client.ApiException as error:
            if error.status == 404:
                return None
            raise
        ready = [
            each for subset in behind.get("subsets", ()) for each in subset.get("addresses", ())
        ]
        return [each["ip"] for each in ready if host in ([], [each.get("hostname")])] or None
