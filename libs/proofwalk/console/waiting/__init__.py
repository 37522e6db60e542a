"""When a page is at rest, and how long each wait may take."""
