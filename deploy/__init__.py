"""How Proofwalk is put on machines that are not this one."""
