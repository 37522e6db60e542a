"""What a demand takes of nodes, accounts and sandboxes."""
