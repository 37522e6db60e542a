"""The sandbox scheduler: isolated browsers under leases, from a warm pool. Start with
`domain`, then `pool`."""
