"""What the platform asks of a cloud (`ports`), how a target is described (`target`),
and the adapters that answer."""
