"""The installation of docker-compose.yml: its secrets (`credentials`) and what
Prometheus looks at."""
