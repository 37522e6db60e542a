"""Auto Scaling groups: what the operations of `oddities.ess` do to the world."""
