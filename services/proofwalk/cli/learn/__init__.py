"""`proofwalk learn`: from documents to a policy that learned from them, and the table that says how much. Start with `pipeline`."""
