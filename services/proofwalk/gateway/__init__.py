"""The gateway role: REST for people and programs, over the rollout contract. Start with
`http_api`."""
