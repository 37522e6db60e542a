"""When a page is at rest, and how long anything is waited for."""
