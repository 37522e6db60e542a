"""Tasks of OSWorld's format (Xie et al., 2024; EvoCUA's 369 and ComputerRL's are such)
on our desktops.

    task        the format, read strictly where it decides something, and index files
    setup       what a task does to the desktop before the policy comes (`config`, `postconfig`)
    getters     what an evaluator looks at
    metrics     what it says of that: pure functions
    evaluation  a task's score
    episode     one task on one desktop: begin here

What a task wants and these desktops have not (a browser's bookmarks, Google Drive,
LibreOffice's formats) is `UNIMPLEMENTED` by name, before anything of the task was done:
`evaluation.check` tells. Guests have no network, so a task's downloads come from the
caller.
"""
