"""Terraform's language, read as far as templates may use it. `reading` reads a template
into a `tree`; nothing is evaluated."""
