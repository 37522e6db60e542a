"""Functions that an agent may call beside acting by hand, and their construction out of
exemplar tasks (ComputerRL §2.1, appendix A).

A *function* is Python that a model wrote, with typed parameters and tests that it has
passed on the real application. A *catalogue* is a folder of them. Start with `model`
(what a function is) and `storage` (the folder). `construction` makes functions in three
stages: `requirements`, `implementation`, `testing`. `running` runs one in a process of
its own, which has no network, no files and no credentials, and reaches the application
by asking this process (`surfaces`). `calling` runs those of a catalogue for a walk.
"""
