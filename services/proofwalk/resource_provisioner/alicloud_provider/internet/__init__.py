"""Ways to and from the Internet: elastic IP addresses and what they are bound to, NAT
gateways and their entries."""
