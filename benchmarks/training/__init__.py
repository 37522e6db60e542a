"""What an update costs: ours against TRL's."""
