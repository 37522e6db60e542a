"""Alibaba Cloud itself, through its official clients: `adapter` wires what is here,
`options` is what a target file says."""
