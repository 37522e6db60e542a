"""`make bench-console-ui`: what the web console costs and whether everybody can use it;
see `__main__`."""
