"""The inference role: policies ask it for actions, trainers for log-probabilities and
hand it weights. README.md says how it fails."""
