"""Recordings of the browser itself: a Playwright trace and a HAR of a session, without
secrets. Read `trace` first, then `trace_file`."""
