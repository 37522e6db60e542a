"""Learning from episodes: advantages, objectives, samples, loops (torch), and training
data (`datasets`, without torch)."""
