"""A folder or a site's tree as pages in the order in which its readers meet them.

`tree.read_tree` is the door: it finds the pages (`pages`), orders them as the sidebar
does (`sidebar`), puts included files and variables in their places (`expansion`,
`variables`) and gives each procedure an id that survives reordering. A line of an
expanded page knows the file that it comes from, so a finding points at the sentence's
own source. Nothing of a tree is executed: configuration written in a programming
language (`conf.py`, `sidebars.js`) is read as text, and what cannot be read that way is
said.
"""
