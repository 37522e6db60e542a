"""Training and the embedded engine on a CUDA device."""
