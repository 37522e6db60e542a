"""The programs' ways in: the signed OpenAPI, and the host's side door."""
