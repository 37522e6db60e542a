"""`make bench-inspection`: what periodic inspection finds, how late, and for how many
walks, beside walking everything at a fixed interval. `world` is what happens to a
documentation, `ways` how it is inspected, `figures` what is counted of it."""
