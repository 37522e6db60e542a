"""Units that nobody wrote: `operations` says what a console can do with a resource,
`units` writes the procedure for it, `wordings` has the sentences."""
