"""Tasks written: units and families become drafts, drafts become documents with META,
rule and script."""
