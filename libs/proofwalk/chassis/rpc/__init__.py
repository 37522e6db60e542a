"""How roles talk: gRPC over a unix socket or TCP, with one error model, deadlines,
traces, metrics and retries; over TCP with certificates, and a table of who may call
what.

`RpcServer` serves a role's servicers; `RpcChannel` is what generated stubs are built
on, `Channels` is who has one to each role, and `RoleChannels` makes them. `statuses`
carries a `ProofwalkError` across; `callers` is the table, `identity` asks it, and
`mutual_tls` has the process's certificate.
"""

from proofwalk.chassis.rpc.channel import Channels, RpcChannel
from proofwalk.chassis.rpc.role_channels import RoleChannels
from proofwalk.chassis.rpc.server import RpcServer, RpcService

__all__ = ["Channels", "RoleChannels", "RpcChannel", "RpcServer", "RpcService"]
