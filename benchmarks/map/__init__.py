"""`make bench-map`: what an exploration finds of the embedded console, and what a
change report says of planted changes."""
