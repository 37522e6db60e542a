"""`make bench-observe`: one look at a page, ours beside raw DevTools calls, BrowserGym
and browser-use, in one paired run."""
