"""The browser's way in: the JSON that the page asks, what a session is like, and the
page itself."""
