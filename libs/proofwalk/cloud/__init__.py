"""What the platform needs of a cloud (`ports`), how a target is described (`target`),
and the adapters."""
