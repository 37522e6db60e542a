"""The resource_provisioner role: brings an account into the state that a document
presupposes, and back. Start with `domain`."""
