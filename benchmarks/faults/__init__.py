"""`make bench-faults`: what becomes of calls when the network between two processes
misbehaves (`__main__`)."""
