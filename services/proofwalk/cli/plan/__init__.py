"""`proofwalk plan`: how much an installation needs. Start with `capacity`."""
