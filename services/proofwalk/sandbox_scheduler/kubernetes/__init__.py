"""Sandboxes as pods of StatefulSets: one set a shard, one pod a sandbox. Read
`backend`, then `pods` and `watching`."""
