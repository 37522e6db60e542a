"""One episode's browser context: tabs, allow-list, credentials, recordings. Begin with `console_session`."""
