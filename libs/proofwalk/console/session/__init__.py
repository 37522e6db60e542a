"""One episode's browser context: tabs, allow-list, recordings. Begin with
`console_session`."""
