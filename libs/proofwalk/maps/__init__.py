"""A console's map: what pages, dialogs and controls there are, how to get there, and
what has changed between two maps. Begin with `README.md`."""
