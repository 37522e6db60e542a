"""The trainer role: queues runs, trains each in a process and a folder of its own, and
survives their crashes. README.md says how it fails."""
