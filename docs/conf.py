"""Sphinx's configuration: the site that `make docs` builds into build/docs.

Pages are Markdown, read by MyST. Warnings are errors there, so a link whose target is
missing fails the build.
"""

project = "Proofwalk"
author = "The Proofwalk authors"
copyright = "The Proofwalk authors, Apache-2.0"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["writers", "_build"]
nitpicky = True
html_theme = "furo"
html_title = "Proofwalk"
html_show_sphinx = False
html_copy_source = False
