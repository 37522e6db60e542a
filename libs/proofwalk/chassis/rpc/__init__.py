"""How roles talk: gRPC over a unix socket or TCP, with one error model, deadlines,
traces, metrics and retries.

`RpcServer` serves a role's servicers; `RpcChannel` is what generated stubs are built
on. `statuses` carries a `ProofwalkError` across.
"""

from proofwalk.chassis.rpc.channel import RpcChannel
from proofwalk.chassis.rpc.server import RpcServer, RpcService

__all__ = ["RpcChannel", "RpcServer", "RpcService"]
