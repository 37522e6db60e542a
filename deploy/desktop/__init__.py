"""The desktop's image: `python -m deploy.desktop.build`, and what lies in the guest."""
