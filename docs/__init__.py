"""The documentation: pages, what writes the generated ones (`writers`), and Sphinx's
configuration."""
