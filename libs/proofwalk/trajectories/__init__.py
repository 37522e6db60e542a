"""Trajectories: every step of an episode as it was, kept in one Parquet file with its
pictures beside. Read `records` first, then `recorder`."""
