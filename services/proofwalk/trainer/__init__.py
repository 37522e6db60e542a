"""The trainer role: its contract is fixed, its calls are not built and say so. See `grpc_api`."""
