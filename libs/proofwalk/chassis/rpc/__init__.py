"""How roles talk: gRPC over a unix socket or TCP, with one error model, deadlines,
traces, metrics and retries.

`RpcServer` serves a role's servicers; `RpcChannel` is what generated stubs are built
on, and `Channels` who has one to each role. `statuses` carries a `ProofwalkError`
across.
"""

from proofwalk.chassis.rpc.channel import Channels, RpcChannel
from proofwalk.chassis.rpc.server import RpcServer, RpcService

__all__ = ["Channels", "RpcChannel", "RpcServer", "RpcService"]
