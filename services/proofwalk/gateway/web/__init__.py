"""The web console under /console: pages of HTML that work without script.

A page is a template (`templates`) rendered by `rendering.Console` for a `visit.Visit`:
who asks, in which language and colours, with which token in its forms. Whoever has
signed in with an API key has a session (`sessions`), and asks rollout as that key, by
the same `routes.asking.Parts` and `changes` as REST does. `static/console.js` adds what
script can: live pages, keys, and parts that are read again.

Invariants: no answer without `rendering.HEADERS`, no script or style but files of
`static`; no POST is worked on without the session's token from the gateway's own
origin; every text from outside is escaped by its template. `routes.include` puts the
pages behind that guard. Next: `visit`.
"""
