"""What an episode may reach and reveal: allowed hosts, addresses, when credentials are
typed, masks."""
