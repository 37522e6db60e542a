"""A browser as an environment: what is seen (`observation`), what can be done
(`actions`), and when the page is quiet."""
