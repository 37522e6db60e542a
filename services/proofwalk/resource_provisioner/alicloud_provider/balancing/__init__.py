"""Server Load Balancer: instances, listeners, server groups with their servers, access
control lists."""
